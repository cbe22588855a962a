// The write-ahead log "X-wal": new contents of pages of database X.
//
//     +---------------------------+ 0
//     | WAL header             32 |
//     +---------------------------+
//     | frame 1: frame header  24 |
//     |          page bytes     N |
//     +---------------------------+
//     | frame 2 ...               |
//
// WAL header                                 Frame header
//   offset                                     offset
//     0  magic 0x377f0682 or ...83               0  page number
//     4  format version 3007000                  4  pages in the database after the commit that
//     8  page size                                  this frame ends; else 0
//    12  checkpoint sequence number              8  salt 1   both as in the WAL header, else the
//    16  salt 1: grows by one at each restart   12  salt 2   frame is left over from before
//    20  salt 2: random                         16  checksum over this and all earlier frames:
//    24  checksum of bytes 0..23                    first 8 bytes of the header, then the page
//
// All numbers are big-endian. The checksums read their input as 32-bit words, big-endian if the
// magic is odd. Frame i is valid if its salts and checksum are right and all before it are valid;
// valid frames count up to the last one that ends a commit.
// Source: fileformat2.html section 4.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace godwit {

inline constexpr uint32_t kWalMagic = 0x377f0682;  // the lowest bit: big-endian checksums
inline constexpr uint32_t kWalFormatVersion = 3007000;
inline constexpr uint32_t kWalHeaderSize = 32;
inline constexpr uint32_t kWalHeaderVersion = 4;
inline constexpr uint32_t kWalHeaderPageSize = 8;
inline constexpr uint32_t kWalHeaderSequence = 12;
inline constexpr uint32_t kWalHeaderSalt = 16;
inline constexpr uint32_t kWalHeaderChecksum = 24;

inline constexpr uint32_t kFrameHeaderSize = 24;
inline constexpr uint32_t kFramePageCount = 4;
inline constexpr uint32_t kFrameSalt = 8;
inline constexpr uint32_t kFrameChecksum = 16;
inline constexpr uint32_t kFrameChecksummed = 8;  // bytes of the frame header under the checksum
inline constexpr uint32_t kWalSaltSize = 8;

// Where frame `frame` (1-based) starts.
constexpr uint64_t frame_offset(uint32_t frame, uint32_t page_size) {
  return kWalHeaderSize + uint64_t{frame - 1} * (kFrameHeaderSize + page_size);
}

struct WalChecksum {
  uint32_t s0 = 0;
  uint32_t s1 = 0;
  bool operator==(const WalChecksum&) const = default;
};

// Extends `start` over `size` bytes, a multiple of 8. `swap`: the words are in the byte order that
// is not this machine's.
WalChecksum wal_checksum(WalChecksum start, const uint8_t* bytes, size_t size, bool swap);

// Whether words must be swapped to follow the checksum order that the magic names.
constexpr bool checksum_needs_swap(bool big_endian_checksums) {
  return big_endian_checksums != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

}  // namespace godwit
