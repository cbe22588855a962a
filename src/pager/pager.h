// The pager: transactions over numbered pages of one database file.
//
// A Pager belongs to one connection and is used by one thread at a time. All pagers of a process
// that opened the same file share one PageStore (pager/page_store.h), which holds immutable page
// images; a pager's own map holds the images of its snapshot that it has touched, and the private
// copies of a write transaction.
//
// States of a transaction, and the calls that move between them:
//
//             begin_read              begin_write              commit / rollback
//    (none) ------------> reading -------------------> writing ------------------> reading
//       ^                    |                                                        |
//       +----- end_read -----+--------------------------------------------------------+
//
//   none     no lock is held; nothing may be read. (In WAL mode the process may keep its read mark
//            for some milliseconds; that is invisible here.)
//   reading  read() gives the pages of one snapshot. Rollback modes: SHARED lock. WAL: a read mark.
//   writing  write() gives private, mutable pages. Rollback modes: RESERVED lock; WAL: write lock.
//            Nothing of it is visible to any other connection before commit().
//
// Page images. Several owners can hold one image; an image that anyone else holds is immutable:
//   1. A published image (in the store) never changes.
//   2. write() first copies an image that has other holders (the store, or a PageImageRef that a
//      chunk of query results keeps), so views into a held image stay valid.
//   3. A Page* stays valid while a PageRef to it lives, but Page::data() may change at each write()
//      to it: callers that modify trees re-read data() after calls that may write.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/status.h"
#include "os/vfs.h"

namespace godwit {

using PageNumber = uint32_t;  // 1-based; 0 = none

// One page's bytes, reference-counted across threads. Header and bytes are one allocation.
class PageImage {
 public:
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint32_t size() const { return size_; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();
  bool is_shared() const { return references_.load(std::memory_order_acquire) > 1; }
  static PageImage* create(uint32_t size);  // one reference, bytes uninitialized; null: no memory

 private:
  std::atomic<uint32_t> references_{1};
  uint32_t size_ = 0;
  uint8_t* data_ = nullptr;
};

// Keeps an image alive, and thereby unchanged: what holds views into a page holds one of these.
class PageImageRef {
 public:
  PageImageRef() = default;
  explicit PageImageRef(PageImage* image) : image_(image) {
    if (image_ != nullptr) image_->retain();
  }
  PageImageRef(PageImageRef&& o) noexcept : image_(o.image_) { o.image_ = nullptr; }
  PageImageRef(const PageImageRef& o) : PageImageRef(o.image_) {}
  PageImageRef& operator=(PageImageRef o) noexcept {
    std::swap(image_, o.image_);
    return *this;
  }
  ~PageImageRef() {
    if (image_ != nullptr) image_->release();
  }
  PageImage* get() const { return image_; }

 private:
  PageImage* image_ = nullptr;
};

// A page as one connection sees it. Not shared between threads.
class Page {
 public:
  PageNumber number() const { return number_; }
  // The current bytes (page_size of them). Mutable only after Pager::write() in this transaction.
  uint8_t* data() const { return image_->data(); }
  PageImage* image() const { return image_; }
  bool is_writable() const { return writable_; }

 private:
  friend class Pager;
  friend class PageRef;
  PageNumber number_ = 0;
  bool writable_ = false;  // the image is private to this write transaction
  bool dirty_ = false;
  uint32_t pins_ = 0;
  PageImage* image_ = nullptr;
  uint64_t last_use_ = 0;
  uint32_t savepoint_ = 0;  // newest savepoint whose undo list already holds this page
};

// Pins a Page: it stays in the pager's map while a PageRef to it lives.
class PageRef {
 public:
  PageRef() = default;
  explicit PageRef(Page* page) : page_(page) {
    if (page_ != nullptr) ++page_->pins_;
  }
  PageRef(PageRef&& o) noexcept : page_(o.page_) { o.page_ = nullptr; }
  PageRef(const PageRef& o) : PageRef(o.page_) {}
  PageRef& operator=(PageRef o) noexcept {
    std::swap(page_, o.page_);
    return *this;
  }
  ~PageRef() {
    if (page_ != nullptr) --page_->pins_;
  }
  explicit operator bool() const { return page_ != nullptr; }
  Page* operator->() const { return page_; }
  Page* get() const { return page_; }
  uint8_t* data() const { return page_->data(); }

 private:
  Page* page_ = nullptr;
};

enum class JournalMode : uint8_t { kDelete, kPersist, kOff, kTruncate, kMemory, kWal };
enum class Synchronous : uint8_t { kOff = 0, kNormal = 1, kFull = 2, kExtra = 3 };
enum class LockingMode : uint8_t { kNormal, kExclusive };
enum class CheckpointMode : uint8_t { kPassive = 0, kFull = 1, kRestart = 2, kTruncate = 3 };

struct PagerOptions {
  bool read_only = false;
  bool create = true;
  bool immutable = false;           // URI immutable=1: no locks, no change detection
  uint32_t default_page_size = 4096;
};

struct CheckpointResult {
  int wal_frames = -1;          // frames in the WAL; -1 when not in WAL mode
  int checkpointed_frames = -1;
};

// Asked when a lock is held by somebody else: returns true to try again. `attempt` counts from 0.
struct BusyHandler {
  bool (*retry)(void* context, int attempt) = nullptr;
  void* context = nullptr;
};

class PageStore;
class Wal;
class RollbackJournal;

class Pager {
 public:
  // Opens `path`; "" is a private temporary database, ":memory:" one in memory (both never locked).
  // The file itself may be created at the first write. Errors: kCantOpen (kCantOpenIsDir), kNoMem.
  static Result<std::unique_ptr<Pager>> open(Vfs* vfs, const std::string& path,
                                             const PagerOptions& options);
  ~Pager();

  // --- Transactions -------------------------------------------------------------------------
  // Takes a snapshot (recovering from a hot journal or a WAL first, where needed). Idempotent while
  // reading. Errors: kBusy, kNotADb, kCorrupt, kIoErr..., kCantOpen.
  Status begin_read();
  void end_read();
  // Requires reading. `exclusive`: BEGIN EXCLUSIVE. Errors: kBusy, kBusySnapshot (WAL: the snapshot
  // is not the newest), kReadOnly.
  Status begin_write(bool exclusive = false);
  // Makes the transaction durable as `synchronous` says and visible. On error the transaction is
  // still open and the caller rolls back, except kBusy (may be retried). After it: reading.
  Status commit();
  // Discards all private pages. After it: reading (same snapshot as before).
  void rollback();
  bool is_reading() const;
  bool is_writing() const;

  // A number that changes whenever the snapshot of begin_read() may hold other pages than the one
  // before: while equal, anything cached from the pages (the schema) is still right.
  uint64_t snapshot_version() const;
  // The file change counter's analogue for PRAGMA data_version: changes when another connection
  // committed, not on own commits.
  uint32_t data_version() const;

  // Savepoints nest: depth n is opened after n-1. Require writing. rollback_to restores all pages
  // and the page count as they were when `depth` was opened, and leaves it open.
  void savepoint_open();                    // depth becomes savepoint_depth() + 1
  Status savepoint_rollback_to(uint32_t depth);
  void savepoint_release(uint32_t depth);   // closes depth and everything above it
  uint32_t savepoint_depth() const;

  // --- Pages ----------------------------------------------------------------------------------
  // Page `number` of the snapshot, or as this write transaction has left it.
  // Errors: kCorrupt (0 or beyond page_count()), kIoErr..., kNoMem.
  Result<PageRef> read(PageNumber number) {
    if (Page* page = find(number)) return PageRef(page);
    return read_slow(number);
  }
  // Makes the page private and mutable and marks it dirty. Requires writing.
  Status write(const PageRef& page);
  // A private page whose old content is of no interest (zero-filled); extends the file if `number`
  // is page_count() + 1. Requires writing.
  Result<PageRef> write_fresh(PageNumber number);
  // Content of this page need not be written or journalled any more (a freelist leaf).
  void forget_content(PageNumber number);
  uint32_t page_count() const;
  // Shrinks or extends the database; takes effect in the file at commit.
  Status set_page_count(uint32_t count);

  uint32_t page_size() const;
  uint32_t reserved_bytes() const;
  uint32_t usable_size() const { return page_size() - reserved_bytes(); }
  // Only for a database with no pages yet (or at the start of VACUUM). False: not possible now.
  bool set_page_size(uint32_t page_size, int reserved_bytes = -1);

  // --- Settings -------------------------------------------------------------------------------
  JournalMode journal_mode() const;
  // Returns the mode that is in force afterwards (SQLite's rule: no change is not an error).
  Result<JournalMode> set_journal_mode(JournalMode mode);
  void set_synchronous(Synchronous level);
  Synchronous synchronous() const;
  void set_locking_mode(LockingMode mode);
  LockingMode locking_mode() const;
  // Pages (positive) or KiB (negative), as PRAGMA cache_size.
  void set_cache_size(int pages_or_minus_kib);
  void set_busy_handler(BusyHandler handler);
  void set_wal_autocheckpoint(int frames);  // 0 or less: off. Default 1000.
  int wal_autocheckpoint() const;
  Result<CheckpointResult> checkpoint(CheckpointMode mode);

  bool is_memory() const;     // ":memory:" or temporary: nothing outlives the connection
  bool is_read_only() const;
  const std::string& path() const;  // absolute; "" for temporary and in-memory databases

 private:
  Pager();
  Page* find(PageNumber number) const;
  Result<PageRef> read_slow(PageNumber number);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace godwit
