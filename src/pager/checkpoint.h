// What callers of the pager ask of a checkpoint and learn from it, and how they wait for locks.
#pragma once

#include <cstdint>

namespace godwit {

// Asked when a lock is held by somebody else: returns true to try again. `attempt` counts from 0.
struct BusyHandler {
  bool (*retry)(void* context, int attempt) = nullptr;
  void* context = nullptr;
};

enum class CheckpointMode : uint8_t { kPassive = 0, kFull = 1, kRestart = 2, kTruncate = 3 };

struct CheckpointResult {
  int wal_frames = -1;  // frames in the WAL; -1 when not in WAL mode
  int checkpointed_frames = -1;
  bool busy = false;  // somebody kept the checkpoint from doing all that its mode asks
};

// A process that holds a read mark of the WAL.
struct WalReader {
  uint32_t frame = 0;   // the last one that its snapshot may use; 0: it reads the database file alone
  uint32_t behind = 0;  // frames that were committed since
  int64_t process = 0;
};

}  // namespace godwit
