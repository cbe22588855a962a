#include "exec/row_key.h"

#include <algorithm>
#include <cstring>

#include "base/utf.h"

namespace godwit {

namespace {
constexpr size_t kNumberBytes = 9;
}  // namespace

RowKeyEncoder::RowKeyEncoder(std::span<const Collation* const> collations) {
  columns_.reserve(collations.size());
  for (const Collation* collation : collations) {
    Column column{collation == nullptr ? binary_collation() : collation, nullptr};
    if (column.collation->kind == Collation::Kind::kUser) {
      column.classes = std::make_unique<TextClasses>(CollationLess{column.collation});
    }
    columns_.push_back(std::move(column));
  }
}

char* RowKeyEncoder::room(size_t bytes) {
  if (size_ + bytes > capacity_) [[unlikely]] {
    size_t wanted = std::max<size_t>({64, capacity_ * 2, size_ + bytes});
    auto fresh = std::make_unique_for_overwrite<char[]>(wanted);
    if (size_ > 0) std::memcpy(fresh.get(), buffer_.get(), size_);
    buffer_ = std::move(fresh);
    capacity_ = wanted;
  }
  return buffer_.get() + size_;
}

std::string_view RowKeyEncoder::encode(std::span<const Vector* const> columns, uint32_t row,
                                       bool* has_null) {
  GW_ASSERT(columns.size() == columns_.size());
  size_ = 0;
  *has_null = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    ValueView value = columns[i]->get(row);
    *has_null |= value.is_null();
    append_value(columns_[i], value);
  }
  return {buffer_.get(), size_};
}

std::string_view RowKeyEncoder::encode(std::span<const ValueView> values, bool* has_null) {
  GW_ASSERT(values.size() == columns_.size());
  size_ = 0;
  *has_null = false;
  for (size_t i = 0; i < values.size(); ++i) {
    *has_null |= values[i].is_null();
    append_value(columns_[i], values[i]);
  }
  return {buffer_.get(), size_};
}

void RowKeyEncoder::append_value(Column& column, const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull:
      *room(1) = 0;
      ++size_;
      return;
    case ValueType::kInteger:
    case ValueType::kReal: {
      char* out = room(kNumberBytes);
      int64_t bits = value.integer;
      bool integral = value.is_integer() || real_equals_integer(value.real, &bits);
      out[0] = integral ? 1 : 2;
      std::memcpy(out + 1, &bits, 8);
      size_ += kNumberBytes;
      return;
    }
    case ValueType::kText: append_text(column, value); return;
    case ValueType::kBlob:
      if (value.zero_filled) {
        char* out = room(kSizedHeaderBytes + value.size);
        out[0] = 4;
        std::memcpy(out + 1, &value.size, 4);
        std::memset(out + kSizedHeaderBytes, 0, value.size);
        size_ += kSizedHeaderBytes + value.size;
        return;
      }
      append_sized(4, value.text());
      return;
  }
}

void RowKeyEncoder::append_sized(char tag, std::string_view bytes) {
  char* out = room(kSizedHeaderBytes + bytes.size());
  uint32_t size = static_cast<uint32_t>(bytes.size());
  out[0] = tag;
  std::memcpy(out + 1, &size, 4);
  if (size > 0) std::memcpy(out + kSizedHeaderBytes, bytes.data(), size);
  size_ += kSizedHeaderBytes + size;
}

void RowKeyEncoder::append_text(Column& column, const ValueView& value) {
  std::string_view text = value.text();
  switch (column.collation->kind) {
    case Collation::Kind::kBinary: break;
    case Collation::Kind::kRtrim:
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      break;
    case Collation::Kind::kNoCase: {
      size_t start = size_;
      std::string_view compared = text.substr(0, text.find('\0'));
      append_sized(kTextTag, compared);
      std::memcpy(buffer_.get() + start + 1, &value.size, 4);
      char* lower = buffer_.get() + start + kSizedHeaderBytes;
      for (size_t i = 0; i < compared.size(); ++i) lower[i] = ascii_lower(lower[i]);
      // A text that is longer than what is compared ends in NUL, so that keys stay unambiguous.
      if (compared.size() < text.size()) {
        *room(1) = 0;
        ++size_;
      }
      return;
    }
    case Collation::Kind::kBinary16le:
    case Collation::Kind::kBinary16be:
      utf16_.clear();
      append_utf8_as_utf16(text, false, &utf16_);
      text = {reinterpret_cast<const char*>(utf16_.data()), utf16_.size()};
      break;
    case Collation::Kind::kUser: {
      auto found = column.classes->find(text);
      if (found == column.classes->end()) {
        uint32_t number = static_cast<uint32_t>(column.classes->size());
        found = column.classes->emplace(std::string(text), number).first;
        bytes_held_ += text.size() + sizeof(*found) + 4 * sizeof(void*);
      }
      append_sized(kTextTag, {reinterpret_cast<const char*>(&found->second), sizeof(uint32_t)});
      return;
    }
  }
  append_sized(kTextTag, text);
}

}  // namespace godwit
