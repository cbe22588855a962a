// VFSes of applications, and the library's own in the form of C.
#pragma once

#include <string>

#include "api/filename.h"
#include "os/vfs.h"
#include "sqlite3.h"

namespace godwit::api {

// The Vfs behind a registered name; "": the default one. Null: there is none of the name.
Vfs* find_vfs(const std::string& name);

// While one exists, database files that this thread opens get these parameters of their URI.
class VfsParameters {
 public:
  explicit VfsParameters(const UriParameters* parameters);
  ~VfsParameters();
  VfsParameters(const VfsParameters&) = delete;
  VfsParameters& operator=(const VfsParameters&) = delete;
};

// A VFS in C as a Vfs (foreign_vfs.cc). Lives as long as the process, as files may.
Vfs* adapt_vfs(sqlite3_vfs* vfs);

// The files of the operating system as a VFS in C (native_vfs.cc).
sqlite3_vfs* native_vfs();

}  // namespace godwit::api
