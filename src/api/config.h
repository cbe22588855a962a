// Settings of the whole library (sqlite3_config()).
#pragma once

namespace godwit::api {

// From now on most settings cannot be changed.
void mark_initialized();
// Whether names that start with "file:" are URIs without SQLITE_OPEN_URI.
bool uses_uris();
// The application's error log.
bool has_log();
void log_error(int code, const char* message);

}  // namespace godwit::api
