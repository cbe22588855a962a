// Incremental I/O of values.
#include <new>

#include "api/handles.h"
#include "engine/blob_handle.h"

using namespace godwit;
using namespace godwit::api;

struct sqlite3_blob {
  sqlite3* db = nullptr;
  std::unique_ptr<BlobHandle> handle;
};

int sqlite3_blob_open(sqlite3* db, const char* database, const char* table, const char* column,
                      sqlite3_int64 rowid, int flags, sqlite3_blob** blob) {
  if (blob == nullptr) return SQLITE_MISUSE;
  *blob = nullptr;
  if (db == nullptr || db->connection == nullptr || table == nullptr || column == nullptr) {
    return SQLITE_MISUSE;
  }
  std::lock_guard lock(db->mutex);
  return guarded(db, [&] {
    auto handle = BlobHandle::open(db->connection.get(), database == nullptr ? "main" : database,
                                   table, column, rowid, flags != 0);
    if (!handle.ok()) return report(db, handle.status());
    auto out = std::make_unique<sqlite3_blob>();
    out->db = db;
    out->handle = *std::move(handle);
    ++db->blobs;
    *blob = out.release();
    return report(db, Status());
  });
}

int sqlite3_blob_reopen(sqlite3_blob* blob, sqlite3_int64 rowid) {
  if (blob == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(blob->db->mutex);
  return guarded(blob->db, [&] { return report(blob->db, blob->handle->reopen(rowid)); });
}

int sqlite3_blob_close(sqlite3_blob* blob) {
  if (blob == nullptr) return SQLITE_OK;
  sqlite3* db = blob->db;
  int code = SQLITE_OK;
  {
    std::lock_guard lock(db->mutex);
    code = guarded(db, [&] { return report(db, blob->handle->close()); });
    blob->handle.reset();
    --db->blobs;
    delete blob;
  }
  close_if_zombie(db);
  return code;
}

int sqlite3_blob_bytes(sqlite3_blob* blob) {
  return blob == nullptr ? 0 : static_cast<int>(blob->handle->size());
}

int sqlite3_blob_read(sqlite3_blob* blob, void* out, int bytes, int offset) {
  if (blob == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(blob->db->mutex);
  return guarded(blob->db, [&] {
    if (bytes < 0) return report(blob->db, Status(code::kError));
    MutableByteSpan target(static_cast<uint8_t*>(out), static_cast<size_t>(bytes));
    return report(blob->db, blob->handle->read(offset, target));
  });
}

int sqlite3_blob_write(sqlite3_blob* blob, const void* data, int bytes, int offset) {
  if (blob == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(blob->db->mutex);
  return guarded(blob->db, [&] {
    if (bytes < 0) return report(blob->db, Status(code::kError));
    ByteSpan source(static_cast<const uint8_t*>(data), static_cast<size_t>(bytes));
    return report(blob->db, blob->handle->write(offset, source));
  });
}
