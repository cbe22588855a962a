// Finding functions by name and number of arguments.
//
// Names compare without case (ASCII). Built-in functions are in one hash table per process, made at
// first use; a connection's own functions are looked at first and hide built-in ones.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "function/function.h"

namespace godwit {

// At most one of the pointers is set. None: "no such function: X", or, where the name exists,
// "wrong number of arguments to function X()".
struct FunctionLookup {
  const ScalarFunction* scalar = nullptr;
  const AggregateFunction* aggregate = nullptr;
  const WindowFunction* window = nullptr;
  bool name_exists = false;
  bool found() const { return scalar != nullptr || aggregate != nullptr || window != nullptr; }
};

FunctionLookup find_builtin_function(std::string_view name, int argument_count);

// like() that tells upper from lower case (PRAGMA case_sensitive_like), for 2 and 3 arguments.
const ScalarFunction& case_sensitive_like();

// All built-in functions, for PRAGMA function_list.
std::span<const ScalarFunction* const> builtin_scalars();
std::span<const AggregateFunction* const> builtin_aggregates();
std::span<const WindowFunction> builtin_windows();

// A function of the application.
struct UserFunction {
  std::string name;
  int argument_count = 0;  // kVariableArguments: any
  bool is_aggregate = false;
  ScalarFunction scalar;  // one of the two counts; name and user_data are set by add()
  AggregateFunction aggregate;
  void* user_data = nullptr;
  void (*destroy)(void*) = nullptr;  // called with user_data when this object dies
  ~UserFunction() {
    if (destroy != nullptr) destroy(user_data);
  }
};

// The functions of one connection. Not thread-safe: guarded by the connection. The engine makes
// sure that no statement uses a function that it replaces or removes.
class FunctionRegistry {
 public:
  FunctionRegistry() = default;
  FunctionRegistry(const FunctionRegistry&) = delete;
  FunctionRegistry& operator=(const FunctionRegistry&) = delete;

  // Adds it, or replaces the one of the same name and number of arguments.
  void add(std::unique_ptr<UserFunction> function);
  // True if there was one.
  bool remove(std::string_view name, int argument_count);
  // The application's own function of exactly this signature, or null.
  const UserFunction* find_user(std::string_view name, int argument_count) const;

  // Own functions of this number of arguments, then own ones of any number, then built-in ones.
  FunctionLookup find(std::string_view name, int argument_count) const;

  // PRAGMA case_sensitive_like: the built-in like() of 2 and 3 arguments, in the place of the
  // application's own.
  void set_case_sensitive_like(bool on);

  // By lower-case name.
  using UserFunctions = std::unordered_map<std::string, std::vector<std::unique_ptr<UserFunction>>>;
  const UserFunctions& user_functions() const { return functions_; }

 private:
  UserFunctions functions_;
  bool case_sensitive_like_ = false;
};

}  // namespace godwit
