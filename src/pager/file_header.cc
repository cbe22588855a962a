#include "pager/file_header.h"

namespace godwit {

Result<FileHeader> parse_file_header(const uint8_t* bytes) {
  if (std::memcmp(bytes, kFileMagic, sizeof kFileMagic) != 0) return Status(code::kNotADb);
  FileHeader header;
  header.write_version = bytes[kHeaderWriteVersion];
  header.read_version = bytes[kHeaderReadVersion];
  if (header.read_version > kFormatWal) return Status(code::kNotADb);
  const uint8_t* fractions = bytes + kHeaderPayloadFractions;
  if (fractions[0] != 64 || fractions[1] != 32 || fractions[2] != 32) return Status(code::kNotADb);
  header.page_size = load_page_size(bytes);
  header.reserved_bytes = bytes[kHeaderReservedBytes];
  if (!is_page_size(header.page_size) ||
      header.page_size - header.reserved_bytes < kUsableSizeMin) {
    return Status(code::kNotADb);
  }
  if (std::memcmp(bytes + kHeaderChangeCounter, bytes + kHeaderVersionValidFor, 4) == 0) {
    header.page_count = load_be32(bytes + kHeaderPageCount);
  }
  return header;
}

void make_first_page(uint8_t* page, uint32_t page_size, uint32_t reserved_bytes,
                     uint8_t format_version) {
  constexpr uint8_t kEmptyTableLeaf = 0x0d;
  constexpr uint32_t kContentStart = 5;  // of the B-tree page header
  std::memset(page, 0, page_size);
  std::memcpy(page, kFileMagic, sizeof kFileMagic);
  store_page_size(page, page_size);
  page[kHeaderWriteVersion] = format_version;
  page[kHeaderReadVersion] = format_version;
  page[kHeaderReservedBytes] = static_cast<uint8_t>(reserved_bytes);
  page[kHeaderPayloadFractions] = 64;
  page[kHeaderPayloadFractions + 1] = 32;
  page[kHeaderPayloadFractions + 2] = 32;
  store_be32(page + kHeaderPageCount, 1);
  page[kFileHeaderSize] = kEmptyTableLeaf;
  store_be16(page + kFileHeaderSize + kContentStart, page_size - reserved_bytes);
}

}  // namespace godwit
