// A process of the simulation: a Vfs over the simulated disk, whose calls may fail, stop the process
// or cut the power. What a dead process still does (its destructors run) has no effect: every call
// fails, its locks are gone, and its mappings of shared memory are cut off from those of others.
#pragma once

#include <set>

#include "tests/sim/sim_disk.h"

namespace godwit::sim {

// Faults planted on purpose, to see that the simulator notices.
enum class Bug : uint8_t {
  kNone,
  kNoJournalSync,
  kNoDatabaseSync,
  kNoWalSync,
  kNoDirectorySync,
  kJournalAfterDatabase,  // the journal is written only when the database is synced
  kNoWalChecksum,         // recovery takes every frame's checksum for right
};

enum class Crash : uint8_t { kNone, kKill, kPowerCut };

class SimFile;
class SimProcess;

// What all processes of a machine share: the disk, the faults to come, and randomness.
class Machine {
 public:
  Machine(uint64_t seed, bool durable_names, bool in_order)
      : prng(seed), disk(durable_names, in_order) {}

  // The `countdown`-th call from now on that changes something kills its process or all.
  void plan_crash(Crash kind, uint64_t countdown);
  bool is_off() const { return power_is_off_; }
  void power_on(const FileImages& files);

  Prng prng;
  Disk disk;
  Bug bug = Bug::kNone;
  uint64_t error_one_in = 0;  // 0: calls do not fail
  uint64_t capacity = 0;      // bytes; 0: the disk is never full
  uint64_t calls = 0;
  int64_t clock_ms = 1700000000000;

 private:
  friend class SimProcess;
  friend class SimFile;
  std::set<SimProcess*> processes_;
  Crash planned_ = Crash::kNone;
  uint64_t countdown_ = 0;
  bool power_is_off_ = false;
};

class SimProcess : public Vfs {
 public:
  explicit SimProcess(Machine* machine);
  ~SimProcess() override;

  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override;
  Status remove(const std::string& path, bool sync_directory) override;
  Result<bool> exists(const std::string& path) override;
  Result<std::string> full_path(const std::string& path) override { return path; }
  void randomness(MutableByteSpan out) override { machine_->prng.fill(out.data(), out.size()); }
  void sleep_us(uint64_t) override {}
  int64_t current_time_ms() override { return machine_->clock_ms++; }

  bool is_dead() const { return dead_; }
  void die();
  // What a process does on its own after some idle time.
  void release_idle_read_marks(const std::string& database);

 private:
  friend class SimFile;
  friend class Machine;
  enum class Call : uint8_t { kRead, kChange, kBarrier };
  // Before each call: whether it may happen. kKill and kPowerCut take place here.
  Status enter(Call call, int error);
  Status sync_directory();

  Machine* machine_;
  uint64_t number_;  // makes the identity of its files differ from that of other processes'
  bool dead_ = false;
  std::set<SimFile*> files_;
};

}  // namespace godwit::sim
