// The write-ahead log of one database, as one connection uses it: read snapshots, appending,
// checkpoints, recovery. Formats: wal_format.h, wal_index_format.h.
//
// A reader's snapshot is a copy of the index header: frames 1..frame_count of the WAL over the
// database file. It is protected by a shared lock on one of five read marks:
//
//   mark 0      all frames were in the database file when the snapshot was taken: the reader never
//               looks into the WAL, which may be restarted under it
//   mark 1..4   a frame number <= the snapshot's frame_count: a checkpoint must not copy later
//               frames into the file, and the WAL must not be restarted
//
// Locks (slots of the shared memory): WRITE for appending, CHECKPOINT for copying into the database
// file, RECOVER for rebuilding the index, READ 0..4. None is ever waited for inside; where SQLite's
// protocol waits, the caller's busy handler is asked.
//
// Where the shared memory cannot be written and nobody else uses it, the index is made anew in private
// memory for each snapshot; the lock on mark 0 then keeps a writer that comes from changing the
// database file (it has to recover first, which forgets what was backfilled).
//
// While a Wal is open the connection holds the SHARED lock on the database file, which keeps others
// from deleting the WAL or leaving WAL mode. Used by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "os/vfs.h"
#include "pager/checkpoint.h"
#include "pager/heap_shared_memory.h"
#include "pager/read_mark_lock.h"
#include "pager/wal_format.h"
#include "pager/wal_index.h"

namespace godwit {

struct WalPage {
  PageNumber number;
  const uint8_t* data;
};

class Wal {
 public:
  // Requires the SHARED lock on `database`, which must outlive the Wal. `on_heap`: the index is no shared
  // memory; requires the EXCLUSIVE lock for as long as the Wal is open.
  static Result<std::unique_ptr<Wal>> open(Vfs* vfs, File* database, const std::string& path,
                                           bool read_only, bool on_heap = false);
  ~Wal();

  // --- Reading -------------------------------------------------------------------------------
  // Takes the newest snapshot, recovering the index first if nobody has. *changed: it is another
  // one than before. Errors: kBusy (a recovery runs), kProtocol, kCantOpen, kIoErr...
  Status begin_read(bool* changed);
  // The read mark stays locked for some milliseconds (pager/read_mark_lock.h), unless checkpoints
  // suffer from that.
  void end_read();
  // Gives up a mark that lingers.
  void release_mark() { read_mark_.release(); }
  const WalIndexHeader& snapshot() const { return header_; }
  uint32_t backfilled() const { return index_.backfilled(); }
  bool is_newest() const { return index_.header_equals(header_); }
  // The frame that holds the page in this snapshot; 0: the database file has it.
  Result<uint32_t> find_frame(PageNumber page);
  Status read_frame(uint32_t frame, MutableByteSpan page);
  Result<PageNumber> page_of(uint32_t frame) { return index_.page_of(frame); }

  bool is_on_heap() const { return heap_ != nullptr; }
  // Who keeps frames from being copied or overwritten: a row for each process that holds a read mark.
  std::vector<WalReader> readers();

  // --- Writing: requires a snapshot ----------------------------------------------------------
  // Errors: kBusy, kBusySnapshot (others have committed since), kReadOnly.
  Status begin_write();
  // Drops what was appended but not published.
  void end_write();
  // Must be called before the first append(). If everything is in the database file, the WAL starts
  // from its beginning again (*restarted): the same content, under another header.
  Status prepare_append(bool* restarted);
  // Appends frames, invisible to others. `page_count`: non-zero for the last append of a
  // transaction: the size of the database, which ends the commit. `sync`: may the header be synced.
  Status append(std::span<const WalPage> pages, uint32_t page_count, uint32_t page_size, bool sync);
  Status sync() { return file_->sync(SyncMode::kDataOnly); }
  // Makes the commit visible to everybody.
  void publish();
  // To how many bytes the file is cut after its first commit since it started anew. Negative: not.
  void set_size_limit(int64_t bytes) { size_limit_ = bytes; }

  // --- Checkpoint: requires no snapshot ------------------------------------------------------
  // `sync`: the WAL before copying, the database after. Errors: kBusy (another checkpoint runs);
  // where readers or writers are in the way, result.busy is set instead.
  Result<CheckpointResult> checkpoint(CheckpointMode mode, BusyHandler busy, bool sync);
  // With the EXCLUSIVE lock on the database: copies everything and deletes the WAL and its index.
  // Afterwards this object is closed.
  Status checkpoint_and_remove(bool sync);
  // While `*flag` is set, checkpoints break off (kInterrupt) without harm.
  void set_break_off(const std::atomic<bool>* flag) { break_off_ = flag; }
  // Of the WAL as it is now, whatever the snapshot.
  uint32_t newest_frame_count() const;
  void close();

 private:
  enum class Attempt : uint8_t { kDone, kRetry };

  Wal(Vfs* vfs, File* database, std::string path, bool read_only, bool on_heap)
      : vfs_(vfs),
        database_(database),
        path_(std::move(path)),
        read_only_(read_only),
        heap_(on_heap ? std::make_unique<HeapSharedMemory>(database->identity()) : nullptr),
        shm_(on_heap ? heap_.get() : database),
        index_(shm_),
        read_mark_(shm_) {}

  // wal.cc
  Status lock(int slot, int count, ShmLockMode mode) {
    return shm_->shm_lock(slot, count, mode);
  }
  void unlock(int slot, int count = 1) { shm_->shm_unlock(slot, count); }
  Status lock_with(BusyHandler busy, int slot, int count);
  Status load_header(bool* changed);
  bool resume_snapshot(bool* changed);
  Status begin_private_read(bool* changed);
  Result<Attempt> try_begin_read(bool use_wal, bool* changed);
  Result<Attempt> try_read_database_only();
  Result<int> choose_read_mark(uint32_t* mark);
  void back_off(int attempt);
  void invalidate_unpublished();
  Status write_header(uint32_t page_size, bool sync);

  // wal_recovery.cc
  Status recover();
  Status scan(WalIndexHeader* header, std::vector<PageNumber>* pages);

  // checkpoint.cc
  struct FramePage {
    PageNumber page;
    uint32_t frame;
  };
  Status backfill(BusyHandler* busy, bool sync);
  Result<uint32_t> last_safe_frame(BusyHandler* busy);
  Result<std::vector<FramePage>> pages_to_copy(uint32_t safe_frame);
  Status cut_database(uint64_t wanted);
  Status check_break_off() const;
  Status copy_pages(std::span<const FramePage> pages);
  Status wait_for_readers(CheckpointMode mode, BusyHandler busy);
  void restart();

  Vfs* vfs_;
  File* database_;
  std::string path_;
  bool read_only_;
  std::unique_ptr<File> file_;
  std::unique_ptr<HeapSharedMemory> heap_;
  File* shm_;  // what has the index and its locks: the database, or heap_
  WalIndex index_;
  ReadMarkLock read_mark_;

  // The snapshot; of a writer, with what it has appended.
  WalIndexHeader header_ = {};
  WalIndexHeader written_ = {};  // of our newest commit
  uint32_t min_frame_ = 0;  // frames before it are in the database file
  uint32_t frames_in_file_ = 0;  // that the file is known to have room for
  uint32_t unpublished_page_size_ = 0;  // of a commit that was written and not published; 0: none
  bool write_locked_ = false;
  bool checkpoint_locked_ = false;
  int64_t size_limit_ = -1;
  bool cut_due_ = false;   // the file started anew, and may be longer than needed
  uint32_t hindrances_ = 0;  // checkpoints that our mark has stopped, since the WAL was short
  const std::atomic<bool>* break_off_ = nullptr;
  uint32_t sequence_ = 0;  // checkpoint sequence number, as far as this connection knows
  std::vector<uint8_t> frame_headers_;
  std::vector<ByteSpan> pieces_;
};

}  // namespace godwit
