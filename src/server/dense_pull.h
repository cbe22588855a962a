// POST /godwit/pull: what has changed since the client's revision, in the dense form (sync/wire.h): the ops
// of the row log, or where that has a gap the pages of a whole revision.
#pragma once

#include <memory>

#include "server/database.h"
#include "server/http.h"
#include "server/metrics.h"

namespace godwit::server {

// May return an answer that waits (long poll).
HttpResponse handle_dense_pull(const std::shared_ptr<Database>& database, const HttpRequest& request,
                               Metrics* metrics);

}  // namespace godwit::server
