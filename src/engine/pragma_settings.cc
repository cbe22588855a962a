// Pragmas that read and set what a connection does.
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

// PRAGMA foreign_keys does nothing within a transaction.
Status foreign_keys(PragmaCall* call) {
  if (call->has_argument && !call->connection->autocommit()) return Status();
  return flag<&ConnectionSettings::foreign_keys>(call);
}

Status case_sensitive_like(PragmaCall* call) {
  if (call->has_argument) {
    call->connection->settings.case_sensitive_like = pragma_boolean(call->argument);
    call->connection->invalidate_statements();
  }
  return Status();
}

Status busy_timeout(PragmaCall* call) {
  if (call->has_argument) {
    call->connection->set_busy_timeout(static_cast<int>(pragma_integer(call->argument)));
  }
  call->add_integer(call->connection->settings.busy_timeout_ms);
  return Status();
}

Status temp_store(PragmaCall* call) {
  int& value = call->connection->settings.temp_store;
  if (!call->has_argument) {
    call->add_integer(value);
    return Status();
  }
  const std::string& text = call->argument;
  value = names_equal(text, "file")     ? 1
          : names_equal(text, "memory") ? 2
          : names_equal(text, "default")
              ? 0
              : static_cast<int>(pragma_integer(text)) % 3;
  return Status();
}

Status threads(PragmaCall* call) {
  Limits& limits = call->connection->limits;
  if (call->has_argument) limits.set(Limit::kWorkerThreads, pragma_integer(call->argument));
  call->add_integer(limits.get(Limit::kWorkerThreads));
  return Status();
}

Status analysis_limit(PragmaCall* call) {
  int& value = call->connection->settings.analysis_limit;
  if (call->has_argument) {
    int64_t limit = pragma_integer(call->argument);
    if (limit >= 0) value = static_cast<int>(limit);
  }
  call->add_integer(value);
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> settings_pragmas() {
  using S = ConnectionSettings;
  constexpr PragmaNeeds kNothing = PragmaNeeds::kNothing;
  return {
      {"foreign_keys", kNothing, foreign_keys, {}, true},
      {"recursive_triggers", kNothing, flag<&S::recursive_triggers>, {}, true},
      {"defer_foreign_keys", kNothing, flag<&S::defer_foreign_keys>, {}, true},
      {"ignore_check_constraints", kNothing, flag<&S::ignore_check_constraints>, {}, true},
      {"count_changes", kNothing, flag<&S::count_changes>, {}, true},
      {"full_column_names", kNothing, flag<&S::full_column_names>, {}, true},
      {"short_column_names", kNothing, flag<&S::short_column_names>, {}, true},
      {"reverse_unordered_selects", kNothing, flag<&S::reverse_unordered_selects>, {}, true},
      {"cell_size_check", kNothing, flag<&S::cell_size_check>, {}, true},
      {"query_only", kNothing, flag<&S::query_only>, {}, true},
      {"automatic_index", kNothing, flag<&S::automatic_index>, {}, true},
      {"trusted_schema", kNothing, flag<&S::trusted_schema>, {}, true},
      {"legacy_alter_table", kNothing, flag<&S::legacy_alter_table>, {}, true},
      {"writable_schema", kNothing, flag<&S::writable_schema>, {}, true},
      {"case_sensitive_like", kNothing, case_sensitive_like, {}, true},
      {"busy_timeout", kNothing, busy_timeout, {"timeout"}},
      {"temp_store", kNothing, temp_store, {}, true},
      {"threads", kNothing, threads, {}},
      {"analysis_limit", kNothing, analysis_limit, {}},
  };
}

}  // namespace godwit
