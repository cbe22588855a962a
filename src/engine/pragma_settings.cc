// Pragmas that read and set what a connection does.
#include <algorithm>

#include "engine/pragma.h"

namespace godwit {

namespace {

// A flag of ConnectionSettings: setting it gives no row, asking gives 0 or 1.
template <bool ConnectionSettings::*Flag>
Status flag(PragmaCall* call) {
  bool& value = call->connection->settings.*Flag;
  if (call->has_argument) {
    value = pragma_boolean(call->argument);
    call->connection->invalidate_statements();
    return Status();
  }
  call->add_integer(value ? 1 : 0);
  return Status();
}

// In force until the transaction ends.
Status defer_foreign_keys(PragmaCall* call) {
  ForeignKeyCounters& counters = *call->connection->foreign_key_counters();
  bool& defer_all = counters.defer_all;
  if (call->has_argument) {
    defer_all = pragma_boolean(call->argument);
    // As in SQLite the violations that were found so far are forgotten.
    if (!defer_all) counters.deferred = counters.postponed = 0;
    call->connection->invalidate_statements();
  } else {
    call->add_integer(defer_all ? 1 : 0);
  }
  return Status();
}

// PRAGMA foreign_keys does nothing within a transaction.
Status foreign_keys(PragmaCall* call) {
  if (call->has_argument && !call->connection->autocommit()) return Status();
  return flag<&ConnectionSettings::foreign_keys>(call);
}

Status case_sensitive_like(PragmaCall* call) {
  if (call->has_argument) {
    bool on = pragma_boolean(call->argument);
    call->connection->settings.case_sensitive_like = on;
    call->connection->functions().set_case_sensitive_like(on);
    call->connection->invalidate_statements();
  }
  return Status();
}

// RESET also reads the schemas again.
Status writable_schema(PragmaCall* call) {
  if (!call->has_argument || !names_equal(call->argument, "reset")) {
    return flag<&ConnectionSettings::writable_schema>(call);
  }
  call->connection->settings.writable_schema = false;
  call->connection->forget_schemas();
  return Status();
}

Status busy_timeout(PragmaCall* call) {
  if (call->has_argument) {
    call->connection->set_busy_timeout(std::max(pragma_integer(call->argument), 0));
  }
  call->add_integer(call->connection->settings.busy_timeout_ms);
  return Status();
}

// Changing it drops the temporary database.
Status temp_store(PragmaCall* call) {
  int& value = call->connection->settings.temp_store;
  if (!call->has_argument) {
    call->add_integer(value);
    return Status();
  }
  const std::string& text = call->argument;
  int wanted = !text.empty() && text[0] >= '0' && text[0] <= '2' ? text[0] - '0'
               : names_equal(text, "file")                       ? 1
               : names_equal(text, "memory")                     ? 2
                                                                 : 0;
  if (wanted == value) return Status();
  AttachedDatabase& temp = call->connection->databases()[Connection::kTemp];
  if (temp.btree != nullptr) {
    if (!call->connection->autocommit() || temp.btree->pager().is_reading()) {
      return Status::error("temporary storage cannot be changed from within a transaction");
    }
    temp.btree.reset();
    temp.schema = nullptr;
    temp.has_checked_version = false;
    call->connection->invalidate_statements();
  }
  value = wanted;
  return Status();
}

Status threads(PragmaCall* call) {
  Limits& limits = call->connection->limits;
  bool is_integer = false;
  int64_t wanted = pragma_wide(call->argument, &is_integer);
  if (call->has_argument && is_integer && wanted >= 0) {
    limits.set(Limit::kWorkerThreads, wanted & 0x7fffffff);
  }
  call->add_integer(limits.get(Limit::kWorkerThreads));
  return Status();
}

Status analysis_limit(PragmaCall* call) {
  int& value = call->connection->settings.analysis_limit;
  bool is_integer = false;
  int64_t wanted = pragma_wide(call->argument, &is_integer);
  if (call->has_argument && is_integer && wanted >= 0) value = static_cast<int>(wanted & 0x7fffffff);
  call->add_integer(value);
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> settings_pragmas() {
  using S = ConnectionSettings;
  using pragma_table::kPlain;
  constexpr PragmaNeeds kNothing = PragmaNeeds::kNothing;
  return {
      {"foreign_keys", kNothing, foreign_keys, {}, true, kPlain},
      {"recursive_triggers", kNothing, flag<&S::recursive_triggers>, {}, true, kPlain},
      {"defer_foreign_keys", kNothing, defer_foreign_keys, {}, true, kPlain},
      {"ignore_check_constraints", kNothing, flag<&S::ignore_check_constraints>, {}, true, kPlain},
      {"count_changes", kNothing, flag<&S::count_changes>, {}, true, kPlain},
      {"full_column_names", kNothing, flag<&S::full_column_names>, {}, true, kPlain},
      {"short_column_names", kNothing, flag<&S::short_column_names>, {}, true, kPlain},
      {"reverse_unordered_selects", kNothing, flag<&S::reverse_unordered_selects>, {}, true, kPlain},
      {"cell_size_check", kNothing, flag<&S::cell_size_check>, {}, true, kPlain},
      {"query_only", kNothing, flag<&S::query_only>, {}, true, kPlain},
      {"automatic_index", kNothing, flag<&S::automatic_index>, {}, true, kPlain},
      {"trusted_schema", kNothing, flag<&S::trusted_schema>, {}, true, kPlain},
      {"legacy_alter_table", kNothing, flag<&S::legacy_alter_table>, {}, true, kPlain},
      {"writable_schema", kNothing, writable_schema, {}, true, kPlain},
      {"fullfsync", kNothing, flag<&S::fullfsync>, {}, true, kPlain},
      {"checkpoint_fullfsync", kNothing, flag<&S::checkpoint_fullfsync>, {}, true, kPlain},
      {"read_uncommitted", kNothing, flag<&S::read_uncommitted>, {}, true, kPlain},
      {"empty_result_callbacks", kNothing, flag<&S::empty_result_callbacks>, {}, true, kPlain},
      {"case_sensitive_like", kNothing, case_sensitive_like, {}, true, pragma_table::kNone, true},
      {"busy_timeout", kNothing, busy_timeout, {"timeout"}, false, kPlain},
      {"temp_store", kNothing, temp_store, {}, true, kPlain},
      {"threads", kNothing, threads, {}, false, kPlain},
      {"analysis_limit", kNothing, analysis_limit, {}, false, kPlain},
  };
}

}  // namespace godwit
