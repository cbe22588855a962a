#include "sync/whole_revision.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "api/table_shape.h"
#include "base/bytes.h"
#include "sync/database_access.h"
#include "sync/schema_op.h"

namespace godwit::sync {
namespace {

constexpr size_t kHeaderWriteVersion = 18, kHeaderReadVersion = 19;  // offsets in page 1
constexpr char kRollbackVersion = 1;

Status io_error(const std::string& path) {
  return Status(errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE,
                "cannot write " + path + ": " + std::strerror(errno));
}

Status write_all(int fd, std::string_view bytes, uint64_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return io_error(path);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return Status();
}

// What a schema has: by type and name, the statement that made it.
struct SchemaObject {
  std::string type, name, table, sql;
};
using Schema = std::map<std::string, SchemaObject>;  // by name in lower case

Result<Schema> load_schema(sqlite3* db, const std::string& database) {
  GW_ASSIGN(Query query, Query::prepare(db, "SELECT type, name, tbl_name, sql, lower(name) FROM " + database +
                                            ".sqlite_schema WHERE sql IS NOT NULL"));
  Schema schema;
  for (;;) {
    GW_ASSIGN(const bool has_row, query.step());
    if (!has_row) return schema;
    SchemaObject object{query.text(0), query.text(1), query.text(2), query.text(3)};
    const bool is_statistics = sqlite3_strnicmp(object.name.c_str(), "sqlite_", 7) == 0;
    if (is_statistics || !is_synced_table(object.name) || !is_synced_table(object.table)) continue;
    schema.emplace(query.text(4), std::move(object));
  }
}

class Reset {
 public:
  explicit Reset(sqlite3* db) : db_(db) {}

  Status run() {
    GW_ASSIGN(server_, load_schema(db_, "godwit_server"));
    GW_ASSIGN(Schema local, load_schema(db_, "main"));
    // What depends on tables goes before them.
    for (const char* type : {"trigger", "view", "index", "table"}) GW_TRY(drop_others(local, type));
    GW_ASSIGN(local_, load_schema(db_, "main"));
    GW_TRY(create_tables());
    for (const auto& [name, object] : server_) {
      const bool has_rows = object.type == "table" && !is_virtual(object);
      if (has_rows) GW_TRY(reset_rows(object.name));
    }
    GW_TRY(reset_sequences());
    for (const char* type : {"index", "view", "trigger"}) GW_TRY(create(type, false));
    for (const char* name : {"user_version", "application_id"}) GW_TRY(reset_number(name));
    return Status();
  }
  bool changed() const { return changed_; }

 private:
  static bool is_virtual(const SchemaObject& object) {
    return sqlite3_strnicmp(object.sql.c_str(), "CREATE VIRTUAL", 14) == 0;
  }

  Status drop_others(const Schema& local, const std::string& type) {
    for (const auto& [name, object] : local) {
      if (object.type != type) continue;
      auto server = server_.find(name);
      if (server != server_.end() && server->second.type == type && server->second.sql == object.sql) continue;
      changed_ = true;
      // IF EXISTS: it may have gone with its table, a shadow table with its virtual one.
      GW_TRY(execute(db_, "DROP " + type + " IF EXISTS main." + double_quoted(object.name)));
    }
    return Status();
  }

  // Virtual ones first: they make their shadow tables themselves.
  Status create_tables() {
    GW_TRY(create("table", true));
    GW_ASSIGN(local_, load_schema(db_, "main"));
    return create("table", false);
  }

  Status create(const std::string& type, bool only_virtual) {
    for (const auto& [name, object] : server_) {
      if (object.type != type || local_.contains(name) || (only_virtual && !is_virtual(object))) continue;
      changed_ = true;
      GW_ASSIGN(const SchemaResult result, run_schema_op(db_, object.sql));
      if (result.is_refused()) return Status::error("whole revision: " + result.error);
    }
    return Status();
  }

  Status reset_rows(const std::string& name) {
    const api::TableShape shape = api::shape_of_table(db_, "godwit_server", name);
    if (!shape.exists()) return corrupt("whole revision: a table without columns");
    const std::string table = double_quoted(name);
    std::string columns, same_key, same;
    for (size_t i = 0; i < shape.columns.size(); ++i) {
      const std::string& column = shape.columns[i];
      columns += (i > 0 ? ", " : "") + column;
      if (shape.key[i] != 0) {
        same_key += (same_key.empty() ? "" : " AND ") + ("here." + column) + " IS there." + column;
      }
      same += (i > 0 ? " AND " : "") + ("here." + column) + " IS there." + column + " COLLATE BINARY AND typeof(here." +
              column + ") = typeof(there." + column + ")";
    }
    const std::string here = "main." + table + " AS here", there = "godwit_server." + table + " AS there";
    GW_ASSIGN(const int64_t has_rows, integer_of(db_, "SELECT EXISTS(SELECT 1 FROM main." + table + ")"));
    std::string copy = "INSERT OR ABORT INTO main." + table + "(" + columns + ") SELECT " + columns + " FROM " + there;
    if (has_rows != 0) {
      GW_TRY(execute(db_, "DELETE FROM " + here + " WHERE NOT EXISTS (SELECT 1 FROM " + there + " WHERE " + same_key +
                              " AND " + same + ")"));
      changed_ |= sqlite3_changes(db_) > 0;
      copy += " WHERE NOT EXISTS (SELECT 1 FROM " + here + " WHERE " + same_key + ")";
    }
    GW_TRY(execute(db_, copy));
    changed_ |= sqlite3_changes(db_) > 0;
    return Status();
  }

  // AUTOINCREMENT goes on where the server is.
  Status reset_sequences() {
    GW_ASSIGN(const int64_t theirs, integer_of(db_, "SELECT count(*) FROM godwit_server.sqlite_schema WHERE name = 'sqlite_sequence'"));
    if (theirs == 0) return Status();
    const std::string is_synced = " WHERE name NOT LIKE 'godwit\\_sync\\_%' ESCAPE '\\'";
    GW_TRY(execute(db_, "DELETE FROM main.sqlite_sequence" + is_synced));
    return execute(db_, "INSERT INTO main.sqlite_sequence SELECT * FROM godwit_server.sqlite_sequence" + is_synced);
  }

  Status reset_number(const std::string& name) {
    GW_ASSIGN(const int64_t theirs, integer_of(db_, "PRAGMA godwit_server." + name));
    GW_ASSIGN(const int64_t ours, integer_of(db_, "PRAGMA main." + name));
    if (theirs == ours) return Status();
    changed_ = true;
    return execute(db_, "PRAGMA main." + name + " = " + std::to_string(theirs));
  }

  sqlite3* db_;
  Schema server_, local_;
  bool changed_ = false;
};

}  // namespace

RevisionFile::RevisionFile(const std::string& database) {
  static std::atomic<uint32_t> counter{0};
  std::string stem = database;
  if (stem.empty() || stem == ":memory:") {
    std::error_code error;
    std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    stem = ((error ? std::filesystem::path("/tmp") : folder) / "godwit").string();
  }
  path_ = stem + "-pull-" + std::to_string(::getpid()) + "-" + std::to_string(++counter);
}

RevisionFile::~RevisionFile() {
  close();
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) ::unlink((path_ + suffix).c_str());
}

void RevisionFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Status RevisionFile::begin(uint32_t page_size, uint32_t page_count) {
  close();
  fd_ = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) return io_error(path_);
  page_size_ = page_size;
  page_count_ = page_count;
  pages_ = 0;
  return Status();
}

Status RevisionFile::add_page(uint32_t number, std::string_view content) {
  if (fd_ < 0 || number == 0 || number > page_count_ || content.size() != page_size_) {
    return corrupt("whole revision: a page that there is not");
  }
  ++pages_;
  const uint64_t offset = uint64_t{number - 1} * page_size_;
  GW_TRY(write_all(fd_, content, offset, path_));
  if (number != 1) return Status();
  // Read as a plain file, without a WAL.
  const char versions[2] = {kRollbackVersion, kRollbackVersion};
  static_assert(kHeaderReadVersion == kHeaderWriteVersion + 1);
  return write_all(fd_, std::string_view(versions, 2), kHeaderWriteVersion, path_);
}

Status RevisionFile::add_pages(std::string_view body) {
  while (!body.empty()) {
    uint64_t number = 0;
    const auto* begin = reinterpret_cast<const uint8_t*>(body.data());
    const int used = read_varint(begin, begin + body.size(), &number);
    if (used == 0 || number > UINT32_MAX || body.size() - static_cast<size_t>(used) < page_size_) {
      return corrupt("whole revision: pages that are cut off");
    }
    body.remove_prefix(static_cast<size_t>(used));
    GW_TRY(add_page(static_cast<uint32_t>(number), body.substr(0, page_size_)));
    body.remove_prefix(page_size_);
  }
  return Status();
}

Status RevisionFile::end() {
  if (pages_ < page_count_) return corrupt("whole revision: pages are missing");
  close();
  return Status();
}

Result<AttachedRevision> AttachedRevision::attach(sqlite3* db, const std::string& path) {
  GW_ASSIGN(Query query, Query::prepare(db, "ATTACH ? AS godwit_server"));
  GW_TRY(query.bind(1, path).run());
  return AttachedRevision(db);
}

AttachedRevision::~AttachedRevision() {
  if (db_ != nullptr) (void)execute(db_, "DETACH godwit_server");
}

Status reset_to_revision(sqlite3* db, bool* changed) {
  Reset reset(db);
  GW_TRY(reset.run());
  *changed = reset.changed();
  return Status();
}

}  // namespace godwit::sync
