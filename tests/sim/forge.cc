#include "tests/sim/forge.h"

#include "pager/file_header.h"
#include "pager/wal_format.h"

namespace godwit::sim {

void forge_wal_checksums(FileImages* files) {
  for (auto& [name, bytes] : *files) {
    if (!name.ends_with("-wal") || bytes.size() < kWalHeaderSize) continue;
    uint32_t page_size = load_be32(&bytes[kWalHeaderPageSize]);
    if (!is_page_size(page_size)) continue;
    bool swap = checksum_needs_swap((load_be32(bytes.data()) & 1) != 0);
    WalChecksum sum{load_be32(&bytes[kWalHeaderChecksum]), load_be32(&bytes[kWalHeaderChecksum + 4])};
    size_t frame_size = kFrameHeaderSize + page_size;
    for (size_t at = kWalHeaderSize; at + frame_size <= bytes.size(); at += frame_size) {
      uint8_t* frame = &bytes[at];
      if (std::memcmp(frame + kFrameSalt, &bytes[kWalHeaderSalt], kWalSaltSize) != 0) break;
      sum = wal_checksum(sum, frame, kFrameChecksummed, swap);
      sum = wal_checksum(sum, frame + kFrameHeaderSize, page_size, swap);
      store_be32(frame + kFrameChecksum, sum.s0);
      store_be32(frame + kFrameChecksum + 4, sum.s1);
    }
  }
}

}  // namespace godwit::sim
