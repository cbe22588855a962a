#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "server/base64.h"
#include "server/hrana.h"

namespace godwit::server {
namespace {

using Json = nlohmann::json;

constexpr int kConditionDepthMax = 50;
constexpr size_t kNestingMax = 200;

Status malformed(std::string what) { return Status::error("malformed request: " + what); }

// The tree is built without recursion, but a deep one is no request of ours.
bool is_nested_too_deep(std::string_view json) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      else if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kNestingMax) return true;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    }
  }
  return false;
}

Result<Json> parse_object(std::string_view text) {
  if (is_nested_too_deep(text)) return malformed("nested too deep");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return malformed("not JSON");
  if (!json.is_object()) return malformed("not an object");
  return json;
}

// Null: there is none, or it is null.
Json* member(Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> take_text(Json& object, const char* name) {
  Json* found = member(object, name);
  if (found == nullptr || !found->is_string()) {
    return malformed(std::string(name) + " must be a text");
  }
  return std::move(found->get_ref<std::string&>());
}

Result<int64_t> integer_of(const Json& json, const char* name) {
  if (json.is_number_integer() &&
      (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX)) {
    return json.get<int64_t>();
  }
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  }
  return malformed(std::string(name) + " must be an integer of 64 bits");
}

Result<WireValue> take_value(Json& json) {
  if (!json.is_object()) return malformed("a value must be an object");
  GW_ASSIGN(std::string type, take_text(json, "type"));
  WireValue value;
  if (type == "null") return value;
  Json* content = member(json, "value");
  if (type == "integer") {
    if (content == nullptr) return malformed("an integer without value");
    value.kind = WireValue::kInteger;
    GW_ASSIGN(value.integer, integer_of(*content, "value"));
  } else if (type == "float") {
    if (content != nullptr && !content->is_number()) return malformed("a float must be a number");
    value.kind = content == nullptr ? WireValue::kNoNumber : WireValue::kReal;
    if (content != nullptr) value.real = content->get<double>();
  } else if (type == "text") {
    value.kind = WireValue::kText;
    GW_ASSIGN(value.bytes, take_text(json, "value"));
  } else if (type == "blob") {
    value.kind = WireValue::kBlob;
    GW_ASSIGN(std::string base64, take_text(json, "base64"));
    if (!parse_base64(base64, Base64::kStandardUnpadded, &value.bytes)) {
      return malformed("a blob must be base64");
    }
  } else {
    return malformed("unknown type of value: " + type);
  }
  return value;
}

Status take_sql(Json& json, SqlText* text) {
  if (member(json, "sql") != nullptr) {
    GW_ASSIGN(text->sql, take_text(json, "sql"));
  }
  if (Json* id = member(json, "sql_id")) {
    GW_ASSIGN(text->sql_id, integer_of(*id, "sql_id"));
  }
  return Status();
}

Result<WireStatement> take_statement(Json* json) {
  if (json == nullptr || !json->is_object()) return malformed("a statement must be an object");
  WireStatement statement;
  GW_TRY(take_sql(*json, &statement.text));
  if (Json* arguments = member(*json, "args")) {
    if (!arguments->is_array()) return malformed("args must be an array");
    statement.arguments.reserve(arguments->size());
    for (Json& argument : *arguments) {
      GW_ASSIGN(WireValue value, take_value(argument));
      statement.arguments.push_back(std::move(value));
    }
  }
  if (Json* arguments = member(*json, "named_args")) {
    if (!arguments->is_array()) return malformed("named_args must be an array");
    for (Json& argument : *arguments) {
      GW_ASSIGN(std::string name, take_text(argument, "name"));
      Json* content = member(argument, "value");
      if (content == nullptr) return malformed("a named argument without value");
      GW_ASSIGN(WireValue value, take_value(*content));
      statement.named_arguments.emplace_back(std::move(name), std::move(value));
    }
  }
  if (Json* want_rows = member(*json, "want_rows")) {
    if (!want_rows->is_boolean()) return malformed("want_rows must be true or false");
    statement.want_rows = want_rows->get<bool>();
  }
  return statement;
}

Result<Condition> take_condition(Json& json, size_t steps_before, int depth) {
  if (depth > kConditionDepthMax) return malformed("a condition is nested too deep");
  GW_ASSIGN(std::string type, take_text(json, "type"));
  Condition condition;
  if (type == "ok" || type == "error") {
    condition.kind = type == "ok" ? Condition::kOk : Condition::kError;
    Json* step = member(json, "step");
    if (step == nullptr) return malformed("a condition without step");
    GW_ASSIGN(int64_t number, integer_of(*step, "step"));
    if (number < 0 || static_cast<uint64_t>(number) >= steps_before) {
      return malformed("a condition must name an earlier step");
    }
    condition.step = static_cast<size_t>(number);
  } else if (type == "not") {
    condition.kind = Condition::kNot;
    Json* inner = member(json, "cond");
    if (inner == nullptr) return malformed("a condition without cond");
    GW_ASSIGN(Condition part, take_condition(*inner, steps_before, depth + 1));
    condition.parts.push_back(std::move(part));
  } else if (type == "and" || type == "or") {
    condition.kind = type == "and" ? Condition::kAnd : Condition::kOr;
    Json* list = member(json, "conds");
    if (list == nullptr || !list->is_array()) return malformed("a condition without conds");
    for (Json& inner : *list) {
      GW_ASSIGN(Condition part, take_condition(inner, steps_before, depth + 1));
      condition.parts.push_back(std::move(part));
    }
  } else if (type == "is_autocommit") {
    condition.kind = Condition::kIsAutocommit;
  } else {
    return malformed("unknown condition: " + type);
  }
  return condition;
}

Result<Batch> take_batch(Json* json) {
  Json* steps = json == nullptr ? nullptr : member(*json, "steps");
  if (steps == nullptr || !steps->is_array()) return malformed("a batch without steps");
  Batch batch;
  batch.steps.reserve(steps->size());
  for (Json& step : *steps) {
    BatchStep& added = batch.steps.emplace_back();
    GW_ASSIGN(added.statement, take_statement(member(step, "stmt")));
    if (Json* condition = member(step, "condition")) {
      GW_ASSIGN(added.condition, take_condition(*condition, batch.steps.size() - 1, 0));
    }
    step = nullptr;  // what was taken need not stay
  }
  return batch;
}

StreamRequest::Kind kind_of(std::string_view type) {
  if (type == "execute") return StreamRequest::kExecute;
  if (type == "batch") return StreamRequest::kBatch;
  if (type == "sequence") return StreamRequest::kSequence;
  if (type == "describe") return StreamRequest::kDescribe;
  if (type == "store_sql") return StreamRequest::kStoreSql;
  if (type == "close_sql") return StreamRequest::kCloseSql;
  if (type == "get_autocommit") return StreamRequest::kGetAutocommit;
  if (type == "close") return StreamRequest::kClose;
  return StreamRequest::kUnknown;
}

Result<StreamRequest> take_request(Json& json) {
  StreamRequest request;
  GW_ASSIGN(request.type, take_text(json, "type"));
  request.kind = kind_of(request.type);
  switch (request.kind) {
    case StreamRequest::kExecute: {
      GW_ASSIGN(request.statement, take_statement(member(json, "stmt")));
      break;
    }
    case StreamRequest::kBatch: {
      GW_ASSIGN(request.batch, take_batch(member(json, "batch")));
      break;
    }
    case StreamRequest::kStoreSql:
    case StreamRequest::kCloseSql:
      GW_TRY(take_sql(json, &request.text));
      if (!request.text.sql_id) return malformed(request.type + " without sql_id");
      if (request.kind == StreamRequest::kStoreSql && !request.text.sql) {
        return malformed("store_sql without sql");
      }
      break;
    case StreamRequest::kSequence:
    case StreamRequest::kDescribe:
      GW_TRY(take_sql(json, &request.text));
      break;
    default:
      break;
  }
  return request;
}

Status take_baton(Json& json, std::optional<std::string>* baton) {
  if (member(json, "baton") == nullptr) return Status();
  GW_ASSIGN(*baton, take_text(json, "baton"));
  return Status();
}

}  // namespace

Result<Pipeline> parse_pipeline(std::string_view text) {
  GW_ASSIGN(Json json, parse_object(text));
  Pipeline pipeline;
  GW_TRY(take_baton(json, &pipeline.baton));
  pipeline.has_null_baton = !pipeline.baton && json.contains("baton");
  Json* requests = member(json, "requests");
  if (requests == nullptr || !requests->is_array()) return malformed("requests must be an array");
  for (Json& request : *requests) {
    GW_ASSIGN(StreamRequest taken, take_request(request));
    pipeline.requests.push_back(std::move(taken));
  }
  return pipeline;
}

Result<CursorRequest> parse_cursor_request(std::string_view text) {
  GW_ASSIGN(Json json, parse_object(text));
  CursorRequest request;
  GW_TRY(take_baton(json, &request.baton));
  GW_ASSIGN(request.batch, take_batch(member(json, "batch")));
  return request;
}

bool holds(const Condition& condition, const std::vector<StepOutcome>& outcomes,
           bool is_autocommit) {
  auto part_holds = [&](const Condition& part) { return holds(part, outcomes, is_autocommit); };
  switch (condition.kind) {
    case Condition::kOk: return outcomes[condition.step] == StepOutcome::kOk;
    case Condition::kError: return outcomes[condition.step] == StepOutcome::kError;
    case Condition::kNot: return !part_holds(condition.parts[0]);
    case Condition::kAnd:
      return std::all_of(condition.parts.begin(), condition.parts.end(), part_holds);
    case Condition::kOr:
      return std::any_of(condition.parts.begin(), condition.parts.end(), part_holds);
    case Condition::kIsAutocommit: return is_autocommit;
  }
  return false;
}

}  // namespace godwit::server
