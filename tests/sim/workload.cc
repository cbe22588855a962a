// What the simulated connections do: transactions of known content, checkpoints, vacuums.
#include <functional>

#include "base/error_code.h"
#include "tests/sim/simulation.h"

namespace godwit::sim {
namespace {

constexpr int64_t kKeyMax = 60;
constexpr const char* kModes[] = {"delete", "truncate", "persist", "wal"};

}  // namespace

void Simulation::step() {
  Client* client = &clients_[prng_.below(clients_.size())];
  if (process_of(*client)->is_dead()) return;
  if (client->session == nullptr && !open_client(client)) return;
  if (!client->in_transaction) {
    if (prng_.below(8) == 0) {
      maintain(client);
    } else {
      begin(client);
    }
    return;
  }
  switch (prng_.below(8)) {
    case 0: case 1: case 2: modify(client); break;
    case 3: case 4: case 5: commit(client); break;
    case 6: reread(client); break;
    default: prng_.below(3) == 0 ? roll_back(client) : modify(client);
  }
}

bool Simulation::may_fail_with(const Client& client, int code) const {
  int primary = code::primary(code);
  if (process_of(client)->is_dead()) return true;
  if (primary == code::kBusy || primary == code::kLocked) return true;
  if (!faults_on_) return false;
  return primary == code::kIoErr || primary == code::kFull || primary == code::kCantOpen;
}

// Runs one statement. False: it failed as it may.
bool Simulation::statement(Client* client, const std::string& sql, std::vector<SqlRow>* rows,
                           int* code) {
  int result = client->session->run(sql, rows);
  if (code != nullptr) *code = result;
  log("connection " + std::to_string(client - clients_.data()) + ": " + sql.substr(0, 70) + " -> " +
      std::to_string(result) + (rows != nullptr && !rows->empty() ? " " + (*rows)[0][0] : ""));
  if (result == code::kOk) return !process_of(*client)->is_dead();
  if (!may_fail_with(*client, result)) {
    fail(sql.substr(0, 100) + ": " + std::to_string(result) + " " + client->session->message());
  }
  return false;
}

// The state whose number the database holds.
const State* Simulation::read_state(Client* client) {
  std::vector<SqlRow> rows;
  if (!statement(client, "SELECT n FROM meta", &rows)) return nullptr;
  const State* state = rows.size() == 1 ? history_.find(std::atoll(rows[0][0].c_str())) : nullptr;
  if (state == nullptr) fail("the state's number is none that was ever written");
  return state;
}

void Simulation::begin(Client* client) {
  bool immediate = prng_.below(2) == 0;
  if (!statement(client, immediate ? "BEGIN IMMEDIATE" : "BEGIN")) return;
  client->in_transaction = true;
  client->has_written = immediate;
  client->savepoints.clear();
  client->base = read_state(client);
  std::vector<SqlRow> mode;
  if (client->base == nullptr || !statement(client, "PRAGMA journal_mode", &mode)) {
    roll_back(client);
    return;
  }
  client->journal_mode = mode[0][0];
  if (!history_.is_head(client->base)) {
    fail("a connection sees state " + std::to_string(client->base->number) + ", the newest is " +
         std::to_string(history_.heads()[0]->number));
    return;
  }
  history_.seen(client->base);
  client->rows = client->base->rows;
}

std::string Simulation::random_text() {
  uint64_t max = prng_.below(4) == 0 ? static_cast<uint64_t>(plan_.page_size) * 2 : 40;
  std::string text(prng_.below(max), static_cast<char>('a' + prng_.below(26)));
  for (char& c : text) {
    if (prng_.below(16) == 0) c = static_cast<char>('a' + prng_.below(26));
  }
  return text;
}

void Simulation::modify(Client* client) {
  if (prng_.below(6) == 0) {
    move_savepoint(client);
    return;
  }
  uint64_t changes = prng_.below(8) == 0 ? 30 : 1 + prng_.below(3);
  for (uint64_t i = 0; i < changes && client->in_transaction; ++i) change_rows(client);
}

void Simulation::change_rows(Client* client) {
  int64_t k = 1 + static_cast<int64_t>(prng_.below(kKeyMax));
  Row row{static_cast<int64_t>(prng_.below(1000)), random_text()};
  std::string key = std::to_string(k);
  std::string values = std::to_string(row.v) + ", '" + row.w + "'";
  std::string sql;
  std::function<void(Rows*)> apply = [](Rows*) {};
  uint64_t kind = prng_.below(20);
  if (kind < 10) {
    sql = "INSERT OR REPLACE INTO t VALUES(" + key + ", " + values + ")";
    apply = [&](Rows* rows) { (*rows)[k] = row; };
  } else if (kind < 15) {
    sql = "UPDATE t SET v = " + std::to_string(row.v) + ", w = '" + row.w + "' WHERE k = " + key;
    apply = [&](Rows* rows) {
      if (rows->count(k) != 0) (*rows)[k] = row;
    };
  } else if (kind < 19) {
    int64_t end = k + static_cast<int64_t>(prng_.below(6));
    sql = "DELETE FROM t WHERE k BETWEEN " + key + " AND " + std::to_string(end);
    apply = [k, end](Rows* rows) { rows->erase(rows->lower_bound(k), rows->upper_bound(end)); };
  } else if (prng_.below(4) == 0) {
    sql = "DELETE FROM t";
    apply = [](Rows* rows) { rows->clear(); };
  } else {
    sql = prng_.below(2) == 0 ? "CREATE INDEX IF NOT EXISTS extra ON t(w)" : "DROP INDEX IF EXISTS extra";
  }
  if (statement(client, sql)) {
    client->has_written = true;
    apply(&client->rows);
  } else {
    roll_back(client);
  }
}

void Simulation::move_savepoint(Client* client) {
  size_t depth = client->savepoints.size();
  bool fine;
  if (depth == 0 || (depth < 3 && prng_.below(2) == 0)) {
    fine = statement(client, "SAVEPOINT s" + std::to_string(depth));
    client->savepoints.push_back(client->rows);
  } else {
    size_t target = prng_.below(depth);
    if (prng_.below(2) == 0) {
      fine = statement(client, "RELEASE s" + std::to_string(target));
      client->savepoints.resize(target);
    } else {
      fine = statement(client, "ROLLBACK TO s" + std::to_string(target));
      client->rows = client->savepoints[target];
      client->savepoints.resize(target + 1);
    }
  }
  if (!fine) roll_back(client);
}

// The transaction sees its own snapshot and its own changes, whatever others have committed.
void Simulation::reread(Client* client) {
  std::vector<SqlRow> rows;
  const char* sql = prng_.below(2) == 0 ? "SELECT k, v, w FROM t ORDER BY k"
                                        : "SELECT k, v, w FROM t INDEXED BY tv ORDER BY v";
  if (!statement(client, sql, &rows)) {
    roll_back(client);
    return;
  }
  Rows seen;
  for (const SqlRow& row : rows) seen[std::atoll(row[0].c_str())] = {std::atoll(row[1].c_str()), row[2]};
  if (digest(seen) != digest(client->rows) || seen.size() != rows.size()) {
    fail("a transaction does not see what it should");
  }
}

void Simulation::commit(Client* client) {
  bool changes = client->has_written && prng_.below(8) != 0;
  const State* state = nullptr;
  if (changes) {
    state = history_.add(client->base, client->rows);
    std::string number = std::to_string(state->number);
    if (!statement(client, "UPDATE meta SET n = " + number) ||
        (plan_.two_files && !statement(client, "UPDATE other.meta SET n = " + number))) {
      roll_back(client);
      return;
    }
  } else if (client->has_written) {
    roll_back(client);
    return;
  }
  int code = 0;
  bool acknowledged = statement(client, "COMMIT", nullptr, &code);
  if (acknowledged) {
    client->in_transaction = false;
    if (state == nullptr) return;
    ++outcome_.commits;
    history_.acknowledged(state);
    promise_after_commit(*client, state);
    return;
  }
  // A busy COMMIT has changed nothing. Of any other nobody can tell.
  bool busy = code::primary(code) == code::kBusy && !process_of(*client)->is_dead();
  if (state != nullptr && !busy) history_.in_doubt(state);
  roll_back(client);
}

// What the level of synchronous promises about a commit that was just acknowledged.
void Simulation::promise_after_commit(const Client& client, const State* state) {
  int level = client.synchronous;
  const std::string& mode = client.journal_mode;
  if (level == 0) return;
  bool now;
  if (mode == "wal") {
    now = level >= 2;
  } else if (mode == "truncate") {
    now = level >= 2;
  } else if (mode == "persist") {
    now = true;
  } else {
    now = level >= 3 || plan_.durable_names;
  }
  if (now) {
    history_.promise(state);
  } else if (mode != "wal") {
    // The end of the journal may get lost, and with it this commit. What was before it cannot.
    history_.promise(state->parent);
  }
}

void Simulation::roll_back(Client* client) {
  if (client->session->in_transaction()) (void)statement(client, "ROLLBACK");
  if (client->session->in_transaction() && !process_of(*client)->is_dead()) {
    fail("still in a transaction after ROLLBACK");
  }
  client->in_transaction = false;
}

// Outside of transactions.
void Simulation::maintain(Client* client) {
  static constexpr const char* kCheckpoints[] = {"passive", "full", "restart", "truncate"};
  switch (prng_.below(7)) {
    case 0:
    case 1:
    case 2:
      (void)statement(client, std::string("PRAGMA wal_checkpoint(") + kCheckpoints[prng_.below(4)] + ")");
      break;
    case 3:
      (void)statement(client, prng_.below(2) == 0 ? "VACUUM" : "PRAGMA incremental_vacuum(3)");
      break;
    case 4:
      if (plan_.changes_journal_mode) change_journal_mode(client);
      break;
    case 5:
      process_of(*client)->release_idle_read_marks(main_path());
      break;
    default:
      client->session.reset();
      log("connection " + std::to_string(client - clients_.data()) + " closed");
  }
}

void Simulation::change_journal_mode(Client* client) {
  (void)statement(client, std::string("PRAGMA journal_mode=") + kModes[prng_.below(4)]);
}

}  // namespace godwit::sim
