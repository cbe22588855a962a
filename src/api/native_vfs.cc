// The files of the operating system as the VFS "unix", so that VFSes of applications can stand before it.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "api/vfs_registry.h"

namespace godwit::api {

namespace {

constexpr int64_t kJulianUnixEpochMs = 210866760000000;
constexpr int kPathnameMax = 512;

struct NativeFile {
  sqlite3_file base;  // the first: C callers hold its address
  File* file;
};

File& file_of(sqlite3_file* file) { return *reinterpret_cast<NativeFile*>(file)->file; }
int code_of(const Status& status) { return status.code(); }

int close_file(sqlite3_file* file) {
  delete reinterpret_cast<NativeFile*>(file)->file;
  reinterpret_cast<NativeFile*>(file)->file = nullptr;
  file->pMethods = nullptr;
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* out, int bytes, sqlite3_int64 offset) {
  auto* to = static_cast<uint8_t*>(out);
  auto wanted = static_cast<size_t>(bytes);
  auto read = file_of(file).read(static_cast<uint64_t>(offset), {to, wanted});
  if (!read.ok()) return read.status().code();
  if (*read == wanted) return SQLITE_OK;
  std::memset(to + *read, 0, wanted - *read);
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* data, int bytes, sqlite3_int64 offset) {
  ByteSpan span{static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)};
  return code_of(file_of(file).write(static_cast<uint64_t>(offset), span));
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return code_of(file_of(file).truncate(static_cast<uint64_t>(size)));
}

int sync_file(sqlite3_file* file, int flags) {
  bool data_only = (flags & SQLITE_SYNC_DATAONLY) != 0;
  return code_of(file_of(file).sync(data_only ? SyncMode::kDataOnly : SyncMode::kNormal));
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  auto result = file_of(file).size();
  if (!result.ok()) return result.status().code();
  *size = static_cast<sqlite3_int64>(*result);
  return SQLITE_OK;
}

int lock_file(sqlite3_file* file, int level) {
  if (level <= static_cast<int>(file_of(file).lock_level())) return SQLITE_OK;
  return code_of(file_of(file).lock(static_cast<LockLevel>(level)));
}

int unlock_file(sqlite3_file* file, int level) {
  if (level >= static_cast<int>(file_of(file).lock_level())) return SQLITE_OK;
  return code_of(file_of(file).unlock(static_cast<LockLevel>(level)));
}

int check_reserved(sqlite3_file* file, int* reserved) {
  auto result = file_of(file).is_reserved();
  if (!result.ok()) return result.status().code();
  *reserved = *result ? 1 : 0;
  return SQLITE_OK;
}

int control_file(sqlite3_file* file, int operation, void* argument) {
  switch (operation) {
    case SQLITE_FCNTL_LOCKSTATE:
      *static_cast<int*>(argument) = static_cast<int>(file_of(file).lock_level());
      return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE:
      return SQLITE_OK;
    case SQLITE_FCNTL_VFSNAME:
      *static_cast<char**>(argument) = sqlite3_mprintf("%s", native_vfs()->zName);
      return SQLITE_OK;
    case SQLITE_FCNTL_HAS_MOVED:
      *static_cast<int*>(argument) = 0;
      return SQLITE_OK;
    default:
      return SQLITE_NOTFOUND;
  }
}

int sector_size(sqlite3_file*) { return 4096; }
int device_characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

int map_shm(sqlite3_file* file, int index, int size, int extend, void volatile** region) {
  *region = nullptr;
  if (size != static_cast<int>(kShmRegionSize)) return SQLITE_IOERR_SHMMAP;
  auto result = file_of(file).shm_map(static_cast<uint32_t>(index), extend != 0);
  if (!result.ok()) return result.status().code();
  *region = *result;
  return SQLITE_OK;
}

int lock_shm(sqlite3_file* file, int first, int count, int flags) {
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    file_of(file).shm_unlock(first, count);
    return SQLITE_OK;
  }
  bool shared = (flags & SQLITE_SHM_SHARED) != 0;
  return code_of(file_of(file).shm_lock(
      first, count, shared ? ShmLockMode::kShared : ShmLockMode::kExclusive));
}

void barrier_shm(sqlite3_file* file) { file_of(file).shm_barrier(); }

int unmap_shm(sqlite3_file* file, int remove) {
  file_of(file).shm_unmap(remove != 0);
  return SQLITE_OK;
}

// Files are not mapped: the caller reads.
int fetch(sqlite3_file*, sqlite3_int64, int, void** page) {
  *page = nullptr;
  return SQLITE_OK;
}
int unfetch(sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; }

constexpr sqlite3_io_methods kMethods = {
    3,           close_file,    read_file,      write_file,   truncate_file, sync_file,
    file_size,   lock_file,     unlock_file,    check_reserved, control_file, sector_size,
    device_characteristics, map_shm, lock_shm, barrier_shm, unmap_shm, fetch, unfetch};

FileKind kind_of(int flags) {
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) return FileKind::kMainDb;
  if ((flags & SQLITE_OPEN_MAIN_JOURNAL) != 0) return FileKind::kMainJournal;
  if ((flags & SQLITE_OPEN_WAL) != 0) return FileKind::kWal;
  if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) return FileKind::kSuperJournal;
  return FileKind::kTemporary;
}

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  OpenOptions options;
  options.kind = kind_of(flags);
  options.read_only = (flags & SQLITE_OPEN_READONLY) != 0;
  options.create = (flags & SQLITE_OPEN_CREATE) != 0;
  options.exclusive = (flags & SQLITE_OPEN_EXCLUSIVE) != 0;
  options.delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  if (name == nullptr) options.kind = FileKind::kTemporary;
  auto opened = default_vfs()->open(name == nullptr ? "" : name, options);
  if (!opened.ok()) return opened.status().code();
  auto* native = reinterpret_cast<NativeFile*>(file);
  native->file = opened->release();
  if (out_flags != nullptr) {
    *out_flags = flags;
    if (native->file->is_read_only()) {
      *out_flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
      *out_flags |= SQLITE_OPEN_READONLY;
    }
  }
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int sync_directory) {
  return code_of(default_vfs()->remove(name, sync_directory != 0));
}

int access_file(sqlite3_vfs*, const char* name, int flags, int* result) {
  if (flags == SQLITE_ACCESS_EXISTS) {
    auto exists = default_vfs()->exists(name);
    *result = exists.ok() && *exists ? 1 : 0;
  } else {
    *result = access(name, flags == SQLITE_ACCESS_READWRITE ? W_OK | R_OK : R_OK) == 0 ? 1 : 0;
  }
  return SQLITE_OK;
}

int full_pathname(sqlite3_vfs*, const char* name, int bytes, char* out) {
  auto full = default_vfs()->full_path(name);
  if (!full.ok()) return full.status().code();
  if (full->size() >= static_cast<size_t>(bytes)) return SQLITE_CANTOPEN;
  std::memcpy(out, full->c_str(), full->size() + 1);
  return SQLITE_OK;
}

void* open_dl(sqlite3_vfs*, const char* name) { return dlopen(name, RTLD_NOW | RTLD_GLOBAL); }
void dl_error(sqlite3_vfs*, int bytes, char* out) {
  if (const char* text = dlerror()) sqlite3_snprintf(bytes, out, "%s", text);
}
void (*dl_symbol(sqlite3_vfs*, void* library, const char* name))(void) {
  return reinterpret_cast<void (*)()>(dlsym(library, name));
}
void close_dl(sqlite3_vfs*, void* library) { dlclose(library); }

int random_bytes(sqlite3_vfs*, int bytes, char* out) {
  default_vfs()->randomness({reinterpret_cast<uint8_t*>(out), static_cast<size_t>(bytes)});
  return bytes;
}
int sleep_us(sqlite3_vfs*, int microseconds) {
  default_vfs()->sleep_us(static_cast<uint64_t>(microseconds));
  return microseconds;
}
int current_time_int64(sqlite3_vfs*, sqlite3_int64* now) {
  *now = default_vfs()->current_time_ms() + kJulianUnixEpochMs;
  return SQLITE_OK;
}
int current_time(sqlite3_vfs* vfs, double* days) {
  sqlite3_int64 now = 0;
  current_time_int64(vfs, &now);
  *days = static_cast<double>(now) / 86400000.0;
  return SQLITE_OK;
}
int last_error(sqlite3_vfs*, int, char*) { return errno; }

int set_system_call(sqlite3_vfs*, const char*, sqlite3_syscall_ptr) { return SQLITE_NOTFOUND; }
sqlite3_syscall_ptr get_system_call(sqlite3_vfs*, const char*) { return nullptr; }
const char* next_system_call(sqlite3_vfs*, const char*) { return nullptr; }

}  // namespace

sqlite3_vfs* native_vfs() {
  static sqlite3_vfs vfs = {3,
                            sizeof(NativeFile),
                            kPathnameMax,
                            nullptr,
                            "unix",
                            nullptr,
                            open_file,
                            delete_file,
                            access_file,
                            full_pathname,
                            open_dl,
                            dl_error,
                            dl_symbol,
                            close_dl,
                            random_bytes,
                            sleep_us,
                            current_time,
                            last_error,
                            current_time_int64,
                            set_system_call,
                            get_system_call,
                            next_system_call};
  return &vfs;
}

}  // namespace godwit::api
