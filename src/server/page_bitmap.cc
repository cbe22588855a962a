// Reads roaring bitmaps in their portable format of 32 bits (github.com/RoaringBitmap/RoaringFormatSpec),
// all numbers little-endian. CRoaring reads them too, but writes to standard error what it does not like
// about a hostile one.
//
//   with runs:     u16 0x303B | u16 containers - 1 | a bit a container: has runs | descriptions | offsets
//                  (from 4 containers on) | containers
//   without runs:  u32 0x303A | u32 containers | descriptions | offsets | containers
//   description:   u16 high half of the values | u16 values - 1
//   container:     u16 runs, (u16 first, u16 length - 1) a run; or up to 4096 sorted u16 values; or 65536
//                  bits
#include <algorithm>

#include "server/pull_message.h"

namespace godwit::server {
namespace {

constexpr uint32_t kCookieWithRuns = 0x303b;
constexpr uint32_t kCookieWithoutRuns = 0x303a;
constexpr uint32_t kContainersMax = 65536;
constexpr uint32_t kContainersWithoutOffsets = 4;
constexpr uint32_t kArrayMax = 4096;
constexpr size_t kBitsetBytes = 8192;

class BitmapReader {
 public:
  BitmapReader(std::string_view bytes, uint32_t page_count) : bytes_(bytes), page_count_(page_count) {}

  // False: malformed.
  bool read() {
    uint32_t cookie = 0, containers = 0;
    if (!take_u16(&cookie)) return false;
    std::string_view has_runs;
    if (cookie == kCookieWithRuns) {
      if (!take_u16(&containers)) return false;
      ++containers;
      if (!take((containers + 7) / 8, &has_runs)) return false;
    } else {
      uint32_t zero = 0, high = 0;
      if (cookie != kCookieWithoutRuns || !take_u16(&zero) || zero != 0) return false;
      if (!take_u16(&containers) || !take_u16(&high)) return false;
      containers |= high << 16;
      if (containers > kContainersMax) return false;
    }
    std::string_view descriptions, offsets;
    if (!take(size_t{containers} * 4, &descriptions)) return false;
    // Containers follow one another, so where they start needs no telling.
    bool has_offsets = has_runs.empty() || containers >= kContainersWithoutOffsets;
    if (has_offsets && !take(size_t{containers} * 4, &offsets)) return false;
    for (uint32_t i = 0; i < containers; ++i) {
      uint32_t key = u16_at(descriptions, i * 4) << 16;
      // In order, so that no page comes twice.
      if (i > 0 && key <= u16_at(descriptions, i * 4 - 4) << 16) return false;
      uint32_t count = u16_at(descriptions, i * 4 + 2) + 1;
      bool is_run = !has_runs.empty() && (has_runs[i / 8] >> (i % 8) & 1) != 0;
      if (!(is_run ? read_runs(key) : count <= kArrayMax ? read_array(key, count) : read_bits(key))) {
        return false;
      }
    }
    return true;
  }

  std::vector<uint32_t> take_numbers() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return std::move(numbers_);
  }

 private:
  static uint32_t u16_at(std::string_view s, size_t at) {
    return static_cast<uint8_t>(s[at]) | static_cast<uint32_t>(static_cast<uint8_t>(s[at + 1])) << 8;
  }
  bool take(size_t size, std::string_view* out) {
    if (bytes_.size() < size) return false;
    *out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }
  bool take_u16(uint32_t* value) {
    std::string_view field;
    if (!take(2, &field)) return false;
    *value = u16_at(field, 0);
    return true;
  }
  void add(uint32_t id) {
    if (id < page_count_) numbers_.push_back(id + 1);
  }

  bool read_runs(uint32_t key) {
    uint32_t runs = 0;
    std::string_view list;
    if (!take_u16(&runs) || !take(size_t{runs} * 4, &list)) return false;
    uint32_t next = 0;  // runs are in order and apart, so a container gives at most 65536 values
    for (uint32_t i = 0; i < runs; ++i) {
      uint32_t first = u16_at(list, i * 4), length = u16_at(list, i * 4 + 2) + 1;
      if (first < next || first + length > 65536) return false;
      for (uint32_t value = first; value < first + length; ++value) add(key | value);
      next = first + length;
    }
    return true;
  }
  bool read_array(uint32_t key, uint32_t count) {
    std::string_view list;
    if (!take(size_t{count} * 2, &list)) return false;
    for (uint32_t i = 0; i < count; ++i) add(key | u16_at(list, i * 2));
    return true;
  }
  bool read_bits(uint32_t key) {
    std::string_view bits;
    if (!take(kBitsetBytes, &bits)) return false;
    for (uint32_t value = 0; value < 65536; ++value) {
      if ((bits[value / 8] >> (value % 8) & 1) != 0) add(key | value);
    }
    return true;
  }

  std::string_view bytes_;
  const uint32_t page_count_;
  std::vector<uint32_t> numbers_;
};

}  // namespace

Result<std::vector<uint32_t>> page_numbers_of(std::string_view bitmap, uint32_t page_count) {
  BitmapReader reader(bitmap, page_count);
  if (!reader.read()) return Status::error("malformed request: not a roaring bitmap");
  return reader.take_numbers();
}

}  // namespace godwit::server
