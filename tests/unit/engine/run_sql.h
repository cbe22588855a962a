// Runs SQL on a connection and gives the result as text, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "engine/connection.h"
#include "engine/statement.h"
#include "value/cast.h"

namespace godwit {

// Runs all statements. The rows of all of them: values joined by '|', rows by newlines, NULL as
// "NULL". After an error: "error CODE: MESSAGE" alone.
inline std::string run_sql(Connection* connection, std::string_view sql) {
  std::string out;
  Arena arena;
  auto failed = [](const Status& status) {
    return "error " + std::to_string(status.code()) + ": " + status.message();
  };
  while (!sql.empty()) {
    size_t tail = 0;
    auto statement = connection->prepare(sql, &tail);
    if (!statement.ok()) return failed(statement.status());
    if (tail == 0) break;
    sql.remove_prefix(tail);
    if (*statement == nullptr) continue;
    for (;;) {
      Result<bool> more = (*statement)->step();
      if (!more.ok()) return failed(more.status());
      if (!*more) break;
      if (!out.empty()) out += '\n';
      for (int i = 0; i < (*statement)->column_count(); ++i) {
        ValueView value = (*statement)->column(i);
        if (i > 0) out += '|';
        out += value.is_null() ? "NULL" : std::string(value_to_text(value, &arena));
      }
    }
  }
  return out;
}

// Runs all statements in a new database in memory, also those after one that fails; no text in them may
// hold a semicolon.
inline std::string run_past_errors(std::string_view sql) {
  auto connection = Connection::open(":memory:", {});
  std::string all;
  while (!sql.empty()) {
    size_t end = std::min(sql.find(';'), sql.size());
    std::string result = run_sql(connection->get(), sql.substr(0, end));
    if (!result.empty()) all += (all.empty() ? "" : "\n") + result;
    sql.remove_prefix(std::min(end + 1, sql.size()));
  }
  return all;
}

}  // namespace godwit
