// VFSes written in C behind the engine's Vfs and File.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "api/vfs_registry.h"
#include "base/hash.h"

namespace godwit::api {

namespace {

thread_local const UriParameters* uri_parameters = nullptr;

// From the Julian epoch, in which VFSes give the time, to 1970.
constexpr int64_t kUnixEpochMs = 210866760000000;

Status status_of(int code, int otherwise) {
  if (code == SQLITE_OK) return Status();
  return Status(code == SQLITE_IOERR || code == SQLITE_ERROR ? otherwise : code);
}

int kind_flag(FileKind kind) {
  switch (kind) {
    case FileKind::kMainDb: return SQLITE_OPEN_MAIN_DB;
    case FileKind::kMainJournal: return SQLITE_OPEN_MAIN_JOURNAL;
    case FileKind::kWal: return SQLITE_OPEN_WAL;
    case FileKind::kSuperJournal: return SQLITE_OPEN_SUPER_JOURNAL;
    case FileKind::kTemporary: return SQLITE_OPEN_TEMP_DB;
  }
  return SQLITE_OPEN_MAIN_DB;
}

class ForeignFile final : public File {
 public:
  ForeignFile(sqlite3_vfs* vfs, const std::string& path, const UriParameters& parameters)
      : vfs_(vfs),
        name_(filename_block(path, path + "-journal", path + "-wal", parameters)),
        file_(static_cast<sqlite3_file*>(std::calloc(1, static_cast<size_t>(vfs->szOsFile)))),
        identity_{reinterpret_cast<uintptr_t>(vfs), hash_bytes(path, 0)} {}
  ~ForeignFile() override {
    if (file_ != nullptr && methods() != nullptr) methods()->xClose(file_);
    std::free(file_);
  }
  Status open(bool is_temporary, int flags);

  Result<size_t> read(uint64_t offset, MutableByteSpan out) override;
  Status write(uint64_t offset, ByteSpan bytes) override;
  Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) override;
  Status truncate(uint64_t size) override {
    return status_of(methods()->xTruncate(file_, static_cast<sqlite3_int64>(size)),
                     code::kIoErrTruncate);
  }
  Status sync(SyncMode mode) override {
    int flags = SQLITE_SYNC_NORMAL | (mode == SyncMode::kDataOnly ? SQLITE_SYNC_DATAONLY : 0);
    return status_of(methods()->xSync(file_, flags), code::kIoErrFsync);
  }
  Result<uint64_t> size() override;

  Status lock(LockLevel level) override;
  Status unlock(LockLevel level) override;
  LockLevel lock_level() const override { return level_; }
  Result<bool> is_reserved() override;

  Result<volatile uint8_t*> shm_map(uint32_t index, bool extend) override;
  Status shm_lock(int first, int count, ShmLockMode mode) override;
  void shm_unlock(int first, int count) override;
  void shm_barrier() override {
    if (has_shared_memory()) methods()->xShmBarrier(file_);
  }
  void shm_unmap(bool remove) override {
    if (has_shared_memory()) methods()->xShmUnmap(file_, remove ? 1 : 0);
  }
  bool has_shm() const override { return has_shared_memory(); }
  FileIdentity identity() const override { return identity_; }
  bool is_read_only() const override { return read_only_; }
  uint32_t sector_size() const override;

 private:
  const sqlite3_io_methods* methods() const { return file_->pMethods; }
  bool has_shared_memory() const {
    return methods()->iVersion >= 2 && methods()->xShmMap != nullptr;
  }

  sqlite3_vfs* vfs_;
  const std::string name_;
  sqlite3_file* file_;
  const FileIdentity identity_;
  bool read_only_ = false;
  LockLevel level_ = LockLevel::kNone;
  ShmLockMode shm_modes_[kShmLockCount] = {};
};

Status ForeignFile::open(bool is_temporary, int flags) {
  if (file_ == nullptr) return Status(code::kNoMem);
  int out_flags = flags;
  int code = vfs_->xOpen(vfs_, is_temporary ? nullptr : name_.data() + kFilenamePrefix, file_, flags, &out_flags);
  if (code != SQLITE_OK) return Status(code);
  if (methods() == nullptr) return Status(code::kCantOpen);
  read_only_ = (out_flags & SQLITE_OPEN_READONLY) != 0;
  return Status();
}

Result<size_t> ForeignFile::read(uint64_t offset, MutableByteSpan out) {
  int code = methods()->xRead(file_, out.data(), static_cast<int>(out.size()),
                              static_cast<sqlite3_int64>(offset));
  if (code == SQLITE_OK) return out.size();
  if (code != SQLITE_IOERR_SHORT_READ) return status_of(code, code::kIoErrRead);
  GW_ASSIGN(uint64_t end, size());
  return end <= offset ? size_t{0} : std::min<size_t>(end - offset, out.size());
}

Status ForeignFile::write(uint64_t offset, ByteSpan bytes) {
  return status_of(methods()->xWrite(file_, bytes.data(), static_cast<int>(bytes.size()),
                                     static_cast<sqlite3_int64>(offset)),
                   code::kIoErrWrite);
}

Status ForeignFile::write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) {
  for (ByteSpan piece : pieces) {
    GW_TRY(write(offset, piece));
    offset += piece.size();
  }
  return Status();
}

Result<uint64_t> ForeignFile::size() {
  sqlite3_int64 size = 0;
  GW_TRY(status_of(methods()->xFileSize(file_, &size), code::kIoErrFstat));
  return static_cast<uint64_t>(size);
}

uint32_t ForeignFile::sector_size() const {
  constexpr uint32_t kDefault = 512;
  bool is_safe = methods()->xDeviceCharacteristics != nullptr &&
                 (methods()->xDeviceCharacteristics(file_) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
  if (is_safe || methods()->xSectorSize == nullptr) return kDefault;
  int size = methods()->xSectorSize(file_);
  return size < 32 ? kDefault : std::min<uint32_t>(static_cast<uint32_t>(size), 65536);
}

// Levels have SQLite's numbers.
Status ForeignFile::lock(LockLevel level) {
  GW_TRY(status_of(methods()->xLock(file_, static_cast<int>(level)), code::kIoErrLock));
  level_ = level;
  return Status();
}

Status ForeignFile::unlock(LockLevel level) {
  GW_TRY(status_of(methods()->xUnlock(file_, static_cast<int>(level)), code::kIoErrUnlock));
  level_ = level;
  return Status();
}

Result<bool> ForeignFile::is_reserved() {
  int reserved = 0;
  GW_TRY(status_of(methods()->xCheckReservedLock(file_, &reserved), code::kIoErrCheckReservedLock));
  return reserved != 0;
}

Result<volatile uint8_t*> ForeignFile::shm_map(uint32_t index, bool extend) {
  if (!has_shared_memory()) return Status(code::kCantOpen);
  volatile void* region = nullptr;
  GW_TRY(status_of(methods()->xShmMap(file_, static_cast<int>(index), kShmRegionSize,
                                      extend ? 1 : 0, &region),
                   code::kIoErrShmMap));
  return static_cast<volatile uint8_t*>(region);
}

Status ForeignFile::shm_lock(int first, int count, ShmLockMode mode) {
  int flags = SQLITE_SHM_LOCK |
              (mode == ShmLockMode::kShared ? SQLITE_SHM_SHARED : SQLITE_SHM_EXCLUSIVE);
  GW_TRY(status_of(methods()->xShmLock(file_, first, count, flags), code::kIoErrShmLock));
  std::fill_n(shm_modes_ + first, count, mode);
  return Status();
}

void ForeignFile::shm_unlock(int first, int count) {
  int flags = SQLITE_SHM_UNLOCK | (shm_modes_[first] == ShmLockMode::kShared ? SQLITE_SHM_SHARED
                                                                            : SQLITE_SHM_EXCLUSIVE);
  methods()->xShmLock(file_, first, count, flags);
}

class ForeignVfs final : public Vfs {
 public:
  explicit ForeignVfs(sqlite3_vfs* vfs) : vfs_(vfs) {}

  Result<std::unique_ptr<File>> open(const std::string& path,
                                     const OpenOptions& options) override {
    const bool has_parameters = options.kind == FileKind::kMainDb && uri_parameters != nullptr;
    auto file = std::make_unique<ForeignFile>(vfs_, path,
                                              has_parameters ? *uri_parameters : UriParameters());
    int flags = kind_flag(options.kind) |
                (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                (options.create ? SQLITE_OPEN_CREATE : 0) |
                (options.exclusive ? SQLITE_OPEN_EXCLUSIVE : 0) |
                (options.delete_on_close ? SQLITE_OPEN_DELETEONCLOSE : 0);
    if (path.empty() && options.kind == FileKind::kTemporary) {
      flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE;
    }
    GW_TRY(file->open(path.empty(), flags));
    return std::unique_ptr<File>(std::move(file));
  }
  Status remove(const std::string& path, bool sync_directory) override {
    return status_of(vfs_->xDelete(vfs_, path.c_str(), sync_directory ? 1 : 0), code::kIoErrDelete);
  }
  Result<bool> exists(const std::string& path) override {
    int exists = 0;
    GW_TRY(status_of(vfs_->xAccess(vfs_, path.c_str(), SQLITE_ACCESS_EXISTS, &exists),
                     code::kIoErrAccess));
    return exists != 0;
  }
  Result<std::string> full_path(const std::string& path) override {
    std::vector<char> full(static_cast<size_t>(vfs_->mxPathname) + 1);
    int code = vfs_->xFullPathname(vfs_, path.c_str(), vfs_->mxPathname, full.data());
    if (code != SQLITE_OK && code != SQLITE_OK_SYMLINK) return Status(code);
    return std::string(full.data());
  }
  void randomness(MutableByteSpan out) override {
    vfs_->xRandomness(vfs_, static_cast<int>(out.size()), reinterpret_cast<char*>(out.data()));
  }
  void sleep_us(uint64_t microseconds) override {
    vfs_->xSleep(vfs_, static_cast<int>(microseconds));
  }
  int64_t current_time_ms() override {
    if (vfs_->iVersion >= 2 && vfs_->xCurrentTimeInt64 != nullptr) {
      sqlite3_int64 now = 0;
      vfs_->xCurrentTimeInt64(vfs_, &now);
      return now - kUnixEpochMs;
    }
    double days = 0;
    vfs_->xCurrentTime(vfs_, &days);
    return static_cast<int64_t>(days * 86400000.0) - kUnixEpochMs;
  }

 private:
  sqlite3_vfs* vfs_;
};

}  // namespace

VfsParameters::VfsParameters(const UriParameters* parameters) { uri_parameters = parameters; }

VfsParameters::~VfsParameters() { uri_parameters = nullptr; }

Vfs* adapt_vfs(sqlite3_vfs* vfs) {
  static std::mutex mutex;
  static auto* adapted = new std::map<sqlite3_vfs*, std::unique_ptr<ForeignVfs>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<ForeignVfs>& entry = (*adapted)[vfs];
  if (entry == nullptr) entry = std::make_unique<ForeignVfs>(vfs);
  return entry.get();
}

}  // namespace godwit::api
