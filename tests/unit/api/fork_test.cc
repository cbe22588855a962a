// A process that forks after it has used the library: the child opens connections of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sqlite3.h"

namespace {

// Longer than the thread that gives up idle read marks stays awake.
constexpr useconds_t kUntilAsleep = 150'000;

// Reads twice, with that thread asleep in between; 0: all went well.
int use(const std::string& path) {
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) return 1;
  if (sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(a)", nullptr, nullptr,
                   nullptr) != SQLITE_OK) {
    return 2;
  }
  for (int i = 0; i < 3; ++i) {
    if (sqlite3_exec(db, "INSERT INTO t VALUES(1); SELECT * FROM t", nullptr, nullptr, nullptr) !=
        SQLITE_OK) {
      return 3;
    }
    usleep(kUntilAsleep);
  }
  return sqlite3_close(db) == SQLITE_OK ? 0 : 4;
}

TEST(Fork, TheChildReadsWithItsOwnConnections) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
#endif
  char folder[] = "/tmp/godwit_fork_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/a.db";
  ASSERT_EQ(use(path), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends the child if it hangs
    _exit(use(path));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
