// Databases in memory, and changesets out of SQL, for the tests of sync.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sqlite3.h"
#include "sync/database_access.h"

namespace godwit::sync {

class TestDatabase {
 public:
  explicit TestDatabase(const std::string& path = ":memory:") {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, 2000);
  }
  ~TestDatabase() { sqlite3_close(db_); }
  TestDatabase(const TestDatabase&) = delete;

  sqlite3* get() const { return db_; }
  void run(const std::string& sql) {
    Status status = execute(db_, sql);
    EXPECT_TRUE(status.ok()) << status.message() << ": " << sql;
  }
  // Values by ',' and rows by ' '; NULL as it is.
  std::string rows(const std::string& sql) {
    auto query = Query::prepare(db_, sql);
    EXPECT_TRUE(query.ok()) << query.status().message() << ": " << sql;
    std::string out;
    if (!query.ok()) return out;
    for (;;) {
      auto has_row = query->step();
      EXPECT_TRUE(has_row.ok());
      if (!has_row.ok() || !*has_row) return out;
      if (!out.empty()) out += ' ';
      for (int i = 0; i < sqlite3_column_count(query->handle()); ++i) {
        out += (i > 0 ? "," : "") + (query->is_null(i) ? std::string("NULL") : query->text(i));
      }
    }
  }
  // What `sql` does to tables with a key, as a changeset. It is done.
  std::string changeset(const std::string& sql) {
    sqlite3_session* session = nullptr;
    EXPECT_EQ(sqlite3session_create(db_, "main", &session), SQLITE_OK);
    int implicit = 1;
    sqlite3session_object_config(session, SQLITE_SESSION_OBJCONFIG_ROWID, &implicit);
    sqlite3session_attach(session, nullptr);
    run(sql);
    int size = 0;
    void* data = nullptr;
    EXPECT_EQ(sqlite3session_changeset(session, &size, &data), SQLITE_OK);
    std::string bytes(static_cast<char*>(data), static_cast<size_t>(size));
    sqlite3_free(data);
    sqlite3session_delete(session);
    return bytes;
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace godwit::sync
