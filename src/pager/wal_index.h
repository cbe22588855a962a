// Access to the shared WAL index of one database through one connection's mapping of it.
//
// Other processes change the memory at any time: words are loaded and stored atomically, and what
// must be consistent is guarded by the locks and the double header (wal_index_format.h). Numbers
// found here are hostile input like a file's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "os/vfs.h"
#include "pager/page_image.h"
#include "pager/wal_index_format.h"

namespace godwit {

class WalIndex {
 public:
  explicit WalIndex(File* database) : database_(database) {}

  // Maps the first region (creating it). All other calls require this, or open_private().
  Status open();
  // An index of this connection alone, for a WAL that nobody writes and whose shared memory cannot be
  // made. open() may be tried again.
  void open_private();
  bool is_private() const { return !private_regions_.empty(); }
  void close(bool remove);

  // The shared header, if both copies agree and are whole.
  bool load_header(WalIndexHeader* header) const;
  // Whether the shared header is bytewise `header`, in both copies.
  bool header_equals(const WalIndexHeader& header) const;
  // Completes the header (version, checksum) and makes it visible.
  void store_header(WalIndexHeader* header);

  uint32_t backfilled() const { return load_word(kBackfilled); }
  void set_backfilled(uint32_t frames) { store_word(kBackfilled, frames); }
  void set_backfill_attempted(uint32_t frames) { store_word(kAttempted, frames); }
  uint32_t read_mark(int i) const { return load_word(kMarks + static_cast<uint32_t>(i)); }
  void set_read_mark(int i, uint32_t mark) { store_word(kMarks + static_cast<uint32_t>(i), mark); }

  // The newest frame in [min_frame, max_frame] that holds `page`; 0: none.
  Result<uint32_t> find(PageNumber page, uint32_t min_frame, uint32_t max_frame);
  Result<PageNumber> page_of(uint32_t frame);
  // Requires the write lock; frames are appended in order.
  Status append(uint32_t frame, PageNumber page);
  // Forgets all frames after `last_frame`.
  Status forget_after(uint32_t last_frame);
  // Replaces the whole content by that of frames 1..pages.size(). Entries that stay the same keep
  // being readable throughout.
  Status rebuild(const std::vector<PageNumber>& pages);

  // Must be called before the first append() after the write lock was taken. `same`: nobody else has
  // committed since the last one.
  void begin_append(bool same) {
    if (!same) recent_ = {};
  }

  bool is_read_only() const { return !is_private() && database_->shm_is_read_only(); }

 private:
  static constexpr uint32_t kBackfilled = kWalCheckpointInfoOffset / 4;  // index of a word
  static constexpr uint32_t kMarks = kBackfilled + 1;
  static constexpr uint32_t kAttempted =
      (kWalCheckpointInfoOffset + offsetof(WalCheckpointInfo, backfill_attempted)) / 4;

  // One region, seen as page numbers and hash table.
  struct Table {
    uint32_t* pages;  // of frame `first_frame` + 0, 1, ...
    uint16_t* slots;
    uint32_t first_frame;
    uint32_t frames;  // that fit
  };

  static uint32_t region_of(uint32_t frame) {
    return (frame + kRegionFrames - kFirstRegionFrames - 1) / kRegionFrames;
  }
  static Table make_table(uint8_t* region, uint32_t index);
  // `extend`: makes the region if it is the next one.
  Result<Table> table(uint32_t region, bool extend = false);
  Status map_region(uint32_t region, bool extend);
  uint32_t load_word(uint32_t i) const { return __atomic_load_n(&words_[i], __ATOMIC_ACQUIRE); }
  void store_word(uint32_t i, uint32_t v) { __atomic_store_n(&words_[i], v, __ATOMIC_RELEASE); }

  File* database_;
  uint32_t* words_ = nullptr;  // the first region
  std::vector<uint8_t*> regions_;
  std::vector<std::unique_ptr<uint32_t[]>> private_regions_;

  // Where append() has put the newest entries of some pages. A page that is written again and again has
  // an entry for each frame in a row of slots; the search for a free one goes on from there.
  struct RecentSlot {
    PageNumber page = 0;
    uint32_t region = 0;
    uint32_t slot = 0;
  };
  static constexpr uint32_t kRecentSlots = 64;
  std::array<RecentSlot, kRecentSlots> recent_ = {};
};

}  // namespace godwit
