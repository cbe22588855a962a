// Content encodings of HTTP: gzip and zstd, for answers as they are sent and for request bodies.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/http.h"

namespace godwit::server {

enum class Encoding { kIdentity, kGzip, kZstd };

// The best of what an Accept-Encoding header allows.
Encoding choose_encoding(std::string_view accept_encoding);
std::string_view encoding_name(Encoding encoding);

// A source that gives `head` and then all of `source` (which may be null) in the encoding.
std::unique_ptr<BodySource> compressed(Encoding encoding, std::string head,
                                       std::unique_ptr<BodySource> source);
std::string compress(Encoding encoding, std::string_view bytes);

enum class UnpackResult { kOk, kMalformed, kTooLarge, kUnknownEncoding };
// Replaces *body by what it holds. `content_encoding` empty or "identity": leaves it as it is.
UnpackResult unpack(std::string_view content_encoding, size_t limit, std::string* body);

}  // namespace godwit::server
