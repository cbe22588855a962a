// SQL functions: what one is and how it is called.
//
// A function is an immutable descriptor: a name, how many arguments it takes, flags, and plain
// function pointers. Built-in ones stand in constant tables (one a topic: scalar_text.cc,
// datetime_functions.cc, ...); those of applications are descriptors that the engine makes, with
// their own user_data, and adds to the connection's FunctionRegistry (function/registry.h).
//
// Calling a scalar function:
//   FunctionContext context(&services, &arena);
//   context.begin_call(function, collation, aux);
//   function.call(context, args, &result);
//   if (context.failed()) return context.take_status();
//
// Threads: descriptors are shared by all; a context belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "value/collation.h"
#include "value/value.h"
#include "vector/vector.h"

namespace godwit {

// What functions ask of the connection and the statement. The engine implements it.
class FunctionServices {
 public:
  virtual ~FunctionServices() = default;
  virtual int64_t last_insert_rowid() const = 0;
  virtual int64_t changes() const = 0;
  virtual int64_t total_changes() const = 0;
  virtual void random_bytes(void* out, size_t count) = 0;
  // Milliseconds since the Julian epoch (-4713-11-24 12:00), the same for all of one step().
  virtual int64_t statement_time_ms() = 0;
  // SQLITE_LIMIT_LENGTH and SQLITE_LIMIT_LIKE_PATTERN_LENGTH.
  virtual int64_t length_limit() const = 0;
  virtual int like_pattern_limit() const = 0;
  // sqlite_log(code, message).
  virtual void log(int code, std::string_view message) {
    (void)code;
    (void)message;
  }
  // load_extension(file[, entry]); an empty entry: the default one.
  virtual Status load_extension(std::string_view file, std::string_view entry) {
    (void)file;
    (void)entry;
    return Status::error("not authorized");
  }
};

// What a call site keeps between rows: sqlite3_get_auxdata() and sqlite3_set_auxdata().
class AuxData {
 public:
  AuxData() = default;
  AuxData(const AuxData&) = delete;
  AuxData& operator=(const AuxData&) = delete;
  ~AuxData() { clear(); }
  void* get(int argument) const;
  // Takes ownership of `data`; destroys what was kept for the argument.
  void set(int argument, void* data, void (*destroy)(void*));
  void clear();
  bool empty() const { return slots_.empty(); }
  // Drops what was kept for arguments that may change: all but those with a bit in
  // `constant_arguments` and negative ones (which belong to the whole statement).
  void keep_constant(uint32_t constant_arguments);

 private:
  struct Slot {
    int argument;
    void* data;
    void (*destroy)(void*);
  };
  std::vector<Slot> slots_;
};

// Where a call stands in the schema; there, date('now') and its like are refused.
enum class PureUse : uint8_t { kNone, kCheck, kGeneratedColumn, kIndex };

struct ScalarFunction;
struct AggregateFunction;

class FunctionContext {
 public:
  FunctionContext(FunctionServices* services, Arena* arena,
                  TextEncoding encoding = TextEncoding::kUtf8)
      : services_(services), arena_(arena), encoding_(encoding) {}

  // Says what is called next, once for any number of calls. `collation` is never null for functions
  // that need one; `aux` may be null (then nothing is kept between rows).
  inline void begin_call(const ScalarFunction& function, const Collation* collation,
                         AuxData* aux = nullptr, PureUse pure_use = PureUse::kNone);
  inline void begin_call(const AggregateFunction& function, const Collation* collation);

  FunctionServices& services() const { return *services_; }
  // Text and blobs of results live here, until the evaluator resets it (once a chunk). Results may
  // also be views of arguments.
  Arena& arena() const { return *arena_; }
  TextEncoding encoding() const { return encoding_; }  // of the database
  const Collation* collation() const { return collation_; }
  void* user_data() const { return user_data_; }
  AuxData* aux() const { return aux_; }
  std::string_view name() const { return name_; }

  bool failed() const { return failed_; }
  void fail(Status status) {
    if (failed_) return;  // the first error counts
    status_ = std::move(status);
    failed_ = true;
  }
  void fail(std::string message) { fail(Status::error(std::move(message))); }
  Status take_status() {
    failed_ = false;
    return std::move(status_);
  }
  // "string or blob too big", and false, if `bytes` is over the limit.
  bool fits_length_limit(uint64_t bytes) {
    if (bytes <= static_cast<uint64_t>(services_->length_limit())) return true;
    fail(Status(code::kTooBig));
    return false;
  }
  // False, and an error, where only pure functions may be: called before time or time zone are
  // used.
  bool allow_impure();

 private:
  FunctionServices* services_;
  Arena* arena_;
  const Collation* collation_ = nullptr;
  void* user_data_ = nullptr;
  AuxData* aux_ = nullptr;
  std::string_view name_;
  Status status_;
  TextEncoding encoding_;
  PureUse pure_use_ = PureUse::kNone;
  bool failed_ = false;
};

namespace function_flag {
inline constexpr uint32_t kDeterministic = 1;   // equal arguments, equal results
inline constexpr uint32_t kInnocuous = 2;       // harmless in an untrusted schema
inline constexpr uint32_t kDirectOnly = 4;      // only in SQL that the application wrote itself
inline constexpr uint32_t kNeedsCollation = 8;  // compares its arguments
inline constexpr uint32_t kReadsSubtype = 16;
inline constexpr uint32_t kResultSubtype = 32;
// Constant within one statement only: date() and its like (deterministic too, but for 'now'),
// changes() and its like (not deterministic).
inline constexpr uint32_t kSlowlyChanging = 64;
}  // namespace function_flag

// Functions that the binder, the planner or the evaluator know by nature. Each also has a working
// `call`; but a call evaluates all arguments, so that where SQLite is lazy the binder must lower
// it.
enum class Intrinsic : uint8_t {
  kNone,
  kCoalesce,  // coalesce, ifnull: lazy
  kIif,       // iif, if: lazy; pairs of condition and value, then an optional default
  kNullIf,
  kLikelihood,  // likely, unlikely, likelihood: the first argument
  kLike,        // like(pattern, text [, escape]): the built-in ones
  kGlob,
  kMinMax,  // scalar min and max
  kTypeof,
  kLength,
  kOctetLength,
};

inline constexpr int kVariableArguments = -1;

using ScalarCall = void (*)(FunctionContext&, std::span<const ValueView> args, ValueView* result);
// The same for all rows of `rows`, where it is worth more than a loop of calls. Rows of *result
// that are not selected stay undefined.
using ScalarBatchCall = void (*)(FunctionContext&, std::span<const Vector* const> args,
                                 const Selection& rows, Vector* result);

struct ScalarFunction {
  std::string_view name;  // lower case for built-in ones
  int args_min = 0;
  int args_max = 0;  // kVariableArguments: no limit but SQLITE_LIMIT_FUNCTION_ARG
  uint32_t flags = 0;
  ScalarCall call = nullptr;
  void* user_data = nullptr;
  Intrinsic intrinsic = Intrinsic::kNone;
  ScalarBatchCall batch = nullptr;  // null: none

  bool accepts(int count) const {
    return count >= args_min && (args_max == kVariableArguments || count <= args_max);
  }
  bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

// Aggregates that the planner and the executor know by nature.
enum class AggregateIntrinsic : uint8_t { kNone, kCount, kMin, kMax, kSum, kTotal, kAvg };

// An aggregate works on a state that the executor allocates: `state_size` bytes, aligned to 16.
// Order of calls: init, then step (and inverse) any number of times, value any number of times,
// finalize at most once, destroy once. A group without rows has init, finalize and destroy only.
struct AggregateFunction {
  using Init = void (*)(void* state);
  using Step = void (*)(FunctionContext&, void* state, std::span<const ValueView> args);
  // Bytes of a result may live in the state (until the next call) or in the context's arena.
  using Result = void (*)(FunctionContext&, void* state, ValueView* result);
  using Destroy = void (*)(void* state);
  // Steps all rows of `rows` into one state.
  using BatchStep = void (*)(FunctionContext&, void* state, std::span<const Vector* const> args,
                             const Selection& rows);
  // Steps the i-th row of `rows` into states[i].
  using GroupedBatchStep = void (*)(FunctionContext&, void* const* states,
                                    std::span<const Vector* const> args, const Selection& rows);

  std::string_view name;
  int args_min = 0;
  int args_max = 0;
  uint32_t flags = 0;
  uint32_t state_size = 0;
  Init init = nullptr;  // null: zero the state
  Step step = nullptr;
  Step inverse = nullptr;  // removes the oldest row; null: no use with a moving window frame
  Result finalize = nullptr;
  Result value = nullptr;     // the result so far, state unchanged; null: no use with OVER
  Destroy destroy = nullptr;  // null: nothing to do
  void* user_data = nullptr;
  AggregateIntrinsic intrinsic = AggregateIntrinsic::kNone;
  BatchStep batch_step = nullptr;                 // null: none
  GroupedBatchStep grouped_batch_step = nullptr;  // null: none

  bool accepts(int count) const {
    return count >= args_min && (args_max == kVariableArguments || count <= args_max);
  }
  bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

// Functions that exist only with OVER; the window operator computes them.
enum class WindowKind : uint8_t {
  kRowNumber,
  kRank,
  kDenseRank,
  kPercentRank,
  kCumeDist,
  kNtile,
  kLag,
  kLead,
  kFirstValue,
  kLastValue,
  kNthValue,
};
struct WindowFunction {
  std::string_view name;
  int args_min = 0;
  int args_max = 0;
  WindowKind kind = WindowKind::kRowNumber;
  bool accepts(int count) const { return count >= args_min && count <= args_max; }
};

inline void FunctionContext::begin_call(const ScalarFunction& function, const Collation* collation,
                                        AuxData* aux, PureUse pure_use) {
  name_ = function.name;
  user_data_ = function.user_data;
  collation_ = collation;
  aux_ = aux;
  pure_use_ = pure_use;
}
inline void FunctionContext::begin_call(const AggregateFunction& function,
                                        const Collation* collation) {
  name_ = function.name;
  user_data_ = function.user_data;
  collation_ = collation;
  aux_ = nullptr;
  pure_use_ = PureUse::kNone;
}

}  // namespace godwit
