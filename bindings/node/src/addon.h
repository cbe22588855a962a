// What one JavaScript thread has loaded: its connections and statements in numbered slots, and the
// buffer through which values pass between the two languages.
//
// The buffer is an ArrayBuffer that lib/native.js makes; both sides read and write it in place, so that
// a call needs no argument or result object for numbers, nulls and short strings. Its content is valid
// only from a native call until the next one. Layout, in bytes:
//
//     0     int32 header[16]           see Header
//     64    float64 cells[kCells]      values; integers beyond 2^53 as int64
//     ...   uint8 tags[kCells]         a Tag for each cell
//     ...   uint8 chars[kChars]        text of parameters, one after the other
//
// Everything but the work of async.cc runs on the thread of the environment.

#pragma once

#include <node_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sqlite3.h"

namespace godwit::node {

inline constexpr size_t kCells = 4096;
inline constexpr size_t kChars = 4096;
inline constexpr size_t kCellsOffset = 64;
inline constexpr size_t kTagsOffset = kCellsOffset + kCells * sizeof(double);
inline constexpr size_t kCharsOffset = kTagsOffset + kCells;
inline constexpr size_t kIoBytes = kCharsOffset + kChars;

// How a cell is to be read. lib/native.js has the same numbers.
enum class Tag : uint8_t {
  kInt32 = 0,   // the cell's first half holds an int32, which V8 keeps without a heap object
  kNull = 1,
  kText = 2,    // in the batch's string; the cell holds where it ends. A parameter: two int32, its
                // place in chars and its length
  kExtra = 3,   // the next of the values beside the batch. A parameter: is bound already
  kBigInt = 4,  // the cell holds an int64
  kNumber = 5,  // the cell holds a float64
};

// What a call leaves in the header, as indexes of 32-bit words.
enum Header : int {
  kStatus = 0,       // 0 done, kMoreRows, kParked, or an extended error code, negated
  kRowCount = 1,     // rows in the batch
  kChanges = 2,      // int32; a float64 of it at kChangesReal
  kExtraCount = 3,   // values beside the batch
  kRowid = 4,        // int64
  kRowidReal = 6,    // the same as float64
  kChangesReal = 8,  // float64
  kColumns = 10,     // columns of the statement
  kParameters = 11,  // parameters of the statement
  kFlags = 12,       // statement flags, see statement.cc
};

inline constexpr int kMoreRows = 1;
inline constexpr int kParked = 2;
inline constexpr int kNotInline = 3;  // fetchInline did nothing: the pool has to

// An error that is none of SQLite's: an integer met IntegerMode::kThrow on the pool.
inline constexpr int kIntegerRefused = 20000;

// What becomes of an INTEGER that a double cannot hold.
enum class IntegerMode : uint8_t { kRound = 0, kBigInt = 1, kBigIntIfUnsafe = 2, kThrow = 3 };

struct Addon;
struct RowBatch;
struct Statement;

struct Connection {
  Addon* addon = nullptr;
  sqlite3* db = nullptr;
  uint32_t slot = 0;
  uint32_t generation = 0;
  napi_ref trace = nullptr;
  napi_ref authorizer = nullptr;
  IntegerMode integers = IntegerMode::kRound;  // of new functions' arguments
  int timeout = 0;                             // for locks, in milliseconds
  bool async_running = false;                  // a pool thread works on it
  bool close_wanted = false;                   // closed when that work ends
  std::vector<Statement*> statements;
  uint32_t prepared = 0;      // statements that are not parked
  uint32_t park_limit = 1024; // how many of them are allowed before idle ones are parked
};

// What a statement writes, as its text says; see runInline.
enum class WriteKind : uint8_t { kUnknown, kOther, kChange, kInsertValues };

// A prepared statement. It is parked (its program freed) when too many are alive: JavaScript cannot say
// that a statement is garbage before its loop turns. lib/statement.js prepares a parked one again.
struct Statement {
  Connection* connection = nullptr;
  sqlite3_stmt* program = nullptr;
  uint32_t slot = 0;
  uint32_t generation = 0;
  uint32_t index_in_connection = 0;
  int columns = 0;
  IntegerMode integers = IntegerMode::kRound;
  bool used = false;    // since the last sweep
  bool pinned = false;  // has permanent bindings
  bool open = false;    // stepped, not reset
  bool readonly = false;
  int8_t quick = 0;  // runs on the pool in a row that took little time, see fetchInline and runInline
  WriteKind write_kind = WriteKind::kUnknown;
  bool abandoned = false;  // garbage, to be finalized when the pool has done with the connection
};

// Objects by number; a number is used again, with the next generation.
template <typename T>
class Slots {
 public:
  T* add(std::unique_ptr<T> object) {
    uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<uint32_t>(objects_.size());
      objects_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    object->slot = slot;
    object->generation = ++generation_;
    objects_[slot] = std::move(object);
    return objects_[slot].get();
  }

  T* get(uint32_t slot) const { return slot < objects_.size() ? objects_[slot].get() : nullptr; }

  void remove(uint32_t slot) {
    objects_[slot].reset();
    free_.push_back(slot);
  }

  size_t size() const { return objects_.size(); }

 private:
  std::vector<std::unique_ptr<T>> objects_;
  std::vector<uint32_t> free_;
  uint32_t generation_ = 0;
};

struct Addon {
  napi_env env = nullptr;
  napi_ref io_ref = nullptr;
  int32_t* header = nullptr;
  double* cells = nullptr;
  uint8_t* tags = nullptr;
  char* chars = nullptr;
  Slots<Connection> connections;
  Slots<Statement> statements;
  std::vector<std::unique_ptr<RowBatch>> spare_batches;

  void set_real(Header where, double value) {
    __builtin_memcpy(header + where, &value, sizeof(value));
  }
};

// The arguments of a call and the addon that it belongs to.
template <size_t N>
struct Call {
  napi_env env;
  Addon* addon = nullptr;
  size_t count = N;
  napi_value arguments[N];

  Call(napi_env environment, napi_callback_info info) : env(environment) {
    void* data = nullptr;
    napi_get_cb_info(env, info, &count, arguments, nullptr, &data);
    addon = static_cast<Addon*>(data);
  }

  uint32_t number(size_t i) const {
    uint32_t value = 0;
    napi_get_value_uint32(env, arguments[i], &value);
    return value;
  }
  Connection* connection(size_t i = 0) const { return addon->connections.get(number(i)); }
  Statement* statement(size_t i = 0) const { return addon->statements.get(number(i)); }
  std::string text(size_t i) const;
};

std::string text_of(napi_env env, napi_value value);
template <size_t N>
std::string Call<N>::text(size_t i) const {
  return text_of(env, arguments[i]);
}

napi_value text_value(napi_env env, const char* text, size_t length = NAPI_AUTO_LENGTH);
napi_value throw_type_error(napi_env env, const char* message);
bool exception_pending(napi_env env);

// Leaves an error's code in the header and returns its text, which lib/errors.js throws; nothing if an
// exception of JavaScript is under way, which then reaches the caller as it is.
napi_value fail(Connection* connection, int code);
napi_value fail(Addon* addon, int code, const char* message);

// Ends statements and connection; what JavaScript still holds of them is then refused by lib/.
void close_connection(Connection* connection);
void finalize_statement(Statement* statement);

using Method = napi_value (*)(napi_env, napi_callback_info);
struct MethodEntry {
  const char* name;
  Method method;
};

// The methods of each source, ended by a null name.
extern const MethodEntry kConnectionMethods[];
extern const MethodEntry kStatementMethods[];
extern const MethodEntry kFunctionMethods[];
extern const MethodEntry kTableMethods[];
extern const MethodEntry kBackupMethods[];
extern const MethodEntry kAsyncMethods[];
extern const MethodEntry kSessionMethods[];
#ifdef GODWIT_HAVE_SYNC
extern const MethodEntry kReplicaMethods[];
#endif

}  // namespace godwit::node
