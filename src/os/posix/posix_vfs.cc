#include "os/posix/posix_vfs.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "os/posix/posix_file.h"

namespace godwit {
namespace {

constexpr mode_t kDefaultPermissions = 0644;
constexpr int kSymlinksMax = 100;

int open_retrying(const std::string& path, int flags, mode_t mode) {
  for (;;) {
    int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (descriptor < 0 && errno == EINTR) continue;
    if (descriptor >= 0 && descriptor <= 2) {
      // Never a standard stream's number: a stray print must not land in a database.
      int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
      close(descriptor);
      return moved;
    }
    return descriptor;
  }
}

// Journals and WALs get the permissions of the database they belong to, so that everybody who may
// write the database can also recover it.
mode_t permissions_for(const std::string& path, FileKind kind) {
  if (kind == FileKind::kTemporary) return 0600;
  if (kind == FileKind::kMainJournal || kind == FileKind::kWal) {
    size_t dash = path.rfind('-');
    struct stat info;
    if (dash != std::string::npos && stat(path.substr(0, dash).c_str(), &info) == 0) {
      return info.st_mode & 0777;
    }
  }
  return kDefaultPermissions;
}

Status open_error(int error, const std::string& path, const OpenOptions& options) {
  bool is_journal = options.kind == FileKind::kMainJournal || options.kind == FileKind::kWal;
  if (is_journal && options.create && error == EACCES && access(path.c_str(), F_OK) != 0) {
    return Status(code::kReadOnlyDirectory);
  }
  return Status(code::kCantOpen);
}

std::string directory_of(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_usable_directory(const char* path) {
  struct stat info;
  return path != nullptr && stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
         access(path, W_OK | X_OK) == 0;
}

// The first that can be used of those where SQLite looks. Null: none.
const char* temporary_directory() {
  const char* chosen = temporary_directory_choice == nullptr ? nullptr : *temporary_directory_choice;
  const char* candidates[] = {chosen,     getenv("SQLITE_TMPDIR"), getenv("TMPDIR"), "/var/tmp",
                              "/usr/tmp", "/tmp",                  "."};
  for (const char* candidate : candidates) {
    if (is_usable_directory(candidate)) return candidate;
  }
  return nullptr;
}

// A new name; the file loses it as soon as it is open.
Result<std::string> temporary_path(Vfs* vfs) {
  const char* directory = temporary_directory();
  if (directory == nullptr) return Status(code::kIoErrGetTempPath);
  uint64_t number = 0;
  vfs->randomness({reinterpret_cast<uint8_t*>(&number), sizeof number});
  char name[40];
  snprintf(name, sizeof name, "/etilqs_%016llx", static_cast<unsigned long long>(number));
  return std::string(directory) + name;
}

}  // namespace

char** temporary_directory_choice = nullptr;

Status sync_directory_of(const std::string& path) {
  int descriptor = open_retrying(directory_of(path), O_RDONLY | O_DIRECTORY, 0);
  if (descriptor < 0) return {};
  int failed = fsync(descriptor);
  close(descriptor);
  return failed == 0 ? Status() : Status(code::kIoErrDirFsync);
}

Result<std::unique_ptr<File>> PosixVfs::open(const std::string& path, const OpenOptions& options) {
  if (path.empty() && options.kind == FileKind::kTemporary) {
    GW_ASSIGN(std::string name, temporary_path(this));
    OpenOptions unnamed = options;
    unnamed.create = unnamed.exclusive = true;
    unnamed.delete_on_close = false;
    auto file = open(name, unnamed);
    if (file.ok()) unlink(name.c_str());
    return file;
  }
  bool read_only = options.read_only;
  int flags = (options.create ? O_CREAT : 0) | (options.exclusive ? O_EXCL | O_NOFOLLOW : 0);
  mode_t mode = options.create ? permissions_for(path, options.kind) : 0;
  int descriptor = open_retrying(path, flags | (read_only ? O_RDONLY : O_RDWR), mode);
  if (descriptor < 0) {
    int error = errno;
    if (read_only || options.exclusive || error == EISDIR) return open_error(error, path, options);
    Status refused = open_error(error, path, options);
    descriptor = open_retrying(path, O_RDONLY, 0);
    if (descriptor < 0) return refused;
    read_only = true;
  }
  struct stat info;
  if (fstat(descriptor, &info) != 0) {
    close(descriptor);
    return Status(code::kIoErrFstat);
  }
  if (S_ISDIR(info.st_mode)) {
    close(descriptor);
    // SQLite opens a journal that is a directory, and learns what it is when it reads.
    const bool is_journal = options.kind == FileKind::kMainJournal && options.read_only;
    return Status(is_journal ? code::kIoErrRead : code::kCantOpen);
  }
  if (mode != 0 && info.st_size == 0 && (info.st_mode & 0777) != mode &&
      options.kind != FileKind::kMainDb) {
    (void)!fchmod(descriptor, mode);  // the umask took bits that the database grants
  }
  PosixFile::Attributes attributes;
  attributes.path = path;
  attributes.identity = {info.st_dev, info.st_ino};
  attributes.read_only = read_only;
  attributes.delete_on_close = options.delete_on_close;
  attributes.no_lock = options.no_lock;
  attributes.sync_directory =
      options.create && (options.kind == FileKind::kMainJournal ||
                         options.kind == FileKind::kSuperJournal || options.kind == FileKind::kWal);
  return std::unique_ptr<File>(new PosixFile(descriptor, std::move(attributes)));
}

Status PosixVfs::remove(const std::string& path, bool sync_directory) {
  if (unlink(path.c_str()) != 0) {
    return Status(errno == ENOENT ? code::kIoErrDeleteNoEnt : code::kIoErrDelete);
  }
  return sync_directory ? sync_directory_of(path) : Status();
}

Result<bool> PosixVfs::exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > 0);
}

Result<std::string> PosixVfs::full_path(const std::string& path) {
  std::string absolute = path;
  if (absolute.empty() || absolute[0] != '/') {
    char directory[PATH_MAX];
    if (getcwd(directory, sizeof directory) == nullptr) return Status(code::kCantOpen);
    absolute = std::string(directory) + "/" + path;
  }
  // The last component may be a link to a file that does not exist yet, which realpath() refuses.
  for (int links = 0;; ++links) {
    char target[PATH_MAX];
    ssize_t n = readlink(absolute.c_str(), target, sizeof target);
    if (n < 0) break;
    if (links == kSymlinksMax) return Status(code::kCantOpen);
    std::string link(target, static_cast<size_t>(n));
    absolute = link[0] == '/' ? link : directory_of(absolute) + "/" + link;
  }
  char resolved[PATH_MAX];
  if (realpath(absolute.c_str(), resolved) != nullptr) return std::string(resolved);
  size_t slash = absolute.rfind('/');
  if (realpath(directory_of(absolute).c_str(), resolved) == nullptr) return absolute;
  std::string result = resolved;
  if (result != "/") result += '/';
  return result + absolute.substr(slash + 1);
}

bool PosixVfs::has_symbolic_link(const std::string& path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    struct stat info;
    if (lstat(path.substr(0, end).c_str(), &info) == 0 && S_ISLNK(info.st_mode)) return true;
  }
  return false;
}

void PosixVfs::randomness(MutableByteSpan out) {
  while (!out.empty()) {
    ssize_t n = getrandom(out.data(), out.size(), 0);
    if (n < 0) continue;  // interrupted; the call cannot fail otherwise
    out = out.subspan(static_cast<size_t>(n));
  }
}

void PosixVfs::sleep_us(uint64_t microseconds) {
  timespec time{static_cast<time_t>(microseconds / 1000000),
                static_cast<long>(microseconds % 1000000 * 1000)};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

int64_t PosixVfs::current_time_ms() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

Vfs* default_vfs() {
  static PosixVfs* vfs = new PosixVfs;  // never destroyed: threads may outlive main()
  return vfs;
}

}  // namespace godwit
