#include "pager/pager.h"

#include <algorithm>

#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {
namespace {

constexpr uint32_t kDefaultBudgetPages = 16384;
constexpr uint32_t kBudgetPagesMin = 16;

}  // namespace

Result<std::unique_ptr<Pager>> Pager::open(Vfs* vfs, const std::string& path,
                                           const PagerOptions& options) {
  std::unique_ptr<Pager> pager(new Pager());
  pager->vfs_ = vfs;
  pager->options_ = options;
  pager->page_size_ = is_page_size(options.default_page_size) ? options.default_page_size : 4096;
  pager->page_budget_ = kDefaultBudgetPages;
  if (path.empty() || path == ":memory:") {
    pager->is_temporary_ = path.empty();
    pager->journal_mode_ = path.empty() ? JournalMode::kDelete : JournalMode::kMemory;
    pager->version_ = 1;
    return pager;
  }
  GW_ASSIGN(pager->path_, vfs->full_path(path));
  if (options.no_follow && vfs->has_symbolic_link(path)) return Status(code::kCantOpenSymlink);
  OpenOptions open_options;
  open_options.read_only = options.read_only || options.immutable;
  open_options.create = options.create && !open_options.read_only;
  open_options.no_lock = options.no_lock;
  GW_ASSIGN(pager->file_, vfs->open(pager->path_, open_options));
  pager->read_only_ = pager->file_->is_read_only();
  pager->journal_ = std::make_unique<RollbackJournal>(vfs, pager->path_ + "-journal");
  if (!options.immutable) pager->store_ = PageStore::for_file(vfs, pager->file_->identity());
  return pager;
}

Pager::Pager() = default;

Pager::~Pager() {
  end_read();
  if (wal_ != nullptr) close_wal();
}

bool Pager::wait_for_lock(int* attempt) {
  return busy_handler_.retry != nullptr && busy_handler_.retry(busy_handler_.context, (*attempt)++);
}

Status Pager::begin_read() {
  if (state_ != State::kNone) return {};
  if (file_ == nullptr) {
    state_ = State::kReading;
    return {};
  }
  for (int attempt = 0;;) {
    Status status = start_snapshot();
    if (status.ok()) {
      state_ = State::kReading;
      return status;
    }
    if (status.primary() != code::kBusy || !wait_for_lock(&attempt)) return status;
  }
}

void Pager::end_read() {
  if (state_ == State::kNone) return;
  if (state_ == State::kWriting) rollback();
  state_ = State::kNone;
  if (file_ != nullptr) release_locks();
}

// What a reader holds. The SHARED lock stays in WAL mode, and all locks in exclusive locking mode.
void Pager::release_locks() {
  if (options_.immutable) return;
  if (wal_ != nullptr) {
    wal_->end_read();
    checkpoint_if_due();
    if (locking_mode_ == LockingMode::kNormal && file_->lock_level() == LockLevel::kExclusive) {
      (void)file_->unlock(LockLevel::kShared);
    }
  } else if (locking_mode_ == LockingMode::kNormal) {
    journal_->close();
    (void)file_->unlock(LockLevel::kNone);
  }
}

Status Pager::start_snapshot() {
  failed_ = false;
  if (options_.immutable) {
    if (version_ != 0) return {};
    return load_rollback_header();
  }
  if (wal_ != nullptr) {
    GW_TRY(reach_exclusive_mode());
    return start_wal_snapshot();
  }
  GW_TRY(file_->lock(LockLevel::kShared));
  Status status = start_rollback_snapshot();
  if (status.ok()) status = reach_exclusive_mode();
  if (!status.ok()) {
    wal_.reset();
    (void)file_->unlock(LockLevel::kNone);
    version_ = 0;
  }
  return status;
}

// In exclusive locking mode a WAL must not be shared; with a rollback journal it is enough to keep
// the locks that transactions take.
Status Pager::reach_exclusive_mode() {
  if (locking_mode_ == LockingMode::kNormal || wal_ == nullptr) return {};
  return lock_exclusive_in_wal_mode();
}

Status Pager::start_rollback_snapshot() {
  if (file_->lock_level() == LockLevel::kExclusive) {
    if (version_ != 0) return {};  // nobody else can have changed anything
  } else {
    GW_ASSIGN(bool journal_exists, vfs_->exists(journal_->path()));
    if (journal_exists) GW_TRY(recover_hot_journal());
  }
  return load_rollback_header();
}

// A journal that nobody owns belongs to a transaction that died: it is rolled back before anybody
// reads.
Status Pager::recover_hot_journal() {
  GW_ASSIGN(bool reserved, file_->is_reserved());
  if (reserved) return {};
  GW_ASSIGN(uint64_t size, file_->size());
  if (size == 0) {
    // Left over from a database that was deleted, or from the first transaction of this one, which
    // wrote nothing. Whoever gets the lock removes it.
    if (!read_only_ && file_->lock(LockLevel::kReserved).ok()) {
      (void)vfs_->remove(journal_->path(), false);
      GW_TRY(file_->unlock(LockLevel::kShared));
    }
    return {};
  }
  GW_ASSIGN(bool hot, journal_->looks_hot());
  if (!hot) return {};
  if (read_only_) return Status(code::kReadOnlyRollback);
  GW_TRY(file_->lock(LockLevel::kExclusive));
  GW_TRY(journal_->recover(file_.get(), synchronous_ != Synchronous::kOff, page_size_));
  version_ = 0;
  return file_->unlock(LockLevel::kShared);
}

SnapshotState Pager::rollback_state(const uint8_t* header) {
  SnapshotState state;
  state.kind = SnapshotState::kRollback;
  std::memcpy(state.bytes, header + kHeaderChangeCounter, kHeaderVersionBytes);
  state.bytes[kHeaderVersionBytes] =
      header[0] != 0;  // tells an empty file from one not yet counted
  return state;
}

// Finds out which state of the database the SHARED lock protects.
Status Pager::load_rollback_header() {
  uint8_t header[kFileHeaderSize] = {};
  GW_ASSIGN(size_t n, file_->read(0, header));
  SnapshotState state = rollback_state(header);
  if (version_ != 0 && state == snapshot_ && (store_ == nullptr || store_->version() == version_)) {
    GW_ASSIGN(uint64_t size, file_->size());
    if (size >= uint64_t{page_count_} * page_size_) return {};
    version_ = 0;  // somebody cut the file: what is cached of it is not there any more
  }
  bool is_empty = n == 0;
  FileHeader parsed;
  if (!is_empty) {
    GW_ASSIGN(parsed, parse_file_header(header));
  }
  if (!options_.immutable) {
    GW_ASSIGN(bool has_wal, find_wal(is_empty ? nullptr : &parsed));
    if (has_wal) {
      GW_TRY(open_wal());
      return start_wal_snapshot();
    }
  }
  uint64_t version = version_ + 1;
  if (store_ != nullptr) {
    std::lock_guard guard(store_->timeline_mutex());
    version = store_->state() == state ? store_->version() : store_->advance(state, nullptr);
  }
  adopt_version(version);
  snapshot_ = state;
  version_ = 0;  // until the header is known to be good
  if (is_empty) {
    page_count_ = 0;
  } else {
    GW_ASSIGN(uint64_t size, file_->size());
    uint64_t file_pages = (size + parsed.page_size - 1) / parsed.page_size;
    GW_TRY(adopt_header(header, static_cast<uint32_t>(std::min<uint64_t>(file_pages, UINT32_MAX))));
  }
  version_ = version;
  return {};
}

Status Pager::adopt_header(const uint8_t* header, uint32_t file_page_count) {
  GW_ASSIGN(FileHeader parsed, parse_file_header(header));
  uint32_t count = parsed.page_count != 0 ? parsed.page_count : file_page_count;
  if (count > file_page_count) return corrupt("header names more pages than there are");
  if (parsed.page_size != page_size_) drop_all_pages();
  page_size_ = parsed.page_size;
  reserved_bytes_ = parsed.reserved_bytes;
  page_count_ = count;
  read_only_ = file_->is_read_only() || parsed.write_version > kFormatWal;
  return {};
}

// Moves pages_ from version_ to `version`: what may differ is dropped.
void Pager::adopt_version(uint64_t version) {
  if (version == version_) return;
  if (snapshot_.kind != SnapshotState::kUnknown) ++data_version_;
  scratch_numbers_.clear();
  bool known = false;
  if (store_ != nullptr && version_ != 0) {
    std::lock_guard guard(store_->timeline_mutex());
    known = store_->changed_between(version_, version, &scratch_numbers_);
  }
  if (known) {
    for (PageNumber number : scratch_numbers_) {
      if (Page* page = pages_.find(number)) pages_.erase(page);
    }
  } else {
    drop_all_pages();
  }
  version_ = version;
}

void Pager::drop_all_pages() {
  if (!spilled_.empty()) forget_spilled();
  pages_.for_each([this](Page* page) { pages_.erase(page); });
}

Result<PageRef> Pager::read_slow(PageNumber number) {
  if (failed_) return Status(code::kIoErr);
  if (number == 0 || number > page_count_ || is_lock_page(number)) {
    return corrupt("page number out of range");
  }
  ++figures_.misses;
  if (!spilled_.empty() && spilled_.contains(number)) return read_spilled(number);
  GW_ASSIGN(PageImageRef image, load_image(number));
  Page* page = pages_.insert(number);
  page->set_image(std::move(image));
  PageRef ref(page);
  GW_TRY(keep_within_budget());
  return ref;
}

// The page's bytes in this snapshot: from the store, or from the file. `for_reading`: others will want
// them too.
Result<PageImageRef> Pager::load_image(PageNumber number, bool for_reading) {
  bool is_stored =
      file_ != nullptr && (state_ != State::kWriting || number <= original_page_count_);
  if (is_stored && store_ != nullptr) {
    PageImageRef image = store_->find(number, version_);
    if (image && image->size() == page_size_) return image;
  }
  PageImageRef image = PageImageRef::adopt(PageImage::create(page_size_));
  if (!image) return Status::no_memory();
  size_t n = 0;
  uint32_t frame = 0;
  if (is_stored && wal_ != nullptr) {
    GW_ASSIGN(frame, wal_->find_frame(number));
  }
  if (frame != 0) {
    GW_TRY(wal_->read_frame(frame, {image->data(), page_size_}));
    n = page_size_;
  } else if (is_stored) {
    GW_ASSIGN(n, file_->read(uint64_t{number - 1} * page_size_, {image->data(), page_size_}));
  }
  std::memset(image->data() + n, 0, page_size_ - n);
  if (is_stored && store_ != nullptr && for_reading) store_->insert(number, version_, image.get());
  return image;
}

void Pager::set_cache_size(int pages_or_minus_kib) {
  int64_t pages = pages_or_minus_kib >= 0
                      ? pages_or_minus_kib
                      : -int64_t{pages_or_minus_kib} * 1024 / static_cast<int64_t>(page_size_);
  page_budget_ = static_cast<uint32_t>(std::clamp<int64_t>(pages, kBudgetPagesMin, UINT32_MAX));
  if (store_ != nullptr) store_->raise_budget(page_budget_);
}

void Pager::set_locking_mode(LockingMode mode) {
  if (file_ == nullptr) return;
  // A WAL whose index nobody else can see must stay ours until it is closed.
  if (wal_ != nullptr && wal_->is_on_heap()) return;
  locking_mode_ = mode;  // locks that are held are given up by the next transaction's end
}

bool Pager::set_page_size(uint32_t page_size, int reserved_bytes) {
  uint32_t reserved = reserved_bytes < 0 ? reserved_bytes_ : static_cast<uint32_t>(reserved_bytes);
  if (state_ == State::kWriting || page_count_ != 0 || !is_page_size(page_size) || reserved > 255 ||
      page_size - reserved < kUsableSizeMin) {
    return false;
  }
  drop_all_pages();
  page_size_ = page_size;
  reserved_bytes_ = reserved;
  return true;
}

}  // namespace godwit
