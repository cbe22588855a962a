// Work on libuv's pool: opening, running, closing. A connection has at most one piece of work at a time
// (lib/queue.js sees to it), and nothing else touches it meanwhile but interrupt().
//
// Results are handed to a callback, not to a promise: they lie in the exchange buffer, and have to be
// taken from there before anything else runs. A result of several batches calls back for each.

#include <time.h>

#include <algorithm>
#include <cstring>

#include "addon.h"
#include "row_batch.h"
#include "statement.h"

namespace godwit::node {

namespace {

// A piece of work makes at most so many batches, so that the loop gets its turn in between.
constexpr size_t kBatchesAtOnce = 8;

// A statement that only reads, and whose last runs on the pool took less processor time than this, is run
// on the loop's thread: handing work to another thread takes longer. Should it take long there, it is
// stopped after kInlineSteps and goes to the pool; so it does if a lock would have to be waited for.
constexpr int64_t kQuickNs = 150'000;
constexpr uint8_t kQuickRuns = 2;
constexpr int kInlineSteps = 25'000;  // about 1,000 to 2,000 rows

// A write also waits for the disk. One that took longer than kQuickWriteNs by the clock stays on the pool; one that
// took longer than kSlowWriteNs on the loop's thread does so for the next kRunsAfterSlow runs.
constexpr int64_t kQuickWriteNs = 1'000'000;
constexpr int64_t kQuickWriteCpuNs = 400'000;  // with what is written to the file
constexpr int64_t kSlowWriteNs = 5'000'000;
constexpr int8_t kRunsAfterSlow = 10;

constexpr size_t kSpareBatches = 8;

int64_t time_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void count_quick(Statement* statement, bool is_quick) {
  if (is_quick) statement->quick = static_cast<int8_t>(std::min(statement->quick + 1, 100));
  else if (statement->quick > 0) statement->quick = 0;
}

enum class Kind { kOpen, kExec, kRun, kFetch, kClose };

struct Work {
  Work(Kind work_kind, Addon* owner, Connection* on = nullptr, Statement* of = nullptr)
      : kind(work_kind), addon(owner), connection(on), statement(of) {}

  const Kind kind;
  Addon* const addon;
  Connection* const connection;
  Statement* const statement;
  napi_async_work work = nullptr;
  napi_ref callback = nullptr;
  std::string text;  // path or SQL
  int flags = 0;
  int timeout = 0;
  int limit = 0;

  sqlite3* opened = nullptr;
  int code = SQLITE_OK;
  std::string message;
  sqlite3_int64 total_before = 0;
  std::unique_ptr<RowBatch> spare;  // for the first batch
  std::vector<std::unique_ptr<RowBatch>> batches;
};

void note_error(Work* work, sqlite3* db) {
  work->code = sqlite3_extended_errcode(db);
  work->message = sqlite3_errmsg(db);
}

void open_on_pool(Work* work) {
  const int code = sqlite3_open_v2(work->text.c_str(), &work->opened, work->flags, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(work->opened, 1);
    sqlite3_busy_timeout(work->opened, work->timeout);
    sqlite3_db_config(work->opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nullptr);
    return;
  }
  work->code = code;
  work->message = sqlite3_errstr(code);
  if (work->opened) note_error(work, work->opened);
  sqlite3_close_v2(work->opened);
  work->opened = nullptr;
}

void run_on_pool(Work* work) {
  sqlite3* db = work->connection->db;
  sqlite3_stmt* program = work->statement->program;
  work->total_before = sqlite3_total_changes64(db);
  const int code = sqlite3_step(program);
  if (code != SQLITE_ROW && code != SQLITE_DONE) note_error(work, db);
  const int reset = sqlite3_reset(program);
  if (work->code == SQLITE_OK && reset != SQLITE_OK) note_error(work, db);
}

std::string refused_text(int64_t value) {
  return "Value is too large to be represented as a JavaScript number: " + std::to_string(value);
}

void fetch_on_pool(Work* work) {
  int left = work->limit;
  do {
    std::unique_ptr<RowBatch> batch =
        work->spare ? std::move(work->spare) : std::make_unique<RowBatch>();
    const int code = fill_batch(work->statement, *batch, left);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      note_error(work, work->connection->db);
      sqlite3_reset(work->statement->program);
      return;
    }
    left -= batch->rows;
    const bool refused = batch->integer_refused;
    if (refused) {
      sqlite3_reset(work->statement->program);
      work->statement->open = false;
      work->code = kIntegerRefused;
      work->message = refused_text(batch->refused);
      return;
    }
    work->batches.push_back(std::move(batch));
    if (code == SQLITE_DONE) return;
  } while (left > 0 && work->batches.size() < kBatchesAtOnce);
}

void execute(napi_env, void* data) {
  auto* work = static_cast<Work*>(data);
  switch (work->kind) {
    case Kind::kOpen:
      return open_on_pool(work);
    case Kind::kExec: {
      sqlite3* db = work->connection->db;
      if (sqlite3_exec(db, work->text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        note_error(work, db);
      }
      return;
    }
    case Kind::kRun: {
      const int64_t begin = time_ns(CLOCK_THREAD_CPUTIME_ID), clock = time_ns(CLOCK_MONOTONIC);
      run_on_pool(work);
      count_quick(work->statement, work->code == SQLITE_OK && time_ns(CLOCK_MONOTONIC) - clock < kQuickWriteNs &&
                                       time_ns(CLOCK_THREAD_CPUTIME_ID) - begin < kQuickWriteCpuNs);
      return;
    }
    case Kind::kFetch: {
      const int64_t begin = time_ns(CLOCK_THREAD_CPUTIME_ID);
      fetch_on_pool(work);
      count_quick(work->statement, work->code == SQLITE_OK && work->batches.size() == 1 &&
                                       time_ns(CLOCK_THREAD_CPUTIME_ID) - begin < kQuickNs);
      return;
    }
    case Kind::kClose:
      while (sqlite3_stmt* program = sqlite3_next_stmt(work->connection->db, nullptr)) {
        sqlite3_finalize(program);
      }
      sqlite3_close_v2(work->connection->db);
      work->connection->db = nullptr;
      return;
  }
}

napi_value adopt_opened(Work* work) {
  auto object = std::make_unique<Connection>();
  object->addon = work->addon;
  object->db = work->opened;
  object->timeout = work->timeout;
  Connection* connection = work->addon->connections.add(std::move(object));
  work->addon->header[kStatus] = 0;
  work->addon->header[kRowCount] = static_cast<int32_t>(connection->generation);
  napi_value slot;
  napi_create_uint32(work->addon->env, connection->slot, &slot);
  return slot;
}

void call_back(Work* work, napi_value result) {
  napi_env env = work->addon->env;
  napi_value function, receiver, ignored;
  napi_get_reference_value(env, work->callback, &function);
  napi_get_undefined(env, &receiver);
  if (!result) result = receiver;
  if (napi_call_function(env, receiver, function, 1, &result, &ignored) != napi_ok &&
      exception_pending(env)) {
    napi_value error;
    napi_get_and_clear_last_exception(env, &error);
    napi_fatal_exception(env, error);
  }
}

void deliver_batches(Work* work) {
  Addon* addon = work->addon;
  for (size_t i = 0; i < work->batches.size(); ++i) {
    addon->header[kColumns] = work->statement->columns;
    addon->header[kFlags] =
        sqlite3_stmt_status(work->statement->program, SQLITE_STMTSTATUS_REPREPARE, 0);
    const bool last = i + 1 == work->batches.size();
    addon->header[kStatus] = last && !work->statement->open ? 0 : kMoreRows;
    addon->header[kParameters] = last ? 1 : 0;  // the callback's last call
    napi_value result = work->batches[i]->deliver(addon);
    if (addon->spare_batches.size() < kSpareBatches) {
      addon->spare_batches.push_back(std::move(work->batches[i]));
    }
    call_back(work, result);
  }
}

void complete(napi_env env, napi_status status, void* data) {
  std::unique_ptr<Work> work(static_cast<Work*>(data));
  napi_delete_async_work(env, work->work);
  Addon* addon = work->addon;
  Connection* connection = work->connection;
  if (connection) {
    connection->async_running = false;
    for (size_t i = connection->statements.size(); i-- > 0;) {
      if (connection->statements[i]->abandoned) finalize_statement(connection->statements[i]);
    }
  }
  const bool ending = status == napi_cancelled || (connection && connection->close_wanted);
  if (work->kind == Kind::kClose && !ending) {
    close_connection(connection);
    addon->header[kStatus] = 0;
    call_back(work.get(), nullptr);
  } else if (ending) {
    if (connection) close_connection(connection);
    sqlite3_close_v2(work->opened);
  } else if (work->code != SQLITE_OK) {
    addon->header[kParameters] = 1;
    call_back(work.get(), fail(addon, work->code, work->message.c_str()));
  } else if (work->kind == Kind::kFetch) {
    deliver_batches(work.get());
  } else if (work->kind == Kind::kOpen) {
    call_back(work.get(), adopt_opened(work.get()));
  } else {
    if (work->kind == Kind::kRun) report_changes(connection, work->total_before);
    addon->header[kStatus] = 0;
    call_back(work.get(), nullptr);
  }
  napi_delete_reference(env, work->callback);
}

napi_value start(std::unique_ptr<Work> work, napi_value callback) {
  napi_env env = work->addon->env;
  napi_create_reference(env, callback, 1, &work->callback);
  napi_value name = text_value(env, "godwit");
  if (work->connection) work->connection->async_running = true;
  Work* raw = work.release();
  napi_create_async_work(env, nullptr, name, execute, complete, raw, &raw->work);
  napi_queue_async_work(env, raw->work);
  raw->addon->header[kStatus] = 0;
  return nullptr;
}

// openAsync(path, flags, timeout, callback)
napi_value open_async(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  auto work = std::make_unique<Work>(Kind::kOpen, call.addon);
  work->text = call.text(0);
  work->flags = static_cast<int>(call.number(1));
  work->timeout = static_cast<int>(call.number(2));
  return start(std::move(work), call.arguments[3]);
}

// execAsync(connection, sql, callback)
napi_value exec_async(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  auto work = std::make_unique<Work>(Kind::kExec, call.addon, call.connection());
  work->text = call.text(1);
  return start(std::move(work), call.arguments[2]);
}

// runAsync(statement, parameters, callback): binds here, runs on the pool. Parked: not started.
napi_value run_async(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Statement* statement = call.statement();
  if (!statement->program) {
    call.addon->header[kStatus] = kParked;
    return nullptr;
  }
  statement->used = true;
  const int code = bind_cells(statement, call.number(1));
  if (code != SQLITE_OK) return fail(statement->connection, code);
  return start(std::make_unique<Work>(Kind::kRun, call.addon, statement->connection, statement),
               call.arguments[2]);
}

// fetchAsync(statement, parameters or -1, limit, callback)
napi_value fetch_async(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Statement* statement = call.statement();
  int32_t count = 0;
  napi_get_value_int32(env, call.arguments[1], &count);
  if (!statement->program) {
    call.addon->header[kStatus] = kParked;
    return nullptr;
  }
  statement->used = true;
  if (count >= 0) {
    const int code = bind_cells(statement, static_cast<uint32_t>(count));
    if (code != SQLITE_OK) return fail(statement->connection, code);
  }
  auto work =
      std::make_unique<Work>(Kind::kFetch, call.addon, statement->connection, statement);
  work->limit = static_cast<int>(call.number(2));
  if (!call.addon->spare_batches.empty()) {
    work->spare = std::move(call.addon->spare_batches.back());
    work->spare->clear();
    call.addon->spare_batches.pop_back();
  }
  return start(std::move(work), call.arguments[3]);
}

int stop(void*) { return 1; }

// fetchInline(statement, parameters, limit): as fetch(), if the statement is known to be quick.
napi_value fetch_inline(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  Addon* addon = call.addon;
  Statement* statement = call.statement();
  if (!statement->program || !statement->readonly || statement->quick < kQuickRuns) {
    addon->header[kStatus] = kNotInline;
    return nullptr;
  }
  Connection* connection = statement->connection;
  statement->used = true;
  int code = bind_cells(statement, call.number(1));
  if (code != SQLITE_OK) return fail(connection, code);
  BatchLease batch(addon);
  sqlite3_busy_timeout(connection->db, 0);
  sqlite3_progress_handler(connection->db, kInlineSteps, stop, nullptr);
  code = fill_batch(statement, *batch.operator->(), static_cast<int>(call.number(2)));
  sqlite3_progress_handler(connection->db, 0, nullptr, nullptr);
  sqlite3_busy_timeout(connection->db, connection->timeout);
  const int primary = code & 0xff;
  if (primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    sqlite3_reset(statement->program);
    statement->open = false;
    statement->quick = 0;
    addon->header[kStatus] = kNotInline;
    return nullptr;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    napi_value text = fail(connection, code);
    sqlite3_reset(statement->program);
    return text;
  }
  if (batch->integer_refused) {
    sqlite3_reset(statement->program);
    statement->open = false;
    return fail(addon, kIntegerRefused, refused_text(batch->refused).c_str());
  }
  report_shape(addon, statement);
  addon->header[kStatus] = code == SQLITE_ROW ? kMoreRows : 0;
  return batch->deliver(addon);
}

WriteKind write_kind_of(const char* sql) {
  while (*sql && strchr(" \t\r\n", *sql)) ++sql;
  for (const char* verb : {"INSERT", "REPLACE"}) {
    if (sqlite3_strnicmp(sql, verb, static_cast<int>(strlen(verb))) == 0) {
      return sqlite3_strlike("%select%", sql, 0) != 0 ? WriteKind::kInsertValues : WriteKind::kChange;
    }
  }
  for (const char* verb : {"UPDATE", "DELETE"}) {
    if (sqlite3_strnicmp(sql, verb, static_cast<int>(strlen(verb))) == 0) return WriteKind::kChange;
  }
  return WriteKind::kOther;
}

// In a transaction that writes already nothing waits for a lock or the disk, but a stopped statement would take
// all of it back: only rows that are written out in the statement, which cannot take long. By itself a change is
// committed, and may be stopped and done again.
bool may_run_inline(Statement* statement) {
  if (!statement->program || statement->columns > 0 || statement->quick < kQuickRuns) return false;
  if (statement->write_kind == WriteKind::kUnknown) {
    statement->write_kind = write_kind_of(sqlite3_sql(statement->program));
  }
  sqlite3* db = statement->connection->db;
  if (sqlite3_get_autocommit(db)) return statement->write_kind != WriteKind::kOther;
  return statement->write_kind == WriteKind::kInsertValues &&
         sqlite3_txn_state(db, "main") == SQLITE_TXN_WRITE;
}

// runInline(statement, parameters): as run(), if the statement is known to be quick.
napi_value run_inline(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Addon* addon = call.addon;
  Statement* statement = call.statement();
  if (!may_run_inline(statement)) {
    addon->header[kStatus] = kNotInline;
    return nullptr;
  }
  Connection* connection = statement->connection;
  sqlite3* db = connection->db;
  statement->used = true;
  int code = bind_cells(statement, call.number(1));
  if (code != SQLITE_OK) return fail(connection, code);
  const bool is_alone = sqlite3_get_autocommit(db) != 0;
  const sqlite3_int64 total_before = sqlite3_total_changes64(db);
  const int64_t clock = time_ns(CLOCK_MONOTONIC);
  sqlite3_busy_timeout(db, 0);
  if (is_alone) sqlite3_progress_handler(db, kInlineSteps, stop, nullptr);
  code = sqlite3_step(statement->program);
  if (is_alone) sqlite3_progress_handler(db, 0, nullptr, nullptr);
  sqlite3_busy_timeout(db, connection->timeout);
  if (time_ns(CLOCK_MONOTONIC) - clock > kSlowWriteNs) statement->quick = -kRunsAfterSlow;
  const int primary = code & 0xff;
  if (is_alone && (primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY || primary == SQLITE_LOCKED)) {
    sqlite3_reset(statement->program);
    statement->quick = 0;
    addon->header[kStatus] = kNotInline;
    return nullptr;
  }
  if (code != SQLITE_DONE) {
    napi_value text = fail(connection, sqlite3_extended_errcode(db));
    sqlite3_reset(statement->program);
    return text;
  }
  sqlite3_reset(statement->program);
  report_changes(connection, total_before);
  addon->header[kStatus] = 0;
  return nullptr;
}

// closeAsync(connection, callback)
napi_value close_async(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  Connection* connection = call.connection();
  for (Statement* statement : connection->statements) {
    statement->program = nullptr;  // the pool finalizes it
  }
  return start(std::make_unique<Work>(Kind::kClose, call.addon, connection),
               call.arguments[1]);
}

}  // namespace

const MethodEntry kAsyncMethods[] = {{"openAsync", open_async},   {"execAsync", exec_async},
                                     {"runAsync", run_async},     {"fetchAsync", fetch_async},
                                     {"closeAsync", close_async}, {"fetchInline", fetch_inline}, {"runInline", run_inline},
                                     {nullptr, nullptr}};

}  // namespace godwit::node
