// The rollback journal "X-journal": what pages of database X were before a transaction.
//
//     +--------------------------------+ 0
//     | header, padded to one sector   |
//     +--------------------------------+ sector size
//     | record: page number          4 |
//     |         original bytes       N |
//     |         checksum             4 |
//     +--------------------------------+
//     | more records ...               |
//     +--------------------------------+
//     | zero padding to a sector, then |
//     | further segments: header and   |   (written by C SQLite when its page cache spills)
//     | records                        |
//     +--------------------------------+
//     | name of the super-journal, if a transaction spans several files:
//     |   lock page number 4, name n, n 4, sum of the name's bytes 4, magic 8
//     +--------------------------------+
//
// Header (big-endian):
//   offset size
//     0     8    magic
//     8     4    records in this segment; 0xffffffff: as many as fit in the file
//    12     4    nonce: start value of the checksums
//    16     4    pages in the database before the transaction
//    20     4    sector size
//    24     4    page size
//
// A journal whose header is intact is "hot" if nobody holds the RESERVED lock: its transaction
// died. Source: fileformat2.html section 3, lockingv3.html and atomiccommit.html.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace godwit {

inline constexpr uint8_t kJournalMagic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
inline constexpr uint32_t kJournalHeaderSize = 28;
inline constexpr uint32_t kJournalRecordCount = 8;
inline constexpr uint32_t kJournalNonce = 12;
inline constexpr uint32_t kJournalPageCount = 16;
inline constexpr uint32_t kJournalSectorSize = 20;
inline constexpr uint32_t kJournalPageSize = 24;
inline constexpr uint32_t kJournalRecordsToEnd = 0xffffffff;
inline constexpr uint32_t kJournalRecordOverhead = 8;  // page number and checksum
inline constexpr uint32_t kSectorSizeMin = 32;
inline constexpr uint32_t kSectorSizeMax = 65536;
inline constexpr uint32_t kSuperJournalNameMax = 4096;
inline constexpr uint32_t kSuperJournalTrailer = 16;  // length, sum, magic

// The checksum of a record: the nonce plus every 200th byte, counted from the page's end.
inline uint32_t journal_checksum(uint32_t nonce, const uint8_t* page, uint32_t page_size) {
  constexpr uint32_t kStride = 200;
  uint32_t sum = nonce;
  for (uint32_t i = page_size - kStride; i > 0 && i < page_size; i -= kStride) sum += page[i];
  return sum;
}

}  // namespace godwit
