// Commit and rollback. With a rollback journal, a commit is:
//
//   1. the originals of all changed pages go to the journal, which is synced
//   2. EXCLUSIVE lock: readers leave
//   3. the changed pages go to the database file, which is synced
//   4. the journal is deleted (or truncated, or its header zeroed): this is the moment of commit
//   5. back to SHARED
//
// A crash before 4 leaves a hot journal, and the next reader restores the originals. The whole
// journal is written in step 1 by one vectored write, while readers still run.
#include <algorithm>

#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {

Status Pager::commit() {
  GW_ASSERT(state_ == State::kWriting);
  if (file_ == nullptr) {
    if (has_changes()) ++version_;
  } else if (has_changes()) {
    GW_TRY(wal_ != nullptr ? commit_to_wal() : commit_with_journal());
  }
  finish_write();
  return {};
}

Status Pager::prepare_commit(const std::string& super_journal) {
  GW_ASSERT(state_ == State::kWriting);
  if (file_ == nullptr || wal_ != nullptr || !has_changes()) return {};
  GW_TRY(stamp_header());
  committed_pages_ = changed_pages();
  GW_TRY(prepare_journal(super_journal));
  GW_TRY(lock_exclusive());
  GW_TRY(write_database(committed_pages_));
  database_written_ = true;
  return {};
}

Status Pager::commit_with_journal() {
  if (!database_written_) GW_TRY(prepare_commit({}));
  journal_ready_ = false;  // it may be damaged by an attempt to end it
  bool ended = true;
  Status status = journal_->is_open() ? end_journal(&ended) : Status();
  if (!journal_super_.empty()) {
    // The super-journal's end was the commit; without it this journal means nothing.
    if (!ended) journal_->close();
    status = Status();
  } else if (!ended) {
    return status;
  }
  database_touched_ = database_written_ = false;
  publish(committed_pages_);
  // The commit is done, but a sync after it has failed: nobody knows what a power cut would leave.
  if (!status.ok()) finish_write();
  return status;
}

// The EXCLUSIVE lock stays: it cannot be lowered to RESERVED.
Status Pager::cancel_commit() {
  if (!database_touched_) return {};
  GW_TRY(restore_database());
  database_touched_ = database_written_ = journal_ready_ = false;
  bool ended;
  return journal_->is_open() ? end_journal(&ended) : Status();
}

bool Pager::takes_super_journal() const {
  return file_ != nullptr && state_ == State::kWriting && has_changes() && wal_ == nullptr &&
         journal_mode_ != JournalMode::kOff && journal_mode_ != JournalMode::kMemory &&
         synchronous_ != Synchronous::kOff;
}

// Tells other processes that the database has changed, and its new size.
Status Pager::stamp_header() {
  GW_ASSIGN(PageRef first, page_count_ > 0 ? read(1) : write_fresh(1));
  GW_TRY(write(first));
  stamp_header(first.data(), original_change_counter() + 1, page_count_);
  return {};
}

void Pager::stamp_header(uint8_t* header, uint32_t counter, uint32_t page_count) {
  store_be32(header + kHeaderChangeCounter, counter);
  store_be32(header + kHeaderPageCount, page_count);
  store_be32(header + kHeaderVersionValidFor, counter);
  store_be32(header + kHeaderLibraryVersion, kLibraryVersionNumber);
}

// As it was before the transaction, so that a commit that is tried again counts once.
uint32_t Pager::original_change_counter() const {
  for (const UndoEntry& entry : undo_) {
    if (entry.number == 1 && entry.image)
      return load_be32(entry.image->data() + kHeaderChangeCounter);
  }
  return 0;
}

// All private pages, by number.
std::vector<Page*> Pager::changed_pages() {
  std::vector<Page*> changed;
  changed.reserve(undo_.size());
  for (const UndoEntry& entry : undo_) {
    Page* page = pages_.find(entry.number);
    if (page != nullptr && page->writable_) changed.push_back(page);
  }
  auto by_number = [](const Page* a, const Page* b) { return a->number() < b->number(); };
  std::sort(changed.begin(), changed.end(), by_number);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

// The journal needs what was in the file at each place that this commit overwrites or cuts off. Of
// several undo entries for a page the first has its original; the others had a private image.
Status Pager::collect_originals() {
  originals_.clear();
  std::vector<PageNumber> missing;
  for (const UndoEntry& entry : undo_) {
    if (entry.number > original_page_count_) continue;
    if (entry.image && !entry.was_writable) {
      originals_.push_back({entry.number, entry.image});
    } else {
      missing.push_back(entry.number);
    }
  }
  for (uint64_t n = uint64_t{page_count_} + 1; n <= original_page_count_; ++n) {
    if (!is_lock_page(static_cast<PageNumber>(n))) missing.push_back(static_cast<PageNumber>(n));
  }
  auto by_number = [](const OriginalPage& a, const OriginalPage& b) { return a.number < b.number; };
  std::sort(originals_.begin(), originals_.end(), by_number);
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  size_t known = originals_.size();
  for (PageNumber number : missing) {
    OriginalPage original{number, {}};
    auto end = originals_.begin() + static_cast<ptrdiff_t>(known);
    if (std::binary_search(originals_.begin(), end, original, by_number)) continue;
    GW_ASSIGN(original.image, load_image(number));
    originals_.push_back(std::move(original));
  }
  return {};
}

Status Pager::prepare_journal(const std::string& super_journal) {
  bool is_ready = journal_ready_ && journal_super_ == super_journal;
  if (is_ready || journal_mode_ == JournalMode::kOff) return {};
  journal_super_ = super_journal;
  originals_streamed_ = undo_.size() > page_budget_ && journal_mode_ != JournalMode::kMemory;
  if (originals_streamed_) {
    GW_TRY(stream_journal());
  } else {
    GW_TRY(collect_originals());
    GW_TRY(write_journal());
  }
  journal_ready_ = true;
  return {};
}

// The originals, durable as `synchronous` says.
Status Pager::write_journal() {
  if (journal_mode_ == JournalMode::kMemory) return {};
  return journal_->write(originals_, page_size_, original_page_count_, journal_syncs(),
                         journal_super_);
}

int Pager::journal_syncs() const {
  if (synchronous_ == Synchronous::kOff) return 0;
  return synchronous_ == Synchronous::kNormal ? 1 : 2;
}

Status Pager::lock_exclusive() {
  for (int attempt = 0;;) {
    Status status = file_->lock(LockLevel::kExclusive);
    if (status.primary() != code::kBusy || !wait_for_lock(&attempt)) return status;
  }
}

Status Pager::write_database(std::span<Page* const> changed) {
  database_touched_ = true;
  if (!spilled_.empty()) GW_TRY(write_spilled_to_database());
  std::vector<ByteSpan> run;
  for (size_t i = 0; i < changed.size();) {
    size_t first = i;
    run.clear();
    do {
      run.emplace_back(changed[i]->data(), page_size_);
      ++i;
    } while (i < changed.size() && changed[i]->number() == changed[i - 1]->number() + 1);
    GW_TRY(file_->write_vectored(uint64_t{changed[first]->number() - 1} * page_size_, run));
  }
  if (page_count_ < original_page_count_) {
    uint64_t wanted = uint64_t{page_count_} * page_size_;
    GW_ASSIGN(uint64_t size, file_->size());
    if (size != wanted) GW_TRY(file_->truncate(wanted));
  }
  return synchronous_ == Synchronous::kOff ? Status() : file_->sync(SyncMode::kDataOnly);
}

Status Pager::end_journal(bool* ended) {
  using Ending = RollbackJournal::Ending;
  bool may_sync = synchronous_ != Synchronous::kOff;
  // Should the zeros get lost while the next transaction overwrites the journal, the old header would
  // make a mixture of both transactions' records valid. So they are synced even at NORMAL.
  bool keeps_length = journal_mode_ == JournalMode::kPersist && journal_size_limit_ != 0;
  if (keeps_length && journal_super_.empty()) {
    return journal_->end(Ending::kZeroHeader, may_sync, ended, journal_size_limit_);
  }
  if (journal_mode_ == JournalMode::kPersist) {
    return journal_->end(Ending::kTruncate, may_sync, ended);
  }
  if (journal_mode_ == JournalMode::kTruncate) {
    return journal_->end(Ending::kTruncate, synchronous_ >= Synchronous::kFull, ended);
  }
  return journal_->end(Ending::kDelete, synchronous_ == Synchronous::kExtra, ended);
}

// Makes the new state known to the connections of this process, with the pages as we have them. The
// pages that were cut off need no mention: who makes the file longer again writes them.
void Pager::publish(std::span<Page* const> changed) {
  scratch_numbers_.clear();
  figures_.writes += changed.size();
  for (const Page* page : changed) scratch_numbers_.push_back(page->number());
  for (const auto& [number, page] : spilled_) scratch_numbers_.push_back(number);
  std::lock_guard guard(store_->timeline_mutex());
  if (wal_ != nullptr) {
    // Others see the commit at this moment; holding the mutex lets no connection of this process
    // meet it before the timeline has it.
    wal_->publish();
    snapshot_ = wal_state();
  } else {
    snapshot_ = rollback_state(pages_.find(1)->data());
  }
  version_ = store_->advance(snapshot_, &scratch_numbers_);
  for (Page* page : changed) store_->publish(page->number(), page->image());
}

void Pager::rollback() {
  if (state_ != State::kWriting) return;
  Status status;
  if (database_touched_) status = restore_database();
  if (wal_ != nullptr) wal_->end_write();  // so that nobody reads frames that were not published
  undo_back_to(0);
  page_count_ = original_page_count_;
  if (!status.ok()) {
    // The journal stays, and is hot as soon as the locks are gone: the next reader repairs the
    // file. Until then nothing of it may be believed.
    drop_all_pages();
    version_ = 0;
    failed_ = true;
    journal_->close();
    (void)file_->unlock(LockLevel::kNone);
  } else if (file_ != nullptr && journal_->is_open()) {
    bool ended;
    (void)end_journal(&ended);
  }
  finish_write();
}

// After a commit that failed halfway.
Status Pager::restore_database() {
  if (journal_mode_ == JournalMode::kOff) return Status(code::kIoErr);
  if (originals_streamed_) {
    return journal_->play_back(file_.get(), synchronous_ != Synchronous::kOff);
  }
  // Should this be interrupted, the journal is needed again.
  if (!journal_ready_) GW_TRY(write_journal());
  journal_ready_ = true;
  for (const OriginalPage& original : originals_) {
    GW_TRY(file_->write(uint64_t{original.number - 1} * page_size_,
                        {original.image->data(), page_size_}));
  }
  uint64_t wanted = uint64_t{original_page_count_} * page_size_;
  GW_ASSIGN(uint64_t size, file_->size());
  if (size != wanted) GW_TRY(file_->truncate(wanted));
  return synchronous_ == Synchronous::kOff ? Status() : file_->sync(SyncMode::kDataOnly);
}

// From writing to reading; the outcome is settled.
void Pager::finish_write() {
  for (const UndoEntry& entry : undo_) {
    if (Page* page = pages_.find(entry.number)) page->writable_ = false;
    free_slot(entry.slot);
  }
  if (file_ != nullptr && spill_file_ != nullptr) forget_spilled();
  undo_.clear();
  undo_shed_ = 0;
  savepoints_.clear();
  originals_.clear();
  originals_streamed_ = false;
  journal_ready_ = false;
  database_touched_ = database_written_ = false;
  committed_pages_.clear();
  state_ = State::kReading;
  if (file_ == nullptr) return;
  if (wal_ != nullptr) {
    wal_->end_write();
  } else if (locking_mode_ == LockingMode::kNormal) {
    (void)file_->unlock(LockLevel::kShared);
  }
  (void)keep_within_budget();
}

}  // namespace godwit
