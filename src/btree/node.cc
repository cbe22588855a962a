// Free space on a page: the gap between pointer array and content area, freeblocks (kept in
// ascending order and never adjacent), and fragments too small for a freeblock.
#include "btree/node.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/assert.h"

namespace godwit {

namespace {
constexpr uint32_t kFreeblockNext = 0;
constexpr uint32_t kFreeblockSize = 2;
constexpr uint32_t kFreeblockBytesMin = 4;
}  // namespace

void Node::set_child(uint32_t index, PageNumber child) {
  if (index >= cell_count()) {
    set_right_child(child);
    return;
  }
  uint32_t offset = cell_offset(index);
  if (offset != 0) store_be32(data_ + offset, child);
}

// Rowids are mostly dense or evenly spread, so the bounds tell where to look: each probe is likely
// a cache miss, and interpolation needs few. When it does not close in quickly, halving takes over.
bool Node::search(Rowid rowid, RowidBounds* bounds, uint32_t* index, bool* found) const {
  constexpr int kInterpolationsMax = 4;
  uint32_t low = 0;
  uint32_t high = cell_count();
  *found = false;
  for (int probes = 0; low < high; ++probes) {
    uint32_t guess;
    if (!bounds->has_high) {
      guess = high - 1;
    } else if (!bounds->has_low) {
      guess = low;
    } else if (probes < kInterpolationsMax) {
      uint64_t range = static_cast<uint64_t>(bounds->high) - static_cast<uint64_t>(bounds->low);
      uint64_t part = static_cast<uint64_t>(rowid) - static_cast<uint64_t>(bounds->low) - 1;
      double share = static_cast<double>(part) / static_cast<double>(range);
      guess = low + std::min(high - low - 1, static_cast<uint32_t>(share * (high - low)));
    } else {
      guess = (low + high) / 2;
    }
    Rowid probe;
    if (!rowid_at(guess, &probe)) return false;
    if (probe < rowid) {
      low = guess + 1;
      bounds->low = probe;
      bounds->has_low = true;
    } else {
      high = guess;
      bounds->high = probe;
      bounds->has_high = true;
      // On an interior page the search goes on, so that both bounds are next to the child.
      if (probe == rowid && is_leaf()) {
        *found = true;
        low = guess;
        break;
      }
    }
  }
  *index = low;
  return true;
}

uint32_t Node::parse_leaf(uint32_t index, int step, uint32_t count, LeafEntry* entries) const {
  const uint8_t* const end = data_ + geometry_->usable_size;
  const uint8_t* const table_end = data_ + geometry_->usable_size - kCellBytesMin;
  const bool table = is_table();
  const uint32_t max_local = geometry_->max_local(table);
  const uint32_t last = step > 0 ? index + count : index + 1;
  if (array_start() + kCellPointerBytes * last > geometry_->usable_size) [[unlikely]]
    return 0;
  const uint8_t* slot = data_ + array_start() + kCellPointerBytes * index;
  for (uint32_t i = 0; i < count; ++i, slot += step * static_cast<int>(kCellPointerBytes)) {
    const uint8_t* p = data_ + load_be16(slot);
    if (p <= slot || p > table_end) [[unlikely]]
      return i;
    LeafEntry& entry = entries[i];
    uint64_t size = *p;
    if (size < 0x80) [[likely]] {
      ++p;
    } else {
      int n = read_varint(p, end, &size);
      if (n == 0 || size > kPayloadBytesMax) [[unlikely]]
        return i;
      p += n;
    }
    if (table) {
      uint64_t rowid;
      int n = read_varint_padded(p, end, &rowid);
      if (n == 0) [[unlikely]]
        return i;
      p += n;
      entry.rowid = static_cast<Rowid>(rowid);
    }
    const uint32_t payload_size = static_cast<uint32_t>(size);
    uint32_t local = payload_size;
    entry.overflow = 0;
    if (payload_size > max_local) [[unlikely]] {
      local = geometry_->local_size(payload_size, max_local);
      if (end - p < static_cast<ptrdiff_t>(local + kChildPointerBytes)) return i;
      entry.overflow = load_be32(p + local);
    } else if (end - p < static_cast<ptrdiff_t>(local)) [[unlikely]] {
      return i;
    }
    entry.payload.local = p;
    entry.payload.local_size = local;
    entry.payload.size = payload_size;
  }
  return count;
}

void Node::initialize(uint8_t flags) {
  uint8_t* h = data_ + header_;
  std::memset(h, 0, (flags & kPageLeafBit) != 0 ? kLeafHeaderBytes : kInteriorHeaderBytes);
  h[kNodeFlags] = flags;
  set_content_start(geometry_->usable_size);
}

Status Node::free_bytes(uint32_t* bytes) const {
  const uint32_t usable = geometry_->usable_size;
  const uint32_t start = content_start();
  uint32_t total = start + data_[header_ + kNodeFragmentedBytes];
  uint32_t block = first_freeblock();
  if (block != 0 && block < start) return corrupt("freeblock before the content area");
  while (block != 0) {
    if (block > usable - kFreeblockBytesMin) return corrupt("freeblock off the page");
    uint32_t next = load_be16(data_ + block + kFreeblockNext);
    uint32_t size = load_be16(data_ + block + kFreeblockSize);
    total += size;
    if (next != 0 && next < block + size + kFreeblockBytesMin) {
      return corrupt("freeblocks out of order");
    }
    if (block + size > usable) return corrupt("freeblock off the page");
    block = next;
  }
  if (total > usable || total < array_end()) return corrupt("free bytes do not fit the page");
  *bytes = total - array_end();
  return {};
}

// Takes `size` bytes from the first freeblock that has them; *offset stays 0 if none has. A rest of
// less than a freeblock becomes fragments, unless there are too many of those.
Status Node::allocate_from_freeblock(uint32_t size, uint32_t* offset) {
  uint8_t* h = data_ + header_;
  const uint32_t usable = geometry_->usable_size;
  uint32_t link = header_ + kNodeFirstFreeblock;
  uint32_t block = load_be16(data_ + link);
  uint32_t minimum = content_start();
  while (block != 0) {
    if (block < minimum || block > usable - kFreeblockBytesMin) return corrupt("freeblock order");
    uint32_t next = load_be16(data_ + block + kFreeblockNext);
    uint32_t block_size = load_be16(data_ + block + kFreeblockSize);
    if (block + block_size > usable) return corrupt("freeblock off the page");
    if (block_size >= size) {
      uint32_t rest = block_size - size;
      if (rest >= kFreeblockBytesMin) {
        store_be16(data_ + block + kFreeblockSize, rest);
        *offset = block + rest;
        return {};
      }
      if (h[kNodeFragmentedBytes] + rest > kFragmentedBytesMax - 3) return {};
      store_be16(data_ + link, next);
      h[kNodeFragmentedBytes] = static_cast<uint8_t>(h[kNodeFragmentedBytes] + rest);
      *offset = block;
      return {};
    }
    minimum = block + block_size + 1;
    link = block + kFreeblockNext;
    block = next;
  }
  return {};
}

Status Node::allocate(uint32_t size, uint32_t* offset) {
  *offset = 0;
  const uint32_t gap_start = array_end();
  uint32_t start = content_start();
  if (gap_start > start || start > geometry_->usable_size) return corrupt("content start");
  if (first_freeblock() != 0 && gap_start + kCellPointerBytes <= start) {
    GW_TRY(allocate_from_freeblock(size, offset));
    if (*offset != 0) return {};
  }
  if (gap_start + kCellPointerBytes + size > start) {
    uint32_t free = 0;
    GW_TRY(free_bytes(&free));
    if (free < size + kCellPointerBytes) return {};
    GW_TRY(defragment());
    start = content_start();
    if (gap_start + kCellPointerBytes + size > start) return corrupt("free bytes miscounted");
  }
  *offset = start - size;
  set_content_start(*offset);
  return {};
}

Status Node::make_room(uint32_t index, uint32_t size, uint32_t* offset) {
  GW_ASSERT(size >= kCellBytesMin);
  const uint32_t count = cell_count();
  if (index > count) return corrupt("cell index");
  GW_TRY(allocate(size, offset));
  if (*offset == 0) return {};
  uint8_t* slot = data_ + array_start() + kCellPointerBytes * index;
  std::memmove(slot + kCellPointerBytes, slot, kCellPointerBytes * (count - index));
  store_be16(slot, *offset);
  set_cell_count(count + 1);
  return {};
}

Status Node::insert(uint32_t index, ByteSpan cell, bool* fits) {
  uint32_t size = std::max<uint32_t>(static_cast<uint32_t>(cell.size()), kCellBytesMin);
  uint32_t offset = 0;
  GW_TRY(make_room(index, size, &offset));
  *fits = offset != 0;
  if (*fits) std::memcpy(data_ + offset, cell.data(), cell.size());
  return {};
}

Status Node::remove(uint32_t index, uint32_t size) {
  const uint32_t count = cell_count();
  uint32_t offset = index < count ? cell_offset(index) : 0;
  if (offset == 0) return corrupt("cell offset");
  if (geometry_->zeroes_freed && offset + size <= geometry_->usable_size) {
    std::memset(data_ + offset, 0, size);
  }
  if (count == 1) {
    PageNumber right = is_leaf() ? 0 : right_child();
    initialize(flags());
    if (!is_leaf()) set_right_child(right);
    return {};
  }
  GW_TRY(release(offset, size));
  uint8_t* slot = data_ + array_start() + kCellPointerBytes * index;
  std::memmove(slot, slot + kCellPointerBytes, kCellPointerBytes * (count - index - 1));
  set_cell_count(count - 1);
  return {};
}

// Gives bytes back: joins them with neighbouring freeblocks (swallowing fragments in between), and
// moves the content start instead of keeping a freeblock there.
Status Node::release(uint32_t offset, uint32_t size) {
  uint8_t* h = data_ + header_;
  const uint32_t usable = geometry_->usable_size;
  const uint32_t start = content_start();
  if (offset < start || offset + size > usable) return corrupt("cell outside the content area");
  uint32_t end = offset + size;

  uint32_t previous = 0;
  uint32_t next = first_freeblock();
  while (next != 0 && next < offset) {
    if (next <= previous || next < start) return corrupt("freeblock order");
    previous = next;
    next = load_be16(data_ + next + kFreeblockNext);
  }
  if (next > usable - kFreeblockBytesMin) return corrupt("freeblock off the page");

  uint32_t fragments = 0;
  if (next != 0 && end + kFreeblockBytesMin > next) {
    if (end > next) return corrupt("cell overlaps a freeblock");
    fragments += next - end;
    end = next + load_be16(data_ + next + kFreeblockSize);
    if (end > usable) return corrupt("freeblock off the page");
    next = load_be16(data_ + next + kFreeblockNext);
  }
  bool joins_previous = false;
  if (previous != 0) {
    uint32_t previous_end = previous + load_be16(data_ + previous + kFreeblockSize);
    if (previous_end > offset) return corrupt("cell overlaps a freeblock");
    if (previous_end + kFreeblockBytesMin > offset) {
      fragments += offset - previous_end;
      offset = previous;
      joins_previous = true;
    }
  }
  if (fragments > h[kNodeFragmentedBytes]) return corrupt("fewer fragments than holes");
  h[kNodeFragmentedBytes] = static_cast<uint8_t>(h[kNodeFragmentedBytes] - fragments);

  if (offset == start) {
    store_be16(h + kNodeFirstFreeblock, next);
    set_content_start(end);
    return {};
  }
  if (!joins_previous) {
    store_be16(previous == 0 ? h + kNodeFirstFreeblock : data_ + previous + kFreeblockNext, offset);
  }
  store_be16(data_ + offset + kFreeblockNext, next);
  store_be16(data_ + offset + kFreeblockSize, end - offset);
  return {};
}

Status Node::defragment() {
  // Fibers have small stacks, so the copy lives elsewhere; kept, so that it is allocated once.
  static thread_local std::vector<uint8_t> buffer;
  const size_t bytes = geometry_->page_size + kImagePadding;
  if (buffer.size() < bytes) buffer.resize(bytes);
  uint8_t* copy = buffer.data();
  const uint32_t usable = geometry_->usable_size;
  const uint32_t start = content_start();
  const uint32_t count = cell_count();
  const uint32_t limit = array_end();
  std::memcpy(copy + start, data_ + start, usable - start);
  uint32_t position = usable;
  // Cells are parsed in the copy: on the page itself some are already overwritten.
  copy[header_ + kNodeFlags] = flags();
  Node source(*geometry_, header_ == 0 ? 2 : 1, copy);
  for (uint32_t i = 0; i < count; ++i) {
    Cell cell;
    uint8_t* slot = data_ + array_start() + kCellPointerBytes * i;
    uint32_t offset = load_be16(slot);
    if (offset < start || offset > usable - kCellBytesMin) return corrupt("cell offset");
    if (!source.parse_at(offset, &cell) || offset + cell.size > usable) return corrupt("cell");
    if (position < limit + cell.size) return corrupt("cells overlap");
    position -= cell.size;
    std::memcpy(data_ + position, copy + offset, cell.size);
    store_be16(slot, position);
  }
  store_be16(data_ + header_ + kNodeFirstFreeblock, 0);
  data_[header_ + kNodeFragmentedBytes] = 0;
  set_content_start(position);
  if (geometry_->zeroes_freed) std::memset(data_ + limit, 0, position - limit);
  return {};
}

bool Node::rebuild(uint8_t flags, const ByteSpan* cells, uint32_t count) {
  const bool leaf = (flags & kPageLeafBit) != 0;
  PageNumber right = leaf ? 0 : right_child();
  initialize(flags);
  if (!leaf) set_right_child(right);
  uint32_t position = geometry_->usable_size;
  uint32_t slot = array_start();
  const uint32_t slots_end = slot + kCellPointerBytes * count;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t content = static_cast<uint32_t>(cells[i].size());
    uint32_t size = std::max(content, kCellBytesMin);
    if (position < slots_end + size) return false;
    position -= size;
    std::memcpy(data_ + position, cells[i].data(), content);
    store_be16(data_ + slot, position);
    slot += kCellPointerBytes;
  }
  set_cell_count(count);
  set_content_start(position);
  if (geometry_->zeroes_freed) std::memset(data_ + slots_end, 0, position - slots_end);
  return true;
}

}  // namespace godwit
