// Loadable extensions of a connection.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sqlite3.h"

namespace godwit::api {

// Calls those that every new connection gets; an error is the connection's end.
Status start_automatic_extensions(sqlite3* db);
// Nothing of them may be used any more.
void close_extensions(sqlite3* db);
// The SQL function load_extension(); `context` is the connection.
Status load_extension_function(void* context, std::string_view file, std::string_view entry);

}  // namespace godwit::api
