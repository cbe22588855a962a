// The allocator that SQLITE_CONFIG_MALLOC has set.
#pragma once

#include "sqlite3.h"

namespace godwit::api {

// All null: the C library's.
extern sqlite3_mem_methods memory_methods;

}  // namespace godwit::api
