// Varints at every size boundary: what is written is read back, in the bytes the format names.
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(Varint, RoundTripsAtEverySizeBoundary) {
  for (int bits = 0; bits <= 64; ++bits) {
    for (int64_t delta = -1; delta <= 1; ++delta) {
      uint64_t value = (bits == 64 ? 0 : uint64_t{1} << bits) + static_cast<uint64_t>(delta);
      uint8_t buffer[kVarintBytesMax];
      int written = write_varint(buffer, value);
      EXPECT_EQ(written, varint_size(value)) << value;
      uint64_t read = 0;
      EXPECT_EQ(read_varint(buffer, buffer + written, &read), written) << value;
      EXPECT_EQ(read, value);
      EXPECT_EQ(read_varint(buffer, buffer + written - 1, &read), 0) << value;
    }
  }
}

TEST(Varint, MatchesTheDocumentedBytes) {
  uint8_t buffer[kVarintBytesMax];
  ASSERT_EQ(write_varint(buffer, 128), 2);
  EXPECT_EQ(buffer[0], 0x81);
  EXPECT_EQ(buffer[1], 0x00);
  ASSERT_EQ(write_varint(buffer, ~uint64_t{0}), 9);
  for (uint8_t byte : buffer) EXPECT_EQ(byte, 0xff);
}

TEST(BigEndian, StoresMostSignificantByteFirst) {
  uint8_t buffer[8];
  store_be32(buffer, 0x01020304);
  EXPECT_EQ(buffer[0], 1);
  EXPECT_EQ(load_be32(buffer), 0x01020304u);
  store_be64(buffer, 0x0102030405060708u);
  EXPECT_EQ(buffer[7], 8);
  EXPECT_EQ(load_be64(buffer), 0x0102030405060708u);
}

}  // namespace
}  // namespace godwit
