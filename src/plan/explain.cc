// EXPLAIN QUERY PLAN: the plan in SQLite's words.
#include <string>

#include "plan/expr_tree.h"
#include "plan/planner.h"

namespace godwit {
namespace {

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

  std::vector<ExplainRow>* rows_;
};

std::string seek_terms(const AccessNode& access) {
  const Table& table = *access.source->table;
  auto name = [&](size_t i) -> std::string {
    if (i >= access.index->columns.size()) return "rowid";
    int32_t column = access.index->columns[i].column;
    if (column == IndexColumn::kRowid) return "rowid";
    if (column == IndexColumn::kExpression) return "<expr>";
    return table.columns[column].name;
  };
  std::string out;
  size_t i = 0;
  for (; i < access.equal.size(); ++i) out += (i > 0 ? " AND " : "") + name(i) + "=?";
  if (access.lower != nullptr) {
    out += (out.empty() ? "" : " AND ") + name(i) + ">?";
  }
  if (access.upper != nullptr) {
    out += (out.empty() ? "" : " AND ") + name(i) + "<?";
  }
  return out.empty() ? out : " (" + out + ")";
}

std::string access_detail(const AccessNode& access) {
  std::string name(access.source->name);
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
    case AccessMethod::kOr:
      return "MULTI-INDEX OR";
    case AccessMethod::kTableFunction:
      return "SCAN " + name + " VIRTUAL TABLE INDEX 0:";
    default:
      return "SCAN " + name;
  }
}

void Explainer::access(const AccessNode& node, int64_t parent) {
  std::string detail = access_detail(node);
  if (node.join == JoinType::kLeft) detail += " LEFT-JOIN";
  int64_t id = add(parent, std::move(detail));
  for (size_t i = 0; i < node.branches.size(); ++i) {
    int64_t branch = add(id, "INDEX " + std::to_string(i + 1));
    add(branch, access_detail(*node.branches[i]));
  }
}

// Access nodes from the first source to the last; subqueries in FROM are made before.
void Explainer::chain(const AccessNode& last, int64_t parent) {
  std::vector<const AccessNode*> accesses;
  const PlanNode* node = &last;
  for (; node != nullptr && node->kind == PlanKind::kAccess; node = node->child) {
    accesses.insert(accesses.begin(), static_cast<const AccessNode*>(node));
  }
  for (const AccessNode* access : accesses) {
    if (access->input == nullptr || access->source->kind != BoundSource::Kind::kQuery) continue;
    const BoundQuery& query = *access->source->query;
    bool materialized = access != accesses[0] || query.reference_count > 1;
    int64_t id = add(parent, (materialized ? "MATERIALIZE " : "CO-ROUTINE ") +
                                 std::string(access->source->name));
    this->query(query, id);
  }
  for (const AccessNode* access : accesses) this->access(*access, parent);
  if (node != nullptr && node->kind == PlanKind::kFilter) {
    expr(static_cast<const FilterNode*>(node)->condition, parent);
  }
  for (const AccessNode* access : accesses) {
    expr(access->on, parent);
    expr(access->filter, parent);
  }
}

void Explainer::expr(const BoundExpr* root, int64_t parent) {
  for_each_expr(root, [&](const BoundExpr& e) {
    if (e.query == nullptr) return;
    std::string number = std::to_string(e.query->cores[0]->number);
    std::string prefix = e.query->correlations.empty() ? "" : "CORRELATED ";
    std::string kind = e.kind == ExprKind::kInQuery ? "LIST SUBQUERY " : "SCALAR SUBQUERY ";
    query(*e.query, add(parent, prefix + kind + number));
  });
}

void Explainer::set(const SetNode& node, int64_t parent) {
  static const char* const kNames[] = {"UNION ALL", "UNION USING TEMP B-TREE",
                                       "INTERSECT USING TEMP B-TREE", "EXCEPT USING TEMP B-TREE"};
  const PlanNode& first = *node.children[0];
  if (first.kind == PlanKind::kUnionAll || first.kind == PlanKind::kSetOperation) {
    set(static_cast<const SetNode&>(first), parent);
  } else {
    this->node(first, add(parent, "LEFT-MOST SUBQUERY"));
  }
  for (size_t i = 1; i < node.children.size(); ++i) {
    this->node(*node.children[i], add(parent, kNames[static_cast<int>(node.operation)]));
  }
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
    case PlanKind::kAggregate: {
      const AggregateNode& aggregate = static_cast<const AggregateNode&>(plan_node);
      node(*plan_node.child, parent);
      if (aggregate.method == AggregateMethod::kHash) add(parent, "USE TEMP B-TREE FOR GROUP BY");
      for (const BoundAggregate* function : aggregate.core->aggregates) {
        for (const BoundExpr* arg : function->args) expr(arg, parent);
      }
      break;
    }
    case PlanKind::kDistinct:
      node(*plan_node.child, parent);
      add(parent, "USE TEMP B-TREE FOR DISTINCT");
      break;
    case PlanKind::kSort: {
      const SortNode& sort = static_cast<const SortNode&>(plan_node);
      node(*plan_node.child, parent);
      size_t rest = sort.terms.size() - sort.presorted_terms;
      std::string what = sort.presorted_terms == 0 ? ""
                         : rest == 1               ? "LAST TERM OF "
                                     : "LAST " + std::to_string(rest) + " TERMS OF ";
      add(parent, "USE TEMP B-TREE FOR " + what + "ORDER BY");
      break;
    }
    case PlanKind::kLimit:
      node(*plan_node.child, parent);
      break;
    case PlanKind::kValues: {
      const ValuesNode& values = static_cast<const ValuesNode&>(plan_node);
      size_t rows = values.rows_exprs.size();
      add(parent, rows == 1 ? "SCAN CONSTANT ROW" : "SCAN " + std::to_string(rows) + " CONSTANT ROWS");
      break;
    }
    case PlanKind::kUnionAll:
    case PlanKind::kSetOperation:
      set(static_cast<const SetNode&>(plan_node), add(parent, "COMPOUND QUERY"));
      break;
    case PlanKind::kRecursive: {
      const RecursiveNode& recursive = static_cast<const RecursiveNode&>(plan_node);
      node(*recursive.initial, add(parent, "SETUP"));
      for (const PlanNode* step : recursive.steps) node(*step, add(parent, "RECURSIVE STEP"));
      break;
    }
    case PlanKind::kWindow:
      node(*plan_node.child, parent);
      break;
  }
}

void Explainer::query(const BoundQuery& query, int64_t parent) { node(*query.plan->root, parent); }

}  // namespace

std::vector<ExplainRow> explain_query_plan(const QueryPlan& plan) {
  std::vector<ExplainRow> rows;
  Explainer(&rows).query(*plan.query, 0);
  return rows;
}

}  // namespace godwit
