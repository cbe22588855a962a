// File names that are URIs: file:path?mode=ro&immutable=1 (uri.html).
#pragma once

#include <string>

#include "api/filename.h"
#include "base/status.h"
#include "engine/connection.h"

namespace godwit::api {

// Takes `uri` apart: the path, and the parameters mode, cache, immutable, vfs and nolock as options.
// All parameters are given back in *parameters.
// Errors: kError for a bad authority or mode, kPerm for a mode that asks for more than the flags.
Status apply_uri(const std::string& uri, std::string* path, ConnectOptions* options,
                 UriParameters* parameters);

}  // namespace godwit::api
