#include "server/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <cctype>

namespace godwit::server {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to say gzip
// The lowest levels: pages and JSON shrink to about the same, and a server has other work.
constexpr int kGzipLevel = 1;
constexpr int kZstdLevel = 1;

std::string lower_trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual Status add(std::string_view bytes, bool is_last, std::string* out) = 0;
};

class GzipCompressor final : public Compressor {
 public:
  GzipCompressor() { ok_ = deflateInit2(&z_, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, 0) == Z_OK; }
  ~GzipCompressor() override {
    if (ok_) deflateEnd(&z_);
  }
  Status add(std::string_view bytes, bool is_last, std::string* out) override {
    if (!ok_) return Status::no_memory();
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z_.avail_in = static_cast<uInt>(bytes.size());
    int result = Z_OK;
    do {
      size_t start = out->size();
      out->resize(start + kPiece / 2);
      z_.next_out = reinterpret_cast<Bytef*>(out->data() + start);
      z_.avail_out = kPiece / 2;
      result = deflate(&z_, is_last ? Z_FINISH : Z_NO_FLUSH);
      out->resize(out->size() - z_.avail_out);
      if (result == Z_STREAM_ERROR) return Status::error("deflate failed");
    } while (is_last ? result != Z_STREAM_END : z_.avail_in > 0);
    return Status();
  }

 private:
  z_stream z_ = {};
  bool ok_ = false;
};

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor() : context_(ZSTD_createCCtx()) {
    if (context_) ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel);
  }
  ~ZstdCompressor() override { ZSTD_freeCCtx(context_); }
  Status add(std::string_view bytes, bool is_last, std::string* out) override {
    if (!context_) return Status::no_memory();
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      size_t start = out->size();
      out->resize(start + kPiece / 2);
      ZSTD_outBuffer to{out->data() + start, kPiece / 2, 0};
      left = ZSTD_compressStream2(context_, &to, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      out->resize(start + to.pos);
      if (ZSTD_isError(left)) return Status::error(ZSTD_getErrorName(left));
    } while (is_last ? left != 0 : in.pos < in.size);
    return Status();
  }

 private:
  ZSTD_CCtx* context_;
};

std::unique_ptr<Compressor> make_compressor(Encoding encoding) {
  if (encoding == Encoding::kZstd) return std::make_unique<ZstdCompressor>();
  return std::make_unique<GzipCompressor>();
}

class CompressedSource final : public BodySource {
 public:
  CompressedSource(Encoding encoding, std::string head, std::unique_ptr<BodySource> source)
      : compressor_(make_compressor(encoding)),
        plain_(std::move(head)),
        source_(std::move(source)) {}

  Result<bool> next(std::string* out) override {
    if (ended_) return false;
    const size_t start = out->size();
    // Goes on until there is something to send.
    while (!ended_ && out->size() == start) {
      if (plain_.size() < kPiece && source_) {
        GW_ASSIGN(bool more, source_->next(&plain_));
        if (!more) source_.reset();
      }
      ended_ = source_ == nullptr;
      GW_TRY(compressor_->add(plain_, ended_, out));
      plain_.clear();
    }
    return !ended_;
  }

 private:
  std::unique_ptr<Compressor> compressor_;
  std::string plain_;
  std::unique_ptr<BodySource> source_;
  bool ended_ = false;
};

UnpackResult unpack_gzip(size_t limit, const std::string& packed, std::string* out) {
  z_stream z = {};
  if (inflateInit2(&z, kGzipWindow) != Z_OK) return UnpackResult::kTooLarge;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  UnpackResult answer = UnpackResult::kMalformed;
  for (;;) {
    size_t start = out->size();
    if (start > limit) {
      answer = UnpackResult::kTooLarge;
      break;
    }
    out->resize(start + kPiece);
    z.next_out = reinterpret_cast<Bytef*>(out->data() + start);
    z.avail_out = kPiece;
    int result = inflate(&z, Z_NO_FLUSH);
    out->resize(out->size() - z.avail_out);
    if (result == Z_STREAM_END) {
      answer = z.avail_in == 0 ? UnpackResult::kOk : UnpackResult::kMalformed;
      break;
    }
    if (result != Z_OK || (z.avail_in == 0 && z.avail_out != 0)) break;
  }
  inflateEnd(&z);
  if (answer == UnpackResult::kOk && out->size() > limit) answer = UnpackResult::kTooLarge;
  return answer;
}

UnpackResult unpack_zstd(size_t limit, const std::string& packed, std::string* out) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return UnpackResult::kTooLarge;
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 23);  // what browsers allow, too
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (;;) {
    size_t start = out->size();
    if (start > limit) return UnpackResult::kTooLarge;
    out->resize(start + kPiece);
    ZSTD_outBuffer to{out->data() + start, kPiece, 0};
    size_t left = ZSTD_decompressStream(context.get(), &to, &in);
    out->resize(start + to.pos);
    if (ZSTD_isError(left)) return UnpackResult::kMalformed;
    if (left == 0 && in.pos == in.size) break;
    if (in.pos == in.size && to.pos < kPiece) return UnpackResult::kMalformed;
  }
  return out->size() > limit ? UnpackResult::kTooLarge : UnpackResult::kOk;
}

}  // namespace

Encoding choose_encoding(std::string_view accept_encoding) {
  bool gzip = false, zstd = false;
  while (!accept_encoding.empty()) {
    size_t comma = accept_encoding.find(',');
    std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size()
                                                                  : comma + 1);
    size_t semicolon = item.find(';');
    std::string name = lower_trimmed(item.substr(0, semicolon));
    if (semicolon != std::string_view::npos) {
      std::string weight = lower_trimmed(item.substr(semicolon + 1));
      bool is_zero = weight.rfind("q=0", 0) == 0 &&
                     weight.find_first_not_of("0.", 2) == std::string::npos;
      if (is_zero) continue;
    }
    if (name == "gzip" || name == "x-gzip" || name == "*") gzip = true;
    if (name == "zstd") zstd = true;
  }
  return zstd ? Encoding::kZstd : gzip ? Encoding::kGzip : Encoding::kIdentity;
}

std::string_view encoding_name(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip: return "gzip";
    case Encoding::kZstd: return "zstd";
    default: return "identity";
  }
}

std::unique_ptr<BodySource> compressed(Encoding encoding, std::string head,
                                       std::unique_ptr<BodySource> source) {
  return std::make_unique<CompressedSource>(encoding, std::move(head), std::move(source));
}

std::string compress(Encoding encoding, std::string_view bytes) {
  std::string out;
  if (!make_compressor(encoding)->add(bytes, true, &out).ok()) out.clear();
  return out;
}

UnpackResult unpack(std::string_view content_encoding, size_t limit, std::string* body) {
  std::string name = lower_trimmed(content_encoding);
  if (name.empty() || name == "identity") return UnpackResult::kOk;
  std::string packed = std::move(*body);
  body->clear();
  if (name == "gzip" || name == "x-gzip") return unpack_gzip(limit, packed, body);
  if (name == "zstd") return unpack_zstd(limit, packed, body);
  return UnpackResult::kUnknownEncoding;
}

}  // namespace godwit::server
