// Constraints of a row, and what happens when one fails.
#include "exec/table_writer.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

namespace {

const char* type_name(ValueType type) {
  switch (type) {
    case ValueType::kInteger: return "INT";
    case ValueType::kReal: return "REAL";
    case ValueType::kText: return "TEXT";
    case ValueType::kBlob: return "BLOB";
    default: return "NULL";
  }
}

}  // namespace

ConflictAction TableWriter::resolve(ConflictAction own) const {
  return is_checked_again_ ? ConflictAction::kAbort : chosen_action(own);
}

ConflictAction TableWriter::chosen_action(ConflictAction own) const {
  if (statement_action_ != ConflictAction::kDefault) return statement_action_;
  return own != ConflictAction::kDefault ? own : ConflictAction::kAbort;
}

// kSkip for IGNORE, else the error.
Result<TableWriter::Verdict> TableWriter::fail(ConflictAction action, int code,
                                               std::string message) {
  if (action == ConflictAction::kIgnore) return Verdict::kSkip;
  failure_action_ = action;
  return Status(code, std::move(message));
}

// Types are checked as late as SQLite does it: after the rowid, before the first index.
Status TableWriter::check_types(std::span<const ValueView> values) {
  if (!types_are_due_) return Status();
  types_are_due_ = false;
  return check_strict(values);
}

// STRICT tables: each value must have the type of its column.
Status TableWriter::check_strict(std::span<const ValueView> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Column& column = table_->columns[i];
    const ValueView& value = values[i];
    bool fits = true;
    switch (column.affinity) {
      case Affinity::kInteger: fits = value.is_integer(); break;
      case Affinity::kReal: fits = value.is_number(); break;
      case Affinity::kText: fits = value.is_text(); break;
      case Affinity::kBlob: fits = value.is_blob() || column.declared_type == "ANY"; break;
      default: break;
    }
    if (fits || value.is_null()) continue;
    failure_action_ = ConflictAction::kAbort;
    return Status(code::kConstraintDataType, std::string("cannot store ") + type_name(value.type) +
                                                 " value in " + column.declared_type + " column " +
                                                 table_->name + "." + column.name);
  }
  return Status();
}

Result<TableWriter::Verdict> TableWriter::check_row(std::span<ValueView> values, Rowid rowid) {
  if (table_->strict && table_->has_generated) GW_TRY(check_strict(values));
  GW_ASSIGN(Verdict verdict, check_not_null(values, rowid));
  if (verdict == Verdict::kSkip) return verdict;
  types_are_due_ = table_->strict;
  if (checks_.empty() && !table_->has_generated) return verdict;
  GW_TRY(check_types(values));
  return checks_.empty() ? verdict : check_checks(values, rowid);
}

// Two rounds, as SQLite goes: in the first, NULLs that REPLACE puts a default in place of are replaced,
// and the other columns are checked; in the second those defaults, which may be NULL themselves, and
// generated columns.
Result<TableWriter::Verdict> TableWriter::check_not_null(std::span<ValueView> values, Rowid rowid) {
  bool replaced = false;
  for (bool is_second : {false, true}) {
    for (uint32_t i : not_null_columns_) {
      if (!values[i].is_null()) continue;
      const Column& column = table_->columns[i];
      const bool is_generated = column.generated != Generated::kNo;
      if (is_generated && !is_second) continue;
      ConflictAction action = resolve(column.not_null_conflict);
      if (action == ConflictAction::kReplace) {
        if (!is_second && defaults_[i] != nullptr) {
          GW_TRY(evaluate_scalar(defaults_[i].get(), &values[i]));
          apply_affinity(column.affinity, &values[i], &scratch_);
          replaced = true;
          continue;
        }
        action = ConflictAction::kAbort;
      } else if (is_second && !is_generated) {
        continue;
      }
      return fail(action, code::kConstraintNotNull,
                  "NOT NULL constraint failed: " + table_->name + "." + column.name);
    }
    if (is_second || (!replaced && !table_->has_generated)) break;
    if (replaced && table_->has_generated) GW_TRY(compute_generated(values, rowid));
  }
  return Verdict::kGo;
}

Result<TableWriter::Verdict> TableWriter::check_checks(std::span<const ValueView> values,
                                                       Rowid rowid) {
  show_row(values, rowid);
  for (size_t i = 0; i < checks_.size(); ++i) {
    bool is_true = false, is_null = false;
    GW_TRY(evaluate_condition(checks_[i].get(), &is_true, &is_null));
    if (is_true || is_null) continue;
    ConflictAction action = resolve(ConflictAction::kDefault);
    if (action == ConflictAction::kReplace) action = ConflictAction::kAbort;
    const CheckConstraint& constraint = *write_->checks[i].constraint;
    const std::string& name = constraint.name.empty() ? constraint.text : constraint.name;
    return fail(action, code::kConstraintCheck, "CHECK constraint failed: " + name);
  }
  return Verdict::kGo;
}

// ---- Uniqueness -------------------------------------------------------------------------------------

// A rowid (or primary key) that would be resolved by REPLACE is checked after the indexes if one of
// those is not: so that no row is removed for a statement that then fails.
bool TableWriter::key_check_is_last() const {
  ConflictAction own = table_->without_rowid ? table_->primary_index->conflict
                                             : table_->primary_key_conflict;
  if (resolve(own) != ConflictAction::kReplace) return false;
  for (const IndexState& index : indexes_) {
    const Index& definition = *index.write->index;
    if (definition.unique && resolve(definition.conflict) != ConflictAction::kReplace) return true;
  }
  return false;
}

Result<TableWriter::Verdict> TableWriter::check_unique(std::span<const ValueView> values,
                                                       Rowid rowid, bool check_key,
                                                       const Self* self) {
  auto check_own_key = [&]() -> Result<Verdict> {
    constexpr int32_t kNone = BoundUniqueCheck::kNoClause;
    return table_->without_rowid ? check_primary_key(values, self, kNone)
                                 : check_rowid(rowid, kNone);
  };
  fired_on_replace_ = false;
  bool last = check_key && key_check_is_last();
  if (table_->without_rowid) GW_TRY(check_types(values));
  for (size_t i = 0; i <= indexes_.size(); ++i) {
    if (check_key && !last && i == write_->key_position) {
      GW_ASSIGN(Verdict verdict, check_own_key());
      if (verdict == Verdict::kSkip) return verdict;
    }
    GW_TRY(check_types(values));
    if (i == indexes_.size()) break;
    IndexState& index = indexes_[i];
    if (self != nullptr && !index.write->affected) continue;
    GW_TRY(make_key(&index, values, rowid, &index.key, &index.has_key));
    if (!index.has_key || !index.write->index->unique) continue;
    GW_ASSIGN(Verdict verdict, check_index(&index, self, BoundUniqueCheck::kNoClause));
    if (verdict == Verdict::kSkip) return verdict;
  }
  if (last) {
    GW_ASSIGN(Verdict verdict, check_own_key());
    if (verdict == Verdict::kSkip) return verdict;
  }
  return fired_on_replace_ ? check_unique_again(values, rowid, check_key, self) : Verdict::kGo;
}

Result<TableWriter::Verdict> TableWriter::check_unique_by_clauses(
    std::span<const ValueView> values, Rowid rowid, bool check_key) {
  fired_on_replace_ = false;
  for (IndexState& index : indexes_) {
    GW_TRY(make_key(&index, values, rowid, &index.key, &index.has_key));
  }
  if (table_->without_rowid) GW_TRY(check_types(values));
  bool last = check_key && key_check_is_last();
  is_excluded_raw_ = !table_->without_rowid && !table_->has_generated && checks_.empty();
  auto check = [&](const BoundUniqueCheck& unique) -> Result<Verdict> {
    if (unique.index == BoundUniqueCheck::kKey) {
      if (!check_key) return Verdict::kGo;
      return table_->without_rowid ? check_primary_key(values, nullptr, unique.clause)
                                   : check_rowid(rowid, unique.clause);
    }
    is_excluded_raw_ = false;
    GW_TRY(check_types(values));
    IndexState& index = indexes_[static_cast<size_t>(unique.index)];
    return index.has_key ? check_index(&index, nullptr, unique.clause) : Verdict::kGo;
  };
  const BoundUniqueCheck* postponed = nullptr;
  for (const BoundUniqueCheck& unique : unique_checks_) {
    if (last && unique.index == BoundUniqueCheck::kKey &&
        unique.clause == BoundUniqueCheck::kNoClause) {
      postponed = &unique;
      continue;
    }
    GW_ASSIGN(Verdict verdict, check(unique));
    if (verdict == Verdict::kSkip) return verdict;
  }
  GW_TRY(check_types(values));
  if (postponed != nullptr) {
    GW_ASSIGN(Verdict verdict, check(*postponed));
    if (verdict == Verdict::kSkip) return verdict;
  }
  return fired_on_replace_ ? check_unique_again(values, rowid, true, nullptr) : Verdict::kGo;
}

TableWriter::Verdict TableWriter::leave_to_clause(int32_t clause) {
  conflict_clause_ = clause;
  return Verdict::kSkip;
}

Result<TableWriter::Verdict> TableWriter::check_rowid(Rowid rowid, int32_t clause) {
  int order = 0;
  GW_TRY(cursor_->seek_rowid(rowid, &order));
  if (cursor_->at_end() || order != 0) return Verdict::kGo;
  if (clause >= 0) return leave_to_clause(clause);
  ConflictAction action = resolve(table_->primary_key_conflict);
  if (action == ConflictAction::kReplace) {
    GW_TRY(remove_stored_row(rowid, false));
    return Verdict::kGo;
  }
  if (table_->rowid_column < 0) {
    return fail(action, code::kConstraintRowid,
                "UNIQUE constraint failed: " + table_->name + ".rowid");
  }
  return fail(action, code::kConstraintPrimaryKey,
              "UNIQUE constraint failed: " + table_->name + "." +
                  table_->columns[static_cast<size_t>(table_->rowid_column)].name);
}

Result<TableWriter::Verdict> TableWriter::check_primary_key(std::span<const ValueView> values,
                                                            const Self* self, int32_t clause) {
  std::span<const ValueView> key = primary_key(values);
  int order = 0;
  GW_TRY(cursor_->seek_key(key, &order));
  if (cursor_->at_end() || order != 0) return Verdict::kGo;
  if (self != nullptr) {
    const Index& primary = *table_->primary_index;
    bool own = true;
    for (uint32_t i = 0; i < primary.declared_columns; ++i) {
      const ValueView& old = self->values[static_cast<size_t>(primary.columns[i].column)];
      own &= compare_values(key[i], old, primary.columns[i].collation) == 0;
    }
    if (own) return Verdict::kGo;
  }
  if (clause >= 0) return leave_to_clause(clause);
  ConflictAction action = resolve(table_->primary_index->conflict);
  if (action == ConflictAction::kReplace) {
    GW_TRY(remove_stored_row(0, self != nullptr));
    return Verdict::kGo;
  }
  return fail(action, code::kConstraintPrimaryKey, unique_message(*table_->primary_index));
}

Result<TableWriter::Verdict> TableWriter::check_index(IndexState* index, const Self* self,
                                                      int32_t clause) {
  const Index& definition = *index->write->index;
  std::span<const ValueView> prefix(index->key.data(), definition.declared_columns);
  for (const ValueView& value : prefix) {
    if (value.is_null()) return Verdict::kGo;  // NULLs are distinct from each other
  }
  int order = 0;
  GW_TRY(index->cursor->seek_key(prefix, &order));
  if (index->cursor->at_end() || order != 0) return Verdict::kGo;
  std::vector<uint8_t> scratch;
  ByteSpan record;
  GW_TRY(index->cursor->complete_payload(&scratch, &record));
  std::vector<uint8_t> copy(record.begin(), record.end());
  RecordDecoder decoder(btree_->encoding());
  GW_TRY(decoder.reset(copy));
  std::vector<ValueView> entry(definition.columns.size());
  for (uint32_t i = 0; i < entry.size(); ++i) {
    bool missing = false;
    GW_TRY(decoder.column(i, &entry[i], &missing));
  }
  if (self != nullptr && is_self(*index, entry, *self)) return Verdict::kGo;
  ConflictAction action = resolve(definition.conflict);
  if (clause >= 0 || action == ConflictAction::kReplace) {
    GW_TRY(seek_conflicting(*index, entry));
    if (clause >= 0) return leave_to_clause(clause);
    GW_TRY(remove_stored_row(table_->without_rowid ? 0 : cursor_->rowid(), self != nullptr));
    return Verdict::kGo;
  }
  int code = definition.origin == Index::Origin::kPrimaryKey ? code::kConstraintPrimaryKey
                                                             : code::kConstraintUnique;
  return fail(action, code, unique_message(definition));
}

// Whether an index entry belongs to the row that is being updated. When REPLACE has fired triggers or
// actions, the indexes that it works on are checked again, and SQLite compares the rowid that was found
// last before that, so that the row can be in its own way.
bool TableWriter::is_self(const IndexState& index, std::span<const ValueView> entry,
                          const Self& self) {
  const Index& definition = *index.write->index;
  if (!table_->without_rowid) {
    if (!entry.back().is_integer()) return false;
    bool is_stale = is_checked_again_ &&
                    chosen_action(definition.conflict) == ConflictAction::kReplace;
    if (!is_stale) found_rowid_ = entry.back().integer;
    return found_rowid_ == self.rowid;
  }
  const Index& primary = *table_->primary_index;
  for (uint32_t k = 0; k < primary.declared_columns; ++k) {
    for (size_t i = 0; i < definition.columns.size(); ++i) {
      if (definition.columns[i].column != primary.columns[k].column ||
          definition.columns[i].collation != primary.columns[k].collation) {
        continue;
      }
      const ValueView& old = self.values[static_cast<size_t>(primary.columns[k].column)];
      if (compare_values(entry[i], old, primary.columns[k].collation) != 0) return false;
      break;
    }
  }
  return true;
}

// Moves cursor_ to the row that an index entry belongs to.
Status TableWriter::seek_conflicting(const IndexState& index, std::span<const ValueView> entry) {
  int order = 0;
  if (!table_->without_rowid) {
    if (!entry.back().is_integer()) return corrupt("an index entry without rowid");
    Rowid rowid = entry.back().integer;
    GW_TRY(cursor_->seek_rowid(rowid, &order));
    if (cursor_->at_end() || order != 0) return corrupt("an index entry without row");
    return Status();
  }
  const Index& definition = *index.write->index;
  const Index& primary = *table_->primary_index;
  std::vector<ValueView> key;
  for (uint32_t k = 0; k < primary.declared_columns; ++k) {
    for (size_t i = 0; i < definition.columns.size(); ++i) {
      if (definition.columns[i].column == primary.columns[k].column &&
          definition.columns[i].collation == primary.columns[k].collation) {
        key.push_back(entry[i]);
        break;
      }
    }
  }
  GW_TRY(cursor_->seek_key(key, &order));
  if (cursor_->at_end() || order != 0) return corrupt("an index entry without row");
  return Status();
}

std::string TableWriter::unique_message(const Index& index) const {
  std::string message = "UNIQUE constraint failed: ";
  for (uint32_t i = 0; i < index.declared_columns; ++i) {
    int32_t column = index.columns[i].column;
    if (column == IndexColumn::kExpression) {
      return "UNIQUE constraint failed: index '" + index.name + "'";
    }
    if (i > 0) message += ", ";
    message += table_->name + "." + table_->columns[static_cast<size_t>(column)].name;
  }
  return message;
}

}  // namespace godwit
