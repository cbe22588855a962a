// Parsed JSON texts, so that functions that are called with the same text one after the other parse
// it once.
//
// Functions are evaluated a chunk at a time: json_extract(d, '$.a') for up to 1,024 rows, then
// json_extract(d, '$.b') for the same rows. So when texts come from more than one call site, the
// cache is wide: a slot for each hash of a text, enough for a chunk of rows. Otherwise, and as long
// as the wide cache does not help, it has a few entries, for constants.
//
// What a text parses to depends on nothing else, so that there is one cache a thread, for all
// connections. It holds some megabytes at most: big texts are kept in the few entries only.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "function/json/jsonb.h"

namespace godwit {

// A document. Its bytes stay until kJsonCacheEntries - 1 more texts were parsed.
struct JsonDocument {
  ByteSpan jsonb;
  bool extended = false;  // written in JSON5
};

inline constexpr uint32_t kJsonCacheEntries = 4;

class JsonCache {
 public:
  static JsonCache& of_thread();

  // The JSONB of `text`; false if it is malformed. `site` is anything that tells call sites from
  // each other.
  bool parse(std::string_view text, const void* site, JsonDocument* document);

  // Buffers for the length of one call, one for texts that are rendered or unescaped, one for what
  // is built of values.
  enum Scratch : uint8_t { kRendering, kBuilding };
  JsonBuffer& scratch(Scratch which) { return scratch_[which]; }

  uint64_t parse_count() const { return parse_count_; }

 private:
  struct Entry {
    JsonBuffer text;  // with the parser's padding
    JsonBuffer jsonb;
    uint32_t text_size = 0;
    bool is_filled = false;
    bool extended = false;
    uint64_t hash = 0;  // in the wide cache

    bool holds(std::string_view wanted) const {
      return is_filled && text_size == wanted.size() &&
             std::memcmp(text.data(), wanted.data(), text_size) == 0;
    }
    JsonDocument document() const { return {jsonb.span(), extended}; }
  };

  bool fill(Entry* entry, std::string_view text, JsonDocument* document);
  bool parse_wide(std::string_view text, JsonDocument* document);
  void note_site(const void* site);

  static constexpr uint32_t kWideEntries = 2048;  // two chunks of rows
  static constexpr size_t kWideTextBytesMax = 1024;
  // Misses in a row after which the wide cache is given up, until two call sites are seen again.
  static constexpr uint32_t kWideMissesMax = 3 * 1024;
  // Texts parsed before the wide cache is tried again.
  static constexpr uint32_t kWideRetry = 64 * 1024;

  Entry entries_[kJsonCacheEntries];
  uint32_t newest_ = 0;
  std::unique_ptr<Entry[]> wide_;
  bool is_wide_ = false;
  uint32_t wide_misses_ = 0;
  uint64_t wide_after_ = 0;  // parse_count_ from which on it may become wide
  const void* site_ = nullptr;
  uint64_t parse_count_ = 0;
  JsonBuffer scratch_[2];
};

}  // namespace godwit
