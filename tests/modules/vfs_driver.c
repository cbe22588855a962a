/*
** VFSes of an application: a shim that stands before the default VFS, and one that keeps its files in
** memory, without shared memory. Prints what each does with databases; tests/suites/modules.sh compares
** the output with reference SQLite's. argv[1]: a folder for files.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

/* ---- The shim ---------------------------------------------------------------------------------- */

typedef struct {
  sqlite3_file base;
  sqlite3_file* real; /* behind this object */
  int is_main;
} shim_file;

static sqlite3_vfs* real_vfs;
static int opens, main_writes, journal_writes, syncs, locks, shm_maps, deletes;

#define REAL(f) (((shim_file*)(f))->real)

static int shim_close(sqlite3_file* f) { return REAL(f)->pMethods->xClose(REAL(f)); }
/* Pages are stored with every byte inverted. */
static int shim_read(sqlite3_file* f, void* out, int bytes, sqlite3_int64 offset) {
  int i, code = REAL(f)->pMethods->xRead(REAL(f), out, bytes, offset);
  if (code == SQLITE_OK && ((shim_file*)f)->is_main) {
    for (i = 0; i < bytes; ++i) ((unsigned char*)out)[i] ^= 0xff;
  }
  return code;
}
static int shim_write(sqlite3_file* f, const void* data, int bytes, sqlite3_int64 offset) {
  int i, code;
  if (!((shim_file*)f)->is_main) {
    ++journal_writes;
    return REAL(f)->pMethods->xWrite(REAL(f), data, bytes, offset);
  }
  ++main_writes;
  unsigned char* copy = malloc(bytes);
  for (i = 0; i < bytes; ++i) copy[i] = ((const unsigned char*)data)[i] ^ 0xff;
  code = REAL(f)->pMethods->xWrite(REAL(f), copy, bytes, offset);
  free(copy);
  return code;
}
static int shim_truncate(sqlite3_file* f, sqlite3_int64 size) {
  return REAL(f)->pMethods->xTruncate(REAL(f), size);
}
static int shim_sync(sqlite3_file* f, int flags) {
  ++syncs;
  return REAL(f)->pMethods->xSync(REAL(f), flags);
}
static int shim_size(sqlite3_file* f, sqlite3_int64* size) {
  return REAL(f)->pMethods->xFileSize(REAL(f), size);
}
static int shim_lock(sqlite3_file* f, int level) {
  ++locks;
  return REAL(f)->pMethods->xLock(REAL(f), level);
}
static int shim_unlock(sqlite3_file* f, int level) {
  return REAL(f)->pMethods->xUnlock(REAL(f), level);
}
static int shim_reserved(sqlite3_file* f, int* reserved) {
  return REAL(f)->pMethods->xCheckReservedLock(REAL(f), reserved);
}
static int shim_control(sqlite3_file* f, int op, void* argument) {
  return REAL(f)->pMethods->xFileControl(REAL(f), op, argument);
}
static int shim_sector(sqlite3_file* f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int shim_device(sqlite3_file* f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }
static int shim_shm_map(sqlite3_file* f, int index, int size, int extend, void volatile** out) {
  ++shm_maps;
  return REAL(f)->pMethods->xShmMap(REAL(f), index, size, extend, out);
}
static int shim_shm_lock(sqlite3_file* f, int first, int count, int flags) {
  return REAL(f)->pMethods->xShmLock(REAL(f), first, count, flags);
}
static void shim_shm_barrier(sqlite3_file* f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }
static int shim_shm_unmap(sqlite3_file* f, int remove) {
  return REAL(f)->pMethods->xShmUnmap(REAL(f), remove);
}
static const sqlite3_io_methods shim_methods = {
    2,          shim_close,  shim_read,    shim_write,    shim_truncate, shim_sync,
    shim_size,  shim_lock,   shim_unlock,  shim_reserved, shim_control,  shim_sector,
    shim_device, shim_shm_map, shim_shm_lock, shim_shm_barrier, shim_shm_unmap, 0, 0};

static int shim_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* f, int flags, int* out) {
  shim_file* file = (shim_file*)f;
  int code;
  (void)vfs;
  file->real = (sqlite3_file*)(file + 1);
  file->is_main = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  if (file->is_main) ++opens;
  code = real_vfs->xOpen(real_vfs, name, file->real, flags, out);
  file->base.pMethods = file->real->pMethods ? &shim_methods : 0;
  return code;
}
static int shim_delete(sqlite3_vfs* vfs, const char* name, int sync) {
  (void)vfs;
  ++deletes;
  return real_vfs->xDelete(real_vfs, name, sync);
}
static int shim_access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  (void)vfs;
  return real_vfs->xAccess(real_vfs, name, flags, result);
}
static int shim_full(sqlite3_vfs* vfs, const char* name, int bytes, char* out) {
  (void)vfs;
  return real_vfs->xFullPathname(real_vfs, name, bytes, out);
}
static int shim_random(sqlite3_vfs* vfs, int bytes, char* out) {
  (void)vfs;
  return real_vfs->xRandomness(real_vfs, bytes, out);
}
static int shim_sleep(sqlite3_vfs* vfs, int us) {
  (void)vfs;
  return real_vfs->xSleep(real_vfs, us);
}
/* 2001-02-03 04:05:06 */
static int shim_time(sqlite3_vfs* vfs, sqlite3_int64* now) {
  (void)vfs;
  *now = 210866760000000LL + 981173106000LL;
  return SQLITE_OK;
}
static int shim_days(sqlite3_vfs* vfs, double* days) {
  sqlite3_int64 now;
  shim_time(vfs, &now);
  *days = now / 86400000.0;
  return SQLITE_OK;
}
static int shim_error(sqlite3_vfs* vfs, int bytes, char* out) {
  (void)vfs;
  (void)bytes;
  (void)out;
  return 0;
}
static sqlite3_vfs shim = {
    2, 0, 512, 0, "shim", 0, shim_open, shim_delete, shim_access, shim_full, 0, 0, 0, 0,
    shim_random, shim_sleep, shim_days, shim_error, shim_time, 0, 0, 0};

/* ---- Files in memory ------------------------------------------------------------------------------ */

typedef struct {
  char name[256];
  unsigned char* bytes;
  sqlite3_int64 size;
  int exists;
} content;
static content contents[16];

typedef struct {
  sqlite3_file base;
  content* content;
} memory_file;

static content* find(const char* name, int create) {
  int i;
  for (i = 0; i < 16; ++i) {
    if (contents[i].exists && strcmp(contents[i].name, name) == 0) return &contents[i];
  }
  for (i = 0; create && i < 16; ++i) {
    if (contents[i].exists) continue;
    contents[i].exists = 1;
    contents[i].size = 0;
    snprintf(contents[i].name, sizeof contents[i].name, "%s", name);
    return &contents[i];
  }
  return 0;
}
#define BYTES(f) (((memory_file*)(f))->content)
static int memory_close(sqlite3_file* f) {
  (void)f;
  return SQLITE_OK;
}
static int memory_read(sqlite3_file* f, void* out, int bytes, sqlite3_int64 offset) {
  sqlite3_int64 have = BYTES(f)->size - offset;
  if (have < 0) have = 0;
  if (have > bytes) have = bytes;
  memcpy(out, BYTES(f)->bytes + offset, have);
  if (have == bytes) return SQLITE_OK;
  memset((char*)out + have, 0, bytes - have);
  return SQLITE_IOERR_SHORT_READ;
}
static int memory_write(sqlite3_file* f, const void* data, int bytes, sqlite3_int64 offset) {
  content* c = BYTES(f);
  if (offset + bytes > c->size) {
    c->bytes = realloc(c->bytes, offset + bytes);
    if (offset > c->size) memset(c->bytes + c->size, 0, offset - c->size);
    c->size = offset + bytes;
  }
  memcpy(c->bytes + offset, data, bytes);
  return SQLITE_OK;
}
static int memory_truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (size < BYTES(f)->size) BYTES(f)->size = size;
  return SQLITE_OK;
}
static int memory_sync(sqlite3_file* f, int flags) {
  (void)f;
  (void)flags;
  return SQLITE_OK;
}
static int memory_size(sqlite3_file* f, sqlite3_int64* size) {
  *size = BYTES(f)->size;
  return SQLITE_OK;
}
static int memory_lock(sqlite3_file* f, int level) {
  (void)f;
  (void)level;
  return SQLITE_OK;
}
static int memory_reserved(sqlite3_file* f, int* reserved) {
  (void)f;
  *reserved = 0;
  return SQLITE_OK;
}
static int memory_control(sqlite3_file* f, int op, void* argument) {
  (void)f;
  (void)op;
  (void)argument;
  return SQLITE_NOTFOUND;
}
static int memory_zero(sqlite3_file* f) {
  (void)f;
  return 0;
}
static const sqlite3_io_methods memory_methods = {
    1, memory_close, memory_read, memory_write, memory_truncate, memory_sync, memory_size, memory_lock,
    memory_lock, memory_reserved, memory_control, memory_zero, memory_zero, 0, 0, 0, 0, 0, 0};

static int memory_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* f, int flags, int* out) {
  memory_file* file = (memory_file*)f;
  (void)vfs;
  file->base.pMethods = 0;
  file->content = find(name ? name : "temporary", flags & SQLITE_OPEN_CREATE);
  if (file->content == 0) return SQLITE_CANTOPEN;
  file->base.pMethods = &memory_methods;
  if (out) *out = flags;
  return SQLITE_OK;
}
static int memory_delete(sqlite3_vfs* vfs, const char* name, int sync) {
  content* c = find(name, 0);
  (void)vfs;
  (void)sync;
  if (c == 0) return SQLITE_IOERR_DELETE_NOENT;
  c->exists = 0;
  return SQLITE_OK;
}
static int memory_access(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  (void)vfs;
  (void)flags;
  *result = find(name, 0) != 0;
  return SQLITE_OK;
}
static int memory_full(sqlite3_vfs* vfs, const char* name, int bytes, char* out) {
  (void)vfs;
  snprintf(out, bytes, "/memory/%s", name);
  return SQLITE_OK;
}
static sqlite3_vfs memory = {
    1, sizeof(memory_file), 255, 0, "in-memory", 0, memory_open, memory_delete, memory_access, memory_full,
    0, 0, 0, 0, shim_random, shim_sleep, shim_days, shim_error, 0, 0, 0, 0};

/* ---- The test ------------------------------------------------------------------------------------- */

static int print_row(void* context, int count, char** values, char** names) {
  int i;
  (void)context;
  (void)names;
  for (i = 0; i < count; ++i) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}
static void run(sqlite3* db, const char* sql) {
  char* error = 0;
  int code = sqlite3_exec(db, sql, print_row, 0, &error);
  printf("%s -> %d %s\n", sql, code, error ? error : "");
  sqlite3_free(error);
}
static sqlite3* open_db(const char* name, const char* vfs) {
  sqlite3* db = 0;
  int code = sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, vfs);
  if (code != SQLITE_OK) printf("open %d %s\n", code, sqlite3_errmsg(db));
  return db;
}

int main(int argc, char** argv) {
  char path[600], uri[640];
  sqlite3 *db, *other;
  (void)argc;
  real_vfs = sqlite3_vfs_find(0);
  printf("default %s, by name %d, none %d\n", real_vfs->zName, sqlite3_vfs_find("unix") == real_vfs,
         sqlite3_vfs_find("nothing") == 0);
  shim.szOsFile = sizeof(shim_file) + real_vfs->szOsFile;
  printf("register %d %d\n", sqlite3_vfs_register(&shim, 0), sqlite3_vfs_register(&memory, 0));
  printf("found %d %d\n", sqlite3_vfs_find("shim") == &shim, sqlite3_vfs_find(0) == real_vfs);

  snprintf(path, sizeof path, "%s/shim.db", argv[1]);
  db = open_db(path, "shim");
  run(db, "CREATE TABLE t(a, b)");
  run(db, "INSERT INTO t VALUES(1, 'one'), (2, 'two')");
  run(db, "BEGIN; UPDATE t SET a = a + 10; ROLLBACK");
  run(db, "SELECT * FROM t");
  run(db, "SELECT datetime('now')");
  printf("opens %d, wrote %d %d, synced %d, locked %d, deleted %d\n", opens, main_writes > 0,
         journal_writes > 0, syncs > 0, locks > 0, deletes > 0);
  run(db, "PRAGMA journal_mode = wal");
  run(db, "INSERT INTO t VALUES(3, 'three')");
  printf("mapped shared memory %d\n", shm_maps > 0);
  other = open_db(path, "shim");
  run(other, "SELECT count(*) FROM t");
  run(db, "BEGIN IMMEDIATE");
  run(other, "INSERT INTO t VALUES(4, 'four')");
  run(db, "COMMIT");
  run(other, "INSERT INTO t VALUES(4, 'four')");
  run(db, "SELECT count(*) FROM t");
  run(db, "PRAGMA wal_checkpoint");
  sqlite3_close(other);
  run(db, "PRAGMA journal_mode = delete");
  run(db, "PRAGMA integrity_check");
  sqlite3_close(db);
  /* Without the shim the file is nothing. */
  db = open_db(path, 0);
  run(db, "SELECT * FROM t");
  sqlite3_close(db);
  snprintf(uri, sizeof uri, "file:%s?vfs=shim", path);
  db = open_db(uri, 0);
  run(db, "SELECT sum(a) FROM t");
  sqlite3_close(db);

  db = open_db("x.db", "in-memory");
  run(db, "CREATE TABLE m(a INTEGER PRIMARY KEY, b); INSERT INTO m(b) VALUES('x'), ('y')");
  run(db, "PRAGMA journal_mode = wal");
  run(db, "PRAGMA journal_mode");
  run(db, "BEGIN; DELETE FROM m; ROLLBACK; SELECT * FROM m");
  sqlite3_close(db);
  db = open_db("x.db", "in-memory");
  run(db, "SELECT * FROM m");
  sqlite3_close(db);
  db = open_db("file:y.db?vfs=in-memory&mode=ro", 0);
  run(db, "SELECT 1 FROM sqlite_schema");
  sqlite3_close(db);

  db = open_db("z.db", "nothing");
  sqlite3_close(db);
  db = open_db("file:z.db?vfs=nothing", 0);
  sqlite3_close(db);

  sqlite3_vfs_register(&memory, 1);
  printf("default %d\n", sqlite3_vfs_find(0) == &memory);
  db = open_db("x.db", 0);
  run(db, "SELECT count(*) FROM m");
  sqlite3_close(db);
  sqlite3_vfs_unregister(&memory);
  sqlite3_vfs_unregister(&shim);
  printf("default %d, found %d %d\n", sqlite3_vfs_find(0) == real_vfs, sqlite3_vfs_find("shim") != 0,
         sqlite3_vfs_find("in-memory") != 0);
  return 0;
}
