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
//   2. What does not fit into memory goes to a private temporary file (pager_spill.cc), from where
//      read() brings it back; the protocols of commit and rollback know nothing of it.
//   3. write() first copies an image that has other holders (the store, or a PageImageRef that a
//      chunk of query results keeps), so views into a held image stay valid.
//   4. A Page* stays valid while a PageRef to it lives, but Page::data() may change at each write()
//      to it: callers that modify trees re-read data() after calls that may write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/status.h"
#include "os/vfs.h"
#include "pager/checkpoint.h"
#include "pager/file_header.h"
#include "pager/page_image.h"
#include "pager/page_map.h"
#include "pager/page_store.h"
#include "pager/spill_file.h"

namespace godwit {

class RollbackJournal;
class Wal;
struct OriginalPage;

enum class JournalMode : uint8_t { kDelete, kPersist, kOff, kTruncate, kMemory, kWal };
enum class Synchronous : uint8_t { kOff = 0, kNormal = 1, kFull = 2, kExtra = 3 };
enum class LockingMode : uint8_t { kNormal, kExclusive };
struct PagerOptions {
  bool read_only = false;
  bool create = true;
  bool no_follow = false;  // no part of the path may be a symbolic link
  bool immutable = false;  // URI immutable=1: no locks, no change detection
  bool no_lock = false;    // URI nolock=1: no locks, and therefore no WAL
  uint32_t default_page_size = 4096;
};

class Pager {
 public:
  // Opens `path`; "" is a private temporary database, ":memory:" one in memory (both never locked).
  // The file itself may be created at the first write. Errors: kCantOpen, kNoMem.
  static Result<std::unique_ptr<Pager>> open(Vfs* vfs, const std::string& path,
                                             const PagerOptions& options);
  ~Pager();

  // --- Transactions -------------------------------------------------------------------------
  // Takes a snapshot (recovering from a hot journal or a WAL first, where needed). Idempotent while
  // reading. Errors: kBusy, kNotADb, kCorrupt, kIoErr..., kCantOpen.
  Status begin_read();
  void end_read();
  // `exclusive`: BEGIN EXCLUSIVE. While reading: makes that transaction a writing one, never
  // waiting for another writer, because two readers that wait for each other would wait forever. In
  // state none: takes a snapshot too, and waits (busy handler) until both can be had; on error the
  // state is none again. Errors: kBusy, kBusySnapshot (WAL: the snapshot is not the newest),
  // kReadOnly.
  Status begin_write(bool exclusive = false);
  // Makes the transaction durable as `synchronous` says and visible. On error the transaction is
  // still open and the caller rolls back, except kBusy (may be retried). After it: reading.
  Status commit();
  // For a transaction across several files: everything but the moment of commit. The transaction can
  // still be undone, by rollback() or cancel_commit(), or by whoever finds the journal, for as long as
  // the super-journal exists that it names. Nothing is left for commit() but to end the journal. Does
  // nothing without a rollback journal.
  Status prepare_commit(const std::string& super_journal);
  // Back to before prepare_commit(): the transaction is still open.
  Status cancel_commit();
  // Whether the commit of this pager can be made one with others by a super-journal.
  bool takes_super_journal() const;
  std::string journal_path() const { return path_ + "-journal"; }
  // Gives page `number` of what shall be a database's new content; is never asked for the lock page.
  using PageSource = std::function<Result<PageImageRef>(PageNumber number)>;
  // VACUUM: makes `count` pages of `source` the whole database, in pages of another size perhaps, and
  // commits. Requires writing and that nothing was changed yet. With a WAL the page size must stay as
  // it is.
  Status replace_content(uint32_t page_size, uint32_t reserved_bytes, uint32_t count,
                         const PageSource& source);
  // Discards all private pages. After it: reading (same snapshot as before).
  void rollback();
  bool is_reading() const { return state_ != State::kNone; }  // also while writing
  bool is_writing() const { return state_ == State::kWriting; }
  // Requires writing.
  bool has_changes() const { return !undo_.empty() || page_count_ != original_page_count_; }
  // The next snapshot reads the file header anew, whoever changed it. Requires state none.
  void forget_snapshot();

  // A number that changes whenever the snapshot of begin_read() may hold other pages than the one
  // before: while equal, anything cached from the pages (the schema) is still right.
  uint64_t snapshot_version() const { return version_; }
  // The file change counter's analogue for PRAGMA data_version: changes when another connection
  // committed, not on own commits.
  uint32_t data_version() const { return data_version_; }

  // Savepoints nest: depth n is opened after n-1. Require writing. rollback_to restores all pages
  // and the page count as they were when `depth` was opened, and leaves it open.
  void savepoint_open();  // depth becomes savepoint_depth() + 1
  Status savepoint_rollback_to(uint32_t depth);
  void savepoint_release(uint32_t depth);  // closes depth and everything above it
  uint32_t savepoint_depth() const { return static_cast<uint32_t>(savepoints_.size()); }

  // --- Pages ---------------------------------------------------------------------------------
  // Page `number` of the snapshot, or as this write transaction has left it.
  // Errors: kCorrupt (0 or beyond page_count()), kIoErr..., kNoMem.
  Result<PageRef> read(PageNumber number) {
    GW_ASSERT(state_ != State::kNone);
    if (Page* page = pages_.find(number)) [[likely]] {
      page->recent_ = true;
      return PageRef(page);
    }
    return read_slow(number);
  }
  // Makes the page private and mutable and marks it dirty. Requires writing.
  Status write(const PageRef& ref) {
    GW_ASSERT(state_ == State::kWriting);
    Page* page = ref.get();
    if (page->stamp_ >= stamp_ && !page->image_->is_shared()) [[likely]]
      return {};
    return write_slow(page);
  }
  // A private page whose old content is of no interest (zero-filled); extends the file if `number`
  // is page_count() + 1. Requires writing.
  Result<PageRef> write_fresh(PageNumber number);
  // Content of this page need not be written or journalled any more (a freelist leaf). A hint; the
  // page is treated as any other for now.
  void forget_content(PageNumber number);
  uint32_t page_count() const { return page_count_; }
  // Shrinks or extends the database; takes effect in the file at commit.
  Status set_page_count(uint32_t count);

  uint32_t page_size() const { return page_size_; }
  uint32_t reserved_bytes() const { return reserved_bytes_; }
  uint32_t usable_size() const { return page_size_ - reserved_bytes_; }
  bool is_lock_page(PageNumber number) const { return godwit::is_lock_page(number, page_size_); }
  // Only for a database with no pages yet (or at the start of VACUUM). False: not possible now.
  bool set_page_size(uint32_t page_size, int reserved_bytes = -1);

  // --- Settings ------------------------------------------------------------------------------
  // Whether the file is in WAL mode is known only after the first begin_read().
  JournalMode journal_mode() const { return journal_mode_; }
  // Requires state none. Returns the mode that is in force afterwards (SQLite's rule: no change is
  // not an error). Errors: kBusy (to and from WAL nobody else may use the file), as of a commit.
  Result<JournalMode> set_journal_mode(JournalMode mode);
  void set_synchronous(Synchronous level) { synchronous_ = level; }
  Synchronous synchronous() const { return synchronous_; }
  void set_locking_mode(LockingMode mode);
  LockingMode locking_mode() const { return locking_mode_; }
  // Pages (positive) or KiB (negative), as PRAGMA cache_size.
  void set_cache_size(int pages_or_minus_kib);
  // Whether changed pages may leave memory before the commit, and how many there must be. Default: as
  // many as the cache has room for.
  void set_cache_spill(bool on, uint32_t pages) {
    spills_ = on;
    spill_threshold_ = pages;
  }
  void set_busy_handler(BusyHandler handler) { busy_handler_ = handler; }
  // 0 or less: off. Default 1000.
  void set_wal_autocheckpoint(int frames) { wal_autocheckpoint_ = frames; }
  int wal_autocheckpoint() const { return wal_autocheckpoint_; }
  // Whether the thread of the process (pager/checkpoint_worker.h) does the checkpoints that commits
  // give rise to, where it can. Default: yes.
  void set_background_checkpoint(bool on) { background_checkpoint_ = on; }
  // In the WAL of the snapshot; 0: not in WAL mode.
  uint32_t wal_frames() const;
  CheckpointResult wal_progress() const;
  // A journal that stays after its transaction, and a WAL that starts anew, are cut to this many
  // bytes. Negative: they stay as long as they are.
  void set_journal_size_limit(int64_t bytes) { journal_size_limit_ = bytes; }
  // Requires state none (else kLocked). Not in WAL mode: a result of -1, -1. Errors: kBusy (another
  // checkpoint runs); result.busy if readers or writers were in the way.
  Result<CheckpointResult> checkpoint(CheckpointMode mode);
  // Empty when not in WAL mode.
  Result<std::vector<WalReader>> wal_readers();

  // What becomes of the WAL when its last connection closes: normally it is copied into the database
  // and deleted.
  void set_persist_wal(bool on) { persist_wal_ = on; }
  bool persist_wal() const { return persist_wal_; }
  void set_checkpoint_on_close(bool on) { checkpoint_on_close_ = on; }

  // --- Figures ---------------------------------------------------------------------------------
  struct Figures {
    uint64_t misses = 0;  // pages that were not in the connection's map
    uint64_t writes = 0;  // pages that commits have written
    uint64_t spills = 0;  // pages that went to the spill file
  };
  Figures& figures() { return figures_; }
  uint32_t cached_pages() const { return static_cast<uint32_t>(pages_.size()); }
  File* file() const { return file_.get(); }  // null: in memory

  bool is_memory() const {
    return file_ == nullptr;
  }  // ":memory:" or temporary: nothing outlives the connection
  bool is_read_only() const { return read_only_; }
  const std::string& path() const {
    return path_;
  }  // absolute; "" for temporary and in-memory databases

 private:
  enum class State : uint8_t { kNone, kReading, kWriting };

  // What to put back to undo the first change of a page after a savepoint was opened.
  struct UndoEntry {
    PageNumber number;
    bool was_writable;
    uint32_t slot;  // of the spill file, with what would be `image`; 0: none
    uint64_t previous_stamp;
    // None, and no slot: what the database file has, or nothing of interest.
    PageImageRef image;
  };
  struct SpilledPage {
    uint32_t slot;
    uint64_t stamp;
  };
  struct Savepoint {
    size_t undo_start;
    uint32_t page_count;
    uint64_t stamp;
  };

  Pager();
  bool wait_for_lock(int* attempt);

  // pager.cc: snapshots and reading.
  Status start_snapshot();
  Status start_rollback_snapshot();
  Status recover_hot_journal();
  Status load_rollback_header();
  static SnapshotState rollback_state(const uint8_t* header);
  Status adopt_header(const uint8_t* header, uint32_t file_page_count);
  void adopt_version(uint64_t version);
  uint32_t original_change_counter() const;
  void drop_all_pages();
  void release_locks();
  Result<PageRef> read_slow(PageNumber number);
  Result<PageImageRef> load_image(PageNumber number, bool for_reading = true);
  Status keep_within_budget() {
    return pages_.size() <= page_budget_ ? Status() : make_room();
  }

  // pager_spill.cc: what does not fit into memory.
  bool may_spill() const;
  Status make_room();
  Status spill();
  Status shed_undo();
  Result<PageImageRef> read_slot(uint32_t slot);
  Result<PageRef> read_spilled(PageNumber number);
  SpilledPage take_spilled(PageNumber number, Page* page);
  void free_slot(uint32_t slot);
  void drop_spilled(PageNumber number, Page* page);
  void forget_spilled();
  template <typename Write>
  Status for_each_spilled_batch(Write write);
  Status append_spilled_to_wal();
  Status write_spilled_to_database();
  Status stream_journal();

  // pager_wal.cc: snapshots and commits in WAL mode, and the ways in and out of it.
  Result<bool> find_wal(const FileHeader* header);
  Status open_wal();
  void close_wal();
  Status start_wal_snapshot();
  SnapshotState wal_state() const;
  bool register_wal_snapshot(uint64_t* version);
  Status load_wal_header(uint64_t version);
  Status commit_to_wal();
  void remove_kept_journal();
  Status enter_wal_mode();
  Status leave_wal_mode(JournalMode mode);
  Status change_format(uint8_t version);
  bool leaves_checkpoints_to_worker() const;
  void checkpoint_if_due();
  Status lock_exclusive_in_wal_mode();

  // pager_write.cc: private pages, savepoints.
  Status begin_write_here(bool exclusive);
  Status write_slow(Page* page);
  void record_replaced(PageNumber number, Page* page);
  void restore(UndoEntry* entry);
  void undo_back_to(size_t undo_start);
  void merge_undo_into_parent(size_t undo_start, uint64_t parent_stamp);

  // pager_commit.cc: commit and rollback; the rollback journal's protocol.
  Status commit_with_journal();
  Status stamp_header();
  static void stamp_header(uint8_t* header, uint32_t counter, uint32_t page_count);
  Status replace_with_other_size(uint32_t page_size, uint32_t reserved_bytes, uint32_t count,
                                 const PageSource& source);
  Status write_replacement(uint32_t page_size, uint32_t count, const PageSource& source);
  std::vector<Page*> changed_pages();
  Status collect_originals();
  Status prepare_journal(const std::string& super_journal);
  Status lock_exclusive();
  Status reach_exclusive_mode();
  Status write_database(std::span<Page* const> changed);
  Status write_journal();
  int journal_syncs() const;
  Status end_journal(bool* ended);
  void publish(std::span<Page* const> changed);
  Status restore_database();
  void finish_write();

  Vfs* vfs_ = nullptr;
  std::string path_;
  PagerOptions options_;
  std::unique_ptr<File> file_;        // null: in memory
  std::shared_ptr<PageStore> store_;  // null: in memory or immutable
  std::unique_ptr<RollbackJournal> journal_;
  std::unique_ptr<Wal> wal_;  // while in WAL mode

  State state_ = State::kNone;
  bool read_only_ = false;
  bool is_temporary_ = false;  // opened as ""
  bool failed_ = false;  // a rollback failed: nothing can be read until the next snapshot
  uint32_t page_size_ = 0;
  uint32_t reserved_bytes_ = 0;
  uint32_t page_count_ = 0;

  // pages_ holds pages of version_, whose identity is snapshot_. 0: nothing known yet.
  PageMap pages_;
  uint64_t version_ = 0;
  SnapshotState snapshot_;
  uint32_t data_version_ = 1;
  uint32_t page_budget_;
  std::vector<PageNumber> scratch_numbers_;

  // Pages whose newest content is in the spill file; some of them are in pages_ too (Page::spilled_).
  std::unordered_map<PageNumber, SpilledPage> spilled_;
  std::unique_ptr<SpillFile> spill_file_;
  bool spills_ = true;
  bool spill_failed_ = false;  // in this transaction: what it changes from now on stays in memory
  uint32_t spill_threshold_ = 0;

  // The write transaction. undo_ begins with the originals of all pages it changed.
  uint64_t stamp_ = 0;       // of the innermost savepoint
  uint64_t base_stamp_ = 0;  // of the transaction itself
  uint64_t last_stamp_ = 0;  // ever given
  std::vector<UndoEntry> undo_;
  size_t undo_shed_ = 0;  // the entries before it hold no images, but for page 1
  std::vector<Savepoint> savepoints_;
  uint32_t original_page_count_ = 0;
  std::vector<OriginalPage> originals_;  // what the journal holds
  bool originals_streamed_ = false;      // they went to the journal without staying in originals_
  bool journal_ready_ = false;           // originals_ and the journal on disk are complete
  bool wal_prepared_ = false;            // Wal::prepare_append() was called
  std::string journal_super_;            // that the journal on disk names
  bool database_touched_ = false;        // the file no longer is as it was before
  bool database_written_ = false;        // it is as the transaction wants it
  std::vector<Page*> committed_pages_;   // what prepare_commit() has written

  JournalMode journal_mode_ = JournalMode::kDelete;
  Synchronous synchronous_ = Synchronous::kFull;
  LockingMode locking_mode_ = LockingMode::kNormal;
  BusyHandler busy_handler_;
  int wal_autocheckpoint_ = 1000;
  int64_t journal_size_limit_ = -1;
  bool checkpoint_due_ = false;
  bool background_checkpoint_ = true;
  // Frames in the WAL when a checkpoint was asked for last, and which WAL that was.
  uint32_t checkpoint_asked_at_ = 0;
  uint64_t checkpoint_asked_salt_ = 0;
  bool persist_wal_ = false;
  bool checkpoint_on_close_ = true;
  Figures figures_;
  bool ignore_wal_ = false;  // while the header still names a WAL that was just removed
};

}  // namespace godwit
