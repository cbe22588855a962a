// The messages of POST /pull-updates (protobuf): what a request says, and the records of an answer.
//
//   request:  2 pinned revision | 3 the client's revision | 4 long poll (ms) | 5 bitmap of page ids
//             7 query | 1, 6, 8 are read over
//   answer:   (varint length, record)*; first a header {1 revision, 2 pages in the database, 3 {}: raw,
//             8 protocol}, then a record {1 page id, 2 content} a page. Page ids count from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace godwit::server {

struct PullRequest {
  std::string pinned_revision;
  std::string client_revision;
  uint32_t long_poll_ms = 0;
  std::optional<std::string> bitmap;
  std::string query;
};

// Errors: not a message of this kind.
Result<PullRequest> parse_pull_request(std::string_view bytes);

// The page numbers (page ids plus 1) in the bitmap that are at most `page_count`, in order. Errors: not
// a roaring bitmap.
Result<std::vector<uint32_t>> page_numbers_of(std::string_view bitmap, uint32_t page_count);

void append_pull_header(std::string_view revision, uint32_t page_count, std::string* out);
// What stands before the page's content.
void append_page_prefix(uint32_t page_number, uint32_t page_size, std::string* out);

}  // namespace godwit::server
