// What the two endpoints of the dense form share.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/http.h"
#include "sqlite3.h"

namespace godwit::server {

inline constexpr std::string_view kDenseContentType = "application/x-godwit";
inline constexpr std::chrono::seconds kPushTurnTimeout{30};

HttpResponse dense_response(std::string body);
// 503 for what may work later, 500 for the rest.
HttpResponse failure_response(const Status& status);

// The random word that says which database this is, kept in its table godwit_sync_database; "": it has
// none yet.
Result<std::string> read_identity(sqlite3* db);
// The same; makes one if there is none.
Result<std::string> ensure_identity(sqlite3* db);
// The last seq of the client that was applied; 0: none.
Result<uint64_t> read_acknowledged(sqlite3* db, std::string_view client);

}  // namespace godwit::server
