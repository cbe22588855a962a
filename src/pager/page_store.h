// What all connections of a process to one file share: immutable page images, and the timeline of
// database versions that tells which images are still right.
//
// The timeline. Each committed state of the file that this process has seen has a number, the
// version: 1, 2, 3, ... A state is identified by bytes that change with each commit
// (SnapshotState); whoever finds other bytes than the timeline's newest advances it, naming the
// pages that changed if that can be known: by our own commits, and by the frames that others
// appended to the WAL.
//
//     version     7            8                9            10
//     state       mxFrame 40   mxFrame 42       mxFrame 43   (WAL restarted by another process)
//     changed     ...          pages 1, 17      page 17      unknown: all
//
// Invariants:
//   1. The store holds at most one image of a page: the newest. An entry {from, image} is the
//      page's content in all versions from `from` to the newest. Readers of older versions go to
//      the file, which still has theirs for as long as they hold their lock or read mark.
//   2. A reader learns version v only after all entries that v made stale are gone.
//   3. Only what was read for the newest version may be inserted.
//
// Threads: the timeline is guarded by timeline_mutex(); the page entries by one mutex per shard,
// taken only when a connection does not have a page in its own map.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "os/vfs.h"
#include "pager/page_image.h"

namespace godwit {

// Identifies one committed state of the database. Compared bytewise.
struct SnapshotState {
  enum Kind : uint64_t { kUnknown, kRollback, kWal };
  uint64_t kind = kUnknown;
  uint8_t bytes[48] = {};  // kRollback: header bytes 24..39; kWal: the WAL-index header
  bool operator==(const SnapshotState& o) const { return std::memcmp(this, &o, sizeof o) == 0; }
};

class PageStore {
 public:
  // The store of the file; made when first asked for, gone with its last user.
  static std::shared_ptr<PageStore> for_file(Vfs* vfs, FileIdentity identity);

  // --- Timeline: all of these require timeline_mutex() ---------------------------------------
  std::mutex& timeline_mutex() { return timeline_mutex_; }
  const SnapshotState& state() const { return state_; }
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  // Makes `state` the newest and returns its version. `changed`: the pages that differ from the
  // version before; null: unknown.
  uint64_t advance(const SnapshotState& state, const std::vector<PageNumber>* changed);
  // A page of the newest version, as its writer made it.
  void publish(PageNumber number, PageImage* image);
  // Appends the pages that differ between the two versions (with repetitions). False: not known.
  bool changed_between(uint64_t from, uint64_t to, std::vector<PageNumber>* changed) const;

  // --- Images --------------------------------------------------------------------------------
  // The page as of `version`, if it is here.
  PageImageRef find(PageNumber number, uint64_t version);
  // What a reader of `version` has read; ignored when that is not the newest.
  void insert(PageNumber number, uint64_t version, PageImage* image);
  // Keeps at most this many images; connections that want more than the others win.
  void raise_budget(uint32_t pages);

 private:
  static constexpr uint32_t kShards = 16;
  static constexpr uint32_t kDefaultBudgetPages = 16384;
  static constexpr size_t kLoggedPagesMax = 65536;

  struct Entry {
    PageNumber number = 0;  // 0: free
    bool recent = false;
    uint64_t from = 0;
    PageImageRef image;
  };
  // Open addressing with linear probing; a power of two of slots, at most 2/3 full.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<Entry> slots;
    uint32_t used = 0;
    uint32_t hand = 0;
    Entry* find(PageNumber number);
    Entry* find_or_add(PageNumber number);
    void erase(Entry* entry);
    void grow();
    void evict_down_to(uint32_t budget);
    void clear();
  };
  struct LoggedVersion {
    uint64_t version;
    std::vector<PageNumber> changed;
  };

  Shard& shard_of(PageNumber number) { return shards_[number % kShards]; }
  void put(PageNumber number, uint64_t version, PageImage* image);

  std::mutex timeline_mutex_;
  SnapshotState state_;
  std::atomic<uint64_t> version_{0};
  // The newest versions without a gap: changed pages of each. Empty: nothing is known.
  std::deque<LoggedVersion> log_;
  size_t logged_pages_ = 0;

  std::atomic<uint32_t> budget_{kDefaultBudgetPages};
  std::array<Shard, kShards> shards_;
};

}  // namespace godwit
