// Rebuilding the WAL index from the WAL, after a crash or when the first connection opens a
// database. Reads every valid frame; damage ends the scan and is no error, because a torn tail is
// what a crash leaves.
#include "base/assert.h"
#include "pager/file_header.h"
#include "pager/wal.h"

namespace godwit {
namespace {

// A frame's page and commit mark, if its salts and checksum continue the sequence.
bool check_frame(const uint8_t* frame, uint32_t page_size, const WalIndexHeader& header,
                 WalChecksum* sum) {
  if (std::memcmp(frame + kFrameSalt, header.salt, kWalSaltSize) != 0) return false;
  if (load_be32(frame) == 0) return false;
  bool swap = checksum_needs_swap(header.big_endian_checksums != 0);
  WalChecksum next = wal_checksum(*sum, frame, kFrameChecksummed, swap);
  next = wal_checksum(next, frame + kFrameHeaderSize, page_size, swap);
  if (next.s0 != load_be32(frame + kFrameChecksum) ||
      next.s1 != load_be32(frame + kFrameChecksum + 4)) {
    return false;
  }
  *sum = next;
  return true;
}

}  // namespace

// Requires the write lock. Takes the other locks that keep readers and checkpoints away.
Status Wal::recover() {
  GW_ASSERT(write_locked_);
  int first = checkpoint_locked_ ? kWalRecoverLock : kWalCheckpointLock;
  int count = wal_read_lock(0) - first;
  GW_TRY(lock(first, count, ShmLockMode::kExclusive));
  WalIndexHeader header = {};
  std::vector<PageNumber> pages;
  Status status = scan(&header, &pages);
  if (status.ok()) {
    pages.resize(header.frame_count);
    status = index_.rebuild(pages);
  }
  if (status.ok()) {
    header_ = header;
    index_.store_header(&header_);
    index_.set_backfilled(0);
    index_.set_backfill_attempted(header_.frame_count);
    index_.set_read_mark(0, 0);
    for (int i = 1; i < kReadMarks; ++i) {
      // A mark that a reader still holds stays: it is right for that reader.
      Status mark_lock = lock(wal_read_lock(i), 1, ShmLockMode::kExclusive);
      if (mark_lock.ok()) {
        bool useful = i == 1 && header_.frame_count > 0;
        index_.set_read_mark(i, useful ? header_.frame_count : kReadMarkUnused);
        unlock(wal_read_lock(i));
      } else if (mark_lock.code() != code::kBusy) {
        status = mark_lock;
        break;
      }
    }
  }
  unlock(first, count);
  return status;
}

// Fills in the header as the last valid commit left it; `pages` may hold more frames than count.
Status Wal::scan(WalIndexHeader* header, std::vector<PageNumber>* pages) {
  GW_ASSIGN(uint64_t size, file_->size());
  if (size <= kWalHeaderSize) return {};
  uint8_t bytes[kWalHeaderSize];
  GW_ASSIGN(size_t n, file_->read(0, bytes));
  uint32_t magic = load_be32(bytes);
  uint32_t page_size = load_be32(bytes + kWalHeaderPageSize);
  if (n < sizeof bytes || (magic & ~1u) != kWalMagic || !is_page_size(page_size)) return {};
  WalIndexHeader scanned = {};
  scanned.big_endian_checksums = magic & 1;
  scanned.page_size_code = static_cast<uint16_t>(page_size == 65536 ? 1 : page_size);
  std::memcpy(scanned.salt, bytes + kWalHeaderSalt, kWalSaltSize);
  WalChecksum sum = wal_checksum({}, bytes, kWalHeaderChecksum,
                                 checksum_needs_swap(scanned.big_endian_checksums != 0));
  if (sum.s0 != load_be32(bytes + kWalHeaderChecksum) ||
      sum.s1 != load_be32(bytes + kWalHeaderChecksum + 4)) {
    return {};
  }
  if (load_be32(bytes + kWalHeaderVersion) != kWalFormatVersion) return Status(code::kCantOpen);
  sequence_ = load_be32(bytes + kWalHeaderSequence);
  *header = scanned;
  header->frame_checksum[0] = sum.s0;
  header->frame_checksum[1] = sum.s1;

  constexpr uint64_t kReadSize = 1 << 20;
  uint64_t frame_size = kFrameHeaderSize + page_size;
  uint64_t batch = kReadSize / frame_size;
  std::vector<uint8_t> buffer(batch * frame_size);
  for (uint64_t offset = kWalHeaderSize; offset + frame_size <= size;) {
    GW_ASSIGN(n, file_->read(offset, buffer));
    for (uint64_t at = 0; at + frame_size <= n; at += frame_size) {
      const uint8_t* frame = &buffer[at];
      if (!check_frame(frame, page_size, scanned, &sum)) return {};
      pages->push_back(load_be32(frame));
      uint32_t page_count = load_be32(frame + kFramePageCount);
      if (page_count != 0) {
        header->frame_count = static_cast<uint32_t>(pages->size());
        header->page_count = page_count;
        header->frame_checksum[0] = sum.s0;
        header->frame_checksum[1] = sum.s1;
      }
    }
    if (n < buffer.size()) return {};
    offset += n;
  }
  return {};
}

}  // namespace godwit
