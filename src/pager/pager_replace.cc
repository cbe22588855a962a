// VACUUM's commit: the whole content of the database is exchanged. With the page size as it is, that
// is a transaction that changes every page. With another page size the journal holds all pages of the
// old size, and the file is written anew from its start.
#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {

Status Pager::replace_content(uint32_t page_size, uint32_t reserved_bytes,
                              std::span<const PageImageRef> pages) {
  GW_ASSERT(state_ == State::kWriting && !has_changes());
  if (page_size != page_size_) return replace_with_other_size(page_size, reserved_bytes, pages);
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!pages[i]) continue;
    GW_ASSIGN(PageRef page, write_fresh(static_cast<PageNumber>(i + 1)));
    std::memcpy(page.data(), pages[i]->data(), page_size);
  }
  GW_TRY(set_page_count(static_cast<uint32_t>(pages.size())));
  return commit();
}

void Pager::forget_snapshot() {
  GW_ASSERT(state_ == State::kNone);
  if (file_ == nullptr || wal_ != nullptr) return;
  drop_all_pages();
  version_ = 0;
}

Status Pager::replace_with_other_size(uint32_t page_size, uint32_t reserved_bytes,
                                      std::span<const PageImageRef> pages) {
  GW_ASSERT(wal_ == nullptr);
  uint32_t counter = 0;
  if (page_count_ > 0) {
    GW_ASSIGN(PageRef first, read(1));
    counter = load_be32(first.data() + kHeaderChangeCounter);
  }
  stamp_header(pages[0]->data(), counter + 1, static_cast<uint32_t>(pages.size()));
  if (file_ != nullptr) {
    for (PageNumber number = 1; number <= original_page_count_; ++number) {
      // Recorded as changed, so that the journal gets it.
      if (!is_lock_page(number)) undo_.push_back({number, false, 0, {}});
    }
    journal_ready_ = false;
    Status status = write_replacement(page_size, pages);
    if (!status.ok()) return status;
  }
  undo_.clear();
  drop_all_pages();
  page_size_ = page_size;
  reserved_bytes_ = reserved_bytes;
  page_count_ = static_cast<uint32_t>(pages.size());
  original_page_count_ = page_count_;
  if (store_ != nullptr) {
    std::lock_guard guard(store_->timeline_mutex());
    snapshot_ = rollback_state(pages[0]->data());
    version_ = store_->advance(snapshot_, nullptr);
  } else {
    ++version_;
  }
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i]) pages_.insert(static_cast<PageNumber>(i + 1))->set_image(pages[i]);
  }
  finish_write();
  return {};
}

Status Pager::write_replacement(uint32_t page_size, std::span<const PageImageRef> pages) {
  GW_TRY(prepare_journal({}));
  GW_TRY(lock_exclusive());
  database_touched_ = true;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!pages[i]) continue;
    GW_TRY(file_->write(uint64_t{i} * page_size, {pages[i]->data(), page_size}));
  }
  uint64_t wanted = uint64_t{pages.size()} * page_size;
  GW_ASSIGN(uint64_t size, file_->size());
  if (size != wanted) GW_TRY(file_->truncate(wanted));
  if (synchronous_ != Synchronous::kOff) GW_TRY(file_->sync(SyncMode::kDataOnly));
  journal_ready_ = false;
  bool ended = true;
  Status status = journal_->is_open() ? end_journal(&ended) : Status();
  if (!ended) return status;
  // A sync that fails after the journal's end puts nothing at risk: both files hold the same rows.
  database_touched_ = false;
  return {};
}

}  // namespace godwit
