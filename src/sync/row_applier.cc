#include "sync/row_applier.h"

#include <algorithm>
#include <cctype>

#include "api/table_shape.h"
#include "base/bytes.h"
#include "sync/row_json.h"

namespace godwit::sync {

using api::Change;
using api::ChangeTable;
using api::Field;
using api::Fields;
using api::is_undefined;

struct RowApplier::Table {
  std::string name;
  api::TableShape shape;
  std::vector<std::string> names;  // of the columns, as they are
  std::vector<bool> is_counter;
  bool has_rowid_key = false;
  std::map<std::string, Query, std::less<>> statements;
  std::map<std::string, int64_t> moved;  // encoded rowid of a change to the one that its row has

  size_t columns() const { return shape.columns.size(); }
  bool is_key(size_t column) const { return shape.key[column] != 0; }
};

// What is to be done with a row.
struct RowApplier::Decision {
  enum Deed : uint8_t { kNothing, kInsert, kInsertElsewhere, kUpdate, kDelete } deed = kNothing;
  RowResult result = RowResult::kApplied;
  Fields key;                    // record that has the key
  Fields values;                 // of kInsert and kUpdate: undefined fields are left alone
  std::optional<Change> effect;
};

struct RowApplier::Stopped {
  ChangeTable table;
  Change mine;
  Status error;
};

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

std::string unquoted(std::string_view name) {
  if (name.empty() || name[0] != '"') return std::string(name);
  std::string out;
  for (size_t i = 1; i + 1 < name.size(); ++i) {
    out.push_back(name[i]);
    if (name[i] == '"') ++i;
  }
  return out;
}

// The row itself can not be stored: no constraint, but no fault of the database either.
bool is_refusal(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_CONSTRAINT || primary == SQLITE_MISMATCH || primary == SQLITE_TOOBIG ||
         primary == SQLITE_ERROR;
}

// Of every column that both know.
bool fits(const Fields& known, const Fields& row, const std::vector<bool>& is_counter) {
  for (size_t i = 0; i < known.size() && i < row.size(); ++i) {
    if (!is_undefined(known[i]) && !is_counter[i] && known[i] != row[i]) return false;
  }
  return true;
}

Fields overlaid(Fields row, const Fields& values) {
  for (size_t i = 0; i < values.size() && i < row.size(); ++i) {
    if (!is_undefined(values[i])) row[i] = values[i];
  }
  return row;
}

bool is_whole(const Fields& row) {
  return !row.empty() && std::none_of(row.begin(), row.end(), [](const Field& f) { return is_undefined(f); });
}

int64_t integer_in(const Field& field) {
  return static_cast<int64_t>(load_be64(reinterpret_cast<const uint8_t*>(field.data()) + 1));
}
double real_in(const Field& field) {
  if (field[0] == SQLITE_INTEGER) return static_cast<double>(integer_in(field));
  double real;
  const uint64_t bits = load_be64(reinterpret_cast<const uint8_t*>(field.data()) + 1);
  std::memcpy(&real, &bits, sizeof real);
  return real;
}
bool is_number(const Field& field) {
  return !field.empty() && (field[0] == SQLITE_INTEGER || field[0] == SQLITE_FLOAT);
}

}  // namespace

std::string RowOutcome::row_json(const Fields& row) const {
  return row.empty() ? std::string() : sync::row_json(columns, row);
}

RulesOff::RulesOff(sqlite3* db) : db_(db) {
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1, &had_triggers_);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &had_foreign_keys_);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
}

RulesOff::~RulesOff() {
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, had_triggers_, nullptr);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_FKEY, had_foreign_keys_, nullptr);
}

RowApplier::RowApplier(sqlite3* db, RowPolicy policy) : db_(db), policy_(std::move(policy)) {}
RowApplier::~RowApplier() = default;

void RowApplier::forget() { tables_.clear(); }

// ---- Tables and statements -----------------------------------------------------------------------

RowApplier::Table* RowApplier::find(const std::string& name) {
  const std::string key = lower(name);
  auto found = tables_.find(key);
  if (found != tables_.end()) return found->second.get();
  auto table = std::make_unique<Table>();
  table->name = name;
  table->shape = api::shape_of_table(db_, "main", name);
  for (const std::string& column : table->shape.columns) {
    table->names.push_back(unquoted(column));
    table->is_counter.push_back(policy_.counters.contains(key + "." + lower(table->names.back())));
  }
  table->has_rowid_key = table->shape.exists() && table->shape.columns[0] == "_rowid_";
  return tables_.emplace(key, std::move(table)).first->second.get();
}

bool RowApplier::takes(const ChangeTable& header) {
  const Table* table = find(header.name);
  return table->shape.exists() && table->shape.takes(header.key);
}

const std::vector<std::string>& RowApplier::column_names(const ChangeTable& header) {
  return find(header.name)->names;
}

std::string RowApplier::key_json(const ChangeTable& header, const Fields& values) {
  const Table* table = find(header.name);
  Fields key(values.size(), api::undefined_field());
  for (size_t i = 0; i < values.size() && i < header.key.size(); ++i) {
    if (header.key[i] != 0) key[i] = values[i];
  }
  std::vector<std::string> names = table->names;
  // Of a table that is gone the columns have numbers.
  while (names.size() < values.size()) names.push_back(std::to_string(names.size()));
  return sync::row_json(names, key);
}

std::string RowApplier::row_json(const ChangeTable& header, const Fields& values) {
  std::vector<std::string> names = find(header.name)->names;
  while (names.size() < values.size()) names.push_back(std::to_string(names.size()));
  return values.empty() ? std::string() : sync::row_json(names, values);
}

Result<Query*> RowApplier::statement(Table* table, const std::string& sql) {
  auto found = table->statements.find(sql);
  if (found == table->statements.end()) {
    GW_ASSIGN(Query query, Query::prepare(db_, sql, true));
    found = table->statements.emplace(sql, std::move(query)).first;
  }
  return &found->second;
}

std::string RowApplier::where_key(const Table& table, const Fields& values) const {
  std::string sql;
  for (size_t i = 0; i < table.columns(); ++i) {
    if (!table.is_key(i)) continue;
    const bool is_null = values[i].empty() || values[i][0] == SQLITE_NULL;
    sql += (sql.empty() ? " WHERE " : " AND ") + table.shape.columns[i] + (is_null ? " IS ?" : " = ?");
  }
  return sql;
}

Status RowApplier::bind_key(const Table& table, const Fields& values, int number, Query* query) const {
  for (size_t i = 0; i < table.columns(); ++i) {
    if (table.is_key(i)) query->bind_field(number++, values[i]);
  }
  return Status();
}

Result<Fields> RowApplier::read_row(Table* table, const Fields& values) {
  std::string sql = "SELECT ";
  for (size_t i = 0; i < table->columns(); ++i) sql += (i > 0 ? ", " : "") + table->shape.columns[i];
  sql += " FROM main." + double_quoted(table->name) + where_key(*table, values);
  GW_ASSIGN(Query * query, statement(table, sql));
  GW_TRY(bind_key(*table, values, 1, query));
  GW_ASSIGN(const bool has_row, query->step());
  Fields row = has_row ? query->fields() : Fields();
  query->reset();
  return row;
}

Result<Fields> RowApplier::row_of(const ChangeTable& header, const Change& change) {
  if (!takes(header)) return Fields();
  Table* table = find(header.name);
  Fields values = change.op == SQLITE_INSERT ? change.new_values : change.old_values;
  values.resize(table->columns(), api::undefined_field());
  return read_row(table, values);
}

// ---- Writing -----------------------------------------------------------------------------------

// A result code; those that say that the row can not be stored are no error.
Result<int> RowApplier::run_for_code(Query* query) {
  Status status = query->run();
  if (status.ok()) return SQLITE_OK;
  if (is_refusal(status.code())) return status.code();
  return status;
}

Result<int> RowApplier::insert_row(Table* table, const Fields& values) {
  std::string columns, marks;
  for (size_t i = 0; i < table->columns(); ++i) {
    if (is_undefined(values[i])) continue;
    columns += (columns.empty() ? "" : ", ") + table->shape.columns[i];
    marks += marks.empty() ? "?" : ", ?";
  }
  const std::string target = "INSERT OR ABORT INTO main." + double_quoted(table->name);
  GW_ASSIGN(Query * query, statement(table, columns.empty() ? target + " DEFAULT VALUES"
                                                            : target + "(" + columns + ") VALUES(" + marks + ")"));
  int number = 1;
  for (size_t i = 0; i < table->columns(); ++i) {
    if (!is_undefined(values[i])) query->bind_field(number++, values[i]);
  }
  return run_for_code(query);
}

Result<int> RowApplier::update_row(Table* table, const Fields& key, const Fields& values) {
  std::string columns;
  for (size_t i = 0; i < table->columns(); ++i) {
    if (is_undefined(values[i])) continue;
    columns += (columns.empty() ? "" : ", ") + table->shape.columns[i] + " = ?";
  }
  if (columns.empty()) return SQLITE_OK;
  GW_ASSIGN(Query * query, statement(table, "UPDATE OR ABORT main." + double_quoted(table->name) + " SET " +
                                                columns + where_key(*table, key)));
  int number = 1;
  for (size_t i = 0; i < table->columns(); ++i) {
    if (!is_undefined(values[i])) query->bind_field(number++, values[i]);
  }
  GW_TRY(bind_key(*table, key, number, query));
  return run_for_code(query);
}

Result<int> RowApplier::delete_row(Table* table, const Fields& key) {
  GW_ASSIGN(Query * query, statement(table, "DELETE FROM main." + double_quoted(table->name) + where_key(*table, key)));
  GW_TRY(bind_key(*table, key, 1, query));
  return run_for_code(query);
}

// ---- The rule ------------------------------------------------------------------------------------

void RowApplier::decide(Table* table, const Change& mine, const Fields& theirs, Decision* decision) {
  if (mine.op == SQLITE_INSERT) {
    decide_insert(table, mine, theirs, decision);
  } else if (mine.op == SQLITE_UPDATE) {
    decide_update(table, mine, theirs, decision);
  } else {
    decide_delete(table, mine, theirs, decision);
  }
}

void RowApplier::decide_insert(Table* table, const Change& mine, const Fields& theirs, Decision* decision) {
  decision->key = mine.new_values;
  decision->values = mine.new_values;
  if (theirs.empty() || table->has_rowid_key) {
    const bool is_free = theirs.empty();
    decision->deed = is_free ? Decision::kInsert : Decision::kInsertElsewhere;
    decision->result = is_free ? RowResult::kApplied : RowResult::kMoved;
    decision->effect = mine;
    return;
  }
  Change effect{SQLITE_UPDATE, false, theirs, Fields(theirs.size(), api::undefined_field())};
  bool differs = false;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (table->is_key(i)) continue;
    if (is_undefined(mine.new_values[i]) || mine.new_values[i] == theirs[i]) {
      effect.old_values[i] = api::undefined_field();
      continue;
    }
    effect.new_values[i] = mine.new_values[i];
    differs = true;
  }
  decision->result = differs ? RowResult::kOverwritten : RowResult::kUnchanged;
  if (!differs) return;
  decision->deed = Decision::kUpdate;
  decision->values = effect.new_values;
  decision->effect = std::move(effect);
}

// Their value and my difference.
Field RowApplier::summed(const Table& table, size_t column, const Change& mine, const Field& theirs) const {
  const Field& from = mine.old_values[column];
  const Field& to = mine.new_values[column];
  if (!table.is_counter[column] || !is_number(from) || !is_number(to) || !is_number(theirs)) return to;
  if (from[0] == SQLITE_INTEGER && to[0] == SQLITE_INTEGER && theirs[0] == SQLITE_INTEGER) {
    int64_t difference, sum;
    if (!__builtin_sub_overflow(integer_in(to), integer_in(from), &difference) &&
        !__builtin_add_overflow(integer_in(theirs), difference, &sum)) {
      return api::encode_integer(sum);
    }
    return to;
  }
  return api::encode_real(real_in(theirs) + (real_in(to) - real_in(from)));
}

void RowApplier::decide_update(Table* table, const Change& mine, const Fields& theirs, Decision* decision) {
  decision->key = mine.old_values;
  if (theirs.empty()) {
    const bool revives = policy_.update_wins && !table->has_rowid_key && is_whole(mine.old_values);
    decision->result = revives ? RowResult::kOverwritten : RowResult::kDropped;
    if (!revives) return;
    decision->deed = Decision::kInsert;
    decision->values = overlaid(mine.old_values, mine.new_values);
    decision->effect = Change{SQLITE_INSERT, false, {}, decision->values};
    return;
  }
  if (table->has_rowid_key && !fits(mine.old_values, theirs, table->is_counter)) {
    decision->result = RowResult::kDropped;
    return;
  }
  const Fields none(theirs.size(), api::undefined_field());
  Change effect{SQLITE_UPDATE, false, none, none};
  bool is_clash = false, differs = false;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (table->is_key(i)) effect.old_values[i] = theirs[i];
    if (table->is_key(i) || is_undefined(mine.new_values[i])) continue;
    effect.old_values[i] = theirs[i];
    effect.new_values[i] = summed(*table, i, mine, theirs[i]);
    const bool was_changed = !is_undefined(mine.old_values[i]) && mine.old_values[i] != theirs[i];
    is_clash |= was_changed && !table->is_counter[i] && mine.new_values[i] != theirs[i];
    differs |= effect.new_values[i] != theirs[i];
  }
  decision->result = is_clash ? RowResult::kOverwritten : differs ? RowResult::kApplied : RowResult::kUnchanged;
  if (!differs) return;
  decision->deed = Decision::kUpdate;
  decision->values = effect.new_values;
  decision->effect = std::move(effect);
}

void RowApplier::decide_delete(Table* table, const Change& mine, const Fields& theirs, Decision* decision) {
  decision->key = mine.old_values;
  if (theirs.empty()) {
    decision->result = RowResult::kUnchanged;
    return;
  }
  const bool was_changed = !fits(mine.old_values, theirs, std::vector<bool>(theirs.size(), false));
  if (was_changed && (policy_.update_wins || table->has_rowid_key)) {
    decision->result = RowResult::kDropped;
    return;
  }
  decision->deed = Decision::kDelete;
  decision->result = was_changed ? RowResult::kOverwritten : RowResult::kApplied;
  decision->effect = Change{SQLITE_DELETE, false, theirs, {}};
}

Result<int> RowApplier::carry_out(Table* table, const Decision& decision, int64_t* rowid) {
  switch (decision.deed) {
    case Decision::kInsert: return insert_row(table, decision.values);
    case Decision::kInsertElsewhere: {
      Fields values = decision.values;
      values[0] = Field(1, SQLITE_NULL);
      GW_ASSIGN(const int code, insert_row(table, values));
      *rowid = sqlite3_last_insert_rowid(db_);
      return code;
    }
    case Decision::kUpdate: return update_row(table, decision.key, decision.values);
    case Decision::kDelete: return delete_row(table, decision.key);
    default: return SQLITE_OK;
  }
}

// ---- Changes, one by one -------------------------------------------------------------------------

Status RowApplier::tell(Table* table, const ChangeTable& header, const Change& mine, RowOutcome outcome,
                        const RowTold& told) {
  outcome.table = &header;
  outcome.mine = &mine;
  if (outcome.is_told()) {
    outcome.columns = table->names;
    outcome.key = key_json(header, mine.op == SQLITE_INSERT ? mine.new_values : mine.old_values);
  }
  return told(outcome);
}

// False: a constraint stops it, *stopped_by.
Result<bool> RowApplier::try_change(Table* table, const ChangeTable& header, const Change& mine,
                                    Status* stopped_by, const RowTold& told) {
  Change change = mine;
  for (Fields* fields : {&change.old_values, &change.new_values}) {
    if (!fields->empty()) fields->resize(table->columns(), api::undefined_field());
  }
  if (table->has_rowid_key && change.op != SQLITE_INSERT) {
    auto moved = table->moved.find(change.old_values[0]);
    if (moved != table->moved.end()) change.old_values[0] = api::encode_integer(moved->second);
  }
  GW_ASSIGN(Fields theirs, read_row(table, change.op == SQLITE_INSERT ? change.new_values : change.old_values));
  Decision decision;
  decide(table, change, theirs, &decision);
  int64_t rowid = 0;
  GW_ASSIGN(const int code, carry_out(table, decision, &rowid));
  if (code != SQLITE_OK) {
    *stopped_by = Status(code, sqlite3_errmsg(db_));
    return false;
  }
  RowOutcome outcome;
  outcome.result = decision.result;
  outcome.effect = std::move(decision.effect);
  outcome.theirs = std::move(theirs);
  outcome.rowid = rowid;
  if (outcome.result == RowResult::kMoved) {
    table->moved[change.new_values[0]] = rowid;
    outcome.effect->new_values[0] = api::encode_integer(rowid);
  }
  GW_TRY(tell(table, header, mine, std::move(outcome), told));
  return true;
}

Status RowApplier::apply(const ChangeTable& header, Change mine, const RowTold& told) {
  Table* table = find(header.name);
  if (!takes(header) || !is_synced_table(header.name)) {
    RowOutcome outcome;
    outcome.result = RowResult::kRefused;
    outcome.error = !is_synced_table(header.name) ? Status::error("table " + header.name + " is not synced")
                    : table->shape.exists()       ? Status::error("table " + header.name + " has other columns")
                                                  : Status::error("no such table: " + header.name);
    return tell(table, header, mine, std::move(outcome), told);
  }
  Status stopped_by;
  GW_ASSIGN(const bool is_done, try_change(table, header, mine, &stopped_by, told));
  if (!is_done) stopped_.push_back({header, std::move(mine), std::move(stopped_by)});
  return Status();
}

Status RowApplier::finish(const RowTold& told) {
  for (bool progresses = true; progresses && !stopped_.empty();) {
    progresses = false;
    std::vector<Stopped> again;
    for (Stopped& stopped : stopped_) {
      GW_ASSIGN(const bool is_done, try_change(find(stopped.table.name), stopped.table, stopped.mine, &stopped.error, told));
      if (is_done) {
        progresses = true;
      } else {
        again.push_back(std::move(stopped));
      }
    }
    stopped_.swap(again);
  }
  if (stopped_.size() > 1) GW_TRY(swap_stopped(told));
  std::vector<Stopped> refused;
  refused.swap(stopped_);
  for (const Stopped& stopped : refused) {
    Table* table = find(stopped.table.name);
    RowOutcome outcome;
    outcome.result = RowResult::kRefused;
    outcome.error = stopped.error;
    GW_ASSIGN(outcome.theirs, row_of(stopped.table, stopped.mine));
    GW_TRY(tell(table, stopped.table, stopped.mine, std::move(outcome), told));
  }
  return Status();
}

// Updates that stand in each other's way: their rows are taken out, and put in as they shall be. All, or
// none of them.
Status RowApplier::swap_stopped(const RowTold& told) {
  GW_ASSIGN(Savepoint savepoint, Savepoint::begin(db_));
  std::vector<RowOutcome> outcomes;
  std::vector<std::pair<Table*, Fields>> rows;
  for (const Stopped& stopped : stopped_) {
    Table* table = find(stopped.table.name);
    Change change = stopped.mine;
    for (Fields* fields : {&change.old_values, &change.new_values}) {
      if (!fields->empty()) fields->resize(table->columns(), api::undefined_field());
    }
    GW_ASSIGN(Fields theirs, row_of(stopped.table, change));
    Decision decision;
    decide(table, change, theirs, &decision);
    if (decision.deed != Decision::kUpdate || theirs.empty()) return Status();
    GW_ASSIGN(const int code, delete_row(table, decision.key));
    if (code != SQLITE_OK) return Status();
    rows.emplace_back(table, overlaid(theirs, decision.values));
    RowOutcome outcome;
    outcome.result = decision.result;
    outcome.effect = std::move(decision.effect);
    outcome.theirs = std::move(theirs);
    outcomes.push_back(std::move(outcome));
  }
  for (auto& [table, row] : rows) {
    GW_ASSIGN(const int code, insert_row(table, row));
    if (code != SQLITE_OK) return Status();
  }
  GW_TRY(savepoint.keep());
  std::vector<Stopped> done;
  done.swap(stopped_);
  for (size_t i = 0; i < done.size(); ++i) {
    GW_TRY(tell(rows[i].first, done[i].table, done[i].mine, std::move(outcomes[i]), told));
  }
  return Status();
}

Status RowApplier::apply_changeset(std::string_view changeset, const RowTold& told) {
  api::ChangesetReader reader(changeset);
  int code;
  while ((code = reader.next()) == SQLITE_ROW) {
    if (reader.table().is_patchset) return corrupt("sync: a patchset");
    GW_TRY(apply(reader.table(), std::move(reader.change()), told));
  }
  if (code != SQLITE_DONE) return corrupt("sync: a damaged changeset");
  return finish(told);
}

// ---- Facts ---------------------------------------------------------------------------------------

Result<RowApplier::Installed> RowApplier::install(const ChangeTable& header, const Change& fact) {
  if (!takes(header) || !is_synced_table(header.name)) return Installed::kMissing;
  Table* table = find(header.name);
  Change change = fact;
  for (Fields* fields : {&change.old_values, &change.new_values}) {
    if (!fields->empty()) fields->resize(table->columns(), api::undefined_field());
  }
  GW_ASSIGN(const Fields row, read_row(table, change.op == SQLITE_INSERT ? change.new_values : change.old_values));
  if (change.op == SQLITE_INSERT) {
    Fields values = change.new_values;
    if (row.empty()) {
      GW_ASSIGN(const int code, insert_row(table, values));
      return code == SQLITE_OK ? Installed::kDone : Installed::kStopped;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (table->is_key(i)) values[i] = api::undefined_field();
    }
    GW_ASSIGN(const int code, update_row(table, change.new_values, values));
    return code == SQLITE_OK ? Installed::kDone : Installed::kStopped;
  }
  if (row.empty()) return Installed::kMissing;
  if (change.op == SQLITE_DELETE) {
    GW_ASSIGN(const int code, delete_row(table, change.old_values));
    return code == SQLITE_OK ? Installed::kDone : Installed::kStopped;
  }
  const bool is_as_said = fits(change.old_values, row, std::vector<bool>(row.size(), false));
  GW_ASSIGN(const int code, update_row(table, change.old_values, change.new_values));
  return code != SQLITE_OK ? Installed::kStopped : is_as_said ? Installed::kDone : Installed::kMissing;
}

}  // namespace godwit::sync
