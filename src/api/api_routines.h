// The functions that loadable extensions are given.
#pragma once

#ifndef SQLITE_CORE
#define SQLITE_CORE 1  // without the macros that hide the functions' names
#endif
#include "sqlite3ext.h"

namespace godwit::api {

// Lives as long as the process.
const sqlite3_api_routines* api_routines();

}  // namespace godwit::api
