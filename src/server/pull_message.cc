#include "server/pull_message.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace godwit::server {
namespace {

enum PullField : uint32_t {
  kPinnedRevision = 2, kClientRevision = 3, kLongPoll = 4, kBitmap = 5, kQuery = 7
};
enum HeaderField : uint32_t { kRevision = 1, kPageCount = 2, kRawEncoding = 3, kProtocol = 8 };
constexpr uint32_t kPagesProtocol = 1;
constexpr size_t kTextMax = 1 << 20;

void append_varint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    *out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out += static_cast<char>(value);
}

size_t varint_size(uint64_t value) {
  size_t size = 1;
  while (value >>= 7) ++size;
  return size;
}

void read_fields(protozero::pbf_reader reader, PullRequest* request) {
  using protozero::pbf_wire_type;
  while (reader.next()) {
    bool is_bytes = reader.wire_type() == pbf_wire_type::length_delimited;
    if (reader.tag() == kLongPoll && reader.wire_type() == pbf_wire_type::varint) {
      request->long_poll_ms = reader.get_uint32();
    } else if (is_bytes && reader.tag() == kPinnedRevision) {
      request->pinned_revision = reader.get_string();
    } else if (is_bytes && reader.tag() == kClientRevision) {
      request->client_revision = reader.get_string();
    } else if (is_bytes && reader.tag() == kBitmap) {
      request->bitmap = reader.get_string();
    } else if (is_bytes && reader.tag() == kQuery) {
      request->query = reader.get_string();
    } else {
      reader.skip();
    }
  }
}

}  // namespace

Result<PullRequest> parse_pull_request(std::string_view bytes) {
  PullRequest request;
  try {
    read_fields(protozero::pbf_reader(bytes.data(), bytes.size()), &request);
  } catch (const protozero::exception&) {
    return Status::error("malformed request: not a pull request");
  }
  if (request.pinned_revision.size() > kTextMax || request.client_revision.size() > kTextMax ||
      request.query.size() > kTextMax) {
    return Status::error("malformed request: a text is too long");
  }
  // An empty bitmap selects all, as none does.
  if (request.bitmap && request.bitmap->empty()) request.bitmap.reset();
  return request;
}

void append_pull_header(std::string_view revision, uint32_t page_count, std::string* out) {
  std::string record;
  protozero::pbf_writer writer(record);
  writer.add_string(kRevision, revision.data(), revision.size());
  if (page_count > 0) writer.add_uint64(kPageCount, page_count);
  writer.add_message(kRawEncoding, "", 0);
  writer.add_enum(kProtocol, static_cast<int32_t>(kPagesProtocol));
  append_varint(record.size(), out);
  *out += record;
}

void append_page_prefix(uint32_t page_number, uint32_t page_size, std::string* out) {
  const uint32_t id = page_number - 1;
  size_t size = 1 + varint_size(page_size) + page_size;
  if (id != 0) size += 1 + varint_size(id);
  append_varint(size, out);
  if (id != 0) {
    *out += '\x08';
    append_varint(id, out);
  }
  *out += '\x12';
  append_varint(page_size, out);
}

}  // namespace godwit::server
