#include "server/dense.h"

#include "server/sql_session.h"
#include "sync/database_access.h"

namespace godwit::server {
namespace {

bool has_table(sqlite3* db, const std::string& name) {
  auto found = sync::integer_of(db, "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '" +
                                        name + "'");
  return found.ok() && *found == 1;
}

}  // namespace

HttpResponse dense_response(std::string body) {
  HttpResponse response;
  response.content_type = kDenseContentType;
  response.body = std::move(body);
  response.compressible = false;
  response.is_terse = true;
  return response;
}

HttpResponse failure_response(const Status& status) {
  const bool is_passing = status.primary() == SQLITE_BUSY || status.primary() == SQLITE_LOCKED ||
                          status.primary() == SQLITE_FULL;
  return error_response(is_passing ? 503 : 500, status.message(), sqlite_code_name(status.code()));
}

Result<std::string> read_identity(sqlite3* db) {
  if (!has_table(db, "godwit_sync_database")) return std::string();
  GW_ASSIGN(auto id, sync::text_of(db, "SELECT id FROM main.godwit_sync_database"));
  return id.value_or("");
}

Result<std::string> ensure_identity(sqlite3* db) {
  GW_ASSIGN(std::string id, read_identity(db));
  if (!id.empty()) return id;
  GW_TRY(sync::execute(db, "CREATE TABLE IF NOT EXISTS main.godwit_sync_database(id TEXT NOT NULL);"
                           "INSERT INTO main.godwit_sync_database VALUES (lower(hex(randomblob(8))))"));
  return read_identity(db);
}

Result<uint64_t> read_acknowledged(sqlite3* db, std::string_view client) {
  if (!has_table(db, "turso_sync_last_change_id")) return uint64_t{0};
  GW_ASSIGN(sync::Query query,
            sync::Query::prepare(db, "SELECT change_id FROM main.turso_sync_last_change_id "
                                     "WHERE client_id = ? AND pull_gen = 0"));
  query.bind(1, client);
  GW_ASSIGN(bool is_known, query.step());
  return is_known ? static_cast<uint64_t>(query.integer(0)) : uint64_t{0};
}

}  // namespace godwit::server
