// SQL over HTTP: /v2/pipeline, /v3/pipeline and /v3/cursor.
#pragma once

#include <memory>

#include "server/database.h"
#include "server/http.h"
#include "server/metrics.h"
#include "server/streams.h"

namespace godwit::server {

struct SqlContext {
  std::shared_ptr<Database> database;
  bool read_only = false;  // the token allows no more
  bool reject_whole_pushes = false;
  size_t answer_limit = 128 << 20;  // bytes of a pipeline's answer, which is made in memory
  StreamTable* streams = nullptr;
  Metrics* metrics = nullptr;
};

HttpResponse handle_pipeline(const SqlContext& context, const HttpRequest& request);
// Rows are sent as they are found.
HttpResponse handle_cursor(const SqlContext& context, const HttpRequest& request);

// A new stream, or the one that the baton names. Null: *refusal is the answer.
std::unique_ptr<Stream> take_stream(const SqlContext& context, const std::optional<std::string>& baton,
                                    HttpResponse* refusal);
// The text of a statement; null: *error.
const std::string* find_sql(const Stream& stream, const SqlText& text, SqlError* error);

}  // namespace godwit::server
