// SQL over HTTP (Turso's "Hrana" in its HTTP form): what the JSON of a request says. A pipeline is a
// list of requests on one stream (a connection of its own); a baton names the stream that an earlier
// pipeline has left open.
//
//   {"baton": ..., "requests": [{"type": "execute", "stmt": {"sql": ..., "args": [...]}}, ...]}
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace godwit::server {

struct WireValue {
  // kNoNumber: a float that JSON could not hold (an infinity, sent as null). It is refused when its
  // statement runs, because nobody knows what it was.
  enum Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob, kNoNumber };
  Kind kind = kNull;
  int64_t integer = 0;
  double real = 0;
  std::string bytes;
};

// The text of a statement, or the number under which the stream has stored it.
struct SqlText {
  std::optional<std::string> sql;
  std::optional<int64_t> sql_id;
};

struct WireStatement {
  SqlText text;
  std::vector<WireValue> arguments;
  std::vector<std::pair<std::string, WireValue>> named_arguments;
  bool want_rows = true;
};

struct Condition {
  enum Kind : uint8_t { kOk, kError, kNot, kAnd, kOr, kIsAutocommit };
  Kind kind = kOk;
  size_t step = 0;
  std::vector<Condition> parts;  // kNot: one
};

struct BatchStep {
  std::optional<Condition> condition;
  WireStatement statement;
};

struct Batch {
  std::vector<BatchStep> steps;
};

struct StreamRequest {
  enum Kind : uint8_t {
    kExecute, kBatch, kSequence, kDescribe, kStoreSql, kCloseSql, kGetAutocommit, kClose, kUnknown
  };
  Kind kind = kUnknown;
  std::string type;  // as it was written
  WireStatement statement;
  Batch batch;
  SqlText text;  // kSequence, kDescribe; kStoreSql: both parts
};

struct Pipeline {
  std::optional<std::string> baton;
  bool has_null_baton = false;  // the key was there, as Turso's sync client writes it
  std::vector<StreamRequest> requests;
};

struct CursorRequest {
  std::optional<std::string> baton;
  Batch batch;
};

// Errors (of Status::error): the text is not JSON, or not of this form.
Result<Pipeline> parse_pipeline(std::string_view json);
Result<CursorRequest> parse_cursor_request(std::string_view json);

// Whether the condition holds, given what became of the steps before.
enum class StepOutcome : uint8_t { kSkipped, kOk, kError };
bool holds(const Condition& condition, const std::vector<StepOutcome>& outcomes,
           bool is_autocommit);

}  // namespace godwit::server
