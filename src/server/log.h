// Structured log: one JSON object a line, on standard error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit::server {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };

void set_log_level(LogLevel level);
bool parse_log_level(std::string_view name, LogLevel* level);
bool is_logged(LogLevel level);

// LogLine(LogLevel::kInfo, "push").add("database", name).add("changes", 3); written when it dies.
class LogLine {
 public:
  LogLine(LogLevel level, std::string_view event);
  ~LogLine();
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;
  LogLine& add(std::string_view key, std::string_view value);
  LogLine& add(std::string_view key, int64_t value);
  LogLine& add(std::string_view key, double value);

 private:
  bool is_on_;
  std::string line_;
};

}  // namespace godwit::server
