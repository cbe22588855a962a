// EXPLAIN QUERY PLAN: the plan in SQLite's words.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "function/function.h"
#include "plan/constraint.h"
#include "plan/expr_tree.h"
#include "plan/planner.h"

namespace godwit {
namespace {

bool orders_all(const SortNode& sort, const DistinctNode& distinct);

class Explainer {
 public:
  explicit Explainer(std::vector<ExplainRow>* rows) : rows_(rows) {}

  void query(const BoundQuery& query, int64_t parent);

 private:
  int64_t add(int64_t parent, std::string detail) {
    int64_t id = static_cast<int64_t>(rows_->size()) + 1;
    rows_->push_back({id, parent, 0, std::move(detail)});
    return id;
  }
  void node(const PlanNode& node, int64_t parent);
  void chain(const AccessNode& node, int64_t parent);
  void access(const AccessNode& node, int64_t parent);
  void expr(const BoundExpr* expr, int64_t parent);
  void set(const SetNode& node, int64_t parent);
  void in_query(const BoundExpr& in, bool is_seek, int64_t parent);
  void subqueries(std::span<const AccessNode* const> accesses, int64_t parent);
  void own_indexes(const AggregateNode& node, int64_t parent);
  void aggregate(const AggregateNode& node, int64_t parent);
  void sort(const SortNode& node, int64_t parent);
  void window(const WindowNode& node, int64_t parent);

  std::vector<ExplainRow>* rows_;
  uint32_t select_number_ = 0;
  uint32_t windows_ = 0;
  bool min_max_ = false;  // below a lone min() or max()
};

// Sources without a name are subqueries, known by their number.
std::string source_name(const BoundSource& source) {
  if (!source.name.empty()) return std::string(source.name);
  if (source.query == nullptr) return "";
  return "(subquery-" + std::to_string(source.query->cores.back()->number) + ")";
}

std::string column_name(const BoundSource& source, int32_t column) {
  if (column == ColumnRef::kRowid) return "rowid";
  if (source.table != nullptr) return source.table->columns[column].name;
  return std::string(source.column_names[column]);
}

std::string key_name(const AccessNode& access, size_t i) {
  int32_t column = access.index->columns[i].column;
  return column == IndexColumn::kExpression ? "<expr>" : column_name(*access.source, column);
}

std::string seek_terms(const AccessNode& access) {
  std::string out;
  auto add = [&](const std::string& term) { out += (out.empty() ? "" : " AND ") + term; };
  size_t i = 0;
  for (; i < access.equal.size(); ++i) add(key_name(access, i) + "=?");
  if (access.lower != nullptr) add(key_name(access, i) + ">?");
  if (access.upper != nullptr) add(key_name(access, i) + "<?");
  return out.empty() ? out : " (" + out + ")";
}

std::string hash_terms(const AccessNode& access) {
  std::string out;
  for (const BoundExpr* key : access.hash_keys) {
    out += (out.empty() ? "" : " AND ") + column_name(*access.source, key->column.column) + "=?";
  }
  return " (" + out + ")";
}

bool filters_input(const AccessNode& access) {
  if (access.source->kind != BoundSource::Kind::kTable) return false;
  const PlanNode* input = access.input;
  while (input->kind != PlanKind::kAccess) input = input->child;
  return static_cast<const AccessNode*>(input)->filter != nullptr;
}

std::string virtual_plan_text(const VirtualPlan& plan) {
  char number[16];
  std::snprintf(number, sizeof number, plan.shows_number_as_hex ? "0x%x" : "%d", plan.number);
  return std::string(number) + ":" + std::string(plan.text);
}

std::string access_detail(const AccessNode& access) {
  std::string name = source_name(*access.source) + (access.first_match_only ? " EXISTS" : "");
  const Index* index = access.index;
  bool is_primary = index != nullptr && index == access.source->table->primary_index;
  switch (access.method) {
    case AccessMethod::kRowidLookup:
      return "SEARCH " + name + " USING INTEGER PRIMARY KEY (rowid=?)";
    case AccessMethod::kRowidRange: {
      std::string range = access.lower != nullptr ? "rowid>?" : "";
      if (access.upper != nullptr) range += range.empty() ? "rowid<?" : " AND rowid<?";
      return "SEARCH " + name + " USING INTEGER PRIMARY KEY (" + range + ")";
    }
    case AccessMethod::kIndexSeek:
    case AccessMethod::kIndexScan: {
      std::string verb = access.method == AccessMethod::kIndexSeek ? "SEARCH " : "SCAN ";
      if (is_primary) return verb + name + " USING PRIMARY KEY" + seek_terms(access);
      return verb + name + (access.covering ? " USING COVERING INDEX " : " USING INDEX ") +
             index->name + seek_terms(access);
    }
    case AccessMethod::kHash:
      return "SEARCH " + name + " USING AUTOMATIC " + (filters_input(access) ? "PARTIAL " : "") +
             "COVERING INDEX" + hash_terms(access);
    case AccessMethod::kVirtual:
      return "SCAN " + name + " VIRTUAL TABLE INDEX " + virtual_plan_text(*access.virtual_plan);
    default:
      return "SCAN " + name;
  }
}

// min() and max() of whole tables are searches to SQLite, even without an index.
std::string as_search(std::string detail) {
  return detail.starts_with("SCAN ") ? "SEARCH " + detail.substr(5) : detail;
}

// Rows of VALUES are scanned where they stand.
const ValuesNode* values_of(const AccessNode& access) {
  if (access.method != AccessMethod::kQuery) return nullptr;
  const PlanNode* input = access.input;
  while (input->kind == PlanKind::kProject || input->kind == PlanKind::kFilter) input = input->child;
  return input->kind == PlanKind::kValues ? static_cast<const ValuesNode*>(input) : nullptr;
}

std::string values_detail(const ValuesNode& values) {
  size_t rows = values.rows_exprs.size();
  return rows == 1 ? "SCAN CONSTANT ROW" : "SCAN " + std::to_string(rows) + "-ROW VALUES CLAUSE";
}

void Explainer::access(const AccessNode& node, int64_t parent) {
  if (const ValuesNode* values = values_of(node)) {
    add(parent, values_detail(*values));
    return;
  }
  if (node.method == AccessMethod::kOr) {
    int64_t id = add(parent, "MULTI-INDEX OR");
    for (size_t i = 0; i < node.branches.size(); ++i) {
      add(add(id, "INDEX " + std::to_string(i + 1)), access_detail(*node.branches[i]));
    }
    return;
  }
  if (node.method == AccessMethod::kHash) {
    add(parent, "BLOOM FILTER ON " + source_name(*node.source) + hash_terms(node));
  }
  std::string detail = access_detail(node);
  if (min_max_) detail = as_search(detail);
  if (node.join == JoinType::kLeft || node.join == JoinType::kFull) detail += " LEFT-JOIN";
  add(parent, std::move(detail));
}

// What stands for a subquery while it runs: a view or common table under its own name.
std::string query_name(const BoundSource& source) {
  return source.query->name.empty() ? source_name(source) : std::string(source.query->name);
}

// The subqueries of a FROM clause. A view or common table that is named twice is made once.
void Explainer::subqueries(std::span<const AccessNode* const> accesses, int64_t parent) {
  std::vector<std::string> shown;
  auto is_query = [](const AccessNode* access) {
    return access->input != nullptr && access->source->kind == BoundSource::Kind::kQuery &&
           values_of(*access) == nullptr;
  };
  for (const AccessNode* access : accesses) {
    if (!is_query(access)) continue;
    const BoundSource& source = *access->source;
    std::string name = query_name(source);
    if (!source.query->name.empty()) {
      if (std::ranges::find(shown, name) != shown.end()) continue;
      shown.push_back(name);
    }
    auto has_name = [&](const AccessNode* other) {
      return is_query(other) && !source.query->name.empty() && query_name(*other->source) == name;
    };
    bool materialized = std::ranges::count_if(accesses, has_name) > 1 ||
                        source.materialized_hint || access->join != JoinType::kInner;
    node(*access->input, add(parent, (materialized ? "MATERIALIZE " : "CO-ROUTINE ") + name));
  }
}

// Subqueries of FROM first, then the sources in the order in which they are joined, each with the
// queries in its conditions; at last the rows that RIGHT and FULL joins add.
void Explainer::chain(const AccessNode& last, int64_t parent) {
  std::vector<const AccessNode*> accesses;
  const PlanNode* first = &last;
  for (; first->kind == PlanKind::kAccess; first = first->child) {
    accesses.insert(accesses.begin(), static_cast<const AccessNode*>(first));
  }
  subqueries(accesses, parent);
  if (first->kind == PlanKind::kFilter) {
    expr(static_cast<const FilterNode*>(first)->condition, parent);
  }
  for (const AccessNode* access : accesses) {
    this->access(*access, parent);
    for (const SeekKey& key : access->equal) {
      if (key.is_in && key.expr->kind == ExprKind::kInQuery) {
        in_query(*key.expr, true, parent);
      } else {
        expr(key.expr, parent);
      }
    }
    for (const BoundExpr* e : {access->lower, access->upper, access->on, access->filter}) {
      expr(e, parent);
    }
  }
  for (const AccessNode* access : accesses) {
    if (access->join != JoinType::kRight && access->join != JoinType::kFull) continue;
    std::string name = source_name(*access->source);
    // SQLite names the table here, not its alias.
    const Table* table = access->source->table;
    add(add(parent, "RIGHT-JOIN " + (table != nullptr ? table->name : name)), "SCAN " + name);
  }
}

void Explainer::expr(const BoundExpr* root, int64_t parent) {
  for_each_expr(root, [&](const BoundExpr& e) {
    if (e.query == nullptr) return;
    if (e.kind == ExprKind::kInQuery) {
      in_query(e, false, parent);
      return;
    }
    std::string number = std::to_string(e.query->cores[0]->number);
    std::string prefix = e.query->correlations.empty() ? "" : "CORRELATED ";
    query(*e.query, add(parent, prefix + "SCALAR SUBQUERY " + number));
  });
}

// A column of a table that has an index on it serves IN as it is.
std::string operator_index(const BoundExpr& in) {
  const BoundQuery& query = *in.query;
  const BoundCore& core = *query.cores[0];
  if (query.cores.size() > 1 || query.limit != nullptr || query.offset != nullptr) return "";
  if (core.is_aggregate || core.distinct || core.where != nullptr || !core.windows.empty()) return "";
  if (core.sources.size() != 1 || core.sources[0]->kind != BoundSource::Kind::kTable) return "";
  if (core.results.size() != 1 || core.results[0].expr->kind != ExprKind::kColumn) return "";
  const Table& table = *core.sources[0]->table;
  ColumnRef column = core.results[0].expr->column;
  if (column.source != core.sources[0]->id) return "";
  if (table.has_rowid() &&
      (column.column == ColumnRef::kRowid || column.column == table.rowid_column)) {
    return "USING ROWID SEARCH ON TABLE " + std::string(core.sources[0]->name) +
           " FOR IN-OPERATOR";
  }
  for (const Index* index : table.indexes) {
    if (index->where != nullptr || index->columns[0].column != column.column) continue;
    bool same = in.collations.empty() || same_collation(index->columns[0].collation, in.collations[0]);
    if (same) return "USING INDEX " + std::string(index->name) + " FOR IN-OPERATOR";
  }
  return "";
}

void Explainer::in_query(const BoundExpr& in, bool is_seek, int64_t parent) {
  for (const BoundExpr* arg : in.args) expr(arg, parent);
  if (std::string index = operator_index(in); !index.empty()) {
    add(parent, index);
    return;
  }
  bool correlated = !in.query->correlations.empty();
  int64_t id = add(parent, (correlated ? "CORRELATED " : "") + std::string("LIST SUBQUERY ") +
                               std::to_string(in.query->cores[0]->number));
  query(*in.query, id);
  if (is_seek || correlated) return;
  for (size_t i = 0; i < in.query->cores.size(); ++i) add(id, "CREATE BLOOM FILTER");
}

void Explainer::set(const SetNode& node, int64_t parent) {
  static const char* const kNames[] = {"UNION ALL", "UNION", "INTERSECT", "EXCEPT"};
  std::string name = kNames[static_cast<int>(node.operation)];
  if (node.kind == PlanKind::kUnionAll) {
    int64_t id = add(parent, "COMPOUND QUERY");
    this->node(*node.children[0], add(id, "LEFT-MOST SUBQUERY"));
    for (const PlanNode* child : node.children.subspan(1)) this->node(*child, add(id, name));
    return;
  }
  int64_t id = add(parent, "MERGE (" + name + ")");
  this->node(*node.children[0], add(id, "LEFT"));
  this->node(*node.children[1], add(id, "RIGHT"));
}

void Explainer::node(const PlanNode& plan_node, int64_t parent) {
  switch (plan_node.kind) {
    case PlanKind::kSingleRow:
      add(parent, "SCAN CONSTANT ROW");
      break;
    case PlanKind::kAccess:
      chain(static_cast<const AccessNode&>(plan_node), parent);
      break;
    case PlanKind::kProject: {
      const ProjectNode& project = static_cast<const ProjectNode&>(plan_node);
      node(*project.child, parent);
      for (const BoundExpr* e : project.exprs) expr(e, parent);
      break;
    }
    case PlanKind::kFilter:
      node(*plan_node.child, parent);
      expr(static_cast<const FilterNode&>(plan_node).condition, parent);
      break;
    case PlanKind::kAggregate:
      aggregate(static_cast<const AggregateNode&>(plan_node), parent);
      break;
    case PlanKind::kDistinct:
      node(*plan_node.child, parent);
      if (!static_cast<const DistinctNode&>(plan_node).adjacent) {
        add(parent, "USE TEMP B-TREE FOR DISTINCT");
      }
      break;
    case PlanKind::kSort:
      sort(static_cast<const SortNode&>(plan_node), parent);
      break;
    case PlanKind::kLimit:
      expr(static_cast<const LimitNode&>(plan_node).limit, parent);
      expr(static_cast<const LimitNode&>(plan_node).offset, parent);
      node(*plan_node.child, parent);
      break;
    case PlanKind::kValues:
      add(parent, values_detail(static_cast<const ValuesNode&>(plan_node)));
      for (auto row : static_cast<const ValuesNode&>(plan_node).rows_exprs) {
        for (const BoundExpr* e : row) expr(e, parent);
      }
      break;
    case PlanKind::kUnionAll:
    case PlanKind::kSetOperation:
      set(static_cast<const SetNode&>(plan_node), parent);
      break;
    case PlanKind::kRecursive: {
      const RecursiveNode& recursive = static_cast<const RecursiveNode&>(plan_node);
      node(*recursive.initial, add(parent, "SETUP"));
      for (const PlanNode* step : recursive.steps) node(*step, add(parent, "RECURSIVE STEP"));
      break;
    }
    case PlanKind::kWindow: {
      window(static_cast<const WindowNode&>(plan_node), parent);
      break;
    }
  }
}

// SQLite runs each window over a subquery of its own.
void Explainer::window(const WindowNode& plan, int64_t parent) {
  std::vector<std::pair<int64_t, std::string>> scans;
  for (size_t i = 0; i < plan.windows.size(); ++i) {
    std::string name = "(subquery-" + std::to_string(select_number_ + ++windows_) + ")";
    scans.emplace_back(parent, "SCAN " + name);
    parent = add(parent, "CO-ROUTINE " + name);
  }
  node(*plan.child, parent);
  for (size_t i = scans.size(); i-- > 0;) add(scans[i].first, scans[i].second);
}

// The rows come with equal arguments of the only aggregate, which is DISTINCT, one after the other.
bool distinct_is_ordered(const AggregateNode& plan) {
  const BoundCore& core = *plan.core;
  if (core.aggregates.size() != 1 || plan.child->kind != PlanKind::kAccess) return false;
  const BoundExpr& arg = *core.aggregates[0]->args[0];
  const AccessNode& access = static_cast<const AccessNode&>(*plan.child);
  size_t keys = core.group_by.size();
  if (arg.kind != ExprKind::kColumn || access.index == nullptr || !access.equal.empty()) return false;
  if (arg.column.source != access.source->id || access.index->columns.size() <= keys) return false;
  if (core.has_group_by && plan.method != AggregateMethod::kSorted) return false;
  return access.index->columns[keys].column == arg.column.column;
}

// The trees that aggregates need for DISTINCT and ORDER BY.
void Explainer::own_indexes(const AggregateNode& plan, int64_t parent) {
  for (const BoundAggregate* call : plan.core->aggregates) {
    std::string name = "USE TEMP B-TREE FOR " + std::string(call->function->name);
    bool ordered = !call->order_by.empty() && !call->is_min && !call->is_max;
    bool one_tree = ordered && call->order_by.size() == 1 && call->args.size() == 1 &&
                    same_expr(*call->order_by[0].expr, *call->args[0]);
    if (call->distinct && !one_tree && !distinct_is_ordered(plan)) add(parent, name + "(DISTINCT)");
    if (ordered) add(parent, name + "(ORDER BY)");
  }
}

void Explainer::aggregate(const AggregateNode& plan, int64_t parent) {
  const BoundCore& core = *plan.core;
  if (!core.has_group_by) own_indexes(plan, parent);
  min_max_ = !core.has_group_by && core.aggregates.size() == 1 &&
             (core.aggregates[0]->is_min || core.aggregates[0]->is_max);
  node(*plan.child, parent);
  min_max_ = false;
  if (plan.method == AggregateMethod::kHash) add(parent, "USE TEMP B-TREE FOR GROUP BY");
  if (core.has_group_by) own_indexes(plan, parent);
  for (const BoundAggregate* call : core.aggregates) {
    for (const BoundExpr* arg : call->args) expr(arg, parent);
  }
}

bool orders_all(const SortNode& sort, const DistinctNode& distinct) {
  if (sort.terms.size() != distinct.columns) return false;
  for (size_t i = 0; i < sort.terms.size(); ++i) {
    if (sort.terms[i].output_column != static_cast<int32_t>(i)) return false;
  }
  return true;
}

void Explainer::sort(const SortNode& plan, int64_t parent) {
  const PlanNode& child = *plan.child;
  node(child, parent);
  // DISTINCT and ORDER BY over the same columns are one thing.
  if (child.kind == PlanKind::kDistinct && orders_all(plan, static_cast<const DistinctNode&>(child))) {
    return;
  }
  size_t rest = plan.terms.size() - plan.presorted_terms;
  std::string what = plan.presorted_terms == 0 ? ""
                     : rest == 1               ? "LAST TERM OF "
                                 : "LAST " + std::to_string(rest) + " TERMS OF ";
  add(parent, "USE TEMP B-TREE FOR " + what + "ORDER BY");
}

void Explainer::query(const BoundQuery& query, int64_t parent) {
  select_number_ = query.cores[0]->number;
  windows_ = 0;
  node(*query.plan->root, parent);
}

}  // namespace

std::vector<ExplainRow> explain_query_plan(const QueryPlan& plan) {
  std::vector<ExplainRow> rows;
  Explainer(&rows).query(*plan.query, 0);
  return rows;
}

}  // namespace godwit
