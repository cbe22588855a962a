// One step of the way from a root to an entry.
#pragma once

#include <cstdint>

#include "pager/pager.h"

namespace godwit {

// `index` is a cell's on the page of an entry, and the child's (0 to cell count) above it.
struct Level {
  PageRef page;
  uint32_t index = 0;
};

}  // namespace godwit
