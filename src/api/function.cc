// Functions of the application: registration, and the call from SQL into C.
#include <cstdlib>
#include <cstring>
#include <new>

#include "api/arguments.h"
#include "api/handles.h"
#include "api/utf16.h"

using namespace godwit;
using namespace godwit::api;

// What an aggregate keeps for one group, beside the memory that it asked for. The executor allocates
// it, zeroed.
struct AggregateMemory {
  struct AppFunction* function;  // null: no row yet
  void* memory;
  int rows;
  bool finalized;
};

using CallFunction = void (*)(sqlite3_context*, int, sqlite3_value**);
using ResultFunction = void (*)(sqlite3_context*);

// What the application registered.
struct AppFunction {
  sqlite3* db = nullptr;
  void* user_data = nullptr;
  CallFunction call = nullptr;
  CallFunction step = nullptr;
  ResultFunction final = nullptr;
  ResultFunction value = nullptr;
  CallFunction inverse = nullptr;
  void (*destroy)(void*) = nullptr;
  ~AppFunction() {
    if (destroy != nullptr) destroy(user_data);
  }
};

namespace {

constexpr int kArgumentsMax = 1000;
constexpr size_t kNameBytesMax = 255;

sqlite3_context make_context(AppFunction* function, FunctionContext& call, ValueView* result,
                             AggregateMemory* aggregate) {
  return {function->db, &call, result, function->user_data, aggregate};
}

void call_scalar(FunctionContext& call, std::span<const ValueView> args, ValueView* result) {
  auto* function = static_cast<AppFunction*>(call.user_data());
  *result = ValueView();
  sqlite3_context context = make_context(function, call, result, nullptr);
  Arguments arguments(args);
  function->call(&context, arguments.count(), arguments.pointers());
}

void call_with_row(FunctionContext& call, void* state, std::span<const ValueView> args,
                   CallFunction AppFunction::*member) {
  auto* function = static_cast<AppFunction*>(call.user_data());
  auto* aggregate = static_cast<AggregateMemory*>(state);
  aggregate->function = function;
  ++aggregate->rows;
  sqlite3_context context = make_context(function, call, nullptr, aggregate);
  Arguments arguments(args);
  (function->*member)(&context, arguments.count(), arguments.pointers());
}

void call_step(FunctionContext& call, void* state, std::span<const ValueView> args) {
  call_with_row(call, state, args, &AppFunction::step);
}

void call_inverse(FunctionContext& call, void* state, std::span<const ValueView> args) {
  call_with_row(call, state, args, &AppFunction::inverse);
}

void call_value(FunctionContext& call, void* state, ValueView* result) {
  auto* function = static_cast<AppFunction*>(call.user_data());
  *result = ValueView();
  sqlite3_context context =
      make_context(function, call, result, static_cast<AggregateMemory*>(state));
  function->value(&context);
}

void call_final(FunctionContext& call, void* state, ValueView* result) {
  auto* function = static_cast<AppFunction*>(call.user_data());
  auto* aggregate = static_cast<AggregateMemory*>(state);
  *result = ValueView();
  sqlite3_context context = make_context(function, call, result, aggregate);
  function->final(&context);
  aggregate->finalized = true;
}

// A group that is given up has `final` called all the same: the application frees there what it holds.
void destroy_group(void* state) {
  auto* aggregate = static_cast<AggregateMemory*>(state);
  if (!aggregate->finalized && aggregate->function != nullptr) {
    Arena arena;
    FunctionContext call(aggregate->function->db->connection.get(), &arena);
    sqlite3_context context = make_context(aggregate->function, call, nullptr, aggregate);
    aggregate->function->final(&context);
  }
  std::free(aggregate->memory);
  aggregate->memory = nullptr;
}

uint32_t function_flags(int flags) {
  uint32_t result = 0;
  if ((flags & SQLITE_DETERMINISTIC) != 0) result |= function_flag::kDeterministic;
  if ((flags & SQLITE_DIRECTONLY) != 0) result |= function_flag::kDirectOnly;
  if ((flags & SQLITE_INNOCUOUS) != 0) result |= function_flag::kInnocuous;
  if ((flags & SQLITE_SUBTYPE) != 0) result |= function_flag::kReadsSubtype;
  if ((flags & SQLITE_RESULT_SUBTYPE) != 0) result |= function_flag::kResultSubtype;
  return result;
}

bool is_valid(const char* name, int arguments, const AppFunction& f) {
  if (name == nullptr || std::strlen(name) > kNameBytesMax) return false;
  if (arguments < -1 || arguments > kArgumentsMax) return false;
  if (f.call != nullptr && (f.step != nullptr || f.final != nullptr)) return false;
  if ((f.step == nullptr) != (f.final == nullptr)) return false;
  return (f.value == nullptr) == (f.inverse == nullptr);
}

// Takes `app` over; its `destroy` is called when the function goes, or at once if this fails.
int create(sqlite3* db, const char* name, int arguments, int flags,
           std::unique_ptr<AppFunction> app) {
  if (db == nullptr || db->connection == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  if (!is_valid(name, arguments, *app)) return report_code(db, SQLITE_MISUSE);
  return guarded(db, [&] {
    if (app->call == nullptr && app->step == nullptr) {
      return report(db, db->connection->remove_function(name, arguments));
    }
    auto function = std::make_unique<UserFunction>();
    function->name = name;
    function->argument_count = arguments;
    function->is_aggregate = app->step != nullptr;
    function->scalar.args_min = function->aggregate.args_min = arguments < 0 ? 0 : arguments;
    function->scalar.args_max = function->aggregate.args_max =
        arguments < 0 ? kVariableArguments : arguments;
    function->scalar.flags = function->aggregate.flags = function_flags(flags);
    function->scalar.call = call_scalar;
    function->aggregate.state_size = sizeof(AggregateMemory);
    function->aggregate.step = call_step;
    function->aggregate.finalize = call_final;
    function->aggregate.destroy = destroy_group;
    if (app->value != nullptr) {
      function->aggregate.value = call_value;
      function->aggregate.inverse = call_inverse;
    }
    function->user_data = app.release();
    function->destroy = [](void* data) { delete static_cast<AppFunction*>(data); };
    return report(db, db->connection->set_function(std::move(function)));
  });
}

}  // namespace

int sqlite3_create_function_v2(sqlite3* db, const char* name, int arguments, int flags,
                               void* user_data, CallFunction call, CallFunction step,
                               ResultFunction final, void (*destroy)(void*)) {
  std::unique_ptr<AppFunction> app(
      new AppFunction{db, user_data, call, step, final, nullptr, nullptr, destroy});
  return create(db, name, arguments, flags, std::move(app));
}

int sqlite3_create_function(sqlite3* db, const char* name, int arguments, int flags,
                            void* user_data, CallFunction call, CallFunction step,
                            ResultFunction final) {
  return sqlite3_create_function_v2(db, name, arguments, flags, user_data, call, step, final,
                                    nullptr);
}

int sqlite3_create_function16(sqlite3* db, const void* name, int arguments, int flags,
                              void* user_data, CallFunction call, CallFunction step,
                              ResultFunction final) {
  if (name == nullptr) return SQLITE_MISUSE;
  return sqlite3_create_function_v2(db, utf16_to_utf8(name).c_str(), arguments, flags, user_data, call,
                                    step, final, nullptr);
}

int sqlite3_create_window_function(sqlite3* db, const char* name, int arguments, int flags,
                                   void* user_data, CallFunction step, ResultFunction final,
                                   ResultFunction value, CallFunction inverse,
                                   void (*destroy)(void*)) {
  std::unique_ptr<AppFunction> app(
      new AppFunction{db, user_data, nullptr, step, final, value, inverse, destroy});
  return create(db, name, arguments, flags, std::move(app));
}

int sqlite3_overload_function(sqlite3* db, const char* name, int arguments) {
  if (db == nullptr || db->connection == nullptr || name == nullptr || arguments < -2) {
    return SQLITE_MISUSE;
  }
  std::lock_guard lock(db->mutex);
  if (db->connection->functions().find(name, arguments).found()) return SQLITE_OK;
  char* copy = static_cast<char*>(std::malloc(std::strlen(name) + 1));
  if (copy == nullptr) return report_code(db, SQLITE_NOMEM);
  std::strcpy(copy, name);
  auto refuse = [](sqlite3_context* context, int, sqlite3_value**) {
    std::string message = "unable to use function " +
                          std::string(static_cast<const char*>(context->user_data)) +
                          " in the requested context";
    sqlite3_result_error(context, message.c_str(), -1);
  };
  return sqlite3_create_function_v2(db, name, arguments, SQLITE_UTF8, copy, refuse, nullptr,
                                    nullptr, std::free);
}

// ---- Inside a call --------------------------------------------------------------------------------

void* sqlite3_user_data(sqlite3_context* context) {
  return context == nullptr ? nullptr : context->user_data;
}

sqlite3* sqlite3_context_db_handle(sqlite3_context* context) {
  return context == nullptr ? nullptr : context->db;
}

void* sqlite3_aggregate_context(sqlite3_context* context, int bytes) {
  AggregateMemory* aggregate = context == nullptr ? nullptr : context->aggregate;
  if (aggregate == nullptr) return nullptr;
  if (aggregate->memory == nullptr && bytes > 0) {
    aggregate->memory = std::calloc(1, static_cast<size_t>(bytes));
  }
  return aggregate->memory;
}

int sqlite3_aggregate_count(sqlite3_context* context) {
  return context == nullptr || context->aggregate == nullptr ? 0 : context->aggregate->rows;
}

void* sqlite3_get_auxdata(sqlite3_context* context, int argument) {
  AuxData* aux = context == nullptr ? nullptr : context->call->aux();
  return aux == nullptr ? nullptr : aux->get(argument);
}

void sqlite3_set_auxdata(sqlite3_context* context, int argument, void* data,
                         void (*destroy)(void*)) {
  AuxData* aux = context == nullptr ? nullptr : context->call->aux();
  if (aux != nullptr) {
    aux->set(argument, data, destroy);
  } else if (destroy != nullptr) {
    destroy(data);
  }
}
