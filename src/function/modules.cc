// The list of built-in virtual-table modules.
#include "function/virtual_table.h"

namespace godwit {

extern const VirtualModule kSeriesModule;    // series_module.cc
extern const VirtualModule kJsonModules[4];  // json/json_table_module.cc

std::span<const VirtualModule* const> builtin_modules() {
  static constexpr const VirtualModule* kModules[] = {&kSeriesModule, &kJsonModules[0], &kJsonModules[1],
                                                      &kJsonModules[2], &kJsonModules[3]};
  return kModules;
}

}  // namespace godwit
