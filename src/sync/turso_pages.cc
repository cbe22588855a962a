#include "sync/turso_pages.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sqlite3.h"

namespace godwit::sync {
namespace {

constexpr size_t kRecordBytesMax = 1u << 20;
constexpr size_t kVersionsOffset = 18;  // in page 1: how it is to be written and read
constexpr uint64_t kPagesMax = 0xfffffffe;

// Protobuf's varints: seven bits a byte, the lowest first. 0: more bytes are needed, -1: none.
int read_wire_varint(std::string_view bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return static_cast<int>(i + 1);
  }
  return bytes.size() >= 10 ? -1 : 0;
}

void append_wire_varint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

struct WireField {
  uint64_t number = 0, value = 0;
  std::string_view bytes;  // of fields that have a length
};

Status damaged() { return corrupt("pull: the server's answer is damaged"); }

// False: the end.
Result<bool> next_field(std::string_view* record, WireField* field) {
  if (record->empty()) return false;
  uint64_t tag = 0;
  int used = read_wire_varint(*record, &tag);
  if (used <= 0) return damaged();
  record->remove_prefix(static_cast<size_t>(used));
  *field = {};
  field->number = tag >> 3;
  const unsigned kind = tag & 7;
  size_t skipped = kind == 1 ? 8 : kind == 5 ? 4 : 0;
  if (kind == 0 || kind == 2) {
    used = read_wire_varint(*record, &field->value);
    if (used <= 0) return damaged();
    record->remove_prefix(static_cast<size_t>(used));
    if (kind == 2) {
      if (field->value > record->size()) return damaged();
      field->bytes = record->substr(0, field->value);
      skipped = field->value;
    }
  } else if (skipped == 0) {
    return damaged();
  }
  if (skipped > record->size()) return damaged();
  record->remove_prefix(skipped);
  return true;
}

Status file_error(const std::string& path) {
  return Status(errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR, "cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

std::string turso_pull_request(const std::string& revision, uint32_t long_poll_ms) {
  std::string body;
  if (!revision.empty()) {
    body.push_back(3 << 3 | 2);
    append_wire_varint(revision.size(), &body);
    body += revision;
  }
  if (long_poll_ms > 0) {
    body.push_back(4 << 3);
    append_wire_varint(long_poll_ms, &body);
  }
  return body;
}

Status TursoPageReader::read_header(std::string_view record) {
  WireField field;
  for (;;) {
    GW_ASSIGN(const bool more, next_field(&record, &field));
    if (!more) break;
    if (field.number == 1) header_.revision = field.bytes;
    if (field.number == 2) header_.page_count = field.value;
    if (field.number == 3) header_.is_raw = true;
    if (field.number == 5 && field.value != 0) return Status::not_implemented("pulls of a log instead of pages");
  }
  if (header_.revision.empty() || header_.page_count > kPagesMax) return damaged();
  if (!header_.is_raw) return Status::not_implemented("pulls of pages that are not raw");
  return Status();
}

Status TursoPageReader::read_page(std::string_view record) {
  WireField field;
  page_id_ = 0;
  page_ = {};
  for (;;) {
    GW_ASSIGN(const bool more, next_field(&record, &field));
    if (!more) break;
    if (field.number == 1) page_id_ = field.value;
    if (field.number == 2) page_ = field.bytes;
  }
  if (page_.size() != kTursoPageBytes) return Status::error("pull: the server's pages are not of 4096 bytes");
  // The database shrank meanwhile: nobody reads it.
  return page_id_ > kPagesMax ? damaged() : Status();
}

Result<TursoPageReader::Found> TursoPageReader::next() {
  const std::string_view rest = std::string_view(pending_).substr(at_);
  uint64_t length = 0;
  const int used = read_wire_varint(rest, &length);
  if (used < 0 || length > kRecordBytesMax) return damaged();
  if (used == 0 || rest.size() - static_cast<size_t>(used) < length) {
    pending_.erase(0, at_);
    at_ = 0;
    return Found::kNothing;
  }
  const std::string_view record = rest.substr(static_cast<size_t>(used), length);
  at_ += static_cast<size_t>(used) + length;
  if (has_header_) {
    GW_TRY(read_page(record));
    return Found::kPage;
  }
  has_header_ = true;
  GW_TRY(read_header(record));
  return Found::kHeader;
}

Status TursoBaseFile::open() {
  if (fd_ >= 0) return Status();
  fd_ = ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) return file_error(path_);
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return Status();
  close();
  return Status(SQLITE_BUSY, "another connection pulls into this replica");
}

void TursoBaseFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

uint64_t TursoBaseFile::page_count() const {
  struct stat info = {};
  return fd_ >= 0 && ::fstat(fd_, &info) == 0 ? static_cast<uint64_t>(info.st_size) / kTursoPageBytes : 0;
}

Status TursoBaseFile::write_page(uint64_t id, std::string_view page) {
  std::string first;
  if (id == 0) {
    first = page;
    first[kVersionsOffset] = first[kVersionsOffset + 1] = 1;  // read as a plain file, without a WAL
    page = first;
  }
  auto offset = static_cast<off_t>(id * kTursoPageBytes);
  while (!page.empty()) {
    const ssize_t written = ::pwrite(fd_, page.data(), page.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return file_error(path_);
    page.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return Status();
}

Status TursoBaseFile::finish(uint64_t page_count) {
  if (::ftruncate(fd_, static_cast<off_t>(page_count * kTursoPageBytes)) != 0) return file_error(path_);
  return ::fdatasync(fd_) == 0 ? Status() : file_error(path_);
}

}  // namespace godwit::sync
