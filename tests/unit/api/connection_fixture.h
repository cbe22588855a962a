// A connection in memory, and SQL run on it as text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sqlite3.h"

// The rows, values joined by '|', rows by newlines; or "error CODE: MESSAGE".
inline std::string run_sql(sqlite3* db, const std::string& sql) {
  std::string out;
  auto add = [](void* context, int count, char** values, char**) {
    auto* text = static_cast<std::string*>(context);
    if (!text->empty()) *text += '\n';
    for (int i = 0; i < count; ++i) {
      if (i > 0) *text += '|';
      *text += values[i] == nullptr ? "NULL" : values[i];
    }
    return 0;
  };
  if (sqlite3_exec(db, sql.c_str(), add, &out, nullptr) == SQLITE_OK) return out;
  return "error " + std::to_string(sqlite3_extended_errcode(db)) + ": " + sqlite3_errmsg(db);
}

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK); }
  void TearDown() override { EXPECT_EQ(sqlite3_close(db_), SQLITE_OK); }
  std::string run(const std::string& sql) { return run_sql(db_, sql); }

  sqlite3* db_ = nullptr;
};
