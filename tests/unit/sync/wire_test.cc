#include "sync/wire.h"

#include <gtest/gtest.h>

#include <random>

#include "sync/packing.h"

namespace godwit::sync {
namespace {

PushRequest a_push() {
  PushRequest push;
  push.update_wins = true;
  push.client = "godwit-0123";
  push.database = "db";
  push.revision = "e-7";
  push.first_seq = 300;
  push.last_seq = 70000;
  push.counters = {"stock.n", "stock.m"};
  for (int i = 0; i < 100; ++i) push.ops += "row " + std::to_string(i) + ";";
  return push;
}

TEST(Wire, KeepsAPushRequest) {
  const PushRequest push = a_push();
  const std::string bytes = encode(push);
  EXPECT_LT(bytes.size(), push.ops.size());
  PushRequest got;
  ASSERT_TRUE(decode(bytes, &got).ok());
  EXPECT_TRUE(got.update_wins);
  EXPECT_EQ(got.client, push.client);
  EXPECT_EQ(got.database, push.database);
  EXPECT_EQ(got.revision, push.revision);
  EXPECT_EQ(got.first_seq, push.first_seq);
  EXPECT_EQ(got.last_seq, push.last_seq);
  EXPECT_EQ(got.counters, push.counters);
  EXPECT_EQ(got.ops, push.ops);
}

TEST(Wire, KeepsAPushAnswer) {
  PushAnswer answer;
  answer.status = PushStatus::kRefused;
  answer.database = "db";
  answer.revision = "e-8";
  answer.acknowledged_seq = 299;
  answer.outcomes = {{OutcomeKind::kRefused, "t", "{\"id\":1}", "UNIQUE constraint failed: t.u"},
                     {OutcomeKind::kMoved, "k", "{\"_rowid_\":1}", "2"}};
  PushAnswer got;
  ASSERT_TRUE(decode(encode(answer), &got).ok());
  EXPECT_EQ(got.status, PushStatus::kRefused);
  EXPECT_EQ(got.acknowledged_seq, 299u);
  ASSERT_EQ(got.outcomes.size(), 2u);
  EXPECT_EQ(got.outcomes[0].text, "UNIQUE constraint failed: t.u");
  EXPECT_EQ(got.outcomes[1].kind, OutcomeKind::kMoved);
}

TEST(Wire, RefusesEveryMessageThatIsCutOrTooLong) {
  PushAnswer answer;
  answer.outcomes = {{OutcomeKind::kDropped, "t", "{}", "x"}};
  PullRequest pull;
  pull.client = "c";
  pull.long_poll_ms = 30000;
  const std::string push_bytes = encode(a_push());
  const std::string answer_bytes = encode(answer);
  const std::string pull_bytes = encode(pull);
  auto check = [](const std::string& bytes, auto message) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      auto got = message;
      EXPECT_EQ(decode(bytes.substr(0, size), &got).code(), code::kCorrupt) << size;
    }
    EXPECT_EQ(decode(bytes + 'x', &message).code(), code::kCorrupt);
  };
  check(push_bytes, PushRequest());
  check(answer_bytes, PushAnswer());
  check(pull_bytes, PullRequest());
}

TEST(Wire, RefusesLengthsThatLie) {
  // A client name of 2^63 bytes.
  std::string huge("GP\x01\x00", 4);
  append_varint(uint64_t{1} << 63, &huge);
  PushRequest push;
  EXPECT_EQ(decode(huge, &push).code(), code::kCorrupt);
  // A million outcomes in no bytes.
  std::string many("\x00\x00\x00\x00", 4);
  append_varint(1000000, &many);
  PushAnswer answer;
  EXPECT_EQ(decode(many, &answer).code(), code::kCorrupt);
  // More ops than are allowed, in few bytes.
  PushRequest bomb;
  bomb.ops.assign(1 << 20, 'x');
  EXPECT_EQ(decode(encode(bomb), &push, 1 << 19).code(), code::kTooBig);
  // A frame of zstd that unpacks to more, or to less, than was said.
  std::string packed;
  append_packed(std::string(1000, 'x'), &packed);
  uint64_t unpacked_size = 0, packed_size = 0;
  size_t begin = 0;
  ASSERT_TRUE(read_packed_lengths(packed, &unpacked_size, &packed_size, &begin));
  const std::string frame = packed.substr(begin);
  std::string out;
  EXPECT_TRUE(unpack(frame, 1000, &out).ok());
  EXPECT_EQ(unpack(frame, 999, &out).code(), code::kCorrupt);
  EXPECT_EQ(unpack(frame, 1001, &out).code(), code::kCorrupt);
  EXPECT_EQ(unpack(frame.substr(0, frame.size() - 1), 1000, &out).code(), code::kCorrupt);
}

TEST(Wire, SurvivesBytesThatAreWrong) {
  std::mt19937 random(1);
  const std::string good = encode(a_push());
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 3; ++flips) bad[random() % bad.size()] = static_cast<char>(random());
    PushRequest push;
    (void)decode(bad, &push, 1 << 20);
    FrameReader reader;
    reader.add(bad);
    FrameKind kind;
    std::string_view body;
    for (auto more = reader.next(&kind, &body); more.ok() && *more;) more = reader.next(&kind, &body);
  }
}

std::string an_answer() {
  PullBegin begin;
  begin.mode = PullMode::kPages;
  begin.database = "db";
  begin.revision = "e-9";
  begin.acknowledged_seq = 12;
  begin.page_size = 65536;
  begin.page_count = 3;
  std::string out;
  append_begin(begin, &out);
  append_frame(FrameKind::kPages, std::string(200000, 'p'), &out);
  append_frame(FrameKind::kOps, "short", &out);
  append_frame(FrameKind::kEnd, "", &out);
  return out;
}

TEST(Wire, ReadsFramesCutAtEveryByte) {
  const std::string answer = an_answer();
  for (size_t cut = 0; cut <= answer.size(); ++cut) {
    FrameReader reader;
    std::vector<std::pair<FrameKind, std::string>> got;
    for (std::string_view piece :
         {std::string_view(answer).substr(0, cut), std::string_view(answer).substr(cut)}) {
      reader.add(piece);
      FrameKind kind;
      std::string_view body;
      for (;;) {
        auto more = reader.next(&kind, &body);
        ASSERT_TRUE(more.ok()) << cut;
        if (!*more) break;
        got.emplace_back(kind, body);
      }
    }
    ASSERT_EQ(got.size(), 4u);
    PullBegin begin;
    ASSERT_TRUE(decode(got[0].second, &begin).ok());
    EXPECT_EQ(begin.page_size, 65536u);
    EXPECT_EQ(begin.page_count, 3u);
    EXPECT_EQ(got[1].second, std::string(200000, 'p'));
    EXPECT_EQ(got[2].second, "short");
    EXPECT_TRUE(reader.ended());
  }
}

TEST(Wire, ReadsFramesByteByByteAndNoneAfterTheEnd) {
  FrameReader reader;
  size_t frames = 0;
  for (char c : an_answer()) {
    reader.add(std::string_view(&c, 1));
    FrameKind kind;
    std::string_view body;
    auto more = reader.next(&kind, &body);
    ASSERT_TRUE(more.ok());
    frames += *more ? 1 : 0;
  }
  EXPECT_EQ(frames, 4u);
  EXPECT_TRUE(reader.ended());
  reader.add("x");
  FrameKind kind;
  std::string_view body;
  EXPECT_EQ(reader.next(&kind, &body).status().code(), code::kCorrupt);
}

TEST(Wire, RefusesFramesThatAreTooLargeAndPageSizesThatThereAreNot) {
  std::string huge(1, '\x02');
  append_varint(kFrameBytesMax + 1, &huge);
  append_varint(5, &huge);
  FrameReader reader;
  reader.add(huge);
  FrameKind kind;
  std::string_view body;
  EXPECT_EQ(reader.next(&kind, &body).status().code(), code::kCorrupt);
  for (uint32_t size : {0u, 256u, 4095u, 131072u}) {
    PullBegin begin;
    begin.mode = PullMode::kPages;
    begin.page_size = size;
    std::string frame;
    append_begin(begin, &frame);
    FrameReader other;
    other.add(frame);
    auto more = other.next(&kind, &body);
    ASSERT_TRUE(more.ok() && *more);
    EXPECT_EQ(decode(body, &begin).code(), code::kCorrupt) << size;
  }
}

}  // namespace
}  // namespace godwit::sync
