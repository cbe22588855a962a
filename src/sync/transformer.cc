#include "sync/transformer.h"

#include <cstdlib>

#include "sync/rebaser.h"
#include "sync/row_json.h"

namespace godwit::sync {

using api::Change;
using api::ChangeTable;
using api::Fields;
using api::is_undefined;

Status undo_change(RowApplier* applier, const ChangeTable& table, const Change& change) {
  GW_ASSIGN(const RowApplier::Installed installed, applier->install(table, api::inverted(change)));
  if (installed != RowApplier::Installed::kStopped) return Status();
  return Status(SQLITE_CONSTRAINT, "cannot undo a change of table " + table.name + ": another row is in the way");
}

Transformer::Transformer(sqlite3* db, const ReplicaOptions& options)
    : options_(options), applier_(db, policy_of(options)) {}

Status Transformer::prepare(std::vector<std::pair<ChangeTable, Change>>* changes) {
  std::vector<std::pair<ChangeTable, Change>> kept;
  for (auto& [table, change] : *changes) {
    bool is_kept = true;
    if (options_.transform && applier_.takes(table)) GW_TRY(transform(table, &change, &is_kept));
    if (!is_kept) continue;
    if (options_.update_wins && change.op == SQLITE_UPDATE) {
      GW_ASSIGN(const Fields row, applier_.row_of(table, change));
      for (size_t i = 0; i < row.size() && i < change.old_values.size(); ++i) {
        const bool is_given = !is_undefined(change.old_values[i]) || !is_undefined(change.new_values[i]);
        if (!is_given) change.old_values[i] = row[i];
      }
    }
    kept.emplace_back(std::move(table), std::move(change));
  }
  changes->swap(kept);
  return Status();
}

Status Transformer::transform(const ChangeTable& table, Change* change, bool* is_kept) {
  Mutation mutation;
  mutation.table = table.name;
  mutation.kind = change->op == SQLITE_INSERT ? 'I' : change->op == SQLITE_UPDATE ? 'U' : 'D';
  const Fields& values = change->op == SQLITE_INSERT ? change->new_values : change->old_values;
  for (size_t i = 0; i < table.key.size(); ++i) {
    const bool is_integer = table.key[i] == 1 && !values[i].empty() && values[i][0] == SQLITE_INTEGER;
    if (!is_integer) continue;
    const std::string digits = row_json({"k"}, {values[i]});  // {"k":1}
    mutation.rowid = std::strtoll(digits.c_str() + 5, nullptr, 10);
  }
  GW_ASSIGN(const Fields now, applier_.row_of(table, *change));
  Fields before = change->op == SQLITE_DELETE ? change->old_values : now;
  if (change->op == SQLITE_UPDATE) {
    for (size_t i = 0; i < before.size() && i < change->old_values.size(); ++i) {
      if (!is_undefined(change->old_values[i])) before[i] = change->old_values[i];
    }
    mutation.updates = applier_.row_json(table, change->new_values);
  }
  if (change->op != SQLITE_INSERT) mutation.before = applier_.row_json(table, before);
  if (change->op != SQLITE_DELETE) mutation.after = applier_.row_json(table, change->op == SQLITE_INSERT ? change->new_values : now);
  const Transformed answer = options_.transform(mutation);
  *is_kept = answer.action != Transformed::kSkip;
  if (answer.action == Transformed::kSkip) return undo_change(&applier_, table, *change);
  if (answer.action == Transformed::kRewrite && change->op != SQLITE_DELETE) return rewrite(table, answer.row, change);
  return Status();
}

Status Transformer::rewrite(const ChangeTable& table, const std::string& row, Change* change) {
  GW_ASSIGN(auto values, parse_row_json(row));
  GW_ASSIGN(const Fields now, applier_.row_of(table, *change));
  const std::vector<std::string>& columns = applier_.column_names(table);
  const Fields none(table.key.size(), api::undefined_field());
  Change local{SQLITE_UPDATE, false, none, none};
  const Fields& key = change->op == SQLITE_INSERT ? change->new_values : change->old_values;
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (table.key[i] != 0) local.old_values[i] = key[i];
  }
  for (const auto& [name, field] : values) {
    for (size_t i = 0; i < columns.size() && i < table.key.size(); ++i) {
      if (table.key[i] != 0 || sqlite3_stricmp(columns[i].c_str(), name.c_str()) != 0) continue;
      local.new_values[i] = change->new_values[i] = field;
      const bool needs_old = change->op == SQLITE_UPDATE && is_undefined(change->old_values[i]);
      if (needs_old && i < now.size()) change->old_values[i] = now[i];
    }
  }
  GW_ASSIGN(const RowApplier::Installed installed, applier_.install(table, local));
  if (installed == RowApplier::Installed::kStopped) {
    return Status(SQLITE_CONSTRAINT, "a constraint refuses the rewritten row of table " + table.name);
  }
  return Status();
}

}  // namespace godwit::sync
