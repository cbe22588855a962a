// Replicas (sync/replica.h) for lib/sync.js, which owns the network. All work on a replica is done on
// libuv's pool, one piece at a time (lib/sync.js sees to it); results go to a callback, as in async.cc.
//
//     replicaOpen -> replicaBegin -> request -> replicaAnswer (once or more) -> request or none
//
// transform and onConflict have to be answered while the work goes on: the pool's thread asks the
// loop's and waits. If JavaScript throws there, the step is undone by an exception, which ends here.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "addon.h"
#include "sync/replica.h"

namespace godwit::node {

namespace {

using sync::Conflict;

// A question to the loop's thread: which hook, and its fields. One is open at a time.
struct Question {
  bool is_conflict = false;
  std::vector<std::pair<const char*, std::string>> fields;
  std::string answer;  // JSON; "" is the hook's default
  bool failed = false;
  bool done = false;
  std::mutex mutex;
  std::condition_variable changed;

  void finish() {
    const std::lock_guard<std::mutex> lock(mutex);
    done = true;
    changed.notify_one();
  }
};

struct HookFailed {};

// Null when the environment has ended, which may be before the replica goes.
using HookFunction = std::atomic<napi_threadsafe_function>;

struct ReplicaHandle {
  Addon* addon = nullptr;
  std::shared_ptr<HookFunction> hook;
  std::unique_ptr<sync::Replica> replica;
  std::unique_ptr<sync::Exchange> exchange;
  // Of the piece of work that runs.
  std::vector<Conflict> conflicts;
  uint64_t progress_done = 0, progress_total = 0;
  bool is_running = false;
  bool is_garbage = false;  // freed when that work ends
};

struct ReplicaWork {
  ReplicaHandle* handle = nullptr;
  napi_async_work work = nullptr;
  napi_ref callback = nullptr;
  std::function<Status(ReplicaWork*)> run;
  // Fills the object that the callback gets.
  std::function<void(napi_env, napi_value)> report;
  std::string body;
  Status status;
};

void set(napi_env env, napi_value object, const char* name, const std::string& text) {
  napi_set_named_property(env, object, name, text_value(env, text.data(), text.size()));
}

void set(napi_env env, napi_value object, const char* name, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  napi_set_named_property(env, object, name, value);
}

void set(napi_env env, napi_value object, const char* name, bool flag) {
  napi_value value;
  napi_get_boolean(env, flag, &value);
  napi_set_named_property(env, object, name, value);
}

using Fields = std::vector<std::pair<const char*, std::string>>;

Fields fields_of(const Conflict& conflict) {
  static constexpr const char* kKinds[] = {"overwritten", "dropped", "moved", "refused", "set aside"};
  return {{"kind", kKinds[conflict.kind]}, {"table", conflict.table}, {"key", conflict.key},
          {"mine", conflict.mine},         {"theirs", conflict.theirs}, {"base", conflict.base},
          {"error", conflict.error}};
}

napi_value object_of(napi_env env, const Fields& fields) {
  napi_value object;
  napi_create_object(env, &object);
  for (const auto& [name, text] : fields) set(env, object, name, text);
  return object;
}

template <typename Items, typename Convert>
napi_value array_of(napi_env env, const Items& items, Convert convert) {
  napi_value array;
  napi_create_array_with_length(env, items.size(), &array);
  for (uint32_t i = 0; i < items.size(); ++i) napi_set_element(env, array, i, convert(items[i]));
  return array;
}

// ---- hooks

// On the loop's thread. The environment is null when it ends.
void answer_question(napi_env env, napi_value function, void*, void* data) {
  auto* question = static_cast<Question*>(data);
  question->failed = true;
  if (env) {
    napi_value global, result;
    napi_get_global(env, &global);
    napi_value arguments[2] = {nullptr, object_of(env, question->fields)};
    napi_get_boolean(env, question->is_conflict, &arguments[0]);
    if (napi_call_function(env, global, function, 2, arguments, &result) == napi_ok) {
      napi_valuetype type = napi_undefined;
      napi_typeof(env, result, &type);
      // Nothing at all: the hook threw, and lib/sync.js has kept what.
      question->failed = type != napi_string;
      if (type == napi_string) question->answer = text_of(env, result);
    }
  }
  question->finish();
}

std::string ask(ReplicaHandle* handle, bool is_conflict, Fields fields) {
  Question question;
  question.is_conflict = is_conflict;
  question.fields = std::move(fields);
  napi_threadsafe_function function = handle->hook->load();
  if (!function || napi_call_threadsafe_function(function, &question, napi_tsfn_blocking) != napi_ok) {
    throw HookFailed();
  }
  std::unique_lock<std::mutex> lock(question.mutex);
  question.changed.wait(lock, [&] { return question.done; });
  if (question.failed) throw HookFailed();
  return question.answer;
}

sync::Transformed ask_transform(ReplicaHandle* handle, const sync::Mutation& mutation) {
  std::string answer = ask(handle, false,
                           {{"table", mutation.table}, {"kind", std::string(1, mutation.kind)},
                            {"id", std::to_string(mutation.rowid)}, {"before", mutation.before},
                            {"after", mutation.after}, {"updates", mutation.updates}});
  sync::Transformed transformed;
  if (answer == "skip") {
    transformed.action = sync::Transformed::kSkip;
  } else if (!answer.empty()) {
    transformed.action = sync::Transformed::kRewrite;
    transformed.row = std::move(answer);
  }
  return transformed;
}

// ---- work

void execute_work(napi_env, void* data) {
  auto* work = static_cast<ReplicaWork*>(data);
  try {
    work->status = work->run(work);
  } catch (const HookFailed&) {
    work->handle->exchange.reset();
    work->status = Status::error("a hook has thrown an exception");
  } catch (const std::bad_alloc&) {
    work->status = Status::no_memory();
  }
}

void free_handle(ReplicaHandle* handle) {
  handle->exchange.reset();
  handle->replica.reset();
  if (handle->hook) {
    napi_threadsafe_function function = handle->hook->load();
    if (function) napi_release_threadsafe_function(function, napi_tsfn_abort);
  }
  delete handle;
}

void complete_work(napi_env env, napi_status status, void* data) {
  std::unique_ptr<ReplicaWork> work(static_cast<ReplicaWork*>(data));
  napi_delete_async_work(env, work->work);
  ReplicaHandle* handle = work->handle;
  handle->is_running = false;
  if (handle->is_garbage) {
    free_handle(handle);
  } else if (status == napi_ok) {
    Addon* addon = handle->addon;
    napi_value object;
    napi_create_object(env, &object);
    if (!handle->conflicts.empty()) {
      napi_set_named_property(env, object, "conflicts", array_of(env, handle->conflicts, [&](const Conflict& conflict) {
                                return object_of(env, fields_of(conflict));
                              }));
    }
    set(env, object, "done", static_cast<double>(handle->progress_done));
    set(env, object, "total", static_cast<double>(handle->progress_total));
    addon->header[kStatus] = -work->status.code();
    if (!work->status.ok()) set(env, object, "message", work->status.message());
    else if (work->report) work->report(env, object);
    napi_value callback, global;
    napi_get_reference_value(env, work->callback, &callback);
    napi_get_global(env, &global);
    napi_make_callback(env, nullptr, global, callback, 1, &object, nullptr);
  }
  napi_delete_reference(env, work->callback);
}

napi_value start_work(napi_env env, std::unique_ptr<ReplicaWork> work, napi_value callback) {
  ReplicaHandle* handle = work->handle;
  if (handle->is_running) return throw_type_error(env, "The replica is at work");
  handle->is_running = true;
  handle->conflicts.clear();
  handle->progress_done = handle->progress_total = 0;
  napi_create_reference(env, callback, 1, &work->callback);
  ReplicaWork* raw = work.release();
  napi_create_async_work(env, nullptr, text_value(env, "godwit sync"), execute_work, complete_work, raw, &raw->work);
  napi_queue_async_work(env, raw->work);
  return nullptr;
}

ReplicaHandle* handle_of(napi_env env, napi_value value) {
  void* data = nullptr;
  napi_get_value_external(env, value, &data);
  return static_cast<ReplicaHandle*>(data);
}

std::unique_ptr<ReplicaWork> work_on(ReplicaHandle* handle) {
  auto work = std::make_unique<ReplicaWork>();
  work->handle = handle;
  return work;
}

// The request to send next, into `object`; none: whether anything changed.
void report_exchange(ReplicaHandle* handle, napi_env env, napi_value object) {
  const sync::HttpRequest* request = handle->exchange->request();
  if (!request) {
    set(env, object, "changed", handle->exchange->changed());
    handle->exchange.reset();
    return;
  }
  set(env, object, "method", request->method);
  set(env, object, "url", request->url);
  napi_value headers, body;
  napi_create_object(env, &headers);
  for (const auto& [name, value] : request->headers) set(env, headers, name.c_str(), value);
  napi_set_named_property(env, object, "headers", headers);
  napi_create_buffer_copy(env, request->body.size(), request->body.data(), nullptr, &body);
  napi_set_named_property(env, object, "body", body);
}

// ---- options

std::string text_option(napi_env env, napi_value options, const char* name) {
  napi_value value = nullptr;
  napi_get_named_property(env, options, name, &value);
  return text_of(env, value);
}

bool flag_option(napi_env env, napi_value options, const char* name) {
  napi_value value = nullptr;
  bool flag = false;
  napi_get_named_property(env, options, name, &value);
  napi_get_value_bool(env, value, &flag);
  return flag;
}

sync::ReplicaOptions read_options(napi_env env, napi_value object) {
  sync::ReplicaOptions options;
  options.url = text_option(env, object, "url");
  options.client_name = text_option(env, object, "clientName");
  const std::string wire = text_option(env, object, "wire");
  options.wire = wire == "godwit" ? sync::Wire::kGodwit : wire == "turso" ? sync::Wire::kTurso : sync::Wire::kDetect;
  options.adopt = flag_option(env, object, "adopt");
  options.accept_other_database = flag_option(env, object, "acceptOtherDatabase");
  options.update_wins = flag_option(env, object, "updateWins");
  napi_value value = nullptr;
  napi_get_named_property(env, object, "longPollTimeoutMs", &value);
  napi_get_value_uint32(env, value, &options.long_poll_ms);
  napi_get_named_property(env, object, "counters", &value);
  uint32_t count = 0;
  napi_get_array_length(env, value, &count);
  for (uint32_t i = 0; i < count; ++i) {
    napi_value item;
    napi_get_element(env, value, i, &item);
    options.counters.push_back(text_of(env, item));
  }
  return options;
}

void set_hooks(napi_env env, napi_value object, ReplicaHandle* handle, sync::ReplicaOptions* options) {
  options->conflict_found = [handle](const Conflict& conflict) { handle->conflicts.push_back(conflict); };
  options->progress = [handle](uint64_t done, uint64_t total) {
    handle->progress_done = done;
    handle->progress_total = total;
  };
  if (flag_option(env, object, "transforms")) {
    options->transform = [handle](const sync::Mutation& mutation) { return ask_transform(handle, mutation); };
  }
  if (flag_option(env, object, "decides")) {
    options->on_conflict = [handle](const Conflict& conflict) -> std::optional<std::string> {
      std::string answer = ask(handle, true, fields_of(conflict));
      if (answer.empty()) return std::nullopt;
      return answer;
    };
  }
}

void forget_hook(napi_env, void* data, void*) {
  auto* hook = static_cast<std::shared_ptr<HookFunction>*>(data);
  (*hook)->store(nullptr);
  delete hook;
}

void finalize_handle(napi_env, void* data, void*) {
  auto* handle = static_cast<ReplicaHandle*>(data);
  if (handle->is_running) handle->is_garbage = true;
  else free_handle(handle);
}

// ---- methods

// replicaOpen(path, options, hook, callback): a handle; the callback hears whether it could be opened.
napi_value replica_open(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  auto* handle = new ReplicaHandle;
  handle->addon = call.addon;
  auto options = std::make_shared<sync::ReplicaOptions>(read_options(env, call.arguments[1]));
  set_hooks(env, call.arguments[1], handle, options.get());
  if (options->transform || options->on_conflict) {
    napi_threadsafe_function function = nullptr;
    handle->hook = std::make_shared<HookFunction>(nullptr);
    napi_create_threadsafe_function(env, call.arguments[2], nullptr, text_value(env, "godwit sync"), 0, 1,
                                    new std::shared_ptr<HookFunction>(handle->hook), forget_hook, nullptr, answer_question,
                                    &function);
    handle->hook->store(function);
    napi_unref_threadsafe_function(env, function);
  }
  napi_value external;
  napi_create_external(env, handle, finalize_handle, nullptr, &external);
  auto work = work_on(handle);
  work->run = [path = call.text(0), options](ReplicaWork* running) -> Status {
    GW_ASSIGN(running->handle->replica, sync::Replica::open(path, std::move(*options)));
    return Status();
  };
  start_work(env, std::move(work), call.arguments[3]);
  return external;
}

// replicaBegin(handle, pull, callback): {request fields} or {changed}
napi_value replica_begin(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  ReplicaHandle* handle = handle_of(env, call.arguments[0]);
  bool is_pull = false;
  napi_get_value_bool(env, call.arguments[1], &is_pull);
  auto work = work_on(handle);
  work->run = [is_pull](ReplicaWork* running) -> Status {
    sync::Replica& replica = *running->handle->replica;
    running->handle->exchange.reset();
    GW_ASSIGN(running->handle->exchange, is_pull ? replica.begin_pull() : replica.begin_push());
    return Status();
  };
  work->report = [handle](napi_env at, napi_value object) { report_exchange(handle, at, object); };
  return start_work(env, std::move(work), call.arguments[2]);
}

// replicaAnswer(handle, status or 0, bytes, end, callback): a piece of the answer; with a status it is the
// first, with `end` the last. After the last: as replicaBegin. An error gives the exchange up.
napi_value replica_answer(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  ReplicaHandle* handle = handle_of(env, call.arguments[0]);
  const int status = static_cast<int>(call.number(1));
  bool is_end = false;
  napi_get_value_bool(env, call.arguments[3], &is_end);
  void* data = nullptr;
  size_t length = 0;
  napi_get_buffer_info(env, call.arguments[2], &data, &length);
  auto work = work_on(handle);
  work->body.assign(static_cast<char*>(data), length);
  work->run = [status, is_end](ReplicaWork* running) -> Status {
    std::unique_ptr<sync::Exchange>& exchange = running->handle->exchange;
    if (!exchange) return Status::error("no exchange is under way");
    if (status != 0) exchange->begin(status);
    Status result = running->body.empty() ? Status() : exchange->add(running->body);
    if (result.ok() && is_end) result = exchange->end();
    if (!result.ok()) exchange.reset();
    return result;
  };
  if (is_end) work->report = [handle](napi_env at, napi_value object) { report_exchange(handle, at, object); };
  return start_work(env, std::move(work), call.arguments[4]);
}

// replicaDrop(handle, callback): gives up the exchange that is under way.
napi_value replica_drop(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  work->run = [](ReplicaWork* running) -> Status {
    running->handle->exchange.reset();
    return Status();
  };
  return start_work(env, std::move(work), call.arguments[1]);
}

// replicaPending(handle, callback): {changes: [{seq, table, key, kind, isSent}]}
napi_value replica_pending(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  auto changes = std::make_shared<std::vector<sync::PendingChange>>();
  work->run = [changes](ReplicaWork* running) -> Status {
    GW_ASSIGN(*changes, running->handle->replica->pending());
    return Status();
  };
  work->report = [changes](napi_env at, napi_value object) {
    napi_set_named_property(at, object, "changes", array_of(at, *changes, [&](const sync::PendingChange& change) {
      napi_value one = object_of(at, {{"table", change.table}, {"key", change.key}, {"kind", std::string(1, change.kind)}});
      set(at, one, "seq", static_cast<double>(change.seq));
      set(at, one, "isSent", change.is_sent);
      return one;
    }));
  };
  return start_work(env, std::move(work), call.arguments[1]);
}

// replicaDiscard(handle, table, key, callback)
napi_value replica_discard(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  work->run = [table = call.text(1), key = call.text(2)](ReplicaWork* running) {
    return running->handle->replica->discard(table, key);
  };
  return start_work(env, std::move(work), call.arguments[3]);
}

napi_value replica_stats(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  auto stats = std::make_shared<sync::ReplicaStats>();
  work->run = [stats](ReplicaWork* running) -> Status {
    GW_ASSIGN(*stats, running->handle->replica->stats());
    return Status();
  };
  work->report = [stats](napi_env at, napi_value object) {
    set(at, object, "pendingChanges", static_cast<double>(stats->pending_changes));
    set(at, object, "lastPushUnixTime", static_cast<double>(stats->last_push_time));
    set(at, object, "lastPullUnixTime", static_cast<double>(stats->last_pull_time));
    set(at, object, "revision", stats->revision);
    set(at, object, "networkSentBytes", static_cast<double>(stats->sent_bytes));
    set(at, object, "networkReceivedBytes", static_cast<double>(stats->received_bytes));
    set(at, object, "mainWalSize", static_cast<double>(stats->wal_bytes));
  };
  return start_work(env, std::move(work), call.arguments[1]);
}

napi_value replica_checkpoint(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  work->run = [](ReplicaWork* running) { return running->handle->replica->checkpoint(); };
  return start_work(env, std::move(work), call.arguments[1]);
}

// replicaSetUrl(handle, url), between pieces of work
napi_value replica_set_url(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ReplicaHandle* handle = handle_of(env, call.arguments[0]);
  if (handle->is_running) return throw_type_error(env, "The replica is at work");
  handle->replica->set_url(call.text(1));
  return nullptr;
}

napi_value replica_close(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  auto work = work_on(handle_of(env, call.arguments[0]));
  work->run = [](ReplicaWork* running) -> Status {
    running->handle->exchange.reset();
    running->handle->replica.reset();
    return Status();
  };
  return start_work(env, std::move(work), call.arguments[1]);
}

}  // namespace

const MethodEntry kReplicaMethods[] = {{"replicaOpen", replica_open},
                                       {"replicaBegin", replica_begin},
                                       {"replicaAnswer", replica_answer},
                                       {"replicaDrop", replica_drop},
                                       {"replicaPending", replica_pending},
                                       {"replicaDiscard", replica_discard},
                                       {"replicaStats", replica_stats},
                                       {"replicaCheckpoint", replica_checkpoint},
                                       {"replicaSetUrl", replica_set_url},
                                       {"replicaClose", replica_close},
                                       {nullptr, nullptr}};

}  // namespace godwit::node
