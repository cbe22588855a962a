// JSONB: JSON as a tree of elements in one run of bytes, the form that all JSON functions work on.
//
// An element is a header and a payload. The header's first byte has the type in its low half and in
// its high half the payload's size, if it is 0 to 11; 12, 13, 14 and 15 say that the size follows
// in 1, 2, 4 or 8 bytes, big-endian. Any of these may be used for a small payload; what is written
// here uses the shortest.
//
//   [1,2]      4B 13 31 13 32                  array of 4 bytes: integer '1', integer '2'
//   {"a":true} 3C 17 61 01                     object of 3 bytes: text 'a', true
//
// Numbers are kept as the text they were written as; strings without their quotes, with the escapes
// that they were written with. An object is label, value, label, value, ...
//
// JSONB comes from files: every element is bounds-checked when it is read, and what cannot be read
// is "malformed JSON". Nothing checks a whole blob before it is used, but jsonb_error().
//
// Source: "The SQLite JSONB Format" (https://sqlite.org/jsonb.html).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "function/json/json_buffer.h"

namespace godwit {

// On disk.
enum class JsonbType : uint8_t {
  kNull = 0,
  kTrue = 1,
  kFalse = 2,
  kInteger = 3,   // RFC 8259: -?digits
  kInteger5 = 4,  // JSON5: hexadecimal
  kReal = 5,
  kReal5 = 6,     // JSON5: a point without digits before or behind it
  kText = 7,      // needs no escapes, neither as JSON nor as SQL text
  kTextJson = 8,  // has RFC 8259 escapes
  kText5 = 9,     // has JSON5 escapes
  kTextRaw = 10,  // SQL text: must be escaped to become JSON
  kArray = 11,
  kObject = 12,
};

// Nesting, of elements in a document and of steps in a path.
inline constexpr int kJsonDepthMax = 1000;

inline constexpr int kJsonbHeaderBytesMax = 9;

struct JsonbElement {
  JsonbType type = JsonbType::kNull;
  const uint8_t* start = nullptr;
  const uint8_t* payload = nullptr;
  const uint8_t* end = nullptr;

  size_t payload_size() const { return static_cast<size_t>(end - payload); }
  std::string_view text() const { return {reinterpret_cast<const char*>(payload), payload_size()}; }
  ByteSpan bytes() const { return {start, end}; }
  bool is_text() const { return type >= JsonbType::kText && type <= JsonbType::kTextRaw; }
  bool is_container() const { return type >= JsonbType::kArray; }
  // Text whose payload is the text itself.
  bool is_plain_text() const { return type == JsonbType::kText || type == JsonbType::kTextRaw; }
};

namespace internal {
bool read_jsonb_slow(const uint8_t* start, const uint8_t* limit, JsonbElement* element);
}

// Reads the header of the element at `start`, which must end at or before `limit`. False if it does
// not, or is of no known type.
inline bool read_jsonb(const uint8_t* start, const uint8_t* limit, JsonbElement* element) {
  if (start >= limit) return false;
  uint8_t first = *start;
  size_t size = first >> 4;
  if (size > 11 || (first & 15) > static_cast<uint8_t>(JsonbType::kObject)) [[unlikely]]
    return internal::read_jsonb_slow(start, limit, element);
  if (static_cast<size_t>(limit - start) <= size) return false;
  *element = {static_cast<JsonbType>(first & 15), start, start + 1, start + 1 + size};
  return true;
}

// The element that is all of `blob`.
inline bool read_jsonb_root(ByteSpan blob, JsonbElement* element) {
  return read_jsonb(blob.data(), blob.data() + blob.size(), element) &&
         element->end == blob.data() + blob.size();
}

// As far as its first header tells, the blob is JSONB: how functions tell JSONB from text that
// happens to be in a blob.
bool looks_like_jsonb(ByteSpan blob);

// 0 if the blob is JSONB in every detail; else where it is not: 1 + the offset of the element, or
// of the byte, that is wrong.
size_t jsonb_error(ByteSpan blob);

inline size_t jsonb_header_size(size_t payload) {
  return payload <= 11 ? 1 : payload <= 0xFF ? 2 : payload <= 0xFFFF ? 3 : 5;
}
// Writes the shortest header (of jsonb_header_size(payload) bytes) at `out`.
inline size_t write_jsonb_header(uint8_t* out, JsonbType type, size_t payload) {
  uint8_t code = static_cast<uint8_t>(type);
  if (payload <= 11) {
    out[0] = static_cast<uint8_t>(payload << 4 | code);
    return 1;
  }
  if (payload <= 0xFF) {
    out[0] = 0xC0 | code;
    out[1] = static_cast<uint8_t>(payload);
    return 2;
  }
  if (payload <= 0xFFFF) {
    out[0] = 0xD0 | code;
    store_be16(out + 1, static_cast<uint32_t>(payload));
    return 3;
  }
  out[0] = 0xE0 | code;
  store_be32(out + 1, static_cast<uint32_t>(payload));
  return 5;
}

inline void append_jsonb_header(JsonBuffer* out, JsonbType type, size_t payload) {
  uint8_t* at = reinterpret_cast<uint8_t*>(out->room(kJsonbHeaderBytesMax));
  out->add_written(write_jsonb_header(at, type, payload));
}
inline void append_jsonb(JsonBuffer* out, JsonbType type, std::string_view payload) {
  uint8_t* at = reinterpret_cast<uint8_t*>(out->room(kJsonbHeaderBytesMax + payload.size()));
  size_t header = write_jsonb_header(at, type, payload.size());
  if (!payload.empty()) std::memcpy(at + header, payload.data(), payload.size());
  out->add_written(header + payload.size());
}

// Appends `element` (one element in full) in the place of one of `room` bytes. If a longer header
// than it has makes it fill the room, it gets that: then nothing around it changes.
void append_jsonb_fitted(JsonBuffer* out, ByteSpan element, size_t room);

// An array or object whose size is known only when it is whole: begin_jsonb() leaves room for a
// header of `header_guess` bytes and returns where, end_jsonb() fits the header to the payload that
// was appended since.
inline size_t begin_jsonb(JsonBuffer* out, size_t header_guess = 1) {
  size_t at = out->size();
  out->resize(at + header_guess);
  return at;
}
void end_jsonb(JsonBuffer* out, size_t at, JsonbType type, size_t header_guess = 1);

}  // namespace godwit
