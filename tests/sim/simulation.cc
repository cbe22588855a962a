#include "tests/sim/simulation.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error_code.h"
#include "tests/sim/forge.h"

namespace godwit::sim {

Simulation::Simulation(uint64_t seed, const Options& options)
    : seed_(seed),
      options_(options),
      plan_(seed),
      machine_(seed * 2, plan_.durable_names, plan_.in_order),
      prng_(seed * 3 + 7) {
  machine_.bug = options.bug;
}

Simulation::~Simulation() { close_all(); }

void Simulation::fail(const std::string& text) {
  if (outcome_.failure.empty()) outcome_.failure = text;
  log("FAILURE: " + text);
}

void Simulation::log(const std::string& text) const {
  if (options_.verbose) std::printf("%8llu %s\n", static_cast<unsigned long long>(machine_.calls), text.c_str());
}

Outcome Simulation::run() {
  log(plan_.describe());
  if (create_database()) {
    for (int round = 0; round < plan_.rounds && outcome_.failure.empty(); ++round) run_round();
    if (outcome_.failure.empty()) check_at_end();
  }
  outcome_.calls = machine_.calls;
  return outcome_;
}

bool Simulation::create_database() {
  SimProcess process(&machine_);
  int code = 0;
  auto session = GodwitSession::open(&process, main_path(), &code);
  auto run = [&](const std::string& sql) {
    int result = session->run(sql);
    if (result != code::kOk) fail("setting up: " + sql + ": " + session->message());
    return result == code::kOk;
  };
  bool fine = session != nullptr && run("PRAGMA page_size = " + std::to_string(plan_.page_size)) &&
              run("PRAGMA auto_vacuum = " + std::to_string(plan_.auto_vacuum)) &&
              run("CREATE TABLE meta(n INTEGER)") && run("INSERT INTO meta VALUES(1)") &&
              run("CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER, w TEXT)") &&
              run("CREATE INDEX tv ON t(v, w)") && run("PRAGMA journal_mode = " + plan_.journal_mode);
  if (fine && plan_.two_files) {
    fine = run("ATTACH '" + other_path() + "' AS other") && run("CREATE TABLE other.meta(n INTEGER)") &&
           run("INSERT INTO other.meta VALUES(1)");
  }
  session.reset();
  machine_.disk.sync_all();
  const State* first = history_.add(nullptr, {});
  history_.acknowledged(first);
  history_.promise(first);
  return fine;
}

void Simulation::start_processes() {
  for (int i = 0; i < plan_.processes; ++i) processes_.push_back(std::make_unique<SimProcess>(&machine_));
  for (size_t i = 0; i < plan_.synchronous.size(); ++i) {
    Client& client = clients_.emplace_back();
    client.process = i % processes_.size();
    client.synchronous = plan_.synchronous[i];
  }
}

bool Simulation::open_client(Client* client) {
  int code = 0;
  client->in_transaction = false;
  client->session = GodwitSession::open(process_of(*client), main_path(), &code);
  if (client->session == nullptr) {
    if (!may_fail_with(*client, code)) fail("open: " + std::to_string(code));
    return false;
  }
  bool fine = statement(client, "PRAGMA synchronous = " + std::to_string(client->synchronous)) &&
              statement(client, "PRAGMA cache_size = " + std::to_string(plan_.cache_size)) &&
              statement(client, "PRAGMA wal_autocheckpoint = " + std::to_string(plan_.autocheckpoint));
  if (fine && plan_.exclusive) fine = statement(client, "PRAGMA locking_mode = exclusive");
  if (fine && plan_.two_files) {
    fine = statement(client, "ATTACH '" + other_path() + "' AS other") &&
           statement(client, "PRAGMA other.synchronous = " + std::to_string(client->synchronous)) &&
           statement(client, "PRAGMA other.journal_mode = " + plan_.journal_mode);
  }
  // In WAL mode this would ask for exclusive use.
  if (fine && plan_.journal_mode != "wal" && !plan_.changes_journal_mode) {
    fine = statement(client, "PRAGMA main.journal_mode = " + plan_.journal_mode);
  }
  if (!fine) client->session.reset();
  return fine;
}

void Simulation::close_all() {
  clients_.clear();
  processes_.clear();
}

void Simulation::set_faults(bool on) {
  faults_on_ = on;
  machine_.error_one_in = on && plan_.faults == Faults::kIoErrors ? 60 + 200 * prng_.below(2) : 0;
  machine_.capacity = on && plan_.faults == Faults::kDiskFull
                          ? machine_.disk.used_bytes() + prng_.below(60000) : 0;
}

void Simulation::run_round() {
  start_processes();
  bool kills_now = plan_.has_kills() && (!plan_.has_power_cuts() || prng_.below(2) == 0);
  auto plan_crash = [&] {
    machine_.plan_crash(kills_now ? Crash::kKill : Crash::kPowerCut, 1 + prng_.below(kills_now ? 120 : 500));
  };
  plan_crash();
  for (int i = 0; i < plan_.steps && outcome_.failure.empty() && !machine_.is_off(); ++i) {
    if (i % 16 == 0) set_faults(prng_.below(4) != 0);
    step();
    size_t kills = static_cast<size_t>(outcome_.kills);
    if (!machine_.is_off()) replace_dead_processes();
    if (static_cast<size_t>(outcome_.kills) != kills) {
      kills_now = !plan_.has_power_cuts() || prng_.below(3) != 0;
      plan_crash();
    }
  }
  set_faults(false);
  if (!outcome_.failure.empty()) return;
  if (plan_.has_power_cuts()) {
    if (!machine_.is_off()) {
      machine_.plan_crash(Crash::kPowerCut, 1);
      (void)processes_[0]->remove("nothing", false);
    }
    check_after_power_cut();
  } else {
    machine_.plan_crash(Crash::kNone, 0);
    close_all();
  }
}

void Simulation::replace_dead_processes() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (!processes_[i]->is_dead()) continue;
    log("process " + std::to_string(i) + " was killed");
    ++outcome_.kills;
    for (Client& client : clients_) {
      if (client.process == i) {
        client.session.reset();
        client.in_transaction = false;
      }
    }
    processes_[i] = std::make_unique<SimProcess>(&machine_);
  }
}

void Simulation::check_after_power_cut() {
  ++outcome_.power_cuts;
  log("power cut");
  close_all();
  FileImages files = machine_.disk.after_power_cut(&machine_.prng);
  if (options_.bug == Bug::kNoWalChecksum) forge_wal_checksums(&files);
  const State* expected = options_.reference ? check_with_reference(files) : nullptr;
  if (!outcome_.failure.empty()) return;
  machine_.power_on(files);
  while (prng_.below(2) == 0) files = crash_during_recovery(std::move(files));
  const State* state = check_with_godwit();
  if (!outcome_.failure.empty()) return;
  if (expected != nullptr && state != expected) {
    fail("reference SQLite finds state " + std::to_string(expected->number) + ", Godwit state " +
         std::to_string(state->number));
    return;
  }
  if (!History::descends(state, history_.promised())) {
    fail("state " + std::to_string(state->number) + " was found, state " +
         std::to_string(history_.promised()->number) + " was promised");
    return;
  }
  history_.seen(state);
  history_.promise(state);
  if (options_.reference) (void)check_with_reference(machine_.disk.images());
}

// Whoever repairs the database is stopped as well.
FileImages Simulation::crash_during_recovery(FileImages files) {
  Crash kind = prng_.below(2) == 0 ? Crash::kKill : Crash::kPowerCut;
  machine_.plan_crash(kind, 1 + prng_.below(30));
  {
    SimProcess process(&machine_);
    int code = 0;
    auto session = GodwitSession::open(&process, main_path(), &code);
    if (session != nullptr && plan_.two_files) (void)session->run("ATTACH '" + other_path() + "' AS other");
    if (session != nullptr) (void)session->run("SELECT count(*) FROM t");
    if (session != nullptr && plan_.two_files) (void)session->run("SELECT n FROM other.meta");
  }
  machine_.plan_crash(Crash::kNone, 0);
  if (!machine_.is_off()) return files;
  log("power cut during recovery");
  files = machine_.disk.after_power_cut(&machine_.prng);
  machine_.power_on(files);
  return files;
}

const State* Simulation::check_with_godwit() {
  SimProcess process(&machine_);
  int code = 0;
  auto session = GodwitSession::open(&process, main_path(), &code);
  if (session == nullptr) {
    fail("Godwit cannot open the database: " + std::to_string(code));
    return nullptr;
  }
  return observe(session.get(), "Godwit");
}

const State* Simulation::check_with_reference(const FileImages& files) {
  dump(files);
  int code = 0;
  auto session = open_reference(main_path(), &code);
  if (session == nullptr) {
    fail("reference SQLite cannot open the database: " + std::to_string(code));
    return nullptr;
  }
  (void)session->run("PRAGMA synchronous = off");
  return observe(session.get(), "reference SQLite");
}

// Checks that the database is sound and one of the history's states.
const State* Simulation::observe(Session* session, const std::string& who) {
  std::vector<SqlRow> sound, number, content, other;
  auto run = [&](const std::string& sql, std::vector<SqlRow>* rows) {
    int code = session->run(sql, rows);
    if (code != code::kOk) {
      fail(who + ": " + sql + ": " + std::to_string(code) + " " + session->message());
    }
    return code == code::kOk;
  };
  if (plan_.two_files && !run("ATTACH '" + other_path() + "' AS other", nullptr)) return nullptr;
  if (!run("PRAGMA integrity_check(3)", &sound) || !run("SELECT n FROM meta", &number) ||
      !run("SELECT k, v, w FROM t ORDER BY k", &content) ||
      (plan_.two_files && !run("SELECT n FROM other.meta", &other))) {
    return nullptr;
  }
  if (sound.size() != 1 || sound[0][0] != "ok") {
    fail(who + ": integrity_check: " + (sound.empty() ? "nothing" : sound[0][0]));
    return nullptr;
  }
  const State* state = number.size() == 1 ? history_.find(std::atoll(number[0][0].c_str())) : nullptr;
  if (state == nullptr) {
    fail(who + ": the state's number is none that was ever written");
    return nullptr;
  }
  log(who + " finds state " + std::to_string(state->number));
  if (plan_.two_files && (other.size() != 1 || other[0][0] != number[0][0])) {
    fail(who + ": the two files are not of the same transaction");
  }
  Rows rows;
  for (const SqlRow& row : content) rows[std::atoll(row[0].c_str())] = {std::atoll(row[1].c_str()), row[2]};
  if (rows.size() != content.size() || digest(rows) != state->digest) {
    fail(who + ": the rows are not those of state " + std::to_string(state->number));
  }
  return state;
}

void Simulation::check_at_end() {
  close_all();
  const State* state = check_with_godwit();
  if (state != nullptr && !history_.is_head(state)) fail("the last commit is not there");
  if (state == nullptr || !options_.reference) return;
  const State* expected = check_with_reference(machine_.disk.images());
  if (expected != state) fail("Godwit and reference SQLite differ at the end");
}

void Simulation::dump(const FileImages& files) {
  std::filesystem::create_directories(options_.folder);
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
    std::filesystem::remove(entry.path());
  }
  for (const auto& [name, bytes] : files) {
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace godwit::sim
