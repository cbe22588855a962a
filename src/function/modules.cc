// The list of built-in virtual-table modules.
#include "function/virtual_table.h"

namespace godwit {

extern const VirtualModule kSeriesModule;  // series_module.cc

std::span<const VirtualModule* const> builtin_modules() {
  static constexpr const VirtualModule* kModules[] = {&kSeriesModule};
  return kModules;
}

}  // namespace godwit
