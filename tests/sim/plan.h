// What one seed decides about a run before it begins: the machine, the database, its users, and the
// faults that they meet.
#pragma once

#include <string>
#include <vector>

#include "base/prng.h"

namespace godwit::sim {

enum class Faults : uint8_t { kPowerCuts, kKills, kBoth, kIoErrors, kDiskFull };

struct Plan {
  explicit Plan(uint64_t seed);
  std::string describe() const;
  bool has_power_cuts() const { return faults != Faults::kKills; }
  bool has_kills() const { return faults != Faults::kPowerCuts; }

  Faults faults;
  bool durable_names;  // the file system needs no sync of a directory
  // The sectors of a file are written in order. At NORMAL a rollback journal is synced once, and its
  // checksums look at every 200th byte: out of order, a damaged record can pass, in SQLite as here.
  bool in_order = false;
  std::string journal_mode;
  bool changes_journal_mode;
  std::vector<int> synchronous;  // of each connection: 0 off, 1 normal, 2 full, 3 extra
  int processes;
  bool exclusive;  // locking_mode, with one connection
  int page_size;
  int auto_vacuum;
  int cache_size;
  int autocheckpoint;
  bool two_files;  // every transaction writes to an attached database too
  int rounds;
  int steps;  // of a round
};

}  // namespace godwit::sim
