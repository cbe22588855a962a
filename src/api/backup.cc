// Online backup.
#include "engine/backup.h"

#include <new>

#include "api/handles.h"

using namespace godwit;
using namespace godwit::api;

struct sqlite3_backup {
  sqlite3* destination = nullptr;
  sqlite3* source = nullptr;
  std::unique_ptr<Backup> backup;
  Status last;  // of the last step
  int page_count = 0;
  int remaining = 0;
};

sqlite3_backup* sqlite3_backup_init(sqlite3* destination, const char* destination_name,
                                    sqlite3* source, const char* source_name) {
  if (!is_usable(destination) || !is_usable(source) || destination_name == nullptr ||
      source_name == nullptr) {
    return nullptr;
  }
  std::scoped_lock lock(source->mutex, destination->mutex);
  sqlite3_backup* made = nullptr;
  guarded(destination, [&] {
    auto backup = Backup::start(destination->connection.get(), destination_name,
                                source->connection.get(), source_name);
    if (!backup.ok()) return report(destination, backup.status());
    auto out = std::make_unique<sqlite3_backup>();
    out->destination = destination;
    out->source = source;
    out->backup = *std::move(backup);
    ++source->backups;
    ++destination->backups;
    made = out.release();
    return SQLITE_OK;
  });
  return made;
}

int sqlite3_backup_step(sqlite3_backup* backup, int pages) {
  if (backup == nullptr) return SQLITE_MISUSE;
  std::scoped_lock lock(backup->source->mutex, backup->destination->mutex);
  try {
    Result<bool> done = backup->backup->step(pages);
    backup->page_count = backup->backup->page_count();
    backup->remaining = backup->backup->remaining();
    backup->last = done.ok() ? Status() : done.take_status();
    if (backup->last.ok()) return *done ? SQLITE_DONE : SQLITE_OK;
  } catch (const std::bad_alloc&) {
    backup->last = Status::no_memory();
  }
  return backup->last.code();
}

int sqlite3_backup_finish(sqlite3_backup* backup) {
  if (backup == nullptr) return SQLITE_OK;
  sqlite3* source = backup->source;
  sqlite3* destination = backup->destination;
  int code;
  {
    std::scoped_lock lock(source->mutex, destination->mutex);
    backup->backup.reset();
    code = report(destination, backup->last);
    --source->backups;
    --destination->backups;
    delete backup;
  }
  close_if_zombie(source);
  if (destination != source) close_if_zombie(destination);
  return code;
}

int sqlite3_backup_remaining(sqlite3_backup* backup) {
  return backup == nullptr ? 0 : backup->remaining;
}

int sqlite3_backup_pagecount(sqlite3_backup* backup) {
  return backup == nullptr ? 0 : backup->page_count;
}
