// Rebasing: a local changeset is made one that can follow the remote changes which were applied
// meanwhile, with the decisions about their conflicts that sqlite3changeset_apply_v2() wrote down.
//
// These decisions have the form of a changeset: INSERT, what a row became by a remote INSERT or UPDATE
// (fields that it left alone are undefined), or DELETE; "indirect" says that the remote change
// replaced the local one, else it was omitted. Several decisions about a row are combined by field.
#include <map>
#include <memory>
#include <new>

#include "api/changeset.h"
#include "api/handles.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

namespace godwit::api {

// What was decided about one row.
struct RemoteRow {
  int op = 0;
  bool replaces = false;     // in one decision at least
  Fields values;             // one per column; undefined: left alone
  std::vector<bool> is_won;  // per column: the remote value replaced the local one
};

struct RemoteTable {
  ChangeTable table;
  std::map<std::string, RemoteRow> rows;
};

}  // namespace godwit::api

namespace {

// What is known of both: `first` where it is defined.
Fields merged(const Fields& first, const RemoteRow* first_row, const Fields& second,
              const RemoteRow* second_row) {
  Fields fields;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool takes_first =
        !is_undefined(first[i]) && (first_row == nullptr || !first_row->is_won[i]);
    const bool has_second = second_row == nullptr || !second_row->is_won[i];
    fields.push_back(takes_first ? first[i] : has_second ? second[i] : undefined_field());
  }
  return fields;
}

// False: no column is left that the local UPDATE changes.
bool rebase_update(const ChangeTable& table, const RemoteRow& remote, Change* local) {
  bool has_change = false;
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (table.key[i] != 0) continue;
    Field& old = local->old_values[i];
    if (is_undefined(old)) continue;
    if (remote.is_won[i]) {
      old = local->new_values[i] = undefined_field();
      continue;
    }
    if (!is_undefined(remote.values[i])) old = remote.values[i];
    has_change = true;
  }
  return has_change;
}

// False: nothing is left of the local change.
bool rebase_change(const ChangeTable& table, const RemoteRow& remote, Change* local) {
  const bool is_deleted = remote.op == SQLITE_DELETE;
  if (local->op == SQLITE_INSERT) {
    if (is_deleted) return true;
    if (remote.replaces) return false;
    local->op = SQLITE_UPDATE;
    local->old_values = remote.values;
    return true;
  }
  if (local->op == SQLITE_DELETE) {
    if (is_deleted) return false;
    local->old_values = merged(remote.values, &remote, local->old_values, nullptr);
    return true;
  }
  if (!is_deleted) return rebase_update(table, remote, local);
  if (remote.replaces) return false;
  local->op = SQLITE_INSERT;
  local->new_values = merged(local->new_values, nullptr, remote.values, &remote);
  local->old_values.clear();
  return true;
}

}  // namespace

struct sqlite3_rebaser {
  std::vector<std::unique_ptr<RemoteTable>> tables;

  RemoteTable* find(const std::string& name) {
    for (auto& table : tables) {
      if (equals_ignore_case(table->table.name, name)) return table.get();
    }
    return nullptr;
  }

  int configure(std::string_view bytes) {
    ChangesetReader reader(bytes);
    int code;
    while ((code = reader.next()) == SQLITE_ROW) {
      RemoteTable* table = find(reader.table().name);
      if (table == nullptr) {
        tables.push_back(std::make_unique<RemoteTable>());
        table = tables.back().get();
        table->table = reader.table();
      }
      if (table->table.is_patchset != reader.table().is_patchset) return SQLITE_ERROR;
      if (table->table.key != reader.table().key) return SQLITE_SCHEMA;
      note(table, reader.change());
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
  }

  static void note(RemoteTable* table, const Change& decision) {
    const size_t columns = table->table.key.size();
    const Fields& values =
        decision.op == SQLITE_DELETE ? decision.old_values : decision.new_values;
    auto [at, is_new] = table->rows.try_emplace(decision.key(table->table));
    RemoteRow& row = at->second;
    if (is_new) {
      row.values.assign(columns, undefined_field());
      row.is_won.assign(columns, false);
    }
    row.op = decision.op;
    row.replaces |= decision.indirect;
    for (size_t i = 0; i < columns; ++i) {
      if (row.is_won[i]) continue;
      if (!is_undefined(values[i])) row.values[i] = values[i];
      if (is_undefined(row.values[i]) || table->table.key[i] != 0 || !decision.indirect) continue;
      // A replacing decision wins the fields of the ones before, too.
      row.is_won[i] = !is_new || decision.op != SQLITE_DELETE;
    }
  }

  int rebase(std::string_view bytes, std::string* out) {
    ChangesetReader reader(bytes);
    const RemoteTable* remote = nullptr;
    ChangeTable last;
    int code;
    while ((code = reader.next()) == SQLITE_ROW) {
      const ChangeTable& table = reader.table();
      if (table.is_patchset) return SQLITE_ERROR;
      if (!(table == last)) {
        last = table;
        last.append_header(out);
        remote = find(table.name);
        if (remote != nullptr && remote->table.key != table.key) return SQLITE_SCHEMA;
      }
      Change change = reader.change();
      if (remote != nullptr) {
        auto row = remote->rows.find(change.key(table));
        if (row != remote->rows.end() && !rebase_change(table, row->second, &change)) continue;
      }
      change.append(table, out);
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
  }
};

namespace {

std::string_view bytes_view(int size, const void* data) {
  return size <= 0 ? std::string_view()
                   : std::string_view(static_cast<const char*>(data), static_cast<size_t>(size));
}

}  // namespace

int sqlite3rebaser_create(sqlite3_rebaser** rebaser) {
  if (rebaser == nullptr) return SQLITE_MISUSE;
  *rebaser = new (std::nothrow) sqlite3_rebaser;
  return *rebaser == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}
void sqlite3rebaser_delete(sqlite3_rebaser* rebaser) { delete rebaser; }

int sqlite3rebaser_configure(sqlite3_rebaser* rebaser, int size, const void* data) {
  return rebaser == nullptr ? SQLITE_MISUSE : rebaser->configure(bytes_view(size, data));
}
int sqlite3rebaser_rebase(sqlite3_rebaser* rebaser, int size, const void* data, int* out_size,
                          void** out) {
  if (rebaser == nullptr || out_size == nullptr || out == nullptr) return SQLITE_MISUSE;
  std::string bytes;
  int code = rebaser->rebase(bytes_view(size, data), &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, out_size, out) : code;
}
int sqlite3rebaser_rebase_strm(sqlite3_rebaser* rebaser, int (*input)(void*, void*, int*),
                               void* input_context, int (*output)(void*, const void*, int),
                               void* output_context) {
  if (rebaser == nullptr || input == nullptr || output == nullptr) return SQLITE_MISUSE;
  std::string local, bytes;
  int code = take_bytes(input, input_context, &local);
  if (code == SQLITE_OK) code = rebaser->rebase(local, &bytes);
  return code == SQLITE_OK ? give_bytes(bytes, output, output_context) : code;
}
