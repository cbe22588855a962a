#include "base/utf.h"
#include "value/record.h"

namespace godwit {

namespace {

// A header of 32767 columns with the longest useful varints: what is larger cannot be sound, and
// bounding it bounds the work that a hostile record can cause.
constexpr uint64_t kHeaderBytesMax = 98307;

}  // namespace

Status RecordDecoder::reset(ByteSpan record) {
  record_ = record;
  parsed_ = 0;
  header_size_ = header_position_ = body_position_ = 0;
  uint64_t header_size = 0;
  int used = read_varint(record.data(), record.data() + record.size(), &header_size);
  if (used == 0 || header_size > record.size() || header_size > kHeaderBytesMax) {
    return corrupt("record header size");
  }
  header_size_ = static_cast<uint32_t>(header_size);
  header_position_ = static_cast<uint32_t>(used);
  body_position_ = header_size_;
  return Status();
}

// Parses serial types until column `index` is known or the header ends.
Status RecordDecoder::parse_to(uint32_t index) {
  const uint8_t* data = record_.data();
  const uint8_t* p = data + header_position_;
  const uint8_t* end = data + header_size_;
  uint64_t body = body_position_;
  while (parsed_ <= index && p < end) {
    uint64_t type;
    int used = read_varint(p, end, &type);
    if (used == 0 || type > UINT32_MAX) return corrupt("record serial type");
    p += used;
    if (parsed_ == columns_.size()) columns_.resize(columns_.size() < 8 ? 8 : columns_.size() * 2);
    columns_[parsed_++] = {static_cast<uint32_t>(type), static_cast<uint32_t>(body)};
    body += serial_type_size(type);
    if (body > record_.size()) return corrupt("record body shorter than its header says");
  }
  if (p >= end && body != record_.size() && parsed_ > 0) {
    return corrupt("record body longer than its header says");
  }
  header_position_ = static_cast<uint32_t>(p - data);
  body_position_ = static_cast<uint32_t>(body);
  return Status();
}

Result<uint32_t> RecordDecoder::column_count() {
  GW_TRY(parse_to(UINT32_MAX));
  return parsed_;
}

Status RecordDecoder::column(uint32_t index, ValueView* value, bool* missing) {
  if (index >= parsed_) {
    GW_TRY(parse_to(index));
    if (index >= parsed_) {
      *value = ValueView::null();
      *missing = true;
      return Status();
    }
  }
  *missing = false;
  const Column& column = columns_[index];
  decode_serial(column.serial_type, record_.data() + column.offset, value);
  if (encoding_ != TextEncoding::kUtf8 && value->is_text()) [[unlikely]] {
    if (converted_.size() <= index) converted_.resize(index + 1);
    std::vector<char>& text = converted_[index];
    text.clear();
    append_utf16_as_utf8(record_.data() + column.offset, value->size,
                         encoding_ == TextEncoding::kUtf16be, &text);
    *value = ValueView::of_text({text.data(), text.size()});
  }
  return Status();
}

}  // namespace godwit
