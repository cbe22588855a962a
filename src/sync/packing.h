// Bytes as sync/wire.h sends them: varint length when unpacked, varint length as they follow, and
// these, a zstd frame, or the bytes as they are where packing would not make them fewer.
// Threads: each thread has contexts of zstd of its own, which it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"

namespace godwit::sync {

using godwit::append_varint;
void append_string(std::string_view text, std::string* out);
void append_packed(std::string_view bytes, std::string* out);

// Takes a message to pieces. Every take_ gives kCorrupt where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  Status take_byte(uint8_t* byte);
  Status take_varint(uint64_t* value);
  Status take_string(std::string* text);
  // Of at most `bytes_max` when unpacked.
  Status take_packed(size_t bytes_max, std::string* bytes);
  std::string_view rest() const { return bytes_.substr(at_); }
  Status expect_end() const;

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// Whether both lengths have arrived; if so *unpacked, *packed, and where the bytes begin.
bool read_packed_lengths(std::string_view bytes, uint64_t* unpacked, uint64_t* packed, size_t* begin);
// Unpacks to exactly `size` bytes, or kCorrupt. Memory grows as bytes come out, not as `size` says.
Status unpack(std::string_view packed, size_t size, std::string* out);

}  // namespace godwit::sync
