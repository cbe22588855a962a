#include "capture/op_stream.h"

#include "base/bytes.h"

namespace godwit::capture {
namespace {

// False: it is cut off.
bool take_varint(std::string_view bytes, size_t* at, uint64_t* value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  int used = read_varint(begin + *at, begin + bytes.size(), value);
  *at += used;
  return used != 0;
}

}  // namespace

void append_op(OpKind kind, std::string_view body, std::string* out) {
  out->push_back(static_cast<char>(kind));
  append_varint(body.size(), out);
  out->append(body);
}

void append_mark(uint64_t seq, std::string* out, OpKind kind) {
  std::string body;
  append_varint(seq, &body);
  append_op(kind, body, out);
}

Result<bool> OpReader::next(Op* op) {
  if (at_ == bytes_.size()) return false;
  const auto kind = static_cast<uint8_t>(bytes_[at_++]);
  if (kind < static_cast<uint8_t>(OpKind::kRows) || kind > static_cast<uint8_t>(OpKind::kSettled)) {
    return corrupt("op stream: unknown kind");
  }
  uint64_t length = 0;
  if (!take_varint(bytes_, &at_, &length) || length > bytes_.size() - at_) {
    return corrupt("op stream: cut off");
  }
  op->kind = static_cast<OpKind>(kind);
  op->body = bytes_.substr(at_, length);
  at_ += length;
  if (op->kind == OpKind::kMark || op->kind == OpKind::kSettled) {
    size_t used = 0;
    if (!take_varint(op->body, &used, &op->mark) || used != op->body.size()) {
      return corrupt("op stream: bad mark");
    }
  }
  return true;
}

}  // namespace godwit::capture
