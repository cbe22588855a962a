#include "server/metrics.h"

#include <cstdio>
#include <string_view>

namespace godwit::server {
namespace {

constexpr std::string_view kEndpointNames[] = {"pipeline", "cursor", "pull", "admin", "other"};

void add(std::string* out, std::string_view name, std::string_view help, std::string_view type,
         uint64_t value) {
  *out += "# HELP godwit_";
  out->append(name).append(" ").append(help).append("\n# TYPE godwit_");
  out->append(name).append(" ").append(type).append("\ngodwit_");
  out->append(name).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

void Metrics::count(Endpoint endpoint, int status, std::chrono::nanoseconds duration) {
  EndpointFigures& figures = endpoints[static_cast<size_t>(endpoint)];
  size_t status_class = static_cast<size_t>(status / 100);
  if (status_class < figures.by_status_class.size()) ++figures.by_status_class[status_class];
  double seconds = std::chrono::duration<double>(duration).count();
  size_t bucket = 0;
  while (bucket < kSeconds.size() && seconds > kSeconds[bucket]) ++bucket;
  ++figures.by_duration[bucket];
  figures.nanoseconds += static_cast<uint64_t>(duration.count());
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  out += "# HELP godwit_requests_total Requests answered.\n# TYPE godwit_requests_total counter\n";
  char line[160];
  for (size_t e = 0; e < endpoints.size(); ++e) {
    for (size_t c = 1; c < 6; ++c) {
      uint64_t value = endpoints[e].by_status_class[c];
      if (value == 0) continue;
      std::snprintf(line, sizeof line, "godwit_requests_total{endpoint=\"%s\",status=\"%zuxx\"} %llu\n",
                    kEndpointNames[e].data(), c, static_cast<unsigned long long>(value));
      out += line;
    }
  }
  out += "# HELP godwit_request_seconds Time from a request's end to its answer's.\n"
         "# TYPE godwit_request_seconds histogram\n";
  for (size_t e = 0; e < endpoints.size(); ++e) {
    unsigned long long sum = 0;
    const char* name = kEndpointNames[e].data();
    for (size_t b = 0; b <= kSeconds.size(); ++b) {
      sum += endpoints[e].by_duration[b];
      char limit[32] = "+Inf";
      if (b < kSeconds.size()) std::snprintf(limit, sizeof limit, "%g", kSeconds[b]);
      std::snprintf(line, sizeof line, "godwit_request_seconds_bucket{endpoint=\"%s\",le=\"%s\"} %llu\n",
                    name, limit, sum);
      out += line;
    }
    std::snprintf(line, sizeof line,
                  "godwit_request_seconds_sum{endpoint=\"%s\"} %.6f\n"
                  "godwit_request_seconds_count{endpoint=\"%s\"} %llu\n",
                  name, static_cast<double>(endpoints[e].nanoseconds) / 1e9, name, sum);
    out += line;
  }
  const std::string_view counter = "counter", gauge = "gauge";
  add(&out, "received_bytes_total", "Bytes of request bodies.", counter, bytes_in);
  add(&out, "sent_bytes_total", "Bytes of answers.", counter, bytes_out);
  add(&out, "statements_total", "SQL statements run over HTTP.", counter, statements);
  add(&out, "statement_errors_total", "Those that failed.", counter, statement_errors);
  add(&out, "pushes_applied_total", "Pushes applied.", counter, pushes_applied);
  add(&out, "pushes_repeated_total", "Pushes that had been applied before.", counter, pushes_repeated);
  add(&out, "pushes_failed_total", "Pushes of which nothing was applied.", counter, pushes_failed);
  add(&out, "pushed_changes_total", "Changes applied by pushes.", counter, pushed_changes);
  add(&out, "push_rejected_rows_total", "Changes set aside in godwit_sync_rejected.", counter, rejected_rows);
  add(&out, "pulls_total", "Pulls answered.", counter, pulls);
  add(&out, "pulls_without_news_total", "Those without a page.", counter, pulls_without_news);
  add(&out, "row_log_gaps_total", "Pulls of rows that got pages, for want of the log.", counter,
      row_log_gaps);
  add(&out, "whole_pulls_total", "Those with the whole database.", counter, whole_pulls);
  add(&out, "pages_sent_total", "Pages sent.", counter, pages_sent);
  add(&out, "gone_revisions_total", "Requests for a revision that is gone.", counter, gone_revisions);
  add(&out, "refused_tokens_total", "Requests without a token that allows them.", counter, refused_tokens);
  add(&out, "idle_streams_closed_total", "Streams rolled back because their client went away.", counter, idle_streams_closed);
  add(&out, "connections", "Open connections.", gauge, static_cast<uint64_t>(connections.load()));
  add(&out, "streams", "Streams that wait for their next request.", gauge, gauges.streams);
  add(&out, "open_databases", "Databases open.", gauge, gauges.databases);
  add(&out, "pinned_revisions", "Revisions kept for partial replicas.", gauge, gauges.pins);
  add(&out, "old_page_bytes", "Old page images kept for them.", gauge, gauges.old_image_bytes);
  return out;
}

}  // namespace godwit::server
