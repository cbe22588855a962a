// A whole revision of the server's database instead of changes: its pages go to a file beside the
// replica, which is attached, and what differs from it in the replica is made the same, row by row, in
// the transaction of the pull: schema, rows, user_version and application_id. Readers of the replica see
// the state before or after. Tables of sync itself are left alone on both sides.
//
// The pages come from a server: they may be damaged, which shows as kCorrupt and changes nothing.
// Threads: as the connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "sqlite3.h"

namespace godwit::sync {

// The file that a revision is gathered in. Goes away with the object.
class RevisionFile {
 public:
  // Beside `database`; in the folder for temporary files if that has no file.
  explicit RevisionFile(const std::string& database);
  ~RevisionFile();
  RevisionFile(const RevisionFile&) = delete;
  RevisionFile& operator=(const RevisionFile&) = delete;

  Status begin(uint32_t page_size, uint32_t page_count);
  // Of frame kPages: page number (varint), content; any number of them, in any order.
  Status add_pages(std::string_view body);
  Status add_page(uint32_t number, std::string_view content);
  Status end();  // kCorrupt: not all pages came
  const std::string& path() const { return path_; }

 private:
  void close();

  std::string path_;
  int fd_ = -1;
  uint32_t page_size_ = 0, page_count_ = 0, pages_ = 0;
};

// Attached as godwit_server while it lives. Not in a transaction.
class AttachedRevision {
 public:
  static Result<AttachedRevision> attach(sqlite3* db, const std::string& path);
  AttachedRevision(AttachedRevision&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  ~AttachedRevision();

 private:
  explicit AttachedRevision(sqlite3* db) : db_(db) {}
  sqlite3* db_;
};

// Makes "main" what godwit_server is. *changed: whether anything differed.
Status reset_to_revision(sqlite3* db, bool* changed);

}  // namespace godwit::sync
