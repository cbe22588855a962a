#include "server/log.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>

#include "server/json_writer.h"

namespace godwit::server {
namespace {

std::atomic<LogLevel> log_level{LogLevel::kInfo};
constexpr std::string_view kLevelNames[] = {"debug", "info", "warning", "error", "off"};

std::string time_text() {
  auto now = std::chrono::system_clock::now();
  std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(ms));
  return text;
}

void append_key(std::string* line, std::string_view key) {
  *line += ",\"";
  *line += key;
  *line += "\":";
}

}  // namespace

void set_log_level(LogLevel level) { log_level = level; }

bool parse_log_level(std::string_view name, LogLevel* level) {
  for (size_t i = 0; i < std::size(kLevelNames); ++i) {
    if (kLevelNames[i] != name) continue;
    *level = static_cast<LogLevel>(i);
    return true;
  }
  return false;
}

bool is_logged(LogLevel level) { return level >= log_level.load(std::memory_order_relaxed); }

LogLine::LogLine(LogLevel level, std::string_view event) : is_on_(is_logged(level)) {
  if (!is_on_) return;
  line_ = "{\"time\":\"" + time_text() + "\",\"level\":\"";
  line_ += kLevelNames[static_cast<size_t>(level)];
  line_ += "\",\"event\":";
  JsonWriter(&line_).text(event);
}

LogLine::~LogLine() {
  if (!is_on_) return;
  line_ += "}\n";
  // In one call, so that lines of several threads do not mix.
  [[maybe_unused]] ssize_t n = write(STDERR_FILENO, line_.data(), line_.size());
}

LogLine& LogLine::add(std::string_view key, std::string_view value) {
  if (!is_on_) return *this;
  append_key(&line_, key);
  JsonWriter(&line_).text(value);
  return *this;
}

LogLine& LogLine::add(std::string_view key, int64_t value) {
  if (!is_on_) return *this;
  append_key(&line_, key);
  JsonWriter(&line_).integer(value);
  return *this;
}

LogLine& LogLine::add(std::string_view key, double value) {
  if (!is_on_) return *this;
  append_key(&line_, key);
  JsonWriter(&line_).real(value);
  return *this;
}

}  // namespace godwit::server
