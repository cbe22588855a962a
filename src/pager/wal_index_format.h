// The WAL index "X-shm": shared memory that tells which frame of the WAL holds which page.
//
// Regions of 32 KiB, in the byte order of the machine (the two salts excepted, which are copied
// from the WAL as they are):
//
//     region 0                                   region 1, 2, ...
//     +--------------------------------+ 0       +--------------------------------+ 0
//     | WalIndexHeader              48 |         | page number of frame 4063 ...  |
//     | the same again              48 |         |   4096 x u32                   |
//     | WalCheckpointInfo           40 |         |                                |
//     +--------------------------------+ 136     |                                |
//     | page number of frame 1, 2, ... |         |                                |
//     |   4062 x u32                   |         |                                |
//     +--------------------------------+ 16384   +--------------------------------+ 16384
//     | hash table: 8192 x u16         |         | hash table: 8192 x u16         |
//     +--------------------------------+ 32768   +--------------------------------+ 32768
//
// A hash slot holds 0 or 1 + the index of an entry of the same region's page numbers. A page number
// p starts at slot (p * 383) mod 8192; collisions go to the next slot. Later frames of a page come
// later in its probe sequence or earlier slots' gaps, so all matches must be looked at.
//
// Writing the header: second copy, barrier, first copy; reading: first copy, barrier, second copy.
// Copies that are equal and whose checksum is right are a committed state.
// Source: walformat.html section 2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/vfs.h"

namespace godwit {

inline constexpr uint32_t kWalIndexVersion = 3007000;

struct WalIndexHeader {
  uint32_t version;
  uint32_t unused;
  uint32_t change;  // counts commits
  uint8_t is_initialized;
  uint8_t big_endian_checksums;  // in the WAL
  uint16_t page_size_code;       // 65536 is 1
  uint32_t frame_count;          // valid frames in the WAL; 0: the WAL is empty
  uint32_t page_count;           // of the database
  uint32_t frame_checksum[2];    // of the last frame
  uint8_t salt[8];               // as in the WAL header
  uint32_t checksum[2];          // of the bytes above

  uint32_t page_size() const { return page_size_code == 1 ? 65536 : page_size_code; }
};
static_assert(sizeof(WalIndexHeader) == 48);
static_assert(offsetof(WalIndexHeader, frame_count) == 16);
static_assert(offsetof(WalIndexHeader, salt) == 32);
static_assert(offsetof(WalIndexHeader, checksum) == 40);

inline constexpr int kReadMarks = 5;
inline constexpr uint32_t kReadMarkUnused = 0xffffffff;

struct WalCheckpointInfo {
  uint32_t backfilled;             // frames that are in the database file
  uint32_t read_mark[kReadMarks];  // [0] is 0: readers of the database file alone
  uint8_t locks[kShmLockCount];    // never read nor written, only locked
  uint32_t backfill_attempted;     // frames that may be in the database file
  uint32_t unused;
};
inline constexpr uint32_t kWalCheckpointInfoOffset = 2 * sizeof(WalIndexHeader);
static_assert(sizeof(WalCheckpointInfo) == 40);
static_assert(kWalCheckpointInfoOffset + offsetof(WalCheckpointInfo, locks) == kShmLockBase);

inline constexpr uint32_t kWalIndexHeaderSize =
    kWalCheckpointInfoOffset + sizeof(WalCheckpointInfo);
inline constexpr uint32_t kRegionFrames = 4096;
inline constexpr uint32_t kFirstRegionFrames = kRegionFrames - kWalIndexHeaderSize / 4;
static_assert(kFirstRegionFrames == 4062);
inline constexpr uint32_t kHashSlots = 2 * kRegionFrames;
inline constexpr uint32_t kHashOffset = kRegionFrames * 4;
static_assert(kHashOffset + kHashSlots * 2 == kShmRegionSize);

// Lock slots (os/vfs.h: File::shm_lock).
inline constexpr int kWalWriteLock = 0;
inline constexpr int kWalCheckpointLock = 1;
inline constexpr int kWalRecoverLock = 2;
constexpr int wal_read_lock(int mark) {
  return 3 + mark;
}

}  // namespace godwit
