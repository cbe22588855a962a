#include "api/filename.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "api/handles.h"

using namespace godwit;
using namespace godwit::api;

namespace {

const char* next_text(const char* text) { return text + std::strlen(text) + 1; }

// The start of the name that `text`, which may be that of the journal or of the WAL, belongs to.
const char* database_name(const char* text) {
  while (text[-1] != 0 || text[-2] != 0 || text[-3] != 0 || text[-4] != 0) --text;
  return text;
}

// The text behind the last parameter and the empty one that ends them.
const char* behind_parameters(const char* name) {
  const char* text = next_text(name);
  while (*text != '\0') text = next_text(next_text(text));
  return text + 1;
}

}  // namespace

namespace godwit::api {

const char* filename_of(sqlite3* db, const std::string& path) {
  auto found = db->filenames.find(path);
  if (found == db->filenames.end()) {
    const bool is_file = !path.empty();
    std::string block = filename_block(path, is_file ? path + "-journal" : "",
                                       is_file ? path + "-wal" : "", {});
    found = db->filenames.emplace(path, std::move(block)).first;
  }
  return found->second.c_str() + kFilenamePrefix;
}

}  // namespace godwit::api

const char* sqlite3_uri_parameter(const char* filename, const char* name) {
  if (filename == nullptr || name == nullptr) return nullptr;
  for (const char* text = next_text(database_name(filename)); *text != '\0';
       text = next_text(next_text(text))) {
    if (std::strcmp(text, name) == 0) return next_text(text);
  }
  return nullptr;
}

int sqlite3_uri_boolean(const char* filename, const char* name, int otherwise) {
  const char* value = sqlite3_uri_parameter(filename, name);
  if (value == nullptr) return otherwise != 0;
  for (const char* word : {"yes", "true", "on"}) {
    if (sqlite3_stricmp(value, word) == 0) return 1;
  }
  for (const char* word : {"no", "false", "off"}) {
    if (sqlite3_stricmp(value, word) == 0) return 0;
  }
  const bool is_number = *value >= '0' && *value <= '9';
  return is_number ? std::atoi(value) != 0 : otherwise != 0;
}

sqlite3_int64 sqlite3_uri_int64(const char* filename, const char* name, sqlite3_int64 otherwise) {
  const char* value = sqlite3_uri_parameter(filename, name);
  if (value == nullptr) return otherwise;
  char* end = nullptr;
  sqlite3_int64 number = std::strtoll(value, &end, 0);
  return end != value && *end == '\0' ? number : otherwise;
}

const char* sqlite3_uri_key(const char* filename, int number) {
  if (filename == nullptr || number < 0) return nullptr;
  const char* text = next_text(database_name(filename));
  while (*text != '\0' && number-- > 0) text = next_text(next_text(text));
  return *text == '\0' ? nullptr : text;
}

const char* sqlite3_filename_database(const char* filename) {
  return filename == nullptr ? nullptr : database_name(filename);
}
const char* sqlite3_filename_journal(const char* filename) {
  return filename == nullptr ? nullptr : behind_parameters(database_name(filename));
}
const char* sqlite3_filename_wal(const char* filename) {
  return filename == nullptr ? nullptr : next_text(sqlite3_filename_journal(filename));
}

const char* sqlite3_create_filename(const char* database, const char* journal, const char* wal,
                                    int parameters, const char** texts) {
  try {
    UriParameters pairs;
    for (int i = 0; i < parameters; ++i) pairs.emplace_back(texts[2 * i], texts[2 * i + 1]);
    std::string block = filename_block(database == nullptr ? "" : database,
                                       journal == nullptr ? "" : journal,
                                       wal == nullptr ? "" : wal, pairs);
    char* copy = static_cast<char*>(sqlite3_malloc64(block.size()));
    if (copy == nullptr) return nullptr;
    std::memcpy(copy, block.data(), block.size());
    return copy + kFilenamePrefix;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void sqlite3_free_filename(const char* filename) {
  if (filename == nullptr) return;
  sqlite3_free(const_cast<char*>(database_name(filename)) - kFilenamePrefix);
}

// ---- File control ------------------------------------------------------------------------------

namespace {

int control(Connection& connection, AttachedDatabase& database, int operation, void* argument) {
  if (database.btree == nullptr) return SQLITE_NOTFOUND;
  Pager& pager = database.btree->pager();
  switch (operation) {
    case SQLITE_FCNTL_DATA_VERSION:
      *static_cast<unsigned*>(argument) = pager.data_version();
      return SQLITE_OK;
    case SQLITE_FCNTL_PERSIST_WAL: {
      int& value = *static_cast<int*>(argument);
      if (value >= 0) pager.set_persist_wal(value != 0);
      value = pager.persist_wal() ? 1 : 0;
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE: {
      // Always assumed.
      *static_cast<int*>(argument) = 1;
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_LOCKSTATE:
      if (pager.file() == nullptr) return SQLITE_NOTFOUND;
      *static_cast<int*>(argument) = static_cast<int>(pager.file()->lock_level());
      return SQLITE_OK;
    case SQLITE_FCNTL_LAST_ERRNO:
      *static_cast<int*>(argument) = 0;
      return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_LIMIT: {
      if (database.buffer == nullptr) return SQLITE_NOTFOUND;
      sqlite3_int64& limit = *static_cast<sqlite3_int64*>(argument);
      MemoryBuffer& buffer = database.buffer->buffer();
      if (limit >= 0) {
        buffer.size_limit = std::max(static_cast<uint64_t>(limit), buffer.size);
      }
      limit = static_cast<sqlite3_int64>(buffer.size_limit);
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_RESERVE_BYTES: {
      int& bytes = *static_cast<int*>(argument);
      const int before = static_cast<int>(pager.reserved_bytes());
      if (bytes >= 0 && bytes <= 255) (void)pager.set_page_size(pager.page_size(), bytes);
      bytes = before;
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_MMAP_SIZE: {
      sqlite3_int64& bytes = *static_cast<sqlite3_int64*>(argument);
      const sqlite3_int64 before = database.mmap_size;
      if (bytes >= 0) database.mmap_size = bytes;
      bytes = before;
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_VFSNAME: {
      const char* name = database.buffer != nullptr ? "memdb" : "unix";
      *static_cast<char**>(argument) = sqlite3_mprintf("%s", name);
      return SQLITE_OK;
    }
    case SQLITE_FCNTL_TEMPFILENAME:
      *static_cast<char**>(argument) = sqlite3_mprintf("/tmp/etilqs_%llx", connection.catalog_version());
      return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
      *static_cast<int*>(argument) = 0;
      return SQLITE_OK;
    case SQLITE_FCNTL_RESET_CACHE:
      if (!pager.is_reading()) pager.forget_snapshot();
      return SQLITE_OK;
    case SQLITE_FCNTL_EXTERNAL_READER:
      *static_cast<int*>(argument) = 0;
      return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE:
    case SQLITE_FCNTL_LOCK_TIMEOUT:
    case SQLITE_FCNTL_BLOCK_ON_CONNECT:
    case SQLITE_FCNTL_NULL_IO:
      return SQLITE_OK;
    default:
      return SQLITE_NOTFOUND;
  }
}

}  // namespace

int sqlite3_file_control(sqlite3* db, const char* name, int operation, void* argument) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    int index = name == nullptr ? Connection::kMain : db->connection->find_database(name);
    if (index < 0) return SQLITE_ERROR;
    Connection& connection = *db->connection;
    return control(connection, connection.databases()[static_cast<size_t>(index)], operation,
                   argument);
  });
}

int sqlite3_setlk_timeout(sqlite3* db, int milliseconds, int) {
  return !is_usable(db) || milliseconds < -1 ? SQLITE_MISUSE : SQLITE_OK;
}
