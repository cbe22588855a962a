#include "function/json/jsonb.h"

#include "base/utf.h"
#include "function/json/json_escape.h"

namespace godwit {

namespace internal {

bool read_jsonb_slow(const uint8_t* start, const uint8_t* limit, JsonbElement* element) {
  uint8_t first = *start;
  if ((first & 15) > static_cast<uint8_t>(JsonbType::kObject)) return false;
  size_t code = first >> 4;
  size_t size_bytes = code <= 11 ? 0 : size_t{1} << (code - 12);
  size_t left = static_cast<size_t>(limit - start);
  if (left <= size_bytes) return false;
  uint64_t size = code;
  if (code == 12) size = start[1];
  if (code == 13) size = load_be16(start + 1);
  if (code == 14) size = load_be32(start + 1);
  if (code == 15) {
    // No value has 2^32 bytes.
    if (load_be32(start + 1) != 0) return false;
    size = load_be32(start + 5);
  }
  if (size > left - 1 - size_bytes) return false;
  const uint8_t* payload = start + 1 + size_bytes;
  *element = {static_cast<JsonbType>(first & 15), start, payload, payload + size};
  return true;
}

}  // namespace internal

bool looks_like_jsonb(ByteSpan blob) {
  JsonbElement root;
  if (!read_jsonb_root(blob, &root)) return false;
  if (root.type <= JsonbType::kFalse) return root.payload_size() == 0;
  // JSON text in a blob often starts like this, and then only seldom is JSONB by chance.
  char first = static_cast<char>(blob[0]);
  if (first == '[' || first == '{' || is_ascii_digit(first)) return jsonb_error(blob) == 0;
  return true;
}

void append_jsonb_fitted(JsonBuffer* out, ByteSpan element, size_t room) {
  JsonbElement root;
  if (room <= element.size() || !read_jsonb_root(element, &root) ||
      root.type <= JsonbType::kFalse) {
    out->append(element);
    return;
  }
  size_t payload = root.payload_size();
  size_t header = room - payload;
  if (header != 2 && header != 3 && header != 5 && header != kJsonbHeaderBytesMax) {
    out->append(element);
    return;
  }
  size_t size_bytes = header - 1;
  uint8_t* at = reinterpret_cast<uint8_t*>(out->room(room));
  // 12, 13, 14 and 15 for 1, 2, 4 and 8 bytes of size.
  at[0] = static_cast<uint8_t>((12 + __builtin_ctzll(size_bytes)) << 4) |
          static_cast<uint8_t>(root.type);
  for (size_t i = 0; i < size_bytes; ++i) {
    at[size_bytes - i] = i < sizeof(payload) ? static_cast<uint8_t>(payload >> (8 * i)) : 0;
  }
  if (payload > 0) std::memcpy(at + header, root.payload, payload);
  out->add_written(room);
}

void end_jsonb(JsonBuffer* out, size_t at, JsonbType type, size_t header_guess) {
  size_t payload = out->size() - at - header_guess;
  size_t header = jsonb_header_size(payload);
  if (header != header_guess) out->splice(at, header_guess, header);
  write_jsonb_header(out->bytes() + at, type, payload);
}

namespace {

// Checks one blob; positions are offsets + 1, 0 is "no error".
class JsonbChecker {
 public:
  explicit JsonbChecker(ByteSpan blob) : first_(blob.data()) {}

  size_t check(const uint8_t* start, const uint8_t* limit, int depth) {
    if (depth > kJsonDepthMax) return position(start);
    JsonbElement element;
    if (!read_jsonb(start, limit, &element)) return position(start);
    if (depth == 1 && element.end != limit) return position(start);
    switch (element.type) {
      case JsonbType::kNull:
      case JsonbType::kTrue:
      case JsonbType::kFalse:
        return element.end == start + 1 ? 0 : position(start);
      case JsonbType::kInteger:
        return check_integer(element);
      case JsonbType::kInteger5:
        return check_hexadecimal(element);
      case JsonbType::kReal:
      case JsonbType::kReal5:
        return check_real(element);
      case JsonbType::kText:
        return check_plain(element);
      case JsonbType::kTextJson:
      case JsonbType::kText5:
        return check_escaped(element);
      case JsonbType::kTextRaw:
        return 0;
      case JsonbType::kArray:
        return check_array(element, depth);
      case JsonbType::kObject:
        return check_object(element, depth);
    }
    return position(start);
  }

 private:
  size_t position(const uint8_t* at) const { return static_cast<size_t>(at - first_) + 1; }

  size_t check_integer(const JsonbElement& element) const {
    if (element.payload_size() < 1) return position(element.start);
    const uint8_t* p = element.payload;
    if (*p == '-') {
      if (element.payload_size() < 2) return position(element.start);
      ++p;
    }
    for (; p < element.end; ++p) {
      if (!is_ascii_digit(static_cast<char>(*p))) return position(p);
    }
    return 0;
  }

  size_t check_hexadecimal(const JsonbElement& element) const {
    if (element.payload_size() < 3) return position(element.start);
    const uint8_t* p = element.payload;
    if (*p == '-') {
      if (element.payload_size() < 4) return position(element.start);
      ++p;
    }
    if (*p != '0') return position(element.start);
    if (p[1] != 'x' && p[1] != 'X') return position(p) + 1;
    for (p += 2; p < element.end; ++p) {
      if (hex_digit_value(static_cast<char>(*p)) < 0) return position(p);
    }
    return 0;
  }

  size_t check_real(const JsonbElement& element) const {
    bool json5 = element.type == JsonbType::kReal5;
    if (element.payload_size() < 2) return position(element.start);
    const uint8_t* p = element.payload;
    if (*p == '-') {
      if (element.payload_size() < 3) return position(element.start);
      ++p;
    }
    enum { kWhole, kFraction, kExponent } part = kWhole;
    if (*p == '.') {
      if (!json5 || p + 1 >= element.end || !is_digit(p[1])) return position(p);
      p += 2;
      part = kFraction;
    } else if (*p == '0' && !json5) {
      if (p + 3 > element.end || (p[1] != '.' && p[1] != 'e' && p[1] != 'E')) return position(p);
      ++p;
    }
    for (; p < element.end; ++p) {
      if (is_digit(*p)) continue;
      if (*p == '.') {
        if (part != kWhole) return position(p);
        if (!json5 && (p + 1 >= element.end || !is_digit(p[1]))) return position(p);
        part = kFraction;
      } else if (*p == 'e' || *p == 'E') {
        if (part == kExponent || p + 1 >= element.end) return position(p);
        if (p[1] == '+' || p[1] == '-') {
          ++p;
          if (p + 1 >= element.end) return position(p);
        }
        part = kExponent;
      } else {
        return position(p);
      }
    }
    return part == kWhole ? position(element.start) : 0;
  }

  size_t check_plain(const JsonbElement& element) const {
    for (const uint8_t* p = element.payload; p < element.end; ++p) {
      if (json_must_escape(*p)) return position(p);
    }
    return 0;
  }

  size_t check_escaped(const JsonbElement& element) const {
    const char* p = reinterpret_cast<const char*>(element.payload);
    const char* end = reinterpret_cast<const char*>(element.end);
    while (p < end) {
      uint8_t byte = static_cast<uint8_t>(*p);
      if (!json_must_escape(byte)) {
        ++p;
        continue;
      }
      const uint8_t* at = reinterpret_cast<const uint8_t*>(p);
      if (byte != '\\') {
        // A quote or control character may stand unescaped in JSON5 text only.
        if (element.type == JsonbType::kTextJson) return position(at);
        ++p;
        continue;
      }
      bool json5 = element.type == JsonbType::kText5;
      const char* next = skip_json_escape(p, end, json5);
      // SQLite does not look at the digits here.
      if (next == nullptr && json5 && end - p >= 4 && p[1] == 'x') next = p + 4;
      if (next == nullptr) return position(at);
      p = next;
    }
    return 0;
  }

  size_t check_array(const JsonbElement& element, int depth) {
    for (const uint8_t* p = element.payload; p < element.end;) {
      JsonbElement item;
      if (!read_jsonb(p, element.end, &item)) return position(p);
      size_t error = check(p, element.end, depth + 1);
      if (error != 0) return error;
      p = item.end;
    }
    return 0;
  }

  size_t check_object(const JsonbElement& element, int depth) {
    bool is_label = true;
    for (const uint8_t* p = element.payload; p < element.end; is_label = !is_label) {
      JsonbElement item;
      if (!read_jsonb(p, element.end, &item)) return position(p);
      if (is_label && !item.is_text()) return position(p);
      size_t error = check(p, element.end, depth + 1);
      if (error != 0) return error;
      p = item.end;
    }
    return is_label ? 0 : position(element.end);
  }

  static bool is_digit(uint8_t byte) { return is_ascii_digit(static_cast<char>(byte)); }

  const uint8_t* first_;
};

}  // namespace

size_t jsonb_error(ByteSpan blob) {
  if (blob.empty()) return 1;
  return JsonbChecker(blob).check(blob.data(), blob.data() + blob.size(), 1);
}

}  // namespace godwit
