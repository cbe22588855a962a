// What a transaction did to a database, in order: the form in which changes are kept, sent and logged.
//
//     op       kind (1 byte), varint: bytes of the body, body
//     kRows    a changeset in the format of SQLite's sessions (https://sqlite.org/sessionintro.html)
//     kSchema  a statement: CREATE, DROP, ALTER, or PRAGMA user_version/application_id = n
//     kMark    varint: a sequence number. In answers to a pull: here the server applied the client's own
//              changes up to it (and after the mark before), and did exactly what they say
//     kSettled the same, but it did something else; what that was is among the ops before
//
// Of an UPDATE the old record has the key and the columns that changed, the new record what they became;
// of a DELETE the old record has all columns. A table without a primary key has its rowid as first
// column, named _rowid_, and that is its key. Varints are SQLite's (base/varint.h).
//
// Streams come from files and from the network: the reader checks every length. Threads: none of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace godwit::capture {

enum class OpKind : uint8_t { kRows = 1, kSchema = 2, kMark = 3, kSettled = 4 };

struct Op {
  OpKind kind = OpKind::kRows;
  std::string_view body;  // within the stream
  uint64_t mark = 0;      // of kMark and kSettled
};

void append_op(OpKind kind, std::string_view body, std::string* out);
// `kind`: kMark or kSettled.
void append_mark(uint64_t seq, std::string* out, OpKind kind = OpKind::kMark);

class OpReader {
 public:
  explicit OpReader(std::string_view bytes) : bytes_(bytes) {}
  // False: the end. kCorrupt: cut off, or an unknown kind.
  Result<bool> next(Op* op);

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace godwit::capture
