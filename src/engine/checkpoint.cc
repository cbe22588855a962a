// Checkpoints of a connection's databases, the hook that follows commits to a WAL, and what else new
// databases of the connection need to know.
#include "engine/connection.h"

namespace godwit {

// What new pagers of the connection need to know.
void Connection::adopt_pager(Pager* pager) const {
  pager->set_cache_spill(settings.cache_spill, 0);
  if (settings.locking_exclusive) pager->set_locking_mode(LockingMode::kExclusive);
  pager->set_busy_handler(busy_handler_);
  pager->set_wal_autocheckpoint(wal_autocheckpoint_);
  pager->set_background_checkpoint(background_checkpoint_);
}

void Connection::adopt_btree(AttachedDatabase* database) const {
  if (database->btree == nullptr) return;
  if (!vacuum_limit_) {
    database->btree->set_vacuum_limit(nullptr);
    return;
  }
  database->btree->set_vacuum_limit(
      [limit = vacuum_limit_, name = database->name](uint32_t pages, uint32_t free_pages,
                                                     uint32_t page_size) {
        return limit(name, pages, free_pages, page_size);
      });
}

void Connection::set_vacuum_limit(VacuumLimit limit) {
  vacuum_limit_ = std::move(limit);
  for (AttachedDatabase& db : databases_) adopt_btree(&db);
}

void Connection::set_wal_autocheckpoint(int frames) {
  wal_autocheckpoint_ = frames > 0 ? frames : 0;
  for (AttachedDatabase& db : databases_) {
    if (db.btree != nullptr) db.btree->pager().set_wal_autocheckpoint(wal_autocheckpoint_);
  }
}

void Connection::set_background_checkpoint(bool on) {
  background_checkpoint_ = on;
  for (AttachedDatabase& db : databases_) {
    if (db.btree != nullptr) db.btree->pager().set_background_checkpoint(on);
  }
}

Status Connection::checkpoint(int database, CheckpointMode mode, CheckpointResult* result) {
  *result = {};
  bool busy = false;
  bool is_first = true;
  for (size_t i = 0; i < databases_.size(); ++i) {
    if (databases_[i].btree == nullptr) continue;
    if (database >= 0 && static_cast<int>(i) != database) continue;
    auto done = databases_[i].btree->pager().checkpoint(mode);
    if (!done.ok() && done.status().primary() != code::kBusy) return done.take_status();
    busy |= !done.ok() || done->busy;
    if (is_first && done.ok()) *result = *done;
    is_first = false;
  }
  return busy ? Status(code::kBusy) : Status();
}

Status Connection::inspect_wal(int database, CheckpointResult* result) {
  *result = {};
  Btree* tree = btree(database < 0 ? kMain : database);
  const bool opened = !tree->pager().is_reading();
  GW_TRY(tree->begin_read());
  *result = tree->pager().wal_progress();
  if (opened) tree->end_read();
  return Status();
}

Status Connection::call_wal_hook() {
  std::vector<std::pair<int, int>> grown;
  grown.swap(grown_wals_);
  for (const auto& [database, frames] : grown) {
    if (hooks_.wal == nullptr) break;
    int code = hooks_.wal(hooks_.wal_context,
                          databases_[static_cast<size_t>(database)].name.c_str(), frames);
    if (code != code::kOk) return Status(code);
  }
  return Status();
}

}  // namespace godwit
