// The list of built-in virtual-table modules.
#include "function/virtual_table.h"

namespace godwit {

extern const BuiltinModule kSeriesModule;    // series_module.cc
extern const BuiltinModule kJsonModules[4];  // json/json_table_module.cc

std::span<const BuiltinModule* const> builtin_modules() {
  static constexpr const BuiltinModule* kModules[] = {&kSeriesModule, &kJsonModules[0], &kJsonModules[1],
                                                      &kJsonModules[2], &kJsonModules[3]};
  return kModules;
}

}  // namespace godwit
