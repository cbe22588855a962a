// The dense form: what two Godwits say to each other. Two requests, one round trip each, both
// POST with content-type application/x-godwit:
//
//     URL/godwit/push       body: push request        answer: push answer
//     URL/godwit/pull       body: pull request        answer: frames
//
// (string: varint length, bytes; all varints are SQLite's; z: varint bytes when unpacked, varint bytes
// that follow, these: a zstd frame, or as they are if both are equal)
//
//     push request   'G' 'P' 1 | flags | string client | string database | string revision
//                    | varint first seq | varint last seq
//                    | if flags say so: varint counters | string "table.column" (lower case) ...
//                    | z op stream
//     flags          bit 0: update beats delete; bit 1: counters follow
//     push answer    status | string database | string revision | varint acknowledged seq
//                    | varint outcomes | outcome ...
//     status         0 applied, 1 repeated (was applied before), 2 refused (nothing was applied)
//     outcome        kind | string table | string key (JSON) | string text
//
//     pull request   'G' 'Q' 1 | flags | string client | string database | string revision
//                    | varint long poll, milliseconds
//     frame          kind | z body
//       1 begin      mode (0 nothing new, 1 ops, 2 pages) | string database | string revision
//                    | varint acknowledged seq of this client | varint bytes to come, 0: unknown
//                    | pages: varint page size, varint pages
//       2 ops        a whole number of ops
//       3 pages      page number (varint), content; as many as fit
//       4 end        nothing. An answer without it was cut off.
//
// Errors are HTTP's, with the server's JSON body {"message", "code"}. Everything read here is
// hostile: lengths are checked against the body and against the limits below before memory is taken.
// Threads: none of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace godwit::sync {

inline constexpr size_t kFrameBytesUsual = 256u << 10;  // unpacked; a larger op is sent alone
inline constexpr size_t kFrameBytesMax = 1u << 30;
inline constexpr size_t kRequestBytesMax = 1u << 30;

struct PushRequest {
  bool update_wins = false;
  std::string client;    // its id
  std::string database;  // identity of the server's database; empty: not known yet
  std::string revision;  // the newest that the client has pulled; empty: none
  uint64_t first_seq = 0, last_seq = 0;
  std::vector<std::string> counters;  // "table.column", in lower case
  std::string ops;
};

enum class OutcomeKind : uint8_t {
  kOverwritten = 1,  // both changed the row; mine stands, `text` is what it replaced (JSON)
  kDropped = 2,      // mine was not applied (their delete stands)
  kMoved = 3,        // a row of a table without key has another rowid now, `text`
  kRefused = 4,      // by a constraint; `text` is the error. The push as a whole was refused
};
struct Outcome {
  OutcomeKind kind = OutcomeKind::kOverwritten;
  std::string table, key, text;
};

enum class PushStatus : uint8_t { kApplied = 0, kRepeated = 1, kRefused = 2 };
struct PushAnswer {
  PushStatus status = PushStatus::kApplied;
  std::string database;
  // The revision that this push made, if it was applied exactly as it is and nothing but it lies between
  // the request's revision and this one: the client then has that revision without a pull. Else empty.
  std::string revision;
  uint64_t acknowledged_seq = 0;
  std::vector<Outcome> outcomes;
};

struct PullRequest {
  bool update_wins = false;
  std::string client, database, revision;
  uint32_t long_poll_ms = 0;
};

enum class PullMode : uint8_t { kNothing = 0, kOps = 1, kPages = 2 };
struct PullBegin {
  PullMode mode = PullMode::kNothing;
  std::string database, revision;
  uint64_t acknowledged_seq = 0;
  uint64_t bytes_to_come = 0;
  uint32_t page_size = 0, page_count = 0;
};

std::string encode(const PushRequest& request);
std::string encode(const PushAnswer& answer);
std::string encode(const PullRequest& request);
// kCorrupt where the bytes are not one; kTooBig: the ops are more than `ops_bytes_max` when unpacked.
Status decode(std::string_view bytes, PushRequest* request,
              size_t ops_bytes_max = kRequestBytesMax);
Status decode(std::string_view bytes, PushAnswer* answer);
Status decode(std::string_view bytes, PullRequest* request);

enum class FrameKind : uint8_t { kBegin = 1, kOps = 2, kPages = 3, kEnd = 4 };
void append_begin(const PullBegin& begin, std::string* out);
Status decode(std::string_view body, PullBegin* begin);  // of an unpacked frame
void append_frame(FrameKind kind, std::string_view body, std::string* out);  // packs it

// Takes an answer to pieces as it arrives.
class FrameReader {
 public:
  void add(std::string_view bytes);
  // True: *kind and *body (unpacked, valid until the next call). False: more bytes are needed.
  Result<bool> next(FrameKind* kind, std::string_view* body);
  bool ended() const { return ended_; }

 private:
  std::string buffer_, body_;
  size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace godwit::sync
