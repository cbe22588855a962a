// Transactions and savepoints across the attached databases. The state machine is drawn in
// engine/connection.h.
//
// Savepoints. Each named savepoint is one savepoint of every pager that is writing; a pager that
// begins to write later opens all of them then, at the state before its first change. A statement's
// mark is one more on top. So the depth of a pager that writes is always
// savepoints_.size() (+ 1 while a mark is set), and AttachedDatabase::savepoints says so.
#include "catalog/schema.h"
#include "engine/connection.h"
#include "pager/super_journal.h"

namespace godwit {

Status Connection::begin(ast::BeginMode mode) {
  if (!autocommit_) return Status::error("cannot start a transaction within a transaction");
  if (mode == ast::BeginMode::kConcurrent) return Status::not_implemented("BEGIN CONCURRENT");
  if (mode != ast::BeginMode::kDeferred) {
    for (size_t i = 0; i < databases_.size(); ++i) {
      if (databases_[i].btree == nullptr) continue;
      // Without a snapshot that has to stay, the lock may be waited for.
      bool read_only = databases_[i].btree->pager().is_read_only();
      Status status = read_only ? databases_[i].btree->begin_read()
                                : begin_write_on(static_cast<int>(i),
                                                 mode == ast::BeginMode::kExclusive);
      if (!status.ok()) {
        rollback_all();
        end_read_all();
        return status;
      }
    }
  }
  autocommit_ = false;
  return Status();
}

Status Connection::commit() {
  if (autocommit_) return Status::error("cannot commit - no transaction is active");
  if (active_writers_ > 0) {
    return Status(code::kBusy, "cannot commit transaction - SQL statements in progress");
  }
  if (!foreign_key_counters_.may_commit()) {
    return Status(code::kConstraintForeignKey, "FOREIGN KEY constraint failed");
  }
  Status status = virtual_tables_.sync();
  if (status.ok()) status = commit_all();
  // Who waits for a lock may try again; after any other fault the transaction is gone.
  if (status.code() == code::kBusy) return status;
  if (!status.ok()) rollback_all();
  autocommit_ = true;
  savepoints_.clear();
  if (active_statements_ == 0) end_read_all();
  return status;
}

Status Connection::rollback() {
  if (autocommit_) return Status::error("cannot rollback - no transaction is active");
  const bool wrote = has_open_writes();
  rollback_all();
  if (!wrote && hooks_.rollback != nullptr) hooks_.rollback(hooks_.rollback_context);
  autocommit_ = true;
  if (active_statements_ == 0) end_read_all();
  return Status();
}

bool Connection::has_changes() const {
  const AttachedDatabase& db = databases_[kMain];
  return db.schema_changed || (db.btree != nullptr && db.btree->pager().is_writing() && db.btree->pager().has_changes());
}

bool Connection::has_open_writes() const {
  for (const AttachedDatabase& db : databases_) {
    if (db.btree != nullptr && db.btree->pager().is_writing()) return true;
  }
  return false;
}

Status Connection::poll() { return poll_after(kInstructionsPerChunk); }

// The hook is called once for so many instructions of SQLite's machine; here they are estimated.
Status Connection::poll_after(int instructions) {
  if (is_interrupted()) return Status(code::kInterrupt);
  if (hooks_.progress == nullptr) return Status();
  progress_left_ -= instructions;
  if (progress_left_ > 0) return Status();
  progress_left_ = progress_interval_;
  if (hooks_.progress(hooks_.progress_context) != 0) return Status(code::kInterrupt);
  return Status();
}

void Connection::set_progress_hook(int interval, int (*hook)(void*), void* context) {
  hooks_.progress = hook;
  hooks_.progress_context = context;
  progress_interval_ = progress_left_ = interval;
  wants_poll_.store(hook != nullptr || is_interrupted(), std::memory_order_relaxed);
}

// Several files that use rollback journals commit as one by a super-journal: when it is gone, all
// have committed. Files in WAL mode commit each for itself.
Status Connection::prepare_common_commit(std::optional<SuperJournal>* super_journal) {
  std::vector<Pager*> pagers;
  std::vector<std::string> journals;
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().takes_super_journal()) continue;
    pagers.push_back(&db.btree->pager());
    journals.push_back(pagers.back()->journal_path());
  }
  // The main database gives the super-journal its name; one in memory has no place for it.
  if (pagers.size() < 2 || path().empty()) return Status();
  GW_ASSIGN(*super_journal, SuperJournal::create(vfs_, path(), journals));
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().is_writing()) continue;
    Status status = db.btree->prepare_commit((*super_journal)->path());
    if (status.ok()) continue;
    bool undone = true;
    for (Pager* pager : pagers) {
      Status cancelled = pager->cancel_commit();
      undone = undone && cancelled.ok();
      if (!cancelled.ok()) status = std::move(cancelled);
    }
    // A journal that could not be played back is of use only as long as the super-journal exists.
    if (undone) (void)(*super_journal)->remove(false);
    return status;
  }
  return (*super_journal)->remove(true);
}

// What the capture runs is part of the transaction, and no statement of the user's.
Status Connection::ask_capture(Status (ChangeCapture::*question)()) {
  const bool was_autocommit = std::exchange(autocommit_, false);
  const int64_t rowid = last_insert_rowid_, changes = changes_, total = total_changes_;
  Status status = (capture_->*question)();
  autocommit_ = was_autocommit;
  last_insert_rowid_ = rowid;
  changes_ = changes;
  total_changes_ = total;
  return status;
}

Status Connection::commit_all() {
  if (capture_ != nullptr && databases_[kMain].btree->pager().has_changes()) {
    GW_TRY(ask_capture(&ChangeCapture::before_commit));
  }
  if (hooks_.commit != nullptr && has_open_writes() && hooks_.commit(hooks_.commit_context) != 0) {
    rollback_all();
    return Status(code::kConstraintCommitHook);
  }
  std::optional<SuperJournal> super_journal;
  GW_TRY(prepare_common_commit(&super_journal));
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().is_writing()) continue;
    const bool grows_wal = hooks_.wal != nullptr && db.btree->pager().has_changes();
    GW_TRY(db.btree->commit());
    if (grows_wal && db.btree->pager().wal_frames() > 0) {
      grown_wals_.emplace_back(static_cast<int>(&db - databases_.data()),
                               static_cast<int>(db.btree->pager().wal_frames()));
    }
    db.savepoints = 0;
    db.schema_changed = false;
    db.checked_version = db.btree->pager().snapshot_version();
  }
  foreign_key_counters_ = {};
  statement_marks_ = 0;
  virtual_tables_.commit();
  if (capture_ != nullptr) capture_->ended(true);
  return Status();
}

void Connection::rollback_all() {
  ++rollbacks_;
  const bool notify = hooks_.rollback != nullptr && has_open_writes();
  bool schema_changed = false;
  for (const AttachedDatabase& db : databases_) schema_changed |= db.schema_changed;
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr) continue;
    db.savepoints = 0;
    if (db.btree->pager().is_writing()) db.btree->rollback(!schema_changed);
  }
  savepoints_.clear();
  statement_marks_ = 0;
  foreign_key_counters_ = {};
  virtual_tables_.rollback();
  if (capture_ != nullptr) capture_->ended(false);
  forget_changed_schemas();
  if (notify) hooks_.rollback(hooks_.rollback_context);
}

void Connection::end_read_all() {
  for (AttachedDatabase& db : databases_) {
    if (db.btree != nullptr && db.btree->pager().is_reading()) db.btree->end_read();
  }
}

// ---- Savepoints -----------------------------------------------------------------------------------

int Connection::find_savepoint(std::string_view name) const {
  for (int i = static_cast<int>(savepoints_.size()) - 1; i >= 0; --i) {
    if (names_equal(savepoints_[static_cast<size_t>(i)].name, name)) return i;
  }
  return -1;
}

Status Connection::savepoint(std::string_view name) {
  if (active_writers_ > 0) {
    return Status(code::kBusy, "cannot open savepoint - SQL statements in progress");
  }
  if (capture_ != nullptr) GW_TRY(ask_capture(&ChangeCapture::savepoint));
  GW_TRY(virtual_tables_.savepoint(open_marks()));
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().is_writing()) continue;
    db.btree->savepoint_open();
    ++db.savepoints;
  }
  savepoints_.push_back({std::string(name), autocommit_, foreign_key_counters_});
  autocommit_ = false;
  return Status();
}

Status Connection::release(std::string_view name) {
  int index = find_savepoint(name);
  if (index < 0) return Status::error("no such savepoint: " + std::string(name));
  if (active_writers_ > 0) {
    return Status(code::kBusy, "cannot release savepoint - SQL statements in progress");
  }
  if (savepoints_[static_cast<size_t>(index)].starts_transaction) return commit();
  GW_TRY(virtual_tables_.release(virtual_number(index)));
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().is_writing()) continue;
    db.btree->savepoint_release(static_cast<uint32_t>(index) + 1);
    db.savepoints = static_cast<uint32_t>(index);
  }
  savepoints_.resize(static_cast<size_t>(index));
  if (capture_ != nullptr) capture_->released(savepoints_.size());
  return Status();
}

Status Connection::rollback_to(std::string_view name) {
  int index = find_savepoint(name);
  if (index < 0) return Status::error("no such savepoint: " + std::string(name));
  for (AttachedDatabase& db : databases_) {
    if (db.btree == nullptr || !db.btree->pager().is_writing()) continue;
    GW_TRY(db.btree->savepoint_rollback_to(static_cast<uint32_t>(index) + 1));
    db.savepoints = static_cast<uint32_t>(index) + 1;
  }
  // No savepoint is opened while a statement writes, so the marks were all behind this one.
  ++rollbacks_;
  statement_marks_ = 0;
  savepoints_.resize(static_cast<size_t>(index) + 1);
  if (capture_ != nullptr) capture_->rolled_back_to(savepoints_.size());
  GW_TRY(virtual_tables_.rollback_to(virtual_number(index)));
  foreign_key_counters_.deferred = savepoints_.back().foreign_keys.deferred;
  foreign_key_counters_.postponed = savepoints_.back().foreign_keys.postponed;
  // The schema may have been changed since the savepoint, or before it: what is in the file counts.
  for (size_t i = 0; i < databases_.size(); ++i) {
    if (!databases_[i].schema_changed) continue;
    ++schema_rollbacks_;
    GW_TRY(load_database_schema(static_cast<int>(i)));
  }
  return Status();
}

// ---- Statements -----------------------------------------------------------------------------------

Status Connection::statement_begin_read(uint64_t databases) {
  for (size_t i = 0; i < databases_.size(); ++i) {
    AttachedDatabase& db = databases_[i];
    if ((databases >> i & 1) == 0 || db.btree == nullptr) continue;
    const Pager& pager = db.btree->pager();
    if (!pager.is_reading()) fresh_reads_ |= uint64_t{1} << i;
    // In a transaction that writes nothing can have changed but by its own statements.
    const bool is_known = db.has_checked_version && db.checked_version == pager.snapshot_version();
    if (pager.is_writing() && is_known) continue;
    GW_TRY(db.btree->begin_read());
    GW_TRY(check_schema_cookie(static_cast<int>(i)));
  }
  return Status();
}

// Gives up the snapshots that a statement took which then could not start.
void Connection::statement_unread() {
  for (size_t i = 0; i < databases_.size(); ++i) {
    AttachedDatabase& db = databases_[i];
    if ((fresh_reads_ >> i & 1) == 0 || db.btree == nullptr) continue;
    if (db.btree->pager().is_reading() && !db.btree->pager().is_writing()) db.btree->end_read();
  }
  fresh_reads_ = 0;
}

Status Connection::begin_write_on(int database, bool exclusive) {
  AttachedDatabase& db = databases_[database];
  if (db.btree->pager().is_writing() && !exclusive) return Status();
  bool fresh = !db.btree->pager().is_writing();
  const uint64_t bit = uint64_t{1} << database;
  Status status = db.btree->begin_write(exclusive);
  if (status.primary() == code::kBusy && (fresh_reads_ & bit) != 0) {
    // Nothing was read yet from the snapshot that the statement has taken. Without it the lock may be
    // waited for; the schema may be another one afterwards.
    db.btree->end_read();
    GW_TRY(db.btree->begin_write(exclusive));
    GW_TRY(check_schema_cookie(database));
  } else {
    GW_TRY(std::move(status));
  }
  if (fresh) {
    db.savepoints = 0;
    for (size_t i = 0; i < savepoints_.size(); ++i) {
      db.btree->savepoint_open();
      ++db.savepoints;
    }
  }
  return Status();
}

Status Connection::statement_begin_write(uint64_t databases) {
  for (size_t i = 0; i < databases_.size(); ++i) {
    const AttachedDatabase& db = databases_[i];
    if ((databases >> i & 1) == 0 || db.btree == nullptr || db.btree->pager().is_writing()) continue;
    GW_TRY(begin_write_on(static_cast<int>(i), false));
  }
  return Status();
}

Status Connection::statement_mark(uint64_t databases) {
  GW_TRY(virtual_tables_.savepoint(open_marks()));
  ++statement_marks_;
  if (capture_ != nullptr) capture_->mark();
  for (size_t i = 0; i < databases_.size(); ++i) {
    if ((databases >> i & 1) == 0 || databases_[i].btree == nullptr) continue;
    databases_[i].btree->savepoint_open();
    ++databases_[i].savepoints;
  }
  return Status();
}

Status Connection::statement_undo(uint64_t databases) {
  if (capture_ != nullptr) capture_->undo();
  GW_TRY(virtual_tables_.rollback_to(open_marks() - 1));
  for (size_t i = 0; i < databases_.size(); ++i) {
    AttachedDatabase& db = databases_[i];
    if ((databases >> i & 1) == 0 || db.btree == nullptr) continue;
    GW_TRY(db.btree->savepoint_rollback_to(db.savepoints));
    // The statement may have changed the schema before it failed.
    if (db.schema_changed) GW_TRY(load_database_schema(static_cast<int>(i)));
  }
  return Status();
}

void Connection::statement_unmark(uint64_t databases) {
  if (statement_marks_ > 0) {
    (void)virtual_tables_.release(open_marks() - 1);
    --statement_marks_;
    if (capture_ != nullptr) capture_->unmark();
  }
  for (size_t i = 0; i < databases_.size(); ++i) {
    AttachedDatabase& db = databases_[i];
    if ((databases >> i & 1) == 0 || db.btree == nullptr || db.savepoints == 0) continue;
    db.btree->savepoint_release(db.savepoints);
    --db.savepoints;
  }
}

void Connection::statement_started() {
  fresh_reads_ = 0;
  if (active_statements_ == 0) {
    interrupted_.store(false, std::memory_order_relaxed);
    wants_poll_.store(hooks_.progress != nullptr, std::memory_order_relaxed);
  }
  ++active_statements_;
}

Status Connection::statement_ended(bool reads, bool writes, bool success) {
  Status status;
  // Virtual tables may run statements in it, which must not end the transaction.
  if (writes && success && !goes_on_after(true)) status = virtual_tables_.sync();
  --active_statements_;
  if (reads) --active_readers_;
  if (writes) --active_writers_;
  if (autocommit_ && writes && active_writers_ == 0) {
    if (success && status.ok()) status = commit_all();
    if (!success || !status.ok()) rollback_all();
  }
  if (capture() != nullptr && writes && success && !autocommit_ && active_writers_ == 0) {
    Status told = ask_capture(&ChangeCapture::statement_done);
    if (status.ok()) status = std::move(told);
  }
  if (autocommit_ && active_statements_ == 0) end_read_all();
  if (autocommit_ && reads) foreign_key_counters_.defer_all = false;
  if (!grown_wals_.empty() && autocommit_) {
    Status hooked = call_wal_hook();
    if (status.ok()) status = std::move(hooked);
  }
  return status;
}

}  // namespace godwit
