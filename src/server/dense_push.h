// POST /godwit/push: the changes of a client in the dense form (sync/wire.h). One transaction, applied at
// most once, as a whole or not at all, by the rule of docs/decisions/0011-sync-by-rows.md.
#pragma once

#include <memory>

#include "server/database.h"
#include "server/http.h"
#include "server/metrics.h"

namespace godwit::server {

HttpResponse handle_dense_push(const std::shared_ptr<Database>& database, const HttpRequest& request,
                               Metrics* metrics);

}  // namespace godwit::server
