// The super-journal of a transaction that changes several database files: a file with the names of
// their rollback journals, each ended by a zero byte. Each journal names it in turn, and counts only
// as long as it exists, so deleting it is the moment of commit for all.
#pragma once

#include <span>
#include <string>

#include "os/vfs.h"

namespace godwit {

class SuperJournal {
 public:
  // Makes the file, beside the database `main_path`, and syncs it.
  static Result<SuperJournal> create(Vfs* vfs, const std::string& main_path,
                                     std::span<const std::string> journals);
  const std::string& path() const { return path_; }
  // kIoErrDirFsync: the file was gone, but nobody knows whether for good; it has been made again, so
  // that a rollback is safe.
  Status remove(bool sync_directory);

 private:
  SuperJournal(Vfs* vfs, std::string path) : vfs_(vfs), path_(std::move(path)) {}
  Status write(File* file);

  Vfs* vfs_;
  std::string path_;
  std::string names_;  // the content
};

}  // namespace godwit
