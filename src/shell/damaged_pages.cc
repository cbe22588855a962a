#include "damaged_pages.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "utf16_text.h"

namespace godwit::shell {
namespace {

constexpr uint32_t kFieldsMax = 32767;
constexpr uint64_t kPayloadMax = 0x7fffffff;

uint32_t be16(const std::string& bytes, size_t at) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data()) + at;
  return static_cast<uint32_t>(p[0] << 8 | p[1]);
}

uint32_t be32(const std::string& bytes, size_t at) {
  return be16(bytes, at) << 16 | be16(bytes, at + 2);
}

// Reads a varint at *at and moves on; false: it does not end before `end`.
bool varint(const std::string& bytes, size_t* at, size_t end, uint64_t* value) {
  *value = 0;
  for (int i = 0; i < 9; ++i) {
    if (*at >= end) return false;
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    if (i == 8) {
      *value = *value << 8 | byte;
      return true;
    }
    *value = *value << 7 | (byte & 0x7f);
    if (byte < 0x80) return true;
  }
  return true;
}

bool is_page_size(uint32_t size) {
  return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

uint64_t field_size(uint64_t serial_type) {
  static constexpr uint8_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return serial_type < 12 ? kSizes[serial_type] : (serial_type - 12) / 2;
}

}  // namespace

DamagedPages::~DamagedPages() {
  sqlite3_finalize(library_);
  if (file_ != nullptr) std::fclose(file_);
}

bool DamagedPages::open(ShellState& state) {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(state.db, "PRAGMA page_count", -1, &stmt, nullptr) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW) {
    count_ = static_cast<uint32_t>(sqlite3_column_int64(stmt, 0));
  }
  sqlite3_finalize(stmt);
  if (count_ > 0) {
    sqlite3_prepare_v2(state.db, "SELECT data FROM sqlite_dbpage('main') WHERE pgno = ?1", -1,
                       &library_, nullptr);
  }
  if (library_ != nullptr && read_from_library(1)) {
    page_size_ = static_cast<uint32_t>(page_.size());
  } else {
    sqlite3_finalize(library_);
    library_ = nullptr;
    const char* path = sqlite3_db_filename(state.db, "main");
    file_ = path == nullptr || *path == '\0' ? nullptr : std::fopen(path, "rb");
    if (file_ == nullptr) return false;
    guess_page_size();
  }
  loaded_ = 0;
  if (count_ == 0 || !load(1)) return false;
  // A header that is gone tells nothing.
  const bool has_header = page_.compare(0, 16, std::string("SQLite format 3", 16)) == 0;
  const uint32_t reserved = has_header ? static_cast<unsigned char>(page_[20]) : 0;
  usable_ = page_size_ - reserved >= 480 ? page_size_ - reserved : page_size_;
  encoding_ = header_field(56);
  if (encoding_ < 1 || encoding_ > 3) encoding_ = 1;
  return true;
}

// A header that is whole tells; else the size with which most pages look like pages.
void DamagedPages::guess_page_size() {
  std::fseek(file_, 0, SEEK_END);
  const long size = std::ftell(file_);
  char header[100] = {};
  std::rewind(file_);
  const size_t n = std::fread(header, 1, sizeof header, file_);
  const std::string bytes(header, sizeof header);
  const uint32_t named = be16(bytes, 16) == 1 ? 65536 : be16(bytes, 16);
  if (n == sizeof header && std::memcmp(header, "SQLite format 3", 16) == 0 && is_page_size(named)) {
    page_size_ = named;
  } else {
    uint32_t best = 0;
    page_size_ = is_page_size(named) ? named : 4096;
    for (uint32_t candidate = 512; candidate <= 65536; candidate *= 2) {
      count_ = static_cast<uint32_t>(size / candidate);
      const uint32_t found = score(candidate);
      if (found > best || (found == best && candidate == named)) {
        best = found;
        page_size_ = candidate;
      }
    }
  }
  count_ = static_cast<uint32_t>((size + page_size_ - 1) / page_size_);
  loaded_ = 0;
}

// Bytes that look like pages of this size: their cells are there, and reach into the second half of the
// page, since pages fill from the end.
uint32_t DamagedPages::score(uint32_t page_size) {
  const uint32_t before = page_size_;
  page_size_ = usable_ = page_size;
  uint32_t pages = 0;
  constexpr uint32_t kBytesMax = 4 << 20;
  for (uint32_t number = 1; number <= std::min(count_, kBytesMax / page_size); ++number) {
    loaded_ = 0;
    if (kind(number) == kNone) continue;
    uint32_t last = 0;
    for (uint32_t i = 0; i < cell_count(); ++i) last = std::max(last, cell(i));
    if (last >= page_size / 2) ++pages;
  }
  page_size_ = before;
  return pages * page_size;
}

bool DamagedPages::read_from_library(uint32_t number) {
  sqlite3_bind_int64(library_, 1, number);
  bool found = sqlite3_step(library_) == SQLITE_ROW;
  if (found) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(library_, 0));
    page_.assign(bytes, bytes == nullptr ? 0 : static_cast<size_t>(sqlite3_column_bytes(library_, 0)));
    found = page_.size() >= 512;
  }
  sqlite3_reset(library_);
  return found;
}

// The last page may be cut short: the rest is zeros.
bool DamagedPages::read_from_file(uint32_t number) {
  page_.assign(page_size_, '\0');
  if (std::fseek(file_, static_cast<long>(uint64_t{number - 1} * page_size_), SEEK_SET) != 0) return false;
  return std::fread(page_.data(), 1, page_size_, file_) > 0;
}

bool DamagedPages::load(uint32_t number) {
  if (number == loaded_) return true;
  if (number == 0 || number > count_) return false;
  loaded_ = 0;
  bool found = library_ != nullptr ? read_from_library(number) : read_from_file(number);
  if (!found || page_.size() != page_size_) return false;
  loaded_ = number;
  return true;
}

uint32_t DamagedPages::header_field(uint32_t offset) { return load(1) ? be32(page_, offset) : 0; }

DamagedPages::Kind DamagedPages::kind(uint32_t number) {
  if (!load(number)) return kNone;
  const auto type = static_cast<unsigned char>(page_[header_offset()]);
  if (type != kIndexInterior && type != kTableInterior && type != kIndexLeaf && type != kTableLeaf) {
    return kNone;
  }
  const uint32_t header = header_offset() + (type < kIndexLeaf ? 12u : 8u);
  if (header + 2 * be16(page_, header_offset() + 3) > usable_) return kNone;
  return static_cast<Kind>(type);
}

uint32_t DamagedPages::cell_count() const { return be16(page_, header_offset() + 3); }

uint32_t DamagedPages::cell(uint32_t i) const {
  const bool is_leaf = static_cast<unsigned char>(page_[header_offset()]) >= kIndexLeaf;
  const uint32_t pointers = header_offset() + (is_leaf ? 8 : 12);
  const uint32_t offset = be16(page_, pointers + 2 * i);
  return offset < pointers || offset + 4 > usable_ ? 0 : offset;
}

std::vector<uint32_t> DamagedPages::children(uint32_t number) {
  std::vector<uint32_t> result;
  const Kind of = kind(number);
  if (of != kIndexInterior && of != kTableInterior) return result;
  for (uint32_t i = 0; i < cell_count(); ++i) {
    if (uint32_t offset = cell(i)) result.push_back(be32(page_, offset));
  }
  result.push_back(be32(page_, header_offset() + 8));
  std::erase_if(result, [&](uint32_t child) { return child < 2 || child > count_; });
  return result;
}

void DamagedPages::rows(uint32_t number, std::vector<uint32_t>* overflow,
                        const std::function<void(const Row&)>& visit) {
  const Kind of = kind(number);
  if (of == kNone || of == kTableInterior) return;
  for (uint32_t i = 0; load(number) && i < cell_count(); ++i) {
    Row row;
    const uint32_t offset = cell(i);
    if (offset != 0 && decode_cell(offset, of, overflow, &row)) visit(row);
  }
}

bool DamagedPages::decode_cell(uint32_t offset, Kind kind, std::vector<uint32_t>* overflow, Row* row) {
  size_t at = offset + (kind == kIndexInterior ? 4 : 0);
  uint64_t size = 0, rowid = 0;
  if (!varint(page_, &at, usable_, &size) || size == 0 || size > kPayloadMax) return false;
  row->has_rowid = kind == kTableLeaf;
  if (row->has_rowid && !varint(page_, &at, usable_, &rowid)) return false;
  row->rowid = static_cast<sqlite3_int64>(rowid);
  decode_record(payload(size, static_cast<uint32_t>(at), kind, overflow), row);
  return !row->fields.empty();
}

// As much of it as there is.
std::string DamagedPages::payload(uint64_t size, uint32_t at, Kind kind,
                                  std::vector<uint32_t>* overflow) {
  const uint64_t most = kind == kTableLeaf ? usable_ - 35 : (usable_ - 12) * 64 / 255 - 23;
  const uint64_t least = (usable_ - 12) * 32 / 255 - 23;
  uint64_t local = size;
  if (size > most) {
    local = least + (size - least) % (usable_ - 4);
    if (local > most) local = least;
  }
  std::string bytes = page_.substr(at, std::min<uint64_t>(local, usable_ - at));
  if (size <= most || at + local + 4 > usable_) return bytes;
  uint32_t next = be32(page_, at + local);
  std::set<uint32_t> seen;
  while (next != 0 && bytes.size() < size && seen.insert(next).second && load(next)) {
    overflow->push_back(next);
    bytes += page_.substr(4, std::min<uint64_t>(size - bytes.size(), usable_ - 4));
    next = be32(page_, 0);
  }
  return bytes;
}

void DamagedPages::decode_record(const std::string& record, Row* row) const {
  size_t at = 0;
  uint64_t header = 0;
  if (!varint(record, &at, record.size(), &header) || header < at || header > record.size()) return;
  uint64_t body = header;
  while (at < header && row->fields.size() < kFieldsMax) {
    uint64_t type = 0;
    if (!varint(record, &at, header, &type)) return;
    const uint64_t size = field_size(type);
    const uint64_t there = body >= record.size() ? 0 : std::min<uint64_t>(size, record.size() - body);
    const bool is_whole = there == size;
    // Of a text that is cut off the rest is worth having.
    row->fields.push_back(is_whole || (type >= 12 && there > 0)
                              ? decode_field(type, record.data() + body, there) : Field());
    body = size > record.size() ? record.size() : body + size;
  }
}

Field DamagedPages::decode_field(uint64_t type, const char* bytes, size_t size) const {
  Field field;
  if (type >= 12) {
    field.type = type % 2 == 0 ? SQLITE_BLOB : SQLITE_TEXT;
    field.bytes.assign(bytes, size);
    if (field.type == SQLITE_TEXT && encoding_ != 1) {
      field.bytes = utf8_of_utf16(field.bytes, encoding_ == 3);
    }
    return field;
  }
  if (type == 0 || type > 9) return field;
  uint64_t value = size > 0 && (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  if (type == 7) {
    field.type = SQLITE_FLOAT;
    std::memcpy(&field.real, &value, sizeof value);
    if (field.real != field.real) field.type = SQLITE_NULL;
    return field;
  }
  field.type = SQLITE_INTEGER;
  field.integer = type >= 8 ? static_cast<sqlite3_int64>(type - 8) : static_cast<sqlite3_int64>(value);
  return field;
}

std::vector<uint32_t> DamagedPages::freelist() {
  std::vector<uint32_t> pages;
  std::set<uint32_t> seen;
  for (uint32_t trunk = header_field(32); trunk != 0 && seen.insert(trunk).second && load(trunk);) {
    pages.push_back(trunk);
    const uint32_t leaves = std::min(be32(page_, 4), usable_ / 4 - 2);
    for (uint32_t i = 0; i < leaves; ++i) pages.push_back(be32(page_, 8 + 4 * i));
    trunk = be32(page_, 0);
  }
  return pages;
}

}  // namespace godwit::shell
