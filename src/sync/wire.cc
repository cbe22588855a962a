#include "sync/wire.h"

#include "sync/packing.h"

namespace godwit::sync {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kUpdateWinsFlag = 1, kCountersFlag = 2;
constexpr size_t kOutcomeBytesMin = 4;

void append_head(char kind, uint8_t flags, std::string* out) {
  out->push_back('G');
  out->push_back(kind);
  out->push_back(static_cast<char>(kVersion));
  out->push_back(static_cast<char>(flags));
}

Status take_head(char kind, ByteReader* reader, uint8_t* flags) {
  uint8_t head[4];
  for (uint8_t& byte : head) GW_TRY(reader->take_byte(&byte));
  if (head[0] != 'G' || head[1] != static_cast<uint8_t>(kind)) return corrupt("message: not ours");
  if (head[2] != kVersion) return corrupt("message: an unknown version");
  *flags = head[3];
  return Status();
}

Status take_byte_up_to(uint8_t first, uint8_t last, ByteReader* reader, uint8_t* byte) {
  GW_TRY(reader->take_byte(byte));
  return *byte < first || *byte > last ? corrupt("message: an unknown kind") : Status();
}

Status take_word(ByteReader* reader, uint32_t* word) {
  uint64_t value = 0;
  GW_TRY(reader->take_varint(&value));
  if (value > UINT32_MAX) return corrupt("message: a number that is too large");
  *word = static_cast<uint32_t>(value);
  return Status();
}

}  // namespace

std::string encode(const PushRequest& request) {
  std::string out;
  const bool has_counters = !request.counters.empty();
  append_head('P',
              static_cast<uint8_t>((request.update_wins ? kUpdateWinsFlag : 0) |
                                   (has_counters ? kCountersFlag : 0)),
              &out);
  append_string(request.client, &out);
  append_string(request.database, &out);
  append_string(request.revision, &out);
  append_varint(request.first_seq, &out);
  append_varint(request.last_seq, &out);
  if (has_counters) append_varint(request.counters.size(), &out);
  for (const std::string& counter : request.counters) append_string(counter, &out);
  append_packed(request.ops, &out);
  return out;
}

Status decode(std::string_view bytes, PushRequest* request, size_t ops_bytes_max) {
  ByteReader reader(bytes);
  uint8_t flags = 0;
  GW_TRY(take_head('P', &reader, &flags));
  request->update_wins = (flags & kUpdateWinsFlag) != 0;
  GW_TRY(reader.take_string(&request->client));
  GW_TRY(reader.take_string(&request->database));
  GW_TRY(reader.take_string(&request->revision));
  GW_TRY(reader.take_varint(&request->first_seq));
  GW_TRY(reader.take_varint(&request->last_seq));
  if ((flags & kCountersFlag) != 0) {
    uint64_t count = 0;
    GW_TRY(reader.take_varint(&count));
    if (count > reader.rest().size()) return corrupt("message: too few counters");
    request->counters.resize(count);
    for (std::string& counter : request->counters) GW_TRY(reader.take_string(&counter));
  }
  GW_TRY(reader.take_packed(ops_bytes_max, &request->ops));
  return reader.expect_end();
}

std::string encode(const PushAnswer& answer) {
  std::string out(1, static_cast<char>(answer.status));
  append_string(answer.database, &out);
  append_string(answer.revision, &out);
  append_varint(answer.acknowledged_seq, &out);
  append_varint(answer.outcomes.size(), &out);
  for (const Outcome& outcome : answer.outcomes) {
    out.push_back(static_cast<char>(outcome.kind));
    append_string(outcome.table, &out);
    append_string(outcome.key, &out);
    append_string(outcome.text, &out);
  }
  return out;
}

Status decode(std::string_view bytes, PushAnswer* answer) {
  ByteReader reader(bytes);
  uint8_t status = 0;
  GW_TRY(take_byte_up_to(0, static_cast<uint8_t>(PushStatus::kRefused), &reader, &status));
  answer->status = static_cast<PushStatus>(status);
  GW_TRY(reader.take_string(&answer->database));
  GW_TRY(reader.take_string(&answer->revision));
  GW_TRY(reader.take_varint(&answer->acknowledged_seq));
  uint64_t count = 0;
  GW_TRY(reader.take_varint(&count));
  if (count > reader.rest().size() / kOutcomeBytesMin) return corrupt("message: too few outcomes");
  answer->outcomes.resize(count);
  for (Outcome& outcome : answer->outcomes) {
    uint8_t kind = 0;
    GW_TRY(take_byte_up_to(1, static_cast<uint8_t>(OutcomeKind::kRefused), &reader, &kind));
    outcome.kind = static_cast<OutcomeKind>(kind);
    GW_TRY(reader.take_string(&outcome.table));
    GW_TRY(reader.take_string(&outcome.key));
    GW_TRY(reader.take_string(&outcome.text));
  }
  return reader.expect_end();
}

std::string encode(const PullRequest& request) {
  std::string out;
  append_head('Q', request.update_wins ? kUpdateWinsFlag : 0, &out);
  append_string(request.client, &out);
  append_string(request.database, &out);
  append_string(request.revision, &out);
  append_varint(request.long_poll_ms, &out);
  return out;
}

Status decode(std::string_view bytes, PullRequest* request) {
  ByteReader reader(bytes);
  uint8_t flags = 0;
  GW_TRY(take_head('Q', &reader, &flags));
  request->update_wins = (flags & kUpdateWinsFlag) != 0;
  GW_TRY(reader.take_string(&request->client));
  GW_TRY(reader.take_string(&request->database));
  GW_TRY(reader.take_string(&request->revision));
  GW_TRY(take_word(&reader, &request->long_poll_ms));
  return reader.expect_end();
}

void append_begin(const PullBegin& begin, std::string* out) {
  std::string body(1, static_cast<char>(begin.mode));
  append_string(begin.database, &body);
  append_string(begin.revision, &body);
  append_varint(begin.acknowledged_seq, &body);
  append_varint(begin.bytes_to_come, &body);
  if (begin.mode == PullMode::kPages) {
    append_varint(begin.page_size, &body);
    append_varint(begin.page_count, &body);
  }
  append_frame(FrameKind::kBegin, body, out);
}

Status decode(std::string_view body, PullBegin* begin) {
  ByteReader reader(body);
  uint8_t mode = 0;
  GW_TRY(take_byte_up_to(0, static_cast<uint8_t>(PullMode::kPages), &reader, &mode));
  begin->mode = static_cast<PullMode>(mode);
  GW_TRY(reader.take_string(&begin->database));
  GW_TRY(reader.take_string(&begin->revision));
  GW_TRY(reader.take_varint(&begin->acknowledged_seq));
  GW_TRY(reader.take_varint(&begin->bytes_to_come));
  if (begin->mode == PullMode::kPages) {
    GW_TRY(take_word(&reader, &begin->page_size));
    GW_TRY(take_word(&reader, &begin->page_count));
    const uint32_t size = begin->page_size;
    if (size < 512 || size > 65536 || (size & (size - 1)) != 0) {
      return corrupt("message: a page size that there is not");
    }
  }
  return reader.expect_end();
}

void append_frame(FrameKind kind, std::string_view body, std::string* out) {
  out->push_back(static_cast<char>(kind));
  append_packed(body, out);
}

void FrameReader::add(std::string_view bytes) {
  if (at_ == buffer_.size() || at_ > kFrameBytesUsual) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
}

Result<bool> FrameReader::next(FrameKind* kind, std::string_view* body) {
  if (at_ == buffer_.size()) return false;
  if (ended_) return corrupt("answer: bytes after its end");
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  const auto byte = static_cast<uint8_t>(rest[0]);
  if (byte < static_cast<uint8_t>(FrameKind::kBegin) ||
      byte > static_cast<uint8_t>(FrameKind::kEnd)) {
    return corrupt("answer: an unknown kind of frame");
  }
  uint64_t unpacked_size = 0, packed_size = 0;
  size_t begin = 0;
  if (!read_packed_lengths(rest.substr(1), &unpacked_size, &packed_size, &begin)) return false;
  if (unpacked_size > kFrameBytesMax || packed_size > unpacked_size) {
    return corrupt("answer: a frame of a length that there is not");
  }
  begin += 1;
  if (packed_size > rest.size() - begin) return false;
  GW_TRY(unpack(rest.substr(begin, packed_size), unpacked_size, &body_));
  at_ += begin + packed_size;
  *kind = static_cast<FrameKind>(byte);
  *body = body_;
  ended_ = *kind == FrameKind::kEnd;
  return true;
}

}  // namespace godwit::sync
