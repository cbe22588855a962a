// The pages that a server of Turso's answers /pull-updates with, and the file in which they are kept.
//
//     request   protobuf: 3 revision that the client has (string), 4 long poll (ms)
//     answer    records, each a varint: bytes, then these. The first is a header (1 revision, 2 pages of the
//               database, 3 pages are raw), the others are pages (1 number from 0, 2 content)
//
// The base file, PATH-godwit-base, has the server's pages as of the last pull, so that the next one only
// needs those that changed. It is a cache: where it is not whole all pages are asked for. Bytes come
// from a server: they may be anything. Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace godwit::sync {

inline constexpr uint32_t kTursoPageBytes = 4096;

std::string turso_pull_request(const std::string& revision, uint32_t long_poll_ms);

struct TursoPullHeader {
  std::string revision;
  uint64_t page_count = 0;
  bool is_raw = false;
};

// Gets the answer in pieces of any size.
class TursoPageReader {
 public:
  enum class Found : uint8_t { kNothing, kHeader, kPage };

  void add(std::string_view bytes) { pending_.append(bytes); }
  // kNothing: more bytes are needed.
  Result<Found> next();
  const TursoPullHeader& header() const { return header_; }
  uint64_t page_id() const { return page_id_; }
  std::string_view page() const { return page_; }  // until the next add() or next()
  // Whether the bytes so far end with a record, and there was a header.
  bool is_complete() const { return has_header_ && at_ == pending_.size(); }

 private:
  Status read_header(std::string_view record);
  Status read_page(std::string_view record);

  std::string pending_;
  size_t at_ = 0;
  bool has_header_ = false;
  TursoPullHeader header_;
  uint64_t page_id_ = 0;
  std::string_view page_;
};

class TursoBaseFile {
 public:
  explicit TursoBaseFile(const std::string& replica) : path_(replica + "-godwit-base") {}
  ~TursoBaseFile() { close(); }
  TursoBaseFile(const TursoBaseFile&) = delete;
  TursoBaseFile& operator=(const TursoBaseFile&) = delete;

  // kBusy: another process pulls.
  Status open();
  void close();
  const std::string& path() const { return path_; }
  uint64_t page_count() const;
  Status write_page(uint64_t id, std::string_view page);
  // Cuts or grows it, and makes sure that it is on the disk.
  Status finish(uint64_t page_count);

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace godwit::sync
