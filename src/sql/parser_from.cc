// FROM: tables, subqueries, table functions, parenthesized joins, and the operators between them.
#include "sql/parser_impl.h"

namespace godwit::internal {

namespace {

constexpr int kFromItemsMax = 200;

}  // namespace

bool Parser::parse_from(std::span<ast::FromItem>* items) {
  return !accept(Kind::k_FROM) || parse_from_list(items);
}

bool Parser::parse_from_list(std::span<ast::FromItem>* items) {
  ListBuilder<ast::FromItem> list(arena_);
  bool more = true;
  int count = 0;
  ast::FromItem item;
  while (more) {
    if (!parse_from_item(&item)) return false;
    list.add(item);
    if (++count > kFromItemsMax) {
      return fail("too many FROM clause terms, max: " + std::to_string(kFromItemsMax));
    }
    item = ast::FromItem();
    if (!parse_join_operator(&item, &more)) return false;
  }
  *items = list.list();
  return true;
}

bool Parser::parse_from_item(ast::FromItem* item) {
  if (!at(Kind::kLeftParen)) {
    if (!parse_from_table(item)) return false;
  } else {
    Depth depth(this, 2);
    if (!depth.ok()) return false;
    advance();
    if (at_select()) {
      item->kind = ast::FromKind::kSubquery;
      item->select = parse_parenthesized_select();
      if (item->select == nullptr) return false;
    } else {
      item->kind = ast::FromKind::kJoin;
      if (!parse_from_list(&item->items) || !expect(Kind::kRightParen)) return false;
    }
    if (!parse_alias(&item->alias)) return false;
  }
  return parse_on_using(item);
}

bool Parser::parse_from_table(ast::FromItem* item) {
  ast::TableName name;
  if (!parse_table_name(&name)) return false;
  if (name.schema.present()) schemas_.add(name.schema);
  item->schema = name.schema;
  item->table = name.table;
  if (accept(Kind::kLeftParen)) {
    item->kind = ast::FromKind::kTableFunction;
    int height = 0;
    if (!at(Kind::kRightParen) && !parse_expr_list(&item->arguments, &height)) return false;
    return expect(Kind::kRightParen) && parse_alias(&item->alias);
  }
  return parse_alias(&item->alias) && parse_index_hint(&item->index_hint, &item->index);
}

bool Parser::parse_index_hint(ast::IndexHint* hint, ast::Name* index) {
  if (accept(Kind::k_INDEXED)) {
    *hint = ast::IndexHint::kIndexedBy;
    return expect(Kind::k_BY) && parse_name(index);
  }
  if (accept(Kind::k_NOT)) {
    *hint = ast::IndexHint::kNotIndexed;
    return expect(Kind::k_INDEXED);
  }
  return true;
}

bool Parser::parse_on_using(ast::FromItem* item) {
  bool is_on = at(Kind::k_ON);
  if (accept(Kind::k_ON)) {
    Depth depth(this, 5);
    if (!depth.ok()) return false;
    item->on = parse_expr();
    if (item->on == nullptr) return false;
  } else if (accept(Kind::k_USING)) {
    if (!expect(Kind::kLeftParen) || !parse_name_list(&item->using_columns) ||
        !expect(Kind::kRightParen)) {
      return false;
    }
  } else {
    return true;
  }
  if (item->join == ast::JoinKind::kFirst) {
    fail_later(std::string("a JOIN clause is required before ") + (is_on ? "ON" : "USING"));
  }
  if (item->natural) deferred_error_ = "a NATURAL join may not have an ON or USING clause";
  return true;
}

bool Parser::parse_join_operator(ast::FromItem* item, bool* found) {
  *found = true;
  if (accept(Kind::kComma)) {
    item->join = ast::JoinKind::kComma;
    return true;
  }
  if (accept(Kind::k_JOIN)) {
    item->join = ast::JoinKind::kInner;
    return true;
  }
  bool at_join_word = at_role(kRoleName) && !at_role(kRoleId | kRoleAlias);
  if (!at_join_word) {
    *found = false;
    return true;
  }
  constexpr int kMostWords = 3;
  Token words[kMostWords];
  int count = 0;
  words[count++] = token_;
  advance();
  while (!at(Kind::k_JOIN)) {
    if (count == kMostWords || !at_role(kRoleName)) return syntax_error();
    words[count++] = token_;
    advance();
  }
  advance();
  apply_join_words(item, words, count);
  return true;
}

// SQLite takes up to three words in any order and looks at the set: LEFT RIGHT is FULL, and CROSS
// is an INNER that keeps the order of its tables.
void Parser::apply_join_words(ast::FromItem* item, const Token* words, int count) {
  bool inner = false, cross = false, outer = false, left = false, right = false;
  bool known = true;
  std::string all;
  for (int i = 0; i < count; ++i) {
    if (i > 0) all += ' ';
    all += tokenizer_.text(words[i]);
    switch (words[i].kind) {
      case Kind::k_NATURAL:
        item->natural = true;
        break;
      case Kind::k_LEFT:
        left = outer = true;
        break;
      case Kind::k_RIGHT:
        right = outer = true;
        break;
      case Kind::k_FULL:
        left = right = outer = true;
        break;
      case Kind::k_OUTER:
        outer = true;
        break;
      case Kind::k_INNER:
        inner = true;
        break;
      case Kind::k_CROSS:
        inner = cross = true;
        break;
      default:
        known = false;
        break;
    }
  }
  if (!known || (inner && outer) || (outer && !left && !right)) {
    fail_later("unknown join type: " + all, words[0].offset);
  }
  if (left || right) {
    item->join = left && right ? ast::JoinKind::kFull
                 : left        ? ast::JoinKind::kLeft
                               : ast::JoinKind::kRight;
  } else {
    item->join = cross ? ast::JoinKind::kCross : ast::JoinKind::kInner;
  }
}

}  // namespace godwit::internal
