#include "plan/bind_foreign_key.h"

#include <algorithm>

#include "plan/bind_table_write.h"
#include "plan/binder_state.h"
#include "plan/expr_tree.h"

namespace godwit {

namespace {

using Event = ast::TriggerEvent;

const Schema& schema_of(const Catalog& catalog, const Table& table) {
  return *catalog.databases[static_cast<size_t>(table.database)].schema;
}

// Calls visit(child table, key) for every foreign key that refers to `table`, the newest first.
template <typename Visit>
Status for_each_reference(const Catalog& catalog, const Table& table, Visit visit) {
  const auto& tables = schema_of(catalog, table).tables_in_order;
  for (auto child = tables.rbegin(); child != tables.rend(); ++child) {
    const auto& keys = (*child)->foreign_keys;
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
      if (names_equal(key->parent_table, table.name)) GW_TRY(visit(**child, *key));
    }
  }
  return Status();
}

// The position of the foreign key's column that refers to the parent's column `column`; -1: none.
int find_key_column(const ForeignKey& key, const Column& column) {
  for (size_t i = 0; i < key.parent_columns.size(); ++i) {
    if (names_equal(key.parent_columns[i], column.name)) return static_cast<int>(i);
  }
  return -1;
}

// Whether a unique index of the parent is over the columns of the key, each under the collation of
// its column; if so, which column of the child belongs to each.
bool index_matches(const Index& index, const ForeignKey& key, std::vector<int32_t>* child_columns) {
  if (!index.unique || index.where != nullptr || index.declared_columns != key.columns.size()) {
    return false;
  }
  child_columns->clear();
  if (key.parent_columns.empty()) {
    if (index.origin != Index::Origin::kPrimaryKey) return false;
    *child_columns = key.columns;
    return true;
  }
  for (uint32_t i = 0; i < index.declared_columns; ++i) {
    const IndexColumn& column = index.columns[i];
    if (column.column < 0) return false;
    const Column& definition = index.table->columns[static_cast<size_t>(column.column)];
    int position = find_key_column(key, definition);
    if (position < 0 || !names_equal(column.collation->name, definition.collation->name)) {
      return false;
    }
    child_columns->push_back(key.columns[static_cast<size_t>(position)]);
  }
  return true;
}

bool refers_to_rowid(const Table& parent, const ForeignKey& key) {
  if (parent.rowid_column < 0 || key.columns.size() != 1) return false;
  return key.parent_columns.empty() ||
         find_key_column(key, parent.columns[static_cast<size_t>(parent.rowid_column)]) == 0;
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

bool foreign_keys_act(const DmlContext& context, const Table& table, Event event) {
  if (context.foreign_keys == nullptr) return false;
  bool acts = false;
  (void)for_each_reference(*context.catalog, table, [&](const Table&, const ForeignKey& key) {
    ForeignKeyAction action = event == Event::kDelete ? key.on_delete : key.on_update;
    acts |= action != ForeignKeyAction::kNoAction && action != ForeignKeyAction::kRestrict;
    return Status();
  });
  return acts;
}

bool is_parent(const Catalog& catalog, const Table& table) {
  bool found = false;
  (void)for_each_reference(catalog, table, [&](const Table&, const ForeignKey&) {
    found = true;
    return Status();
  });
  return found;
}

Result<const BoundReference*> resolve_reference(Arena* arena, const Catalog& catalog,
                                                const Table& child, const ForeignKey& key,
                                                bool ignore_errors) {
  auto* reference = arena->make<BoundReference>();
  reference->key = &key;
  reference->child = &child;
  reference->parent = schema_of(catalog, child).find_table(key.parent_table);
  if (reference->parent == nullptr) {
    reference->child_columns = arena->copy_array<int32_t>(key.columns);
    if (ignore_errors) return reference;
    return Status::error("no such table: " +
                         catalog.databases[static_cast<size_t>(child.database)].name + "." +
                         key.parent_table);
  }
  const Table& parent = *reference->parent;
  if (refers_to_rowid(parent, key)) {
    reference->child_columns = arena->copy_array<int32_t>(key.columns);
    reference->parent_columns = arena->make_array<int32_t>(1);
    reference->parent_columns[0] = parent.rowid_column;
    return reference;
  }
  std::vector<int32_t> columns;
  for (const Index* index : parent.indexes) {
    if (!index_matches(*index, key, &columns)) continue;
    reference->parent_index = index;
    reference->child_columns = arena->copy_array<int32_t>(columns);
    reference->parent_columns = arena->make_array<int32_t>(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      reference->parent_columns[i] = index->columns[i].column;
    }
    return reference;
  }
  if (ignore_errors) return nullptr;
  return Status::error("foreign key mismatch - " + quoted(child.name) + " referencing " +
                       quoted(key.parent_table));
}

// The binding of one write.
class ForeignKeyBinder::Binding {
 public:
  Binding(ForeignKeyBinder* binder, const DmlContext& context, BoundTableWrite* write)
      : binder_(*binder), context_(context), write_(*write), table_(*write->table) {
    // Those of DROP TABLE's DELETE itself; what its actions do is bound under ABORT.
    ignores_errors_ =
        binder->statement_ == nullptr && context.conflict != ConflictAction::kAbort;
    context_.binder = &binder->binder_;
    context_.conflict = ConflictAction::kAbort;
  }

  // `is_alone`: see bind_insert().
  //
  // Of several keys that do not match, SQLite names the last one that it comes across: it first goes
  // through all keys that refer to the table, then through those of the table and the changed ones of
  // the others up to the first that fails, then through the actions.
  Result<const BoundForeignKeys*> bind(Event event, bool is_alone) {
    if (event == Event::kUpdate && !is_required()) return nullptr;
    auto* keys = context_.arena->make<BoundForeignKeys>();
    Status failure;
    if (event != Event::kInsert) {
      GW_TRY(visit_children(event, [&](const Table& child, const ForeignKey& key, bool) {
        note(resolve(child, key).status(), &failure);
        return Status();
      }));
    }
    std::vector<BoundChildren> children;
    Status checked = bind_parents(event, keys);
    if (checked.ok()) checked = bind_children(event, is_alone, &children);
    note(std::move(checked), &failure);
    if (!failure.ok()) {
      GW_TRY(visit_children(event, [&](const Table& child, const ForeignKey& key, bool changes) {
        bool acts = changes && action_of(key, event) != ForeignKeyAction::kNoAction;
        if (acts) note(resolve(child, key).status(), &failure);
        return Status();
      }));
      return failure;
    }
    keys->children = context_.arena->copy_array<BoundChildren>(children);
    if (event == Event::kUpdate && may_meet_itself()) {
      for (BoundIndexWrite& index : write_.indexes) index.affected = true;
    }
    return keys->parents.empty() && keys->children.empty() ? nullptr : keys;
  }

 private:
  Result<const BoundReference*> resolve(const Table& child, const ForeignKey& key) {
    return resolve_reference(context_.arena, *context_.catalog, child, key, ignores_errors_);
  }

  bool is_any_assigned(std::span<const int32_t> columns) const {
    return std::any_of(columns.begin(), columns.end(),
                       [&](int32_t column) { return changes_column(write_, column); });
  }

  bool assigns_primary_key() const {
    std::vector<int32_t> key = table_.primary_key;
    if (!table_.without_rowid) key.assign(1, table_.rowid_column);
    return write_.is_assigned(ColumnRef::kRowid) || is_any_assigned(key);
  }

  // UPDATE: whether any foreign key depends on what is assigned.
  bool is_required() const {
    bool required = false;
    for (const ForeignKey& key : table_.foreign_keys) required |= is_any_assigned(key.columns);
    (void)for_each_reference(*context_.catalog, table_, [&](const Table&, const ForeignKey& key) {
      required |= changes_parent_key(key);
      return Status();
    });
    return required;
  }

  // A row that refers to its own table, or has actions, is looked for while all its index entries are
  // out, also those that stay the same: it is no parent of its own but by equal values.
  bool may_meet_itself() const {
    bool all = false;
    for (const ForeignKey& key : table_.foreign_keys) {
      all |= names_equal(key.parent_table, table_.name) && is_any_assigned(key.columns);
    }
    (void)for_each_reference(*context_.catalog, table_, [&](const Table&, const ForeignKey& key) {
      all |= key.on_update != ForeignKeyAction::kNoAction && changes_parent_key(key);
      return Status();
    });
    return all;
  }

  static void note(Status status, Status* last) {
    if (!status.ok()) *last = std::move(status);
  }

  static ForeignKeyAction action_of(const ForeignKey& key, Event event) {
    if (event == Event::kInsert) return ForeignKeyAction::kNoAction;
    return event == Event::kDelete ? key.on_delete : key.on_update;
  }

  // Calls visit(child, key, changes) for each key that refers to the table; `changes`: the event may
  // change or remove its parent key.
  template <typename Visit>
  Status visit_children(Event event, Visit visit) {
    return for_each_reference(
        *context_.catalog, table_, [&](const Table& child, const ForeignKey& key) -> Status {
          return visit(child, key, event != Event::kUpdate || changes_parent_key(key));
        });
  }

  Status bind_parents(Event event, BoundForeignKeys* keys) {
    std::vector<const BoundReference*> parents;
    for (auto it = table_.foreign_keys.rbegin(); it != table_.foreign_keys.rend(); ++it) {
      const ForeignKey& key = *it;
      bool is_self = names_equal(key.parent_table, table_.name);
      if (event == Event::kUpdate && !is_self && !is_any_assigned(key.columns)) continue;
      GW_ASSIGN(const BoundReference* reference, resolve(table_, key));
      if (reference != nullptr) parents.push_back(reference);
    }
    keys->parents = context_.arena->copy_array<const BoundReference*>(parents);
    return Status();
  }

  Status bind_children(Event event, bool is_alone, std::vector<BoundChildren>* result) {
    return visit_children(event, [&](const Table& child, const ForeignKey& key, bool changes) {
      if (!changes || (is_alone && !key.deferred)) return Status();
      GW_ASSIGN(const BoundReference* reference, resolve(child, key));
      if (reference == nullptr) return Status();
      BoundChildren children;
      GW_TRY(bind_children_of(*reference, event, &children));
      result->push_back(children);
      return Status();
    });
  }

  bool changes_parent_key(const ForeignKey& key) const {
    std::vector<int32_t> columns;
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      const Column& column = table_.columns[i];
      bool in_key = key.parent_columns.empty() ? column.primary_key_position > 0
                                               : find_key_column(key, column) >= 0;
      if (in_key) columns.push_back(static_cast<int32_t>(i));
    }
    return is_any_assigned(columns);
  }

  Status bind_children_of(const BoundReference& reference, Event event, BoundChildren* children) {
    children->reference = &reference;
    children->parent_row = context_.binder->new_source_id();
    children->count = make_query(reference, *children, true, &children->count_columns);
    if (event == Event::kInsert) return Status();
    children->action = action_of(*reference.key, event);
    if (children->action == ForeignKeyAction::kNoAction) return Status();
    children->keys = make_query(reference, *children, false, &children->keys_columns);
    if (children->action == ForeignKeyAction::kRestrict) return Status();
    bool removes = event == Event::kDelete && children->action == ForeignKeyAction::kCascade;
    GW_ASSIGN(children->write, action_write(reference, removes));
    return Status();
  }

  // The write that the action makes to the child: a DELETE, or an UPDATE of the key's columns.
  Result<BoundTableWrite*> action_write(const BoundReference& reference, bool removes) {
    const Table& child = *reference.child;
    Event event = removes ? Event::kDelete : Event::kUpdate;
    std::string kind = removes ? "delete " : "update ";
    std::vector<std::string_view> names;
    for (int32_t column : reference.child_columns) {
      if (removes) break;
      kind += std::to_string(column) + " ";
      names.push_back(child.columns[static_cast<size_t>(column)].name);
    }
    BoundTableWrite*& write = binder_.action_writes_[kind + child.name];
    if (write != nullptr) return write;
    std::span<int32_t> assigned = reference.child_columns;
    GW_ASSIGN(write, bind_table_write(context_, child, removes ? nullptr : &assigned));
    write->sequence_root = 0;
    BoundTableWrite* made = write;
    if (context_.triggers != nullptr) {
      GW_TRY(bind_triggers(context_, event, names, ConflictAction::kAbort, made));
    }
    GW_TRY(binder_.bind(context_, made, event, false));
    return made;
  }

  // SELECT 1 (`counts`) or the key FROM child WHERE key = parent's key [AND it is another row].
  BoundQuery* make_query(const BoundReference& reference, const BoundChildren& children,
                         bool counts, std::span<ColumnRef>* columns) {
    const Table& child = *reference.child;
    Arena* arena = context_.arena;
    context_.binder->push_scope();
    BoundSource* source = context_.binder->add_table(child, child.name);
    context_.binder->pop_scope();
    std::vector<BoundExpr*> terms;
    for (size_t i = 0; i < reference.child_columns.size(); ++i) {
      terms.push_back(key_term(reference, children.parent_row, i, source, counts));
    }
    std::vector<ColumnRef> outer;
    for (size_t i = 0; i < reference.child_columns.size(); ++i) {
      outer.push_back({children.parent_row, static_cast<int32_t>(i)});
    }
    if (counts && reference.is_self()) {
      terms.push_back(other_row_term(children.parent_row, source, &outer));
    }
    std::vector<ResultColumn> results;
    if (counts) {
      results.push_back({make_constant(arena, ValueView::of(int64_t{1})), {}});
    } else {
      key_columns(context_, source, child, &results);
    }
    auto sources = arena->make_array<BoundSource*>(1);
    sources[0] = source;
    BoundQuery* query = make_row_query(context_, sources, make_and(arena, terms),
                                       arena->copy_array<ResultColumn>(results));
    if (!counts) query->order_by = order_by_key(child, query->cores[0]->results);
    *columns = query->correlations = arena->copy_array<ColumnRef>(outer);
    binder_.queries_.push_back(query);
    return query;
  }

  // Actions change children in the order of their keys. `results`: the key_columns().
  std::span<OrderTerm> order_by_key(const Table& table, std::span<ResultColumn> results) {
    auto terms = context_.arena->make_array<OrderTerm>(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      terms[i].expr = results[i].expr;
      terms[i].output_column = static_cast<int32_t>(i);
      terms[i].collation = binary_collation();
      if (table.has_rowid()) continue;
      terms[i].collation = table.primary_index->columns[i].collation;
      terms[i].descending = table.primary_index->columns[i].descending;
      terms[i].nulls_first = !terms[i].descending;
    }
    return terms;
  }

  BoundExpr* child_column(BoundSource* source, int32_t column) {
    const Table& child = *source->table;
    if (column == child.rowid_column) column = ColumnRef::kRowid;
    return make_column(context_, source, child, column);
  }

  BoundExpr* compare(CompareOp op, BoundExpr* left, BoundExpr* right, const Collation* collation) {
    auto* expr = context_.arena->make<BoundExpr>();
    expr->kind = ExprKind::kCompare;
    expr->compare = op;
    expr->args = context_.arena->make_array<BoundExpr*>(2);
    expr->args[0] = left;
    expr->args[1] = right;
    expr->compare_affinity = comparison_affinity(left->affinity, right->affinity);
    expr->compare_collation = collation;
    return expr;
  }

  // Under the parent's collation. Children are counted as a column of the parent's affinity compares;
  // actions compare as triggers do, where a column of OLD has no affinity but for the rowid.
  BoundExpr* key_term(const BoundReference& reference, SourceId parent_row, size_t i,
                      BoundSource* source, bool counts) {
    const Column& parent =
        reference.parent->columns[static_cast<size_t>(reference.parent_columns[i])];
    BoundExpr* left = make_column(context_.arena, {parent_row, static_cast<int32_t>(i)});
    left->affinity = reference.parent_index == nullptr ? Affinity::kInteger
                     : counts                          ? parent.affinity
                                                       : Affinity::kNone;
    left->collation = parent.collation;
    BoundExpr* right = child_column(source, reference.child_columns[i]);
    return compare(CompareOp::kEq, left, right, parent.collation);
  }

  // The row is not the parent row itself. Adds what identifies that to `outer`.
  BoundExpr* other_row_term(SourceId parent_row, BoundSource* source,
                            std::vector<ColumnRef>* outer) {
    Arena* arena = context_.arena;
    std::vector<int32_t> columns = table_.primary_key;
    if (!table_.without_rowid) columns.assign(1, ColumnRef::kRowid);
    std::vector<BoundExpr*> terms;
    for (int32_t column : columns) {
      outer->push_back({parent_row, static_cast<int32_t>(outer->size())});
      BoundExpr* own = make_column(arena, outer->back());
      BoundExpr* other = child_column(source, column);
      own->affinity = other->affinity;
      own->collation = other->collation;
      const Collation* collation =
          other->collation != nullptr ? other->collation : binary_collation();
      terms.push_back(compare(CompareOp::kIs, own, other, collation));
    }
    auto* expr = arena->make<BoundExpr>();
    expr->kind = ExprKind::kUnary;
    expr->unary = UnaryOp::kNot;
    expr->args = arena->make_array<BoundExpr*>(1);
    expr->args[0] = make_and(arena, terms);
    return expr;
  }

  ForeignKeyBinder& binder_;
  DmlContext context_;
  const BoundTableWrite& write_;
  const Table& table_;
  bool ignores_errors_ = false;
};

Status ForeignKeyBinder::bind(const DmlContext& context, BoundTableWrite* write, Event event,
                              bool may_replace, bool is_alone) {
  Binding binding(this, context, write);
  if (event != Event::kDelete) {
    GW_ASSIGN(write->foreign_keys, binding.bind(event, is_alone));
  }
  if (event == Event::kDelete || may_replace) {
    GW_ASSIGN(write->removal_keys, binding.bind(Event::kDelete, false));
  }
  return Status();
}

Result<BoundDelete*> ForeignKeyBinder::bind_delete_all(const Table& table) {
  DmlContext context;
  context.binder = &binder_;
  context.arena = bind_.arena;
  context.catalog = bind_.catalog;
  context.foreign_keys = this;
  auto* bound = bind_.arena->make<BoundDelete>();
  bound->by_key = bound->must_buffer = true;
  binder_.push_scope();
  BoundSource* source = binder_.add_table(table, table.name);
  binder_.pop_scope();
  std::vector<ResultColumn> results;
  key_columns(context, source, table, &results);
  auto sources = bind_.arena->make_array<BoundSource*>(1);
  sources[0] = source;
  bound->source = make_row_query(context, sources, nullptr,
                                 bind_.arena->copy_array<ResultColumn>(results));
  queries_.push_back(bound->source);
  GW_ASSIGN(bound->write, bind_table_write(context, table, nullptr));
  bound->write->sequence_root = 0;
  GW_TRY(bind(context, bound->write, Event::kDelete, false));
  return bound;
}

Status ForeignKeyBinder::plan(const PlanContext& context) {
  PlanContext own = context;
  own.next_source = binder_.new_source_id();
  for (BoundQuery* query : queries_) GW_TRY(plan_query(query, own).status());
  return Status();
}

}  // namespace godwit
