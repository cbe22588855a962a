// Which table is missing in a query that has an error: SQLite looks for the tables of the whole query,
// those of subqueries in its expressions included, before it looks at any expression. Here names are
// looked up where they stand; so, and only when there is an error, the syntax tree is walked for a
// table that is not there.
#include <utility>

#include "plan/binder_state.h"

namespace godwit {

namespace {

class MissingTables {
 public:
  explicit MissingTables(BinderState* state) : state_(state) {}

  // The last arm comes first, and has the ORDER BY and LIMIT.
  Status look_at(const ast::Select& select) {
    const size_t visible = tables_.size();
    if (select.with != nullptr) {
      for (const ast::CommonTable& table : select.with->tables) tables_.push_back(&table);
    }
    for (size_t i = select.cores.size(); i-- > 0;) {
      const ast::SelectCore& core = *select.cores[i];
      GW_TRY(look_at(core.from));
      GW_TRY(look_at_stars(core));
      GW_TRY(look_at_expressions(core));
      if (i + 1 < select.cores.size()) continue;
      GW_TRY(look_at(select.order_by));
      GW_TRY(look_at(select.limit));
      GW_TRY(look_at(select.offset));
    }
    tables_.resize(visible);
    return Status();
  }

 private:
  Status look_at(std::span<ast::FromItem> items) {
    for (const ast::FromItem& item : items) {
      switch (item.kind) {
        case ast::FromKind::kTable:
          GW_TRY(look_for(item.schema, item.table, item));
          break;
        case ast::FromKind::kTableFunction:
          GW_TRY(state_->find_table(item.schema, item.table).status());
          break;
        case ast::FromKind::kSubquery:
          GW_TRY(look_at(*item.select));
          break;
        case ast::FromKind::kJoin:
          GW_TRY(look_at(item.items));
          break;
      }
    }
    return Status();
  }

  Status look_for(const ast::Name& schema, const ast::Name& name, const ast::FromItem& item) {
    if (!schema) {
      for (size_t i = tables_.size(); i-- > 0;) {
        if (same_name(tables_[i]->name.text, name.text)) return look_at_common(*tables_[i]);
      }
      WithFrame* frame = nullptr;
      if (state_->find_common_table(name.text, &frame) != nullptr) return Status();
    }
    GW_ASSIGN(const Table* table, state_->find_table(schema, name));
    if (item.index_hint != ast::IndexHint::kIndexedBy) return Status();
    return state_->find_index(table, item.index).status();
  }

  // A common table is looked at where it is named, and only once.
  Status look_at_common(const ast::CommonTable& table) {
    for (const ast::CommonTable* known : seen_) {
      if (known == &table) return Status();
    }
    seen_.push_back(&table);
    return look_at(*table.select);
  }

  Status look_at_stars(const ast::SelectCore& core) {
    for (const ast::ResultColumn& column : core.columns) {
      if (column.kind == ast::ResultColumnKind::kExpr) continue;
      if (core.from.empty()) return Status::error("no tables specified");
      if (column.kind == ast::ResultColumnKind::kTableStar && !names(core.from, column.table.text)) {
        return Status::error(concat("no such table: ", column.table.text));
      }
    }
    return Status();
  }

  static bool names(std::span<ast::FromItem> items, std::string_view name) {
    for (const ast::FromItem& item : items) {
      if (item.kind == ast::FromKind::kJoin && names(item.items, name)) return true;
      const ast::Name& own = item.alias ? item.alias : item.table;
      if (own && same_name(own.text, name)) return true;
    }
    return false;
  }

  Status look_at_expressions(const ast::SelectCore& core) {
    for (const ast::ResultColumn& column : core.columns) GW_TRY(look_at(column.expr));
    GW_TRY(look_at(core.values));
    GW_TRY(look_at(core.where));
    GW_TRY(look_at_conditions(core.from));
    GW_TRY(look_at(core.group_by));
    GW_TRY(look_at(core.having));
    for (const ast::WindowDef* window : core.windows) GW_TRY(look_at(window));
    return Status();
  }

  Status look_at_conditions(std::span<ast::FromItem> items) {
    for (const ast::FromItem& item : items) {
      GW_TRY(look_at(item.on));
      GW_TRY(look_at(item.arguments));
      GW_TRY(look_at_conditions(item.items));
    }
    return Status();
  }

  Status look_at(std::span<ast::Expr*> exprs) {
    for (const ast::Expr* expr : exprs) GW_TRY(look_at(expr));
    return Status();
  }

  Status look_at(std::span<ast::OrderTerm> terms) {
    for (const ast::OrderTerm& term : terms) GW_TRY(look_at(term.expr));
    return Status();
  }

  Status look_at(const ast::WindowDef* window) {
    if (window == nullptr) return Status();
    GW_TRY(look_at(window->partition_by));
    GW_TRY(look_at(window->order_by));
    GW_TRY(look_at(window->start.expr));
    return look_at(window->end.expr);
  }

  Status look_at(const ast::InExpr& in) {
    GW_TRY(look_at(in.operand));
    if (in.source == ast::InSource::kSelect) return look_at(*in.select);
    if (in.source == ast::InSource::kTable) GW_TRY(look_for(in.schema, in.table, {}));
    return look_at(in.list);
  }

  Status look_at(const ast::CaseExpr& choice) {
    GW_TRY(look_at(choice.operand));
    for (const ast::CaseBranch& branch : choice.branches) {
      GW_TRY(look_at(branch.when));
      GW_TRY(look_at(branch.then));
    }
    return look_at(choice.otherwise);
  }

  Status look_at(const ast::FunctionExpr& call) {
    GW_TRY(look_at(call.arguments));
    GW_TRY(look_at(call.order_by));
    GW_TRY(look_at(call.filter));
    return look_at(call.over);
  }

  Status look_at(const ast::Expr* expr) {
    if (expr == nullptr) return Status();
    using Kind = ast::ExprKind;
    switch (expr->kind) {
      case Kind::kLiteral:
      case Kind::kColumn:
      case Kind::kBind:
        return Status();
      case Kind::kUnary:
        return look_at(expr->as<ast::UnaryExpr>()->operand);
      case Kind::kBinary:
        GW_TRY(look_at(expr->as<ast::BinaryExpr>()->left));
        return look_at(expr->as<ast::BinaryExpr>()->right);
      case Kind::kBetween:
        GW_TRY(look_at(expr->as<ast::BetweenExpr>()->operand));
        GW_TRY(look_at(expr->as<ast::BetweenExpr>()->low));
        return look_at(expr->as<ast::BetweenExpr>()->high);
      case Kind::kLike:
        GW_TRY(look_at(expr->as<ast::LikeExpr>()->operand));
        GW_TRY(look_at(expr->as<ast::LikeExpr>()->pattern));
        return look_at(expr->as<ast::LikeExpr>()->escape);
      case Kind::kIn:
        return look_at(*expr->as<ast::InExpr>());
      case Kind::kCase:
        return look_at(*expr->as<ast::CaseExpr>());
      case Kind::kCast:
        return look_at(expr->as<ast::CastExpr>()->operand);
      case Kind::kCollate:
        return look_at(expr->as<ast::CollateExpr>()->operand);
      case Kind::kFunction:
        return look_at(*expr->as<ast::FunctionExpr>());
      case Kind::kExists:
        return look_at(*expr->as<ast::ExistsExpr>()->select);
      case Kind::kSubquery:
        return look_at(*expr->as<ast::SubqueryExpr>()->select);
      case Kind::kRow:
        return look_at(expr->as<ast::RowExpr>()->values);
      case Kind::kRaise:
        return look_at(expr->as<ast::RaiseExpr>()->message);
    }
    return Status();
  }

  BinderState* state_;
  std::vector<const ast::CommonTable*> tables_;  // visible here, the nearest ones last
  std::vector<const ast::CommonTable*> seen_;
};

}  // namespace

Status BinderState::table_error(const ast::Select& select, const Place& before, Status error) {
  if (error.primary() != code::kError) return error;
  const int32_t offset = error_offset;
  go_to(before);
  Status missing = MissingTables(this).look_at(select);
  if (!missing.ok()) return missing;
  error_offset = offset;
  return error;
}

}  // namespace godwit
