// An answer that waits until the database has something new for the client.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "server/database.h"
#include "server/http.h"

namespace godwit::server {

// Handler: bool answer(bool only_news, HttpResponse*), Clock::duration wait_time(), Database& database().
template <typename Handler>
class LongPoll final : public PendingAnswer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LongPoll(Handler handler)
      : handler_(std::move(handler)), deadline_(Clock::now() + handler_.wait_time()) {}
  ~LongPoll() override {
    if (subscription_ != 0) handler_.database().unsubscribe(subscription_);
  }
  Clock::time_point deadline() const override { return deadline_; }
  void on_change(std::function<void()> wake) override {
    subscription_ = handler_.database().subscribe(std::move(wake));
  }
  bool try_answer(bool at_deadline, HttpResponse* response) override {
    return handler_.answer(!at_deadline, response);
  }

 private:
  Handler handler_;
  Clock::time_point deadline_;
  uint64_t subscription_ = 0;
};

}  // namespace godwit::server
