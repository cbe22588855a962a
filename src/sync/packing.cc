#include "sync/packing.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"

namespace godwit::sync {
namespace {

constexpr int kPackLevel = 6;
// Higher levels pay where the bytes wait for a network anyway, and are few.
constexpr int kPackLevelOfSmall = 9;
constexpr size_t kSmallBytes = 16 << 10;
constexpr size_t kUnpackPiece = 1 << 20;
constexpr int kUnpackWindowLogMax = 23;  // 8 MB: what a receiver keeps at most

using PackContext = std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)>;
using UnpackContext = std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)>;

ZSTD_CCtx* pack_context() {
  thread_local PackContext context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  return context.get();
}

ZSTD_DCtx* unpack_context() {
  thread_local UnpackContext context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  return context.get();
}

// Empty: packing does not make them fewer.
std::string packed(std::string_view bytes) {
  ZSTD_CCtx* context = pack_context();
  if (context == nullptr || bytes.size() < 16) return {};
  ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
  const bool is_small = bytes.size() <= kSmallBytes;
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel,
                         is_small ? kPackLevelOfSmall : kPackLevel);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);  // it is sent before the frame
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) || size >= bytes.size()) return {};
  out.resize(size);
  return out;
}

}  // namespace

void append_string(std::string_view text, std::string* out) {
  append_varint(text.size(), out);
  out->append(text);
}

void append_packed(std::string_view bytes, std::string* out) {
  const std::string shorter = packed(bytes);
  const std::string_view sent = shorter.empty() ? bytes : std::string_view(shorter);
  append_varint(bytes.size(), out);
  append_varint(sent.size(), out);
  out->append(sent);
}

Status ByteReader::take_byte(uint8_t* byte) {
  if (at_ == bytes_.size()) return corrupt("message: cut off");
  *byte = static_cast<uint8_t>(bytes_[at_++]);
  return Status();
}

Status ByteReader::take_varint(uint64_t* value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes_.data());
  const int used = read_varint(begin + at_, begin + bytes_.size(), value);
  if (used == 0) return corrupt("message: cut off in a number");
  at_ += static_cast<size_t>(used);
  return Status();
}

Status ByteReader::take_string(std::string* text) {
  uint64_t size = 0;
  GW_TRY(take_varint(&size));
  if (size > bytes_.size() - at_) return corrupt("message: cut off in a text");
  text->assign(bytes_.substr(at_, size));
  at_ += size;
  return Status();
}

Status ByteReader::take_packed(size_t bytes_max, std::string* bytes) {
  uint64_t unpacked_size = 0, packed_size = 0;
  size_t begin = 0;
  if (!read_packed_lengths(rest(), &unpacked_size, &packed_size, &begin)) {
    return corrupt("message: cut off in a length");
  }
  at_ += begin;
  if (packed_size > bytes_.size() - at_) return corrupt("message: cut off in its body");
  if (unpacked_size > bytes_max) return Status(code::kTooBig);
  GW_TRY(unpack(bytes_.substr(at_, packed_size), unpacked_size, bytes));
  at_ += packed_size;
  return Status();
}

Status ByteReader::expect_end() const {
  return at_ == bytes_.size() ? Status() : corrupt("message: bytes after its end");
}

bool read_packed_lengths(std::string_view bytes, uint64_t* unpacked, uint64_t* packed,
                         size_t* begin) {
  const auto* start = reinterpret_cast<const uint8_t*>(bytes.data());
  const int first = read_varint(start, start + bytes.size(), unpacked);
  if (first == 0) return false;
  const int second = read_varint(start + first, start + bytes.size(), packed);
  *begin = static_cast<size_t>(first + second);
  return second != 0;
}

Status unpack(std::string_view packed, size_t size, std::string* out) {
  out->clear();
  if (packed.size() == size) {
    out->assign(packed);
    return Status();
  }
  ZSTD_DCtx* context = unpack_context();
  if (context == nullptr) return Status::no_memory();
  ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, kUnpackWindowLogMax);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1;
  while (left != 0) {
    const size_t start = out->size();
    // A byte more than there may be shows a frame that goes on too long.
    out->resize(start + std::min(size - start + 1, std::max(kUnpackPiece, start)));
    ZSTD_outBuffer to{out->data() + start, out->size() - start, 0};
    left = ZSTD_decompressStream(context, &to, &in);
    if (ZSTD_isError(left)) return corrupt("message: a broken frame of zstd");
    out->resize(start + to.pos);
    if (out->size() > size || (left != 0 && in.pos == in.size && to.pos < to.size)) break;
  }
  const bool is_whole = left == 0 && in.pos == in.size && out->size() == size;
  return is_whole ? Status() : corrupt("message: unpacked it has another length");
}

}  // namespace godwit::sync
