#include "sync/replica_state.h"

#include <charconv>
#include <chrono>
#include <map>
#include <random>

#include "sync/database_access.h"

namespace godwit::sync {
namespace {

constexpr char kTables[] =
    "CREATE TABLE IF NOT EXISTS godwit_sync_state(name TEXT PRIMARY KEY, value);"
    "CREATE TABLE IF NOT EXISTS godwit_sync_conflict(id INTEGER PRIMARY KEY, time INTEGER,"
    " table_name TEXT, row_key TEXT, kind TEXT, local TEXT, server TEXT, error TEXT);"
    "CREATE TABLE IF NOT EXISTS godwit_sync_pending(seq INTEGER PRIMARY KEY AUTOINCREMENT,"
    " time INTEGER, ops BLOB);";

std::string random_id() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    uint32_t word = random();
    for (int j = 0; j < 8; ++j, word >>= 4) id.push_back(kHex[word & 15]);
  }
  return id;
}

uint64_t number_in(const std::string& text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

using Values = std::map<std::string, std::string>;

Result<Values> load_values(sqlite3* db) {
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT name, value FROM godwit_sync_state"));
  Values values;
  for (;;) {
    GW_ASSIGN(const bool has_row, query.step());
    if (!has_row) return values;
    values[query.text(0)] = query.text(1);
  }
}

Values values_of(const ReplicaState& state) {
  return {{"client", state.client},
          {"database", state.database},
          {"revision", state.revision},
          {"wire", state.wire},
          {"acknowledged_seq", std::to_string(state.acknowledged_seq)},
          {"sent_seq", std::to_string(state.sent_seq)},
          {"last_push_time", std::to_string(state.last_push_time)},
          {"last_pull_time", std::to_string(state.last_pull_time)}};
}

}  // namespace

Result<bool> has_replica_state(sqlite3* db) {
  GW_ASSIGN(const int64_t tables,
            integer_of(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN"
                           " ('godwit_sync_state', 'godwit_sync_pending', 'godwit_sync_conflict')"));
  return tables == 3;
}

Status make_replica_tables(sqlite3* db, const std::string& client_name) {
  GW_TRY(execute(db, kTables));
  ReplicaState state;
  state.client = client_name + "-" + random_id();
  return store_state(db, state);
}

Result<ReplicaState> load_state(sqlite3* db) {
  GW_ASSIGN(Values values, load_values(db));
  ReplicaState state;
  state.client = values["client"];
  state.database = values["database"];
  state.revision = values["revision"];
  state.wire = values["wire"];
  state.acknowledged_seq = number_in(values["acknowledged_seq"]);
  state.sent_seq = number_in(values["sent_seq"]);
  state.last_push_time = static_cast<int64_t>(number_in(values["last_push_time"]));
  state.last_pull_time = static_cast<int64_t>(number_in(values["last_pull_time"]));
  if (state.client.empty()) return Status::error("the replica has no client id");
  return state;
}

Status store_state(sqlite3* db, const ReplicaState& state) {
  GW_ASSIGN(Values stored, load_values(db));
  for (const auto& [name, value] : values_of(state)) {
    auto known = stored.find(name);
    if (known == stored.end() || known->second != value) GW_TRY(set_state_value(db, name, value));
  }
  return Status();
}

Result<std::string> state_value(sqlite3* db, std::string_view name) {
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT value FROM godwit_sync_state WHERE name = ?"));
  GW_ASSIGN(const bool has_row, query.bind(1, name).step());
  return has_row ? query.text(0) : std::string();
}

Status set_state_value(sqlite3* db, std::string_view name, std::string_view value) {
  GW_ASSIGN(Query query, Query::prepare(db, "INSERT OR REPLACE INTO godwit_sync_state(name, value) VALUES(?, ?)"));
  return query.bind(1, name).bind(2, value).run();
}

Status keep_conflict(sqlite3* db, const Conflict& conflict) {
  static const char* const kKinds[] = {"overwritten", "dropped", "moved", "refused", "set aside"};
  GW_ASSIGN(Query query, Query::prepare(db, "INSERT INTO godwit_sync_conflict(time, table_name, row_key,"
                                            " kind, local, server, error) VALUES(?, ?, ?, ?, ?, ?, ?)"));
  query.bind(1, seconds_now()).bind(2, conflict.table).bind(3, conflict.key);
  query.bind(4, std::string_view(kKinds[conflict.kind]));
  const std::string* const texts[] = {&conflict.mine, &conflict.theirs, &conflict.error};
  for (int i = 0; i < 3; ++i) {
    if (!texts[i]->empty()) query.bind(5 + i, *texts[i]);
  }
  return query.run();
}

int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace godwit::sync
