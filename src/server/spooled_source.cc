#include "server/spooled_source.h"

#include <fcntl.h>
#include <unistd.h>

namespace godwit::server {
namespace {

constexpr size_t kSpoolPieceBytes = 256 << 10;

}  // namespace

Result<std::unique_ptr<BodySource>> SpooledSource::make(const std::string& database_path,
                                                        BodySource* source) {
  auto spool = std::make_unique<SpooledSource>();
  std::string folder = database_path.substr(0, database_path.rfind('/') + 1);
  int fd = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  spool->file_ = fd >= 0 ? fdopen(fd, "w+b") : std::tmpfile();
  if (!spool->file_) return Status(SQLITE_CANTOPEN);
  std::string piece;
  for (bool more = true; more; piece.clear()) {
    GW_ASSIGN(more, source->next(&piece));
    if (std::fwrite(piece.data(), 1, piece.size(), spool->file_) != piece.size()) {
      return Status(SQLITE_FULL);
    }
  }
  if (std::fflush(spool->file_) != 0) return Status(SQLITE_FULL);
  std::rewind(spool->file_);
  return std::unique_ptr<BodySource>(std::move(spool));
}

SpooledSource::~SpooledSource() {
  if (file_) std::fclose(file_);
}

Result<bool> SpooledSource::next(std::string* out) {
  size_t start = out->size();
  out->resize(start + kSpoolPieceBytes);
  size_t n = std::fread(out->data() + start, 1, kSpoolPieceBytes, file_);
  out->resize(start + n);
  if (std::ferror(file_)) return Status(SQLITE_IOERR_READ);
  return n == kSpoolPieceBytes;
}

}  // namespace godwit::server
