// The operating system as the layers above see it: files, locks, shared memory, clock, sleep and
// randomness. Every effect on the world outside goes through a Vfs or a File that it opened, so
// that a wrapper can inject faults or replay a simulated run.
//
// Two families exist: posix/ (real files) and memory/ (files in this process, for tests).
//
// Locks. A database file carries SQLite's five lock levels as byte-range locks far inside the file
// (the "locking page"), so that unrelated processes, C SQLite among them, exclude each other:
//
//     0x40000000  PENDING    1 byte    a writer waits for readers to leave; no new reader may enter
//     0x40000001  RESERVED   1 byte    somebody intends to write; readers may still come and go
//     0x40000002  SHARED   510 bytes   read-locked by each reader, write-locked by EXCLUSIVE
//
// The shared memory of WAL mode has eight locks of its own (bytes 120..127 of the -shm file), and a
// ninth byte, 128, that everybody who has it open keeps read-locked: who can write-lock it knows
// that the content is left over from a crash.
// Source: "File Locking And Concurrency" (lockingv3.html) and "WAL-mode File Format"
// (walformat.html) in SQLite's documentation.
//
// Locks belong to a File, not to the process: two Files of one process exclude each other as files
// of two processes would. A File is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace godwit {

inline constexpr uint64_t kPendingByte = 0x40000000;
inline constexpr uint64_t kReservedByte = kPendingByte + 1;
inline constexpr uint64_t kSharedFirst = kPendingByte + 2;
inline constexpr uint64_t kSharedSize = 510;

inline constexpr uint32_t kShmRegionSize = 32768;
inline constexpr int kShmLockCount = 8;
inline constexpr uint64_t kShmLockBase = 120;
inline constexpr uint64_t kShmOpenByte = kShmLockBase + kShmLockCount;

enum class LockLevel : uint8_t { kNone, kShared, kReserved, kPending, kExclusive };
enum class ShmLockMode : uint8_t { kShared, kExclusive };
enum class SyncMode : uint8_t { kNormal, kDataOnly };

// What a file is for: decides permissions of new files and which errors a failed open gives.
enum class FileKind : uint8_t { kMainDb, kMainJournal, kWal, kSuperJournal, kTemporary };

struct OpenOptions {
  FileKind kind = FileKind::kMainDb;
  bool read_only = false;
  bool create = false;
  bool exclusive = false;  // with create: fail if the file exists
  bool delete_on_close = false;
  // Database locks are not taken from the system, and there is no shared memory: for files that
  // nobody else uses, on file systems that have no locks.
  bool no_lock = false;
};

// Equal for two Files if and only if they are the same file.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

class File {
 public:
  virtual ~File() = default;

  // Reads up to out.size() bytes; fewer only where the file ends. Errors: kIoErrRead.
  virtual Result<size_t> read(uint64_t offset, MutableByteSpan out) = 0;
  // Errors: kFull (no space), kIoErrWrite.
  virtual Status write(uint64_t offset, ByteSpan bytes) = 0;
  // Writes the pieces one after another, starting at `offset`, in as few system calls as possible.
  virtual Status write_vectored(uint64_t offset, std::span<const ByteSpan> pieces) = 0;
  virtual Status truncate(uint64_t size) = 0;
  // On return what was written before has reached the disk; for a file that this File created, its
  // directory entry too (if it is a journal or a WAL).
  virtual Status sync(SyncMode mode) = 0;
  virtual Result<uint64_t> size() = 0;

  // Raises the lock to `level`: kShared from kNone; kReserved from kShared; kExclusive from kShared
  // or above. A failed step to kExclusive may leave kPending. Errors: kBusy, kIoErrLock.
  virtual Status lock(LockLevel level) = 0;
  // Lowers the lock to kShared or kNone.
  virtual Status unlock(LockLevel level) = 0;
  virtual LockLevel lock_level() const = 0;
  // Whether anybody, this File included, holds kReserved or more.
  virtual Result<bool> is_reserved() = 0;

  // Maps region `index` of the shared memory that belongs to this database file. `extend`: makes
  // the shared memory long enough; else null if it is shorter. The view lives until shm_unmap().
  // Errors: kBusy, kReadOnlyCantInit, kCantOpen, kIoErrShm...
  virtual Result<volatile uint8_t*> shm_map(uint32_t index, bool extend) = 0;
  // Locks slots [first, first + count). Never waits: kBusy.
  virtual Status shm_lock(int first, int count, ShmLockMode mode) = 0;
  virtual void shm_unlock(int first, int count) = 0;
  virtual void shm_barrier() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
  // Gives up all regions and locks. `remove`: deletes the shared memory's file.
  virtual void shm_unmap(bool remove) = 0;
  // Processes that hold a lock on the slot, as far as the system tells.
  virtual std::vector<int64_t> shm_lock_holders(int) { return {}; }
  virtual bool shm_is_read_only() const { return false; }
  // Without shared memory a file cannot be in WAL mode.
  virtual bool has_shm() const { return true; }

  virtual FileIdentity identity() const = 0;
  // Whether the path that the file was opened by leads elsewhere by now, or nowhere.
  virtual bool has_moved() const { return false; }
  virtual bool is_read_only() const = 0;
  // Bytes that a power cut while writing may damage beside those written. 512 stands for storage
  // that damages none ("powersafe overwrite"), which SQLite assumes of POSIX systems too.
  virtual uint32_t sector_size() const { return 512; }
};

class Vfs {
 public:
  virtual ~Vfs() = default;

  // An empty path with kTemporary makes a file without a name, which is gone when it is closed.
  // A file that cannot be opened for writing is opened for reading (File::is_read_only() tells),
  // unless `create` and `exclusive` are set. Errors: kCantOpen (also for a directory),
  // kReadOnlyDirectory.
  virtual Result<std::unique_ptr<File>> open(const std::string& path,
                                             const OpenOptions& options) = 0;
  // Errors: kIoErrDeleteNoEnt, kIoErrDelete.
  virtual Status remove(const std::string& path, bool sync_directory) = 0;
  // Whether there is such a file. A journal or WAL of no bytes says nothing, so an empty regular
  // file counts as none.
  virtual Result<bool> exists(const std::string& path) = 0;
  // Absolute, with symbolic links resolved. Errors: kCantOpenFullPath...
  virtual Result<std::string> full_path(const std::string& path) = 0;
  // Whether a part of the path is a symbolic link.
  virtual bool has_symbolic_link(const std::string&) { return false; }

  virtual void randomness(MutableByteSpan out) = 0;
  virtual void sleep_us(uint64_t microseconds) = 0;
  // Milliseconds since 1970-01-01 00:00 UTC.
  virtual int64_t current_time_ms() = 0;
  // Whether threads of the library may use the Vfs on their own account, at any time. A simulation
  // is not to be disturbed, and what an application has made is for its own threads.
  virtual bool allows_own_threads() const { return false; }
};

// The application's choice of a directory for files without a name: a C string that it may change at
// any time. Null, also for the string: the environment decides (SQLITE_TMPDIR, TMPDIR).
extern char** temporary_directory_choice;

// The files of the operating system. Lives as long as the process.
Vfs* default_vfs();

}  // namespace godwit
