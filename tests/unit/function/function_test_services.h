// A connection that is always the same, for tests of functions.
#pragma once

#include <cstring>

#include "function/function.h"

namespace godwit {

class TestServices : public FunctionServices {
 public:
  int64_t last_insert_rowid() const override { return 42; }
  int64_t changes() const override { return 3; }
  int64_t total_changes() const override { return 7; }
  void random_bytes(void* out, size_t count) override { std::memset(out, 0x80, count); }
  int64_t statement_time_ms() override { return 212584003200000; }  // 2024-06-01 12:00:00
  int64_t length_limit() const override { return 1000000; }
  int like_pattern_limit() const override { return 100; }
};

}  // namespace godwit
