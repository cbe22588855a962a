// Window definitions: WINDOW clauses and OVER (...).
#include "sql/parser_impl.h"

namespace godwit::internal {

bool Parser::parse_window_clause(std::span<ast::WindowDef*>* windows) {
  ListBuilder<ast::WindowDef*> list(arena_);
  advance();
  do {
    ast::Name name;
    if (!parse_name(&name) || !expect(Kind::k_AS, Kind::kLeftParen)) return false;
    ast::WindowDef* window = parse_window();
    if (window == nullptr) return false;
    window->name = name;
    list.add(window);
  } while (accept(Kind::kComma));
  *windows = list.list();
  return true;
}

ast::WindowDef* Parser::parse_window() {
  Depth depth(this, 4);
  if (!depth.ok()) return nullptr;
  auto* window = arena_->make<ast::WindowDef>();
  bool at_clause =
      at(Kind::k_PARTITION) || at(Kind::k_RANGE) || at(Kind::k_ROWS) || at(Kind::k_GROUPS);
  if (!at_clause && at_role(kRoleName)) window->base = take_name();
  if (accept(Kind::k_PARTITION)) {
    int height = 0;
    if (!expect(Kind::k_BY) || !parse_expr_list(&window->partition_by, &height)) return nullptr;
  }
  if (at(Kind::k_ORDER) && !parse_order_by(&window->order_by)) return nullptr;
  if (!parse_frame(window) || !expect(Kind::kRightParen)) return nullptr;
  return window;
}

bool Parser::parse_frame(ast::WindowDef* window) {
  switch (token_.kind) {
    case Kind::k_RANGE:
      window->unit = ast::FrameUnit::kRange;
      break;
    case Kind::k_ROWS:
      window->unit = ast::FrameUnit::kRows;
      break;
    case Kind::k_GROUPS:
      window->unit = ast::FrameUnit::kGroups;
      break;
    default:
      return true;
  }
  window->has_frame = true;
  advance();
  if (accept(Kind::k_BETWEEN)) {
    if (!parse_frame_bound(&window->start, false) || !expect(Kind::k_AND) ||
        !parse_frame_bound(&window->end, true)) {
      return false;
    }
  } else if (!parse_frame_bound(&window->start, false)) {
    return false;
  }
  if (!parse_frame_exclude(window)) return false;
  // A frame cannot end before the kind of place where it begins.
  using Bound = ast::FrameBoundKind;
  bool backwards = window->start.kind > window->end.kind &&
                   window->start.kind != Bound::kUnboundedPreceding &&
                   window->end.kind != Bound::kUnboundedFollowing;
  if (backwards) fail_later("unsupported frame specification");
  return true;
}

bool Parser::parse_frame_bound(ast::FrameBound* bound, bool is_end) {
  if (accept(Kind::k_UNBOUNDED)) {
    bound->kind = is_end ? ast::FrameBoundKind::kUnboundedFollowing
                         : ast::FrameBoundKind::kUnboundedPreceding;
    return expect(is_end ? Kind::k_FOLLOWING : Kind::k_PRECEDING);
  }
  if (accept(Kind::k_CURRENT)) {
    bound->kind = ast::FrameBoundKind::kCurrentRow;
    return expect(Kind::k_ROW);
  }
  bound->expr = parse_expr();
  if (bound->expr == nullptr) return false;
  bound->kind =
      at(Kind::k_PRECEDING) ? ast::FrameBoundKind::kPreceding : ast::FrameBoundKind::kFollowing;
  return accept(Kind::k_PRECEDING) || expect(Kind::k_FOLLOWING);
}

bool Parser::parse_frame_exclude(ast::WindowDef* window) {
  if (!accept(Kind::k_EXCLUDE)) return true;
  window->has_exclude = true;
  if (accept(Kind::k_NO)) return expect(Kind::k_OTHERS);
  if (accept(Kind::k_CURRENT)) {
    window->exclude = ast::FrameExclude::kCurrentRow;
    return expect(Kind::k_ROW);
  }
  if (accept(Kind::k_GROUP)) {
    window->exclude = ast::FrameExclude::kGroup;
    return true;
  }
  window->exclude = ast::FrameExclude::kTies;
  return expect(Kind::k_TIES);
}

}  // namespace godwit::internal
