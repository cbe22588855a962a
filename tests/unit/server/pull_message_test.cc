#include "server/pull_message.h"

#include <gtest/gtest.h>

namespace godwit::server {
namespace {

std::string bytes_of(std::initializer_list<int> list) {
  std::string bytes;
  for (int value : list) bytes += static_cast<char>(value);
  return bytes;
}

TEST(PullRequest, ReadsTheRequestsOfTheProtocolsDescription) {
  EXPECT_TRUE(parse_pull_request("").ok());
  auto incremental = parse_pull_request(bytes_of({0x1a, 0x01, 0x34}));
  ASSERT_TRUE(incremental.ok());
  EXPECT_EQ(incremental->client_revision, "4");
  auto long_poll = parse_pull_request(bytes_of({0x1a, 3, '3', '0', '7', 0x20, 0xbc, 0x05}));
  ASSERT_TRUE(long_poll.ok());
  EXPECT_EQ(long_poll->long_poll_ms, 700u);
  auto lazy = parse_pull_request(bytes_of({0x12, 3, '2', '9', '9', 0x2a, 2, 'a', 'b'}));
  ASSERT_TRUE(lazy.ok());
  EXPECT_EQ(lazy->pinned_revision, "299");
  EXPECT_EQ(lazy->bitmap, "ab");
}

TEST(PullRequest, ReadsOverWhatItDoesNotKnowAndRefusesWhatIsCutOff) {
  EXPECT_TRUE(parse_pull_request(bytes_of({0x40, 0x01, 0x08, 0x01, 0x32, 1, 'x'})).ok());
  EXPECT_FALSE(parse_pull_request(bytes_of({0x1a, 0x05, 'x'})).ok());
  EXPECT_FALSE(parse_pull_request(std::string(20, '\xff')).ok());
}

TEST(PageBitmap, ReadsRunsAndLists) {
  auto runs = page_numbers_of(bytes_of({0x3b, 0x30, 0, 0, 1, 0, 0, 3, 0, 1, 0, 0, 0, 3, 0}), 1000);
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(*runs, (std::vector<uint32_t>{1, 2, 3, 4}));
  std::string list = bytes_of({0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0, 0x10, 0, 0, 0,
                               0xd8, 0, 0xd9, 0, 0xda, 0, 0xdb, 0});
  EXPECT_EQ(*page_numbers_of(list, 1000), (std::vector<uint32_t>{217, 218, 219, 220}));
  EXPECT_EQ(*page_numbers_of(list, 218), (std::vector<uint32_t>{217, 218}));
  for (size_t size = 0; size < list.size(); ++size) {
    EXPECT_FALSE(page_numbers_of(list.substr(0, size), 1000).ok()) << size;
  }
}

TEST(PullAnswer, IsFramedAsTheProtocolSays) {
  std::string out;
  append_pull_header("4", 4, &out);
  EXPECT_EQ(out, bytes_of({0x09, 0x0a, 1, '4', 0x10, 4, 0x1a, 0, 0x40, 1}));
  out.clear();
  append_pull_header("0", 0, &out);
  EXPECT_EQ(out, bytes_of({0x07, 0x0a, 1, '0', 0x1a, 0, 0x40, 1}));
  out.clear();
  append_page_prefix(1, 4096, &out);
  EXPECT_EQ(out, bytes_of({0x83, 0x20, 0x12, 0x80, 0x20}));
  out.clear();
  append_page_prefix(2, 4096, &out);
  EXPECT_EQ(out, bytes_of({0x85, 0x20, 0x08, 0x01, 0x12, 0x80, 0x20}));
  out.clear();
  append_page_prefix(129, 4096, &out);
  EXPECT_EQ(out, bytes_of({0x86, 0x20, 0x08, 0x80, 0x01, 0x12, 0x80, 0x20}));
}

}  // namespace
}  // namespace godwit::server
