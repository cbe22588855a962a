// One run of the simulator. Connections of several processes take turns, statement by statement,
// on one database; then the power is cut, or a process is killed, and what is left is opened by
// Godwit and by reference SQLite. Both must see the same state of the history (tests/sim/history.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/history.h"
#include "tests/sim/plan.h"
#include "tests/sim/session.h"
#include "tests/sim/sim_vfs.h"

namespace godwit::sim {

struct Options {
  Bug bug = Bug::kNone;
  bool verbose = false;
  std::string folder;     // where files are dumped for reference SQLite; files in it are removed
  bool reference = true;  // load_reference() was called
};

struct Outcome {
  std::string failure;  // empty: all was well
  uint64_t calls = 0;   // of the simulated system: equal for equal seeds
  int commits = 0;
  int power_cuts = 0;
  int kills = 0;
};

class Simulation {
 public:
  Simulation(uint64_t seed, const Options& options);
  ~Simulation();
  Outcome run();

 private:
  struct Client {
    size_t process = 0;
    int synchronous = 2;
    std::unique_ptr<GodwitSession> session;
    bool in_transaction = false;
    bool has_written = false;
    std::string journal_mode;
    const State* base = nullptr;
    Rows rows;
    std::vector<Rows> savepoints;
  };

  // workload.cc: what connections do.
  void step();
  void begin(Client* client);
  void modify(Client* client);
  void change_rows(Client* client);
  void move_savepoint(Client* client);
  void reread(Client* client);
  void commit(Client* client);
  void promise_after_commit(const Client& client, const State* state);
  void roll_back(Client* client);
  void maintain(Client* client);
  void change_journal_mode(Client* client);
  bool statement(Client* client, const std::string& sql, std::vector<SqlRow>* rows = nullptr,
                 int* code = nullptr);
  bool may_fail_with(const Client& client, int code) const;
  const State* read_state(Client* client);
  std::string random_text();

  // simulation.cc: machines, processes, checks.
  bool create_database();
  bool open_client(Client* client);
  void close_all();
  void run_round();
  void replace_dead_processes();
  void start_processes();
  void check_after_power_cut();
  FileImages crash_during_recovery(FileImages files);
  const State* check_with_reference(const FileImages& files);
  const State* check_with_godwit();
  const State* observe(Session* session, const std::string& who);
  void check_at_end();
  void dump(const FileImages& files);
  void set_faults(bool on);
  void fail(const std::string& text);
  void log(const std::string& text) const;
  SimProcess* process_of(const Client& client) const { return processes_[client.process].get(); }
  std::string main_path() const { return options_.folder + "/main.db"; }
  std::string other_path() const { return options_.folder + "/other.db"; }

  uint64_t seed_;
  Options options_;
  Plan plan_;
  Machine machine_;
  Prng prng_;  // the connections' choices
  History history_;
  std::vector<std::unique_ptr<SimProcess>> processes_;
  std::vector<Client> clients_;
  bool faults_on_ = false;
  Outcome outcome_;
};

}  // namespace godwit::sim
