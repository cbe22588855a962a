// Databases as one piece of memory.
#include <cstring>
#include <new>

#include "api/handles.h"
#include "os/memory/buffer_vfs.h"

using namespace godwit;
using namespace godwit::api;

namespace {

// -1: none of that name. Null: the main database.
int database_index(sqlite3* db, const char* name) {
  return name == nullptr ? Connection::kMain : db->connection->find_database(name);
}

// All pages, in a transaction of its own unless one is open. *size: of the database.
Status copy_pages(Btree* btree, unsigned char** data, int64_t* size, bool copies) {
  Pager& pager = btree->pager();
  const bool opened = !pager.is_reading();
  GW_TRY(btree->begin_read());
  Status status;
  if (pager.page_count() == 0 && !pager.is_read_only()) {
    // A database has at least its first page.
    status = btree->begin_write();
    if (status.ok()) status = btree->commit();
  }
  const uint64_t page_size = pager.page_size();
  *size = static_cast<int64_t>(page_size * pager.page_count());
  if (status.ok() && copies) {
    *data = static_cast<unsigned char*>(sqlite3_malloc64(static_cast<sqlite3_uint64>(*size)));
    if (*data == nullptr) status = Status::no_memory();
  }
  for (PageNumber number = 1; status.ok() && copies && number <= pager.page_count(); ++number) {
    unsigned char* at = *data + (number - 1) * page_size;
    auto page = pager.is_lock_page(number) ? Result<PageRef>(PageRef()) : pager.read(number);
    if (!page.ok()) {
      status = page.take_status();
    } else if (page->get() == nullptr) {
      std::memset(at, 0, page_size);
    } else {
      std::memcpy(at, page->data(), page_size);
    }
  }
  if (opened) btree->end_read();
  if (!status.ok()) {
    sqlite3_free(*data);
    *data = nullptr;
  }
  return status;
}

}  // namespace

unsigned char* sqlite3_serialize(sqlite3* db, const char* schema, sqlite3_int64* size,
                                 unsigned int flags) {
  if (size != nullptr) *size = -1;
  if (!is_usable(db)) return nullptr;
  std::lock_guard lock(db->mutex);
  unsigned char* data = nullptr;
  guarded(db, [&] {
    const int index = database_index(db, schema);
    if (index < 0) return SQLITE_ERROR;
    // The temp database may not have been made yet.
    Btree* btree = db->connection->databases()[static_cast<size_t>(index)].btree.get();
    if (btree == nullptr) return SQLITE_ERROR;
    const bool copies = (flags & SQLITE_SERIALIZE_NOCOPY) == 0;
    BufferVfs* buffer = db->connection->databases()[static_cast<size_t>(index)].buffer.get();
    int64_t bytes = -1;
    if (buffer != nullptr && !copies) {
      data = buffer->buffer().data;
      bytes = static_cast<int64_t>(buffer->buffer().size);
    } else {
      Status status = copy_pages(btree, &data, &bytes, copies);
      if (!status.ok()) return report(db, status);
    }
    if (size != nullptr) *size = bytes;
    return SQLITE_OK;
  });
  return data;
}

int sqlite3_deserialize(sqlite3* db, const char* schema, unsigned char* data, sqlite3_int64 size,
                        sqlite3_int64 capacity, unsigned flags) {
  const bool frees = (flags & SQLITE_DESERIALIZE_FREEONCLOSE) != 0;
  auto refuse = [&](int code) {
    if (frees) sqlite3_free(data);
    return code;
  };
  if (!is_usable(db) || size < 0 || capacity < 0) return refuse(SQLITE_MISUSE);
  std::lock_guard lock(db->mutex);
  const int index = database_index(db, schema);
  if (index < 0 || index == Connection::kTemp) return refuse(SQLITE_ERROR);
  MemoryBuffer buffer;
  buffer.data = data;
  buffer.size = static_cast<uint64_t>(size);
  buffer.capacity = static_cast<uint64_t>(capacity);
  buffer.size_limit = static_cast<uint64_t>(std::max<sqlite3_int64>(capacity, int64_t{1} << 30));
  buffer.read_only = (flags & SQLITE_DESERIALIZE_READONLY) != 0;
  if ((flags & SQLITE_DESERIALIZE_RESIZEABLE) != 0) {
    buffer.resize = [](void* memory, uint64_t bytes) { return sqlite3_realloc64(memory, bytes); };
  }
  if (frees) buffer.release = sqlite3_free;
  int code = guarded(db, [&] { return report(db, db->connection->open_buffer(index, buffer)); });
  return code == SQLITE_OK ? code : refuse(code);
}
