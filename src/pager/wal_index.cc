#include "pager/wal_index.h"

#include <algorithm>

#include "base/assert.h"
#include "pager/wal_format.h"

namespace godwit {
namespace {

constexpr uint32_t kHeaderWords = sizeof(WalIndexHeader) / 4;
constexpr uint32_t kHashFactor = 383;

uint32_t hash_slot(PageNumber page) {
  return page * kHashFactor & (kHashSlots - 1);
}
uint32_t next_slot(uint32_t slot) {
  return (slot + 1) & (kHashSlots - 1);
}

uint32_t load(const uint32_t* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
uint64_t load(const uint64_t* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
uint16_t load(const uint16_t* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <typename T>
void store(T* p, T value) {
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

WalChecksum header_checksum(const WalIndexHeader& header) {
  return wal_checksum({}, reinterpret_cast<const uint8_t*>(&header),
                      offsetof(WalIndexHeader, checksum), false);
}

}  // namespace

Status WalIndex::open() {
  if (words_ != nullptr && !is_private()) return {};
  GW_ASSIGN(volatile uint8_t * first, database_->shm_map(0, !database_->shm_is_read_only()));
  if (first == nullptr) return Status(code::kReadOnlyCantInit);
  private_regions_.clear();
  regions_ = {const_cast<uint8_t*>(first)};
  words_ = reinterpret_cast<uint32_t*>(regions_[0]);
  return {};
}

void WalIndex::open_private() {
  regions_.clear();
  private_regions_.push_back(std::make_unique<uint32_t[]>(kShmRegionSize / 4));
  regions_.push_back(reinterpret_cast<uint8_t*>(private_regions_[0].get()));
  words_ = private_regions_[0].get();
}

void WalIndex::close(bool remove) {
  regions_.clear();
  private_regions_.clear();
  words_ = nullptr;
  database_->shm_unmap(remove);
}

// Only one region is made at a time: a frame number from a damaged header must not make thousands.
Status WalIndex::map_region(uint32_t region, bool extend) {
  while (regions_.size() <= region) {
    uint32_t next = static_cast<uint32_t>(regions_.size());
    if (is_private()) {
      private_regions_.push_back(std::make_unique<uint32_t[]>(kShmRegionSize / 4));
      regions_.push_back(reinterpret_cast<uint8_t*>(private_regions_.back().get()));
      continue;
    }
    bool makes = extend && next == region && !is_read_only();
    GW_ASSIGN(volatile uint8_t * view, database_->shm_map(next, makes));
    if (view == nullptr) return corrupt("WAL index is too short");
    regions_.push_back(const_cast<uint8_t*>(view));
  }
  return {};
}

bool WalIndex::load_header(WalIndexHeader* header) const {
  uint32_t first[kHeaderWords], second[kHeaderWords];
  for (uint32_t i = 0; i < kHeaderWords; ++i) first[i] = load(&words_[i]);
  database_->shm_barrier();
  for (uint32_t i = 0; i < kHeaderWords; ++i) second[i] = load(&words_[kHeaderWords + i]);
  if (std::memcmp(first, second, sizeof first) != 0) return false;
  std::memcpy(header, first, sizeof first);
  if (header->is_initialized == 0) return false;
  WalChecksum sum = header_checksum(*header);
  return sum.s0 == header->checksum[0] && sum.s1 == header->checksum[1];
}

bool WalIndex::header_equals(const WalIndexHeader& header) const {
  // In pairs of words: both copies start at multiples of 8 bytes.
  constexpr uint32_t kPairs = kHeaderWords / 2;
  static_assert(kHeaderWords % 2 == 0);
  uint64_t expected[kPairs];
  std::memcpy(expected, &header, sizeof expected);
  const auto* pairs = reinterpret_cast<const uint64_t*>(words_);
  uint64_t different = 0;
  for (uint32_t i = 0; i < kPairs; ++i) different |= load(&pairs[i]) ^ expected[i];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < kPairs; ++i) different |= load(&pairs[kPairs + i]) ^ expected[i];
  return different == 0;
}

void WalIndex::store_header(WalIndexHeader* header) {
  header->version = kWalIndexVersion;
  header->is_initialized = 1;
  WalChecksum sum = header_checksum(*header);
  header->checksum[0] = sum.s0;
  header->checksum[1] = sum.s1;
  uint32_t words[kHeaderWords];
  std::memcpy(words, header, sizeof words);
  // What the header announces (page numbers, hash slots) must be visible before it.
  database_->shm_barrier();
  for (uint32_t i = 0; i < kHeaderWords; ++i) store(&words_[kHeaderWords + i], words[i]);
  database_->shm_barrier();
  for (uint32_t i = 0; i < kHeaderWords; ++i) store(&words_[i], words[i]);
}

WalIndex::Table WalIndex::make_table(uint8_t* region, uint32_t index) {
  Table table;
  table.slots = reinterpret_cast<uint16_t*>(region + kHashOffset);
  if (index == 0) {
    table.pages = reinterpret_cast<uint32_t*>(region + kWalIndexHeaderSize);
    table.first_frame = 1;
    table.frames = kFirstRegionFrames;
  } else {
    table.pages = reinterpret_cast<uint32_t*>(region);
    table.first_frame = 1 + kFirstRegionFrames + (index - 1) * kRegionFrames;
    table.frames = kRegionFrames;
  }
  return table;
}

Result<WalIndex::Table> WalIndex::table(uint32_t region, bool extend) {
  if (region >= regions_.size()) GW_TRY(map_region(region, extend));
  return make_table(regions_[region], region);
}

Result<uint32_t> WalIndex::find(PageNumber page, uint32_t min_frame, uint32_t max_frame) {
  if (max_frame == 0 || min_frame > max_frame) return uint32_t{0};
  uint32_t lowest = region_of(std::max(min_frame, 1u));
  for (uint32_t region = region_of(max_frame) + 1; region-- > lowest;) {
    GW_ASSIGN(Table t, table(region));
    uint32_t found = 0;
    uint32_t slot = hash_slot(page);
    for (uint32_t probes = 0;; ++probes) {
      uint32_t entry = load(&t.slots[slot]);
      if (entry == 0) break;
      if (probes == kHashSlots) return corrupt("WAL index has no free hash slot");
      uint32_t frame = t.first_frame + entry - 1;
      if (entry <= t.frames && frame >= min_frame && frame <= max_frame &&
          load(&t.pages[entry - 1]) == page) {
        found = std::max(found, frame);
      }
      slot = next_slot(slot);
    }
    if (found != 0) return found;
  }
  return uint32_t{0};
}

Result<PageNumber> WalIndex::page_of(uint32_t frame) {
  GW_ASSIGN(Table t, table(region_of(frame)));
  return load(&t.pages[frame - t.first_frame]);
}

Status WalIndex::append(uint32_t frame, PageNumber page) {
  GW_ASSIGN(Table t, table(region_of(frame), true));
  uint32_t entry = frame - t.first_frame;
  if (entry == 0) {
    std::memset(t.pages, 0, t.frames * 4);
    std::memset(t.slots, 0, kHashSlots * 2);
    recent_ = {};
  } else if (load(&t.pages[entry]) != 0) {
    // Left by a writer that died, or gave up, after it wrote these entries.
    GW_TRY(forget_after(frame - 1));
  }
  RecentSlot& recent = recent_[page % kRecentSlots];
  const bool goes_on = recent.page == page && recent.region == region_of(frame);
  uint32_t slot = goes_on ? recent.slot : hash_slot(page);
  for (uint32_t probes = 0; load(&t.slots[slot]) != 0; ++probes) {
    if (probes > entry) return corrupt("WAL index holds more entries than frames");
    slot = next_slot(slot);
  }
  recent = {page, region_of(frame), slot};
  store(&t.pages[entry], page);
  __atomic_store_n(&t.slots[slot], static_cast<uint16_t>(entry + 1), __ATOMIC_RELEASE);
  return {};
}

Status WalIndex::forget_after(uint32_t last_frame) {
  recent_ = {};
  if (last_frame == 0) return {};  // the first append to a region clears it
  GW_ASSIGN(Table t, table(region_of(last_frame)));
  uint32_t kept = last_frame - t.first_frame + 1;
  for (uint32_t slot = 0; slot < kHashSlots; ++slot) {
    if (load(&t.slots[slot]) > kept) store(&t.slots[slot], uint16_t{0});
  }
  for (uint32_t entry = kept; entry < t.frames; ++entry) store(&t.pages[entry], uint32_t{0});
  return {};
}

Status WalIndex::rebuild(const std::vector<PageNumber>& pages) {
  recent_ = {};
  std::vector<uint64_t> scratch(kShmRegionSize / 8);
  uint32_t frame_count = static_cast<uint32_t>(pages.size());
  uint32_t last_region = frame_count == 0 ? 0 : region_of(frame_count);
  for (uint32_t region = 0; region <= last_region; ++region) {
    std::fill(scratch.begin(), scratch.end(), 0);
    Table made = make_table(reinterpret_cast<uint8_t*>(scratch.data()), region);
    for (uint32_t entry = 0; entry < made.frames; ++entry) {
      uint32_t frame = made.first_frame + entry;
      if (frame > frame_count) break;
      uint32_t slot = hash_slot(pages[frame - 1]);
      while (made.slots[slot] != 0) slot = next_slot(slot);
      made.pages[entry] = pages[frame - 1];
      made.slots[slot] = static_cast<uint16_t>(entry + 1);
    }
    GW_ASSIGN(Table shared, table(region, true));
    for (uint32_t i = 0; i < made.frames; ++i) store(&shared.pages[i], made.pages[i]);
    for (uint32_t i = 0; i < kHashSlots; ++i) store(&shared.slots[i], made.slots[i]);
  }
  return {};
}

}  // namespace godwit
