// Literals: numbers in SQLite's reading, strings, blobs, CURRENT_TIME and its kin.
#include <charconv>

#include "plan/binder_state.h"
#include "value/number_text.h"

namespace godwit {

namespace {

bool is_hex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

// A hexadecimal literal is the two's complement of 64 bits; longer ones do not exist.
bool parse_hex(std::string_view text, uint64_t* value) {
  text.remove_prefix(2);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_decimal(std::string_view text, uint64_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 10);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<BoundExpr*> BinderState::bind_literal(const ast::LiteralExpr& literal, bool negative) {
  switch (literal.literal) {
    case ast::LiteralKind::kNull:
      return make_constant(ValueView::null());
    case ast::LiteralKind::kString:
      return make_constant(ValueView::of_text(arena->copy(literal.text)));
    case ast::LiteralKind::kBlob:
      return make_constant(ValueView::of_blob(arena->copy(literal.text)));
    case ast::LiteralKind::kReal: {
      double value = text_to_real(literal.text);
      return make_constant(ValueView::of(negative ? -value : value));
    }
    case ast::LiteralKind::kInteger:
      break;
    case ast::LiteralKind::kCurrentTime:
      return call_named("current_time", {}, &literal);
    case ast::LiteralKind::kCurrentDate:
      return call_named("current_date", {}, &literal);
    case ast::LiteralKind::kCurrentTimestamp:
      return call_named("current_timestamp", {}, &literal);
  }
  constexpr uint64_t kMinimum = uint64_t{1} << 63;
  uint64_t value = 0;
  if (is_hex(literal.text)) {
    if (!parse_hex(literal.text, &value) || (negative && value == kMinimum)) {
      return fail_at(literal.range, concat("hex literal too big: ", negative ? "-" : "",
                                           literal.text));
    }
    uint64_t bits = negative ? uint64_t{0} - value : value;
    return make_constant(ValueView::of(static_cast<int64_t>(bits)));
  }
  if (!parse_decimal(literal.text, &value) || value > kMinimum || (value == kMinimum && !negative)) {
    double real = text_to_real(literal.text);
    return make_constant(ValueView::of(negative ? -real : real));
  }
  uint64_t bits = negative ? uint64_t{0} - value : value;
  return make_constant(ValueView::of(static_cast<int64_t>(bits)));
}

}  // namespace godwit
