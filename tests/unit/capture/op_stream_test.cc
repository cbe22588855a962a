#include "capture/op_stream.h"

#include <gtest/gtest.h>

namespace godwit::capture {
namespace {

TEST(OpStreamTest, GivesBackWhatWasAppended) {
  std::string stream;
  append_op(OpKind::kSchema, "CREATE TABLE t(a)", &stream);
  append_op(OpKind::kRows, std::string(300, 'x'), &stream);
  append_mark(1u << 20, &stream);
  OpReader reader(stream);
  Op op;
  ASSERT_TRUE(*reader.next(&op));
  EXPECT_EQ(op.kind, OpKind::kSchema);
  EXPECT_EQ(op.body, "CREATE TABLE t(a)");
  ASSERT_TRUE(*reader.next(&op));
  EXPECT_EQ(op.kind, OpKind::kRows);
  EXPECT_EQ(op.body.size(), 300u);
  ASSERT_TRUE(*reader.next(&op));
  EXPECT_EQ(op.kind, OpKind::kMark);
  EXPECT_EQ(op.mark, 1u << 20);
  EXPECT_FALSE(*reader.next(&op));
}

TEST(OpStreamTest, EveryCutInsideAnOpIsCorrupt) {
  std::string stream;
  append_op(OpKind::kSchema, "DROP TABLE t", &stream);
  const size_t first = stream.size();
  append_mark(7, &stream);
  for (size_t length = 1; length < stream.size(); ++length) {
    OpReader reader(std::string_view(stream).substr(0, length));
    Op op;
    Result<bool> more = true;
    while (more.ok() && *more) more = reader.next(&op);
    EXPECT_EQ(more.ok(), length == first) << length;
  }
}

TEST(OpStreamTest, RefusesUnknownKindsAndLengthsBeyondTheEnd) {
  for (std::string_view bytes : {std::string_view("\0\0", 2), std::string_view("\x04\x00", 2),
                                 std::string_view("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10)}) {
    OpReader reader(bytes);
    Op op;
    EXPECT_EQ(reader.next(&op).status().code(), code::kCorrupt);
  }
}

}  // namespace
}  // namespace godwit::capture
