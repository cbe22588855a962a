// The 100-byte header at the start of page 1.
//
//   offset size
//     0    16   "SQLite format 3\0"
//    16     2   page size; 1 stands for 65536
//    18     1   write version: 1 rollback journal, 2 WAL; larger: read-only
//    19     1   read version: the same; larger: not readable
//    20     1   bytes reserved at the end of each page
//    21     3   payload fractions, always 64, 32, 32
//    24     4   change counter: changes with each commit of the rollback modes
//    28     4   pages in the database; right only if 24 and 92 are equal
//    32     4   first freelist trunk page
//    36     4   pages on the freelist
//    40    32   fields of the B-tree and SQL layers (schema cookie ... application id)
//    72    20   zero
//    92     4   change counter when 96 was written ("version valid for")
//    96     4   version number of the library that wrote last
//
// All numbers are big-endian. Source: "Database File Format" (fileformat2.html, section 1.3).
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/status.h"
#include "pager/page_image.h"

namespace godwit {

inline constexpr uint32_t kFileHeaderSize = 100;
inline constexpr char kFileMagic[] = "SQLite format 3";  // with its terminating zero: 16 bytes
static_assert(sizeof kFileMagic == 16);

inline constexpr uint32_t kHeaderPageSize = 16;
inline constexpr uint32_t kHeaderWriteVersion = 18;
inline constexpr uint32_t kHeaderReadVersion = 19;
inline constexpr uint32_t kHeaderReservedBytes = 20;
inline constexpr uint32_t kHeaderPayloadFractions = 21;
inline constexpr uint32_t kHeaderChangeCounter = 24;
inline constexpr uint32_t kHeaderPageCount = 28;
inline constexpr uint32_t kHeaderFreelistTrunk = 32;
inline constexpr uint32_t kHeaderFreelistCount = 36;
inline constexpr uint32_t kHeaderVersionValidFor = 92;
inline constexpr uint32_t kHeaderLibraryVersion = 96;

inline constexpr uint8_t kFormatRollback = 1;
inline constexpr uint8_t kFormatWal = 2;

inline constexpr uint32_t kPageSizeMin = 512;
inline constexpr uint32_t kPageSizeMax = 65536;
inline constexpr uint32_t kUsableSizeMin = 480;
inline constexpr uint32_t kLibraryVersionNumber = 3053002;  // the SQLite release we stand for

// The bytes that tell whether another process has committed: change counter, page count, freelist.
inline constexpr uint32_t kHeaderVersionBytes = 16;

constexpr bool is_page_size(uint32_t size) {
  return size >= kPageSizeMin && size <= kPageSizeMax && (size & (size - 1)) == 0;
}

// The page that contains the lock bytes (os/vfs.h): never used for data.
constexpr PageNumber lock_page_number(uint32_t page_size) {
  return 0x40000000u / page_size + 1;
}
constexpr bool is_lock_page(PageNumber number, uint32_t page_size) {
  return number == lock_page_number(page_size);
}

inline uint32_t load_page_size(const uint8_t* header) {
  uint32_t size = load_be16(header + kHeaderPageSize);
  return size == 1 ? 65536 : size;
}
inline void store_page_size(uint8_t* header, uint32_t size) {
  store_be16(header + kHeaderPageSize, size == 65536 ? 1 : size);
}

struct FileHeader {
  uint32_t page_size = 0;
  uint32_t reserved_bytes = 0;
  uint8_t write_version = 0;
  uint8_t read_version = 0;
  uint32_t page_count = 0;  // 0: the header does not know; the size of the file tells
};

// Checks and decodes the first kFileHeaderSize bytes. Errors: kNotADb.
Result<FileHeader> parse_file_header(const uint8_t* bytes);

// Page 1 of a database without tables: header and an empty leaf of a table tree. All other fields
// are zero; what belongs to the SQL layer (text encoding, ...) is added by who creates the schema.
// `page` has page_size bytes.
void make_first_page(uint8_t* page, uint32_t page_size, uint32_t reserved_bytes,
                     uint8_t format_version);

}  // namespace godwit
