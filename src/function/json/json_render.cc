#include "function/json/json_render.h"

#include <limits>

#include "base/utf.h"
#include "function/json/json_escape.h"
#include "value/number_text.h"

namespace godwit {

namespace {

// -?0x... : whether it is negative, and its digits.
struct Hexadecimal {
  bool negative = false;
  bool valid = true;
  bool overflow = false;
  uint64_t value = 0;

  explicit Hexadecimal(std::string_view text) {
    negative = text[0] == '-';
    size_t at = negative ? 3 : 2;
    for (; at < text.size(); ++at) {
      int digit = hex_digit_value(text[at]);
      if (digit < 0) {
        valid = false;
        return;
      }
      overflow |= (value >> 60) != 0;
      value = value << 4 | static_cast<uint64_t>(digit);
    }
  }
};

JsonError render_hexadecimal(std::string_view text, JsonBuffer* out) {
  Hexadecimal number(text);
  if (!number.valid) return JsonError::kMalformed;
  if (number.negative) out->push('-');
  if (number.overflow) {
    out->append("9.0e999");
    return JsonError::kNone;
  }
  char digits[20];
  char* p = digits + sizeof(digits);
  do {
    *--p = static_cast<char>('0' + number.value % 10);
    number.value /= 10;
  } while (number.value != 0);
  out->append({p, static_cast<size_t>(digits + sizeof(digits) - p)});
  return JsonError::kNone;
}

// A point gets a digit on each side.
void render_real5(std::string_view text, JsonBuffer* out) {
  size_t at = 0;
  if (text[0] == '-') {
    out->push('-');
    at = 1;
  }
  if (at < text.size() && text[at] == '.') out->push('0');
  for (; at < text.size(); ++at) {
    out->push(text[at]);
    bool bare = text[at] == '.' && (at + 1 == text.size() || !is_ascii_digit(text[at + 1]));
    if (bare) out->push('0');
  }
}

JsonError render_scalar(const JsonbElement& element, JsonBuffer* out) {
  std::string_view text = element.text();
  switch (element.type) {
    case JsonbType::kNull:
      out->append("null");
      return JsonError::kNone;
    case JsonbType::kTrue:
      out->append("true");
      return JsonError::kNone;
    case JsonbType::kFalse:
      out->append("false");
      return JsonError::kNone;
    case JsonbType::kInteger:
    case JsonbType::kReal:
      if (text.empty()) return JsonError::kMalformed;
      out->append(text);
      return JsonError::kNone;
    case JsonbType::kInteger5:
      if (text.empty()) return JsonError::kMalformed;
      return render_hexadecimal(text, out);
    case JsonbType::kReal5:
      if (text.empty()) return JsonError::kMalformed;
      render_real5(text, out);
      return JsonError::kNone;
    default:
      break;
  }
  char* p = out->room(text.size() + 2);
  *p = '"';
  if (element.type == JsonbType::kText || element.type == JsonbType::kTextJson) {
    if (!text.empty()) std::memcpy(p + 1, text.data(), text.size());
    p[text.size() + 1] = '"';
    out->add_written(text.size() + 2);
    return JsonError::kNone;
  }
  out->add_written(1);
  if (element.type == JsonbType::kTextRaw) {
    append_json_escaped(out, text);
  } else if (!append_json5_as_json(out, text)) {
    return JsonError::kMalformed;
  }
  out->push('"');
  return JsonError::kNone;
}

// Null, true and false have one byte; where there are more, SQLite takes them for the next item.
const uint8_t* end_of(const JsonbElement& item) {
  return item.type <= JsonbType::kFalse ? item.start + 1 : item.end;
}

JsonError render(const JsonbElement& element, int depth, JsonBuffer* out) {
  if (!element.is_container()) return render_scalar(element, out);
  if (depth >= kJsonDepthMax) return JsonError::kNestedTooDeep;
  bool is_object = element.type == JsonbType::kObject;
  out->push(is_object ? '{' : '[');
  size_t count = 0;
  for (const uint8_t* p = element.payload; p < element.end; ++count) {
    if (count > 0) out->push(is_object && count % 2 == 1 ? ':' : ',');
    JsonbElement item;
    if (!read_jsonb(p, element.end, &item)) return JsonError::kMalformed;
    JsonError error = render(item, depth + 1, out);
    if (error != JsonError::kNone) return error;
    p = end_of(item);
  }
  if (is_object && count % 2 == 1) return JsonError::kMalformed;
  out->push(is_object ? '}' : ']');
  return JsonError::kNone;
}

class PrettyRenderer {
 public:
  PrettyRenderer(std::string_view indent, JsonBuffer* out) : indent_(indent), out_(out) {}

  JsonError render(const JsonbElement& element, int depth) {
    if (!element.is_container()) return render_scalar(element, out_);
    if (depth >= kJsonDepthMax) return JsonError::kNestedTooDeep;
    bool is_object = element.type == JsonbType::kObject;
    out_->push(is_object ? '{' : '[');
    if (element.payload_size() > 0) {
      out_->push('\n');
      JsonError error = render_items(element, is_object, depth + 1);
      if (error != JsonError::kNone) return error;
      out_->push('\n');
      begin_line(depth);
    }
    out_->push(is_object ? '}' : ']');
    return JsonError::kNone;
  }

 private:
  JsonError render_items(const JsonbElement& element, bool is_object, int depth) {
    for (const uint8_t* p = element.payload; p < element.end;) {
      if (p > element.payload) out_->append(",\n");
      begin_line(depth);
      JsonbElement item;
      if (!read_jsonb(p, element.end, &item)) return JsonError::kMalformed;
      JsonError error;
      if (is_object) {
        error = godwit::render(item, depth, out_);
        if (error != JsonError::kNone) return error;
        out_->append(": ");
        if (!read_jsonb(end_of(item), element.end, &item)) return JsonError::kMalformed;
      }
      error = render(item, depth);
      if (error != JsonError::kNone) return error;
      p = end_of(item);
    }
    return JsonError::kNone;
  }

  void begin_line(int depth) {
    for (int i = 0; i < depth; ++i) out_->append(indent_);
  }

  std::string_view indent_;
  JsonBuffer* out_;
};

// Text as sqlite3_value_numeric_type() sees it must be a number in full.
JsonError number_value(std::string_view text, bool is_integer, ValueView* value) {
  ParsedNumber number = parse_number(text);
  if (!number.is_whole) return JsonError::kMalformed;
  *value = is_integer && number.fits_integer ? ValueView::of(number.integer)
                                             : ValueView::of(number.real);
  return JsonError::kNone;
}

JsonError hexadecimal_value(std::string_view text, ValueView* value) {
  if (text.empty()) return JsonError::kMalformed;
  Hexadecimal number(text);
  if (!number.valid || number.overflow) return JsonError::kMalformed;
  if (number.value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    int64_t i = static_cast<int64_t>(number.value);
    *value = ValueView::of(number.negative ? -i : i);
  } else {
    double r = static_cast<double>(number.value);
    *value = ValueView::of(number.negative ? -r : r);
  }
  return JsonError::kNone;
}

}  // namespace

JsonError render_json(const JsonbElement& element, JsonBuffer* out) {
  return render(element, 0, out);
}

JsonError render_json_pretty(const JsonbElement& element, std::string_view indent,
                             JsonBuffer* out) {
  return PrettyRenderer(indent, out).render(element, 0);
}

JsonError json_to_value(const JsonbElement& element, JsonBuffer* scratch, ValueView* value) {
  switch (element.type) {
    case JsonbType::kNull:
    case JsonbType::kTrue:
    case JsonbType::kFalse:
      if (element.payload_size() > 0) return JsonError::kMalformed;
      *value = element.type == JsonbType::kNull
                   ? ValueView::null()
                   : ValueView::boolean(element.type == JsonbType::kTrue);
      return JsonError::kNone;
    case JsonbType::kInteger:
      return number_value(element.text(), true, value);
    case JsonbType::kReal:
    case JsonbType::kReal5:
      return number_value(element.text(), false, value);
    case JsonbType::kInteger5:
      return hexadecimal_value(element.text(), value);
    case JsonbType::kText:
    case JsonbType::kTextRaw:
      *value = ValueView::of_text(element.text());
      return JsonError::kNone;
    case JsonbType::kTextJson:
    case JsonbType::kText5:
      scratch->clear();
      // What is no escape is left out.
      append_json_unescaped(scratch, element.text());
      *value = ValueView::of_text(scratch->text());
      return JsonError::kNone;
    default:
      return JsonError::kMalformed;
  }
}

std::string_view json_type_name(JsonbType type) {
  switch (type) {
    case JsonbType::kNull:
      return "null";
    case JsonbType::kTrue:
      return "true";
    case JsonbType::kFalse:
      return "false";
    case JsonbType::kInteger:
    case JsonbType::kInteger5:
      return "integer";
    case JsonbType::kReal:
    case JsonbType::kReal5:
      return "real";
    case JsonbType::kArray:
      return "array";
    case JsonbType::kObject:
      return "object";
    default:
      return "text";
  }
}

}  // namespace godwit
