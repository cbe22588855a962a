// Any bytes are read as the requests that the server takes from the network: pipelines and cursors,
// pull messages, page bitmaps, tokens, packed bodies, pushes and pulls of replicas. No crash, and nothing larger than its limits.
//
// Input: a letter that says which, the bytes.
#include <cstdlib>
#include <string>

#include "server/compression.h"
#include "server/hrana.h"
#include "server/pull_message.h"
#include "server/push.h"
#include "server/token.h"
#include "sync/wire.h"
#include "tests/fuzz/driver.h"

namespace {

using namespace godwit;
using namespace godwit::server;

constexpr size_t kUnpackedMax = 1 << 20;

void read_batch(const Batch& batch) {
  std::vector<StepOutcome> outcomes;
  for (const BatchStep& step : batch.steps) {
    bool runs = !step.condition || holds(*step.condition, outcomes, outcomes.size() % 2 == 0);
    outcomes.push_back(runs ? StepOutcome::kOk : StepOutcome::kSkipped);
    (void)describe_change(step.statement);
  }
  (void)is_push(batch);
}

void read_pull(std::string_view bytes) {
  auto request = parse_pull_request(bytes);
  if (!request.ok() || !request->bitmap) return;
  auto numbers = page_numbers_of(*request->bitmap, 100000);
  if (numbers.ok() && numbers->size() > 100000) std::abort();
}

const std::vector<TokenKey>& keys() {
  static const std::vector<TokenKey> list = {
      *TokenKey::from_text("0123456789abcdef0123456789abcdef", "secret")};
  return list;
}

void read_dense(std::string_view bytes) {
  godwit::sync::PushRequest push;
  godwit::sync::PullRequest pull;
  if (godwit::sync::decode(bytes, &push, kUnpackedMax).ok() && push.ops.size() > kUnpackedMax) std::abort();
  (void)godwit::sync::decode(bytes, &pull);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 7) {
    case 0:
      if (auto pipeline = parse_pipeline(bytes); pipeline.ok()) {
        for (const StreamRequest& request : pipeline->requests) read_batch(request.batch);
      }
      break;
    case 1:
      if (auto request = parse_cursor_request(bytes); request.ok()) read_batch(request->batch);
      break;
    case 2: read_pull(bytes); break;
    case 3: {
      auto numbers = page_numbers_of(bytes, 100000);
      if (numbers.ok() && numbers->size() > 100000) std::abort();
      break;
    }
    case 5: read_dense(bytes); break;
    case 4: (void)verify_token(keys(), bytes, 1800000000); break;
    default:
      for (const char* encoding : {"gzip", "zstd"}) {
        std::string body(bytes);
        if (unpack(encoding, kUnpackedMax, &body) == UnpackResult::kOk && body.size() > kUnpackedMax) {
          std::abort();
        }
      }
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::string pipeline =
      R"({"baton":null,"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":"BEGIN IMMEDIATE"}},)"
      R"({"condition":{"type":"not","cond":{"type":"is_autocommit"}},"stmt":{"sql":"UPDATE \"t\" SET \"a\" = ? WHERE \"id\" = ?",)"
      R"("args":[{"type":"integer","value":"1"},{"type":"blob","base64":"AQID"}]}},)"
      R"({"condition":{"type":"or","conds":[{"type":"ok","step":0},{"type":"error","step":1}]},"stmt":{"sql_id":1}}]}}]})";
  std::string cursor = R"({"batch":{"steps":[{"stmt":{"sql":"SELECT :v","named_args":[{"name":"v","value":{"type":"float","value":1.5}}]}}]}})";
  std::string list("\x3a\x30\0\0\1\0\0\0\0\0\3\0\x10\0\0\0\xd8\0\xd9\0\xda\0\xdb\0", 24);
  std::string runs("\x3b\x30\0\0\1\0\0\3\0\1\0\0\0\3\0", 15);
  std::string pull = std::string("\x12\x03" "299\x2a\x18") + list;
  std::string token = *keys()[0].sign(TokenClaims(), 1700000000);
  godwit::sync::PushRequest push;
  push.client = "c";
  push.first_seq = push.last_seq = 1;
  push.counters = {"t.n"};
  push.ops = std::string("\2\14DROP TABLE t", 14) + std::string(100, 'x');
  godwit::sync::PullRequest pull_dense;
  pull_dense.revision = "e-1";
  auto seed = [](char kind, const std::string& bytes) { return std::string(1, kind) + bytes; };
  return {seed(5, godwit::sync::encode(push)), seed(5, godwit::sync::encode(pull_dense)),
          seed(0, pipeline), seed(1, cursor), seed(2, pull), seed(3, list), seed(3, runs), seed(4, token),
          seed(6, compress(Encoding::kGzip, pipeline)), seed(6, compress(Encoding::kZstd, pipeline))};
}
