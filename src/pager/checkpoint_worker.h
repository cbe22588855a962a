// The thread of the process that copies frames of WALs into their databases, so that commits need not.
//
//   commit: WAL grew long        worker                               user of the EXCLUSIVE lock
//   --------------------         -----------------------------        --------------------------
//   request() ------ queue ----> opens the file, SHARED lock           settle(): drops the request,
//                                passive checkpoint                   breaks off a run, waits until
//                                all copied, or nobody wrote for       the worker has closed the file
//                                a while and still not: again
//                                unlocks, closes the file
//
// To everybody else, the connections of this process included, the worker is one more connection that
// does passive checkpoints: it has a File and locks of its own, and waits for no lock. It has the file
// open only during a run. Who needs the database for itself (closing its last connection, leaving WAL
// mode, exclusive locking) settles first.
//
// Threads: all functions may be called by any. The thread starts with the first request and is never
// joined. A fork() waits for a run to break off; the child has no thread, and starts its own when it
// needs one.
#pragma once

#include <string>

#include "os/vfs.h"

namespace godwit {

class CheckpointWorker {
 public:
  // `path`: absolute. `sync`: as Wal::checkpoint(). Returns at once; ignored while a request for the
  // database is waiting.
  static void request(Vfs* vfs, const std::string& path, FileIdentity database, bool sync);
  // Afterwards the worker neither has the database open nor is about to open it. False: it had not
  // anyway. `break_off`: in the middle of its work.
  static bool settle(FileIdentity database, bool break_off = true);
};

}  // namespace godwit
