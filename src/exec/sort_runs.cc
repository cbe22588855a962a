#include "exec/sort_runs.h"

#include <algorithm>
#include <cstring>

namespace godwit {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 20;
constexpr size_t kReadBytesMax = size_t{1} << 20;
constexpr size_t kReadBytesMin = size_t{16} << 10;
constexpr size_t kReadBytesOfAll = size_t{16} << 20;
constexpr uint8_t kZeros = 0xff;

}  // namespace

void SortRuns::put(const ValueView& value) {
  const bool zeros = value.type == ValueType::kBlob && value.size > 0 &&
                     (value.zero_filled || value.bytes == nullptr);
  const bool is_number = value.type == ValueType::kInteger || value.type == ValueType::kReal;
  out_.push_back(static_cast<char>(zeros ? kZeros : static_cast<uint8_t>(value.type)));
  if (value.is_null()) return;
  const auto* raw = is_number ? reinterpret_cast<const char*>(&value.integer)
                              : reinterpret_cast<const char*>(&value.size);
  out_.insert(out_.end(), raw, raw + (is_number ? sizeof value.integer : sizeof value.size));
  if (!is_number && !zeros) out_.insert(out_.end(), value.bytes, value.bytes + value.size);
}

Status SortRuns::flush() {
  GW_TRY(file_->write(size_, {reinterpret_cast<const uint8_t*>(out_.data()), out_.size()}));
  size_ += out_.size();
  out_.clear();
  return {};
}

Status SortRuns::add(const RowSorter& sorter) {
  for (uint32_t place = 0; place < sorter.size(); ++place) {
    const size_t start = out_.size();
    out_.resize(start + sizeof(uint64_t));
    for (size_t i = 0; i < builders_.size(); ++i) put(sorter.rows().get(sorter.row(place), i));
    const uint64_t size = out_.size() - start - sizeof size;
    std::memcpy(&out_[start], &size, sizeof size);
    if (out_.size() >= kWriteBytes) GW_TRY(flush());
  }
  GW_TRY(flush());
  run_ends_.push_back(size_);
  return {};
}

Status SortRuns::start_merge() {
  out_ = {};
  buffer_size_ = std::clamp(kReadBytesOfAll / run_ends_.size(), kReadBytesMin, kReadBytesMax);
  uint64_t begin = 0;
  for (uint64_t end : run_ends_) {
    readers_.emplace_back(begin, end);
    begin = end;
  }
  for (uint32_t i = 0; i < readers_.size(); ++i) {
    bool done = false;
    GW_TRY(readers_[i].next(file_.get(), builders_.size(), buffer_size_, &done));
    if (!done) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](uint32_t a, uint32_t b) { return comes_after(a, b); });
  return {};
}

bool SortRuns::comes_after(uint32_t a, uint32_t b) const {
  std::span<const ValueView> x = readers_[a].row(), y = readers_[b].row();
  for (const SortKey& key : keys_) {
    int order = compare_key_values(key, x[key.column], y[key.column]);
    if (order != 0) return order > 0;
  }
  return a > b;
}

Status SortRuns::next(uint32_t max_rows, const Chunk** chunk) {
  auto after = [this](uint32_t a, uint32_t b) { return comes_after(a, b); };
  if (rows_left_ >= 0) {
    max_rows = static_cast<uint32_t>(std::min<int64_t>(max_rows, rows_left_));
  }
  arena_.reset();
  for (ColumnBuilder& builder : builders_) builder.begin(max_rows);
  uint32_t count = 0;
  for (; count < max_rows && !heap_.empty(); ++count) {
    std::pop_heap(heap_.begin(), heap_.end(), after);
    Reader& reader = readers_[heap_.back()];
    for (size_t i = 0; i < builders_.size(); ++i) {
      builders_[i].put_copy(count, reader.row()[i], &arena_);
    }
    bool done = false;
    GW_TRY(reader.next(file_.get(), builders_.size(), buffer_size_, &done));
    if (done) {
      heap_.pop_back();
    } else {
      std::push_heap(heap_.begin(), heap_.end(), after);
    }
  }
  for (size_t i = 0; i < builders_.size(); ++i) {
    builders_[i].finish();
    output_.columns[i] = &builders_[i].vector();
  }
  if (rows_left_ >= 0) rows_left_ -= count;
  output_.rows = count;
  output_.selection = {nullptr, count};
  *chunk = &output_;
  return {};
}

Status SortRuns::Reader::next(File* file, size_t columns, size_t buffer_size, bool* done) {
  *done = begin_ == filled_ && position_ == end_;
  if (*done) {
    buffer_ = {};
    return {};
  }
  uint64_t size = 0;
  GW_TRY(fill(file, sizeof size, buffer_size));
  std::memcpy(&size, &buffer_[begin_], sizeof size);
  begin_ += sizeof size;
  GW_TRY(fill(file, size, buffer_size));
  return decode(size, columns);
}

// Makes the buffer hold `wanted` more bytes.
Status SortRuns::Reader::fill(File* file, size_t wanted, size_t buffer_size) {
  if (filled_ - begin_ >= wanted) return {};
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < std::max(wanted, buffer_size)) buffer_.resize(std::max(wanted, buffer_size));
  const size_t room = static_cast<size_t>(
      std::min<uint64_t>(buffer_.size() - filled_, end_ - position_));
  auto* target = reinterpret_cast<uint8_t*>(buffer_.data()) + filled_;
  GW_ASSIGN(size_t n, file->read(position_, {target, room}));
  position_ += n;
  filled_ += n;
  return filled_ >= wanted ? Status() : Status(code::kIoErrShortRead);
}

// Reads what put() has written; a file that somebody else changed must not lead astray.
Status SortRuns::Reader::decode(size_t row_size, size_t columns) {
  const char* at = buffer_.data() + begin_;
  const char* end = at + row_size;
  begin_ += row_size;
  row_.assign(columns, ValueView::null());
  for (ValueView& value : row_) {
    if (at == end) return Status(code::kIoErrRead);
    const auto tag = static_cast<uint8_t>(*at++);
    if (tag == static_cast<uint8_t>(ValueType::kNull)) continue;
    value.type = tag == kZeros ? ValueType::kBlob : static_cast<ValueType>(tag);
    const bool is_number = value.type == ValueType::kInteger || value.type == ValueType::kReal;
    const size_t fixed = is_number ? sizeof value.integer : sizeof value.size;
    if (static_cast<size_t>(end - at) < fixed) return Status(code::kIoErrRead);
    if (is_number) {
      std::memcpy(&value.integer, at, fixed);
    } else {
      std::memcpy(&value.size, at, fixed);
    }
    at += fixed;
    if (is_number) continue;
    value.bytes = tag == kZeros ? nullptr : at;
    value.zero_filled = tag == kZeros;
    if (tag == kZeros) continue;
    if (static_cast<size_t>(end - at) < value.size) return Status(code::kIoErrRead);
    at += value.size;
  }
  return {};
}

}  // namespace godwit
