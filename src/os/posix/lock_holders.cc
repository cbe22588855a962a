#include "os/posix/lock_holders.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace godwit {
namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

// A line of /proc/PROCESS/fdinfo/DESCRIPTOR like
//     lock:   1: OFDLCK ADVISORY  READ -1 fe:00:1234 124 124
bool names_lock(const char* line, uint64_t inode, uint64_t byte) {
  unsigned long long number = 0, first = 0, last = 0;
  char end[24] = "";
  int fields = std::sscanf(line, "lock: %*d: %*s %*s %*s %*d %*x:%*x:%llu %llu %23s", &number, &first, end);
  if (fields != 3 || number != inode) return false;
  last = std::string(end) == "EOF" ? UINT64_MAX : std::strtoull(end, nullptr, 10);
  return first <= byte && byte <= last;
}

bool holds_lock(const std::string& process, uint64_t inode, uint64_t byte) {
  const std::string folder = "/proc/" + process + "/fdinfo";
  Directory directory(opendir(folder.c_str()), closedir);
  if (directory == nullptr) return false;
  while (const dirent* entry = readdir(directory.get())) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> info(
        std::fopen((folder + "/" + entry->d_name).c_str(), "re"), std::fclose);
    char line[256];
    while (info != nullptr && std::fgets(line, sizeof line, info.get()) != nullptr) {
      if (names_lock(line, inode, byte)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<int64_t> find_lock_holders(int descriptor, uint64_t byte) {
  std::vector<int64_t> holders;
  struct stat info;
  Directory processes(opendir("/proc"), closedir);
  if (processes == nullptr || fstat(descriptor, &info) != 0) return holders;
  while (const dirent* entry = readdir(processes.get())) {
    const int64_t process = std::atoll(entry->d_name);
    if (process > 0 && holds_lock(entry->d_name, info.st_ino, byte)) holders.push_back(process);
  }
  return holders;
}

}  // namespace godwit
