// What the server counts, and the text form that Prometheus reads. Counters may be changed from any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace godwit::server {

enum class Endpoint : uint8_t { kPipeline, kCursor, kPull, kAdmin, kOther, kCount };

struct Metrics {
  using Counter = std::atomic<uint64_t>;
  static constexpr std::array<double, 9> kSeconds = {0.001, 0.003, 0.01, 0.03, 0.1,
                                                     0.3,   1,     3,    10};
  struct EndpointFigures {
    std::array<Counter, 6> by_status_class{};  // [2]: 2xx, ...
    std::array<Counter, kSeconds.size() + 1> by_duration{};
    std::atomic<uint64_t> nanoseconds{0};
  };
  std::array<EndpointFigures, static_cast<size_t>(Endpoint::kCount)> endpoints;
  Counter bytes_in{0}, bytes_out{0};
  std::atomic<int64_t> connections{0};
  Counter statements{0}, statement_errors{0};
  Counter pushes_applied{0}, pushes_repeated{0}, pushes_failed{0}, pushed_changes{0};
  Counter rejected_rows{0};
  Counter pulls{0}, pulls_without_news{0}, whole_pulls{0}, row_log_gaps{0}, pages_sent{0}, gone_revisions{0};
  Counter refused_tokens{0}, idle_streams_closed{0};

  void count(Endpoint endpoint, int status, std::chrono::nanoseconds duration);

  // Figures that are not counted but looked at.
  struct Gauges {
    uint64_t streams = 0, databases = 0, pins = 0, old_image_bytes = 0;
  };
  std::string text(const Gauges& gauges) const;
};

}  // namespace godwit::server
