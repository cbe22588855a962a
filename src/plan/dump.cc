// Plans and expressions as text, for tests and debugging.
#include <string>

#include "plan/planner.h"

namespace godwit {
namespace {

const char* const kBinaryNames[] = {"+", "-", "*", "/", "%", "&", "|", "<<", ">>", "||"};
const char* const kCompareNames[] = {"=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"};
const char* const kUnaryNames[] = {"NOT ", "-", "+", "~", "real "};
const char* const kMethodNames[] = {"scan",  "rowid",          "rowid-range", "index-seek", "index-scan",
                                    "query", "hash",           "function",    "or",         "queue"};
const char* const kJoinNames[] = {"inner", "cross", "left", "right", "full"};
const char* const kKindNames[] = {"SingleRow", "Access", "Filter", "Project",  "Aggregate",
                                  "Distinct",  "Sort",   "Limit",  "Values",   "UnionAll",
                                  "SetOperation", "Recursive", "Window"};

std::string column_text(const ColumnRef& column) {
  return "s" + std::to_string(column.source) + "." +
         (column.column == ColumnRef::kRowid ? "rowid" : std::to_string(column.column));
}

std::string value_text(const ValueView& value) {
  switch (value.type) {
    case ValueType::kNull: return "NULL";
    case ValueType::kInteger: return std::to_string(value.integer);
    case ValueType::kReal: return std::to_string(value.real);
    case ValueType::kText: return "'" + std::string(value.text()) + "'";
    case ValueType::kBlob: return "x'" + std::to_string(value.size) + " bytes'";
  }
  return "";
}

template <typename Items, typename Text>
std::string list_text(const Items& items, Text&& text, const char* separator = ", ") {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += text(item);
  }
  return out;
}

std::string args_text(const BoundExpr& expr, const char* separator = ", ", size_t from = 0) {
  return list_text(expr.args.subspan(from), [](const BoundExpr* e) { return dump_expr(*e); },
                   separator);
}

std::string query_text(const BoundExpr& expr) {
  std::string name = "query" + std::to_string(expr.query->cores.empty() ? 0
                                                                       : expr.query->cores[0]->number);
  if (!expr.query->correlations.empty()) {
    name += "[" + list_text(expr.query->correlations, column_text) + "]";
  }
  return name;
}

void dump_node(const PlanNode& node, int depth, std::string* out);

std::string access_text(const AccessNode& node) {
  std::string out = std::string(" ") + kMethodNames[static_cast<int>(node.method)];
  if (node.source != nullptr) {
    out += " " + std::string(node.source->name) + "=s" + std::to_string(node.source->id);
  }
  if (node.join != JoinType::kInner) {
    out += std::string(" ") + kJoinNames[static_cast<int>(node.join)];
  }
  if (node.index != nullptr) out += " index " + node.index->name;
  if (node.covering) out += " covering";
  if (node.descending) out += " descending";
  if (node.first_match_only) out += " first";
  if (!node.equal.empty()) {
    out += " equal(" + list_text(node.equal, [](const SeekKey& key) { return dump_expr(*key.expr); }) +
           ")";
  }
  if (node.lower != nullptr) {
    out += std::string(" lower") + (node.lower_inclusive ? ">=" : ">") + dump_expr(*node.lower);
  }
  if (node.upper != nullptr) {
    out += std::string(" upper") + (node.upper_inclusive ? "<=" : "<") + dump_expr(*node.upper);
  }
  if (!node.hash_keys.empty()) {
    out += " keys(" + list_text(node.hash_keys, [](const BoundExpr* e) { return dump_expr(*e); }) + ")";
  }
  if (node.on != nullptr) out += " on " + dump_expr(*node.on);
  if (node.filter != nullptr) out += " filter " + dump_expr(*node.filter);
  return out;
}

std::string sort_text(std::span<const OrderTerm> terms) {
  return list_text(terms, [](const OrderTerm& term) {
    return dump_expr(*term.expr) + (term.descending ? " desc" : "");
  });
}

void dump_node(const PlanNode& node, int depth, std::string* out) {
  out->append(static_cast<size_t>(depth) * 2, ' ');
  *out += kKindNames[static_cast<int>(node.kind)];
  std::span<PlanNode* const> children;
  switch (node.kind) {
    case PlanKind::kAccess: {
      const AccessNode& access = static_cast<const AccessNode&>(node);
      *out += access_text(access);
      break;
    }
    case PlanKind::kFilter:
      *out += " " + dump_expr(*static_cast<const FilterNode&>(node).condition);
      break;
    case PlanKind::kProject:
      *out += " " + list_text(static_cast<const ProjectNode&>(node).exprs,
                              [](const BoundExpr* e) { return dump_expr(*e); });
      break;
    case PlanKind::kAggregate: {
      const AggregateNode& aggregate = static_cast<const AggregateNode&>(node);
      static const char* const kMethods[] = {" single", " sorted", " hash"};
      *out += kMethods[static_cast<int>(aggregate.method)];
      if (aggregate.first_row_only) *out += " first-row";
      break;
    }
    case PlanKind::kSort: {
      const SortNode& sort = static_cast<const SortNode&>(node);
      *out += " " + sort_text(sort.terms);
      if (sort.presorted_terms > 0) *out += " presorted " + std::to_string(sort.presorted_terms);
      if (sort.limit != nullptr) *out += " top";
      break;
    }
    case PlanKind::kUnionAll:
    case PlanKind::kSetOperation: {
      const SetNode& set = static_cast<const SetNode&>(node);
      static const char* const kNames[] = {" union-all", " union", " intersect", " except"};
      *out += kNames[static_cast<int>(set.operation)];
      children = set.children;
      break;
    }
    case PlanKind::kRecursive:
      children = static_cast<const RecursiveNode&>(node).steps;
      break;
    default:
      break;
  }
  *out += " -> " + list_text(node.output, column_text) + "\n";
  if (node.kind == PlanKind::kRecursive) {
    dump_node(*static_cast<const RecursiveNode&>(node).initial, depth + 1, out);
  }
  for (const PlanNode* child : children) dump_node(*child, depth + 1, out);
  if (node.kind == PlanKind::kAccess) {
    const AccessNode& access = static_cast<const AccessNode&>(node);
    for (const AccessNode* branch : access.branches) dump_node(*branch, depth + 2, out);
    if (access.input != nullptr) dump_node(*access.input, depth + 2, out);
  }
  if (node.child != nullptr) dump_node(*node.child, depth + 1, out);
}

}  // namespace

std::string dump_expr(const BoundExpr& e) {
  const std::string negation = e.negated ? "NOT " : "";
  switch (e.kind) {
    case ExprKind::kConstant: return value_text(e.constant);
    case ExprKind::kParameter: return "?" + std::to_string(e.parameter);
    case ExprKind::kColumn: return column_text(e.column);
    case ExprKind::kUnary: return kUnaryNames[static_cast<int>(e.unary)] + dump_expr(*e.args[0]);
    case ExprKind::kBinary:
      return "(" + dump_expr(*e.args[0]) + kBinaryNames[static_cast<int>(e.binary)] +
             dump_expr(*e.args[1]) + ")";
    case ExprKind::kCompare:
      return "(" + dump_expr(*e.args[0]) + " " + kCompareNames[static_cast<int>(e.compare)] + " " +
             dump_expr(*e.args[1]) + ")";
    case ExprKind::kAnd: return "(" + args_text(e, " AND ") + ")";
    case ExprKind::kOr: return "(" + args_text(e, " OR ") + ")";
    case ExprKind::kIsNull: return dump_expr(*e.args[0]) + (e.negated ? " NOTNULL" : " ISNULL");
    case ExprKind::kIsTruth:
      return dump_expr(*e.args[0]) + " IS " + negation + (e.truth ? "TRUE" : "FALSE");
    case ExprKind::kBetween:
      return "(" + dump_expr(*e.args[0]) + " " + negation + "BETWEEN " + args_text(e, " AND ", 1) + ")";
    case ExprKind::kInList:
      return "(" + dump_expr(*e.args[0]) + " " + negation + "IN (" + args_text(e, ", ", 1) + "))";
    case ExprKind::kInQuery: return "(" + args_text(e) + " " + negation + "IN " + query_text(e) + ")";
    case ExprKind::kExists: return negation + "EXISTS " + query_text(e);
    case ExprKind::kScalarQuery: return query_text(e);
    case ExprKind::kCase: return "CASE(" + args_text(e) + ")";
    case ExprKind::kCast: return "CAST(" + dump_expr(*e.args[0]) + ")";
    case ExprKind::kFunction: return "f(" + args_text(e) + ")";
    case ExprKind::kRow: return "ROW(" + args_text(e) + ")";
    case ExprKind::kRaise: return "RAISE";
  }
  return "";
}

std::string dump_plan(const QueryPlan& plan) {
  std::string out;
  dump_node(*plan.root, 0, &out);
  return out;
}

}  // namespace godwit
