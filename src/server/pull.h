// POST /pull-updates: the pages that a client needs to get from its revision to the newest one, or to
// begin; whole, by a bitmap, or those that a query touches; of the newest revision or of a pinned one.
#pragma once

#include <memory>

#include "server/database.h"
#include "server/http.h"
#include "server/metrics.h"

namespace godwit::server {

// May return an answer that waits (long poll).
HttpResponse handle_pull(const std::shared_ptr<Database>& database, const HttpRequest& request,
                         Metrics* metrics);

}  // namespace godwit::server
