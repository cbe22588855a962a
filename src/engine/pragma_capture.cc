// PRAGMA capture_data_changes_conn: who captures is said by a hook (capture/data_changes.h).
#include "engine/pragma.h"

namespace godwit {
namespace {

Status capture_data_changes(PragmaCall* call) {
  const ConnectionHooks& hooks = call->connection->hooks();
  if (hooks.data_capture == nullptr) return Status::not_implemented("capture of changes");
  DataCaptureState state;
  GW_TRY(hooks.data_capture(hooks.data_capture_context, call->has_argument ? &call->argument : nullptr,
                            &state));
  if (call->has_argument) return Status();
  auto or_null = [](const std::string& t) { return t.empty() ? Value() : text(t); };
  call->add_row({text(state.mode), or_null(state.table), or_null(state.version)});
  return Status();
}

}  // namespace

std::vector<PragmaDefinition> capture_pragmas() {
  const std::vector<const char*> columns = {"mode", "table", "version"};
  return {
      {"capture_data_changes_conn", PragmaNeeds::kNothing, capture_data_changes, columns, true},
      {"unstable_capture_data_changes_conn", PragmaNeeds::kNothing, capture_data_changes, columns, true},
  };
}

}  // namespace godwit
