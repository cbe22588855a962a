// VACUUM's commit: the whole content of the database is exchanged. With the page size as it is, that
// is a transaction that changes every page. With another page size the journal holds all pages of the
// old size, and the file is written anew from its start.
#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {

Status Pager::replace_content(uint32_t page_size, uint32_t reserved_bytes, uint32_t count,
                              const PageSource& source) {
  GW_ASSERT(state_ == State::kWriting && !has_changes());
  if (page_size != page_size_) {
    return replace_with_other_size(page_size, reserved_bytes, count, source);
  }
  for (PageNumber number = 1; number <= count; ++number) {
    if (is_lock_page(number)) continue;
    GW_ASSIGN(PageImageRef image, source(number));
    GW_ASSIGN(PageRef page, write_fresh(number));
    std::memcpy(page.data(), image->data(), page_size);
  }
  GW_TRY(set_page_count(count));
  return commit();
}

void Pager::forget_snapshot() {
  GW_ASSERT(state_ == State::kNone);
  if (file_ == nullptr || wal_ != nullptr) return;
  drop_all_pages();
  version_ = 0;
}

Status Pager::replace_with_other_size(uint32_t page_size, uint32_t reserved_bytes,
                                      uint32_t page_count, const PageSource& source) {
  GW_ASSERT(wal_ == nullptr);
  uint32_t counter = 0;
  if (page_count_ > 0) {
    GW_ASSIGN(PageRef first, read(1));
    counter = load_be32(first.data() + kHeaderChangeCounter);
  }
  GW_ASSIGN(PageImageRef first_image, source(1));
  PageImageRef stamped = PageImageRef::adopt(PageImage::create(page_size));
  if (!stamped) return Status::no_memory();
  std::memcpy(stamped->data(), first_image->data(), page_size);
  stamp_header(stamped->data(), counter + 1, page_count);
  auto image_of = [&](PageNumber number) -> Result<PageImageRef> {
    return number == 1 ? Result<PageImageRef>(stamped) : source(number);
  };
  if (file_ != nullptr) {
    for (PageNumber number = 1; number <= original_page_count_; ++number) {
      // Recorded as changed, so that the journal gets it.
      if (!is_lock_page(number)) undo_.push_back({number, false, 0, 0, {}});
    }
    journal_ready_ = false;
    Status status = write_replacement(page_size, page_count, image_of);
    if (!status.ok()) return status;
  }
  undo_.clear();
  drop_all_pages();
  page_size_ = page_size;
  reserved_bytes_ = reserved_bytes;
  page_count_ = page_count;
  original_page_count_ = page_count_;
  if (store_ != nullptr) {
    std::lock_guard guard(store_->timeline_mutex());
    snapshot_ = rollback_state(stamped->data());
    version_ = store_->advance(snapshot_, nullptr);
  } else {
    ++version_;
  }
  Status status;
  for (PageNumber number = 1; file_ == nullptr && number <= page_count && status.ok(); ++number) {
    if (is_lock_page(number)) continue;
    auto image = image_of(number);
    status = image.ok() ? Status() : image.take_status();
    if (!status.ok()) break;
    pages_.insert(number)->set_image(std::move(*image));
    status = keep_within_budget();
  }
  finish_write();
  return status;
}

Status Pager::write_replacement(uint32_t page_size, uint32_t count, const PageSource& source) {
  GW_TRY(prepare_journal({}));
  GW_TRY(lock_exclusive());
  database_touched_ = true;
  for (PageNumber number = 1; number <= count; ++number) {
    if (godwit::is_lock_page(number, page_size)) continue;
    GW_ASSIGN(PageImageRef image, source(number));
    GW_TRY(file_->write(uint64_t{number - 1} * page_size, {image->data(), page_size}));
  }
  uint64_t wanted = uint64_t{count} * page_size;
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
