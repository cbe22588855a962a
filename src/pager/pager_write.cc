// Private pages of a write transaction, savepoints and their undo list.
//
// Stamps. Each transaction and each savepoint gets a number larger than all before. A page's stamp
// is that of the innermost savepoint in which it was last recorded; a page with a stamp of at least
// the innermost open savepoint's is private and recorded, so writing to it needs no work.
//
// The undo list. One list for all savepoints; a savepoint is a position in it. Undoing goes
// backwards, so that of several entries for a page the oldest wins. Closing a savepoint leaves its
// entries to the parent, except for pages that the parent has recorded itself; thus the list never
// holds a page more often than there are open savepoints, and once all are closed it holds exactly
// the originals of the changed pages, which is what the rollback journal needs.
#include <algorithm>

#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {

Status Pager::begin_write(bool exclusive) {
  if (state_ == State::kWriting) return {};
  if (state_ == State::kReading) return begin_write_here(exclusive);
  for (int attempt = 0;;) {
    GW_TRY(begin_read());
    Status status = begin_write_here(exclusive);
    if (status.ok()) return status;
    end_read();
    // A snapshot that became stale since begin_read() is nobody's lock: take the next one at once.
    if (status.code() == code::kBusySnapshot) continue;
    if (status.primary() != code::kBusy || !wait_for_lock(&attempt)) return status;
  }
}

Status Pager::begin_write_here(bool exclusive) {
  if (read_only_) return Status(code::kReadOnly);
  if (wal_ != nullptr) {
    GW_TRY(wal_->begin_write());
  } else if (file_ != nullptr) {
    // Whoever opens the database by its name would not find the journal of a file that has moved.
    const bool keeps_journal =
        journal_mode_ != JournalMode::kOff && journal_mode_ != JournalMode::kMemory;
    if (keeps_journal && file_->has_moved()) return Status(code::kReadOnlyDbMoved);
    GW_TRY(file_->lock(LockLevel::kReserved));
    if (exclusive) {
      Status status = lock_exclusive();
      if (!status.ok()) {
        (void)file_->unlock(LockLevel::kShared);
        return status;
      }
    }
  }
  state_ = State::kWriting;
  base_stamp_ = stamp_ = ++last_stamp_;
  original_page_count_ = page_count_;
  journal_ready_ = false;
  spill_failed_ = false;
  wal_prepared_ = false;
  database_touched_ = false;
  return {};
}

Status Pager::write_slow(Page* page) {
  if (page->number_ == 0) return Status(code::kAbortRollback);  // held across a rollback
  uint32_t slot = 0;
  if (page->spilled_) {
    slot = take_spilled(page->number_, page).slot;
    if (page->stamp_ >= stamp_ && !page->image_->is_shared()) {
      free_slot(slot);
      return {};
    }
  }
  PageImageRef copy = PageImageRef::adopt(PageImage::create(page_size_));
  if (!copy) return Status::no_memory();
  std::memcpy(copy->data(), page->data_, page_size_);
  if (page->stamp_ < stamp_) {
    undo_.push_back({page->number_, page->writable_, slot, page->stamp_,
                     slot == 0 ? std::move(page->image_) : PageImageRef()});
    journal_ready_ = false;
  } else {
    free_slot(slot);
  }
  page->set_image(std::move(copy));
  page->stamp_ = stamp_;
  page->writable_ = true;
  if (undo_.size() - undo_shed_ > page_budget_) [[unlikely]] return shed_undo();
  return {};
}

Result<PageRef> Pager::write_fresh(PageNumber number) {
  GW_ASSERT(state_ == State::kWriting);
  if (number == 0 || is_lock_page(number) || number > page_count_ + 1) {
    // The page after the locking page follows the page before it.
    bool skips_lock_page = number == page_count_ + 2 && is_lock_page(number - 1);
    if (!skips_lock_page) return corrupt("page number out of range");
  }
  PageImageRef image = PageImageRef::adopt(PageImage::create(page_size_));
  if (!image) return Status::no_memory();
  std::memset(image->data(), 0, page_size_);
  Page* page = pages_.find(number);
  record_replaced(number, page);
  if (page == nullptr) page = pages_.insert(number);
  journal_ready_ = false;
  page->set_image(std::move(image));
  page->stamp_ = stamp_;
  page->writable_ = true;
  if (number > page_count_) page_count_ = number;
  PageRef ref(page);
  GW_TRY(keep_within_budget());
  return ref;
}

// The page (in the map, if not null) gets other content, or goes away: what it was is recorded, unless
// this savepoint has done so already.
void Pager::record_replaced(PageNumber number, Page* page) {
  const bool is_spilled = page != nullptr ? page->spilled_ : spilled_.contains(number);
  if (is_spilled) {
    SpilledPage before = take_spilled(number, page);
    if (before.stamp < stamp_) {
      undo_.push_back({number, before.stamp >= base_stamp_, before.slot, before.stamp, {}});
    } else {
      free_slot(before.slot);
    }
  } else if (page == nullptr) {
    undo_.push_back({number, false, 0, 0, {}});
  } else if (page->stamp_ < stamp_) {
    undo_.push_back({number, page->writable_, 0, page->stamp_, std::move(page->image_)});
  }
}

void Pager::forget_content(PageNumber) {}

Status Pager::set_page_count(uint32_t count) {
  GW_ASSERT(state_ == State::kWriting);
  while (page_count_ < count) {
    bool at_lock_page = is_lock_page(page_count_ + 1);
    GW_TRY(write_fresh(page_count_ + (at_lock_page ? 2 : 1)));
  }
  for (PageNumber number = page_count_; number > count; --number) {
    Page* page = pages_.find(number);
    if (page == nullptr && !spilled_.contains(number)) continue;
    if (page == nullptr || page->spilled_ || page->stamp_ >= stamp_) {
      record_replaced(number, page);
    } else {
      // Whoever has the page pinned goes on with its bytes.
      undo_.push_back({number, page->writable_, 0, page->stamp_, page->image_});
    }
    if (page != nullptr) pages_.erase(page);
  }
  page_count_ = count;
  journal_ready_ = false;
  return {};
}

void Pager::savepoint_open() {
  GW_ASSERT(state_ == State::kWriting);
  stamp_ = ++last_stamp_;
  savepoints_.push_back({undo_.size(), page_count_, stamp_});
}

Status Pager::savepoint_rollback_to(uint32_t depth) {
  GW_ASSERT(depth > 0 && depth <= savepoints_.size());
  savepoints_.resize(depth);
  const Savepoint& savepoint = savepoints_.back();
  undo_back_to(savepoint.undo_start);
  page_count_ = savepoint.page_count;
  // Pages restored carry stamps of before, so the next change to each is recorded anew.
  stamp_ = savepoint.stamp;
  return {};
}

void Pager::savepoint_release(uint32_t depth) {
  GW_ASSERT(depth > 0 && depth <= savepoints_.size());
  uint64_t parent_stamp = depth == 1 ? base_stamp_ : savepoints_[depth - 2].stamp;
  size_t start = savepoints_[depth - 1].undo_start;
  savepoints_.resize(depth - 1);
  merge_undo_into_parent(start, parent_stamp);
  stamp_ = parent_stamp;
}

void Pager::undo_back_to(size_t undo_start) {
  while (undo_.size() > undo_start) {
    restore(&undo_.back());
    undo_.pop_back();
  }
  undo_shed_ = std::min(undo_shed_, undo_start);
}

// Whoever has a page pinned must see it as it was, too: it gets its bytes back at once. Should they be
// unreadable the page leaves the map.
void Pager::restore(UndoEntry* entry) {
  Page* page = pages_.find(entry->number);
  if (!spilled_.empty()) drop_spilled(entry->number, page);
  const bool is_pinned = page != nullptr && page->pins_ > 0;
  if (entry->slot != 0 && !is_pinned) {
    if (page != nullptr) pages_.erase(page);
    spilled_[entry->number] = {entry->slot, entry->previous_stamp};
    return;
  }
  if (entry->slot != 0) {
    auto image = read_slot(entry->slot);
    free_slot(entry->slot);
    if (image.ok()) entry->image = std::move(*image);
  } else if (!entry->image && is_pinned && file_ != nullptr && !entry->was_writable &&
             entry->number <= original_page_count_) {
    auto image = load_image(entry->number);
    if (image.ok()) entry->image = std::move(*image);
  }
  if (entry->image) {
    if (page == nullptr) page = pages_.insert(entry->number);
    page->set_image(std::move(entry->image));
    page->writable_ = entry->was_writable;
    page->stamp_ = entry->previous_stamp;
  } else if (page != nullptr) {
    pages_.erase(page);
  }
}

// An entry whose page was recorded since the parent was opened restores a state that nobody can ask
// for any more.
void Pager::merge_undo_into_parent(size_t undo_start, uint64_t parent_stamp) {
  size_t kept = undo_start;
  for (size_t i = undo_start; i < undo_.size(); ++i) {
    if (undo_[i].previous_stamp >= parent_stamp) {
      free_slot(undo_[i].slot);
      continue;
    }
    if (kept != i) undo_[kept] = std::move(undo_[i]);
    ++kept;
  }
  undo_.resize(kept);
  undo_shed_ = std::min(undo_shed_, undo_start);
}

}  // namespace godwit
