// What the application asked to be called for. All null at first; the API sets them.
//
// Hooks are called on the thread that uses the connection, with its mutex held. They must not use the
// connection, except where SQLite lets them.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace godwit {

// What PRAGMA capture_data_changes_conn gives.
struct DataCaptureState {
  std::string mode = "off", table, version;
};

struct ConnectionHooks {
  // Before a commit. Non-zero: it becomes a rollback, and the statement fails with kConstraint.
  int (*commit)(void* context) = nullptr;
  void* commit_context = nullptr;
  // After a transaction was rolled back (not after a commit that `commit` turned into one).
  void (*rollback)(void* context) = nullptr;
  void* rollback_context = nullptr;
  // While statements run, about once for so many steps of theirs. Non-zero: they are interrupted.
  int (*progress)(void* context) = nullptr;
  void* progress_context = nullptr;
  // After a commit to a WAL, once all its locks are gone: the database and the frames in its WAL now.
  // Not 0: the code of an error that the statement gives.
  int (*wal)(void* context, const char* database, int frames) = nullptr;
  void* wal_context = nullptr;
  // A collation is not known; it may be added during the call.
  void (*collation_needed)(void* context, const std::string& name) = nullptr;
  void* collation_context = nullptr;
  // The schema of "main" has been loaded, and no transaction writes. May set a capture.
  void (*schema_loaded)(void* context) = nullptr;
  void* schema_loaded_context = nullptr;
  // PRAGMA capture_data_changes_conn; `setting` null: is only asked.
  Status (*data_capture)(void* context, const std::string* setting, DataCaptureState* state) = nullptr;
  void* data_capture_context = nullptr;
  // load_extension(file, entry): entry.data() null: the default one.
  Status (*load_extension)(void* context, std::string_view file, std::string_view entry) = nullptr;
  void* load_extension_context = nullptr;
};

}  // namespace godwit
