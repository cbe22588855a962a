#include "function/json/json_cache.h"

#include "base/hash.h"
#include "function/json/json_parser.h"

namespace godwit {

JsonCache& JsonCache::of_thread() {
  static thread_local JsonCache cache;
  return cache;
}

bool JsonCache::parse(std::string_view text, const void* site, JsonDocument* document) {
  if (site != site_) note_site(site);
  for (uint32_t i = 0; i < kJsonCacheEntries; ++i) {
    const Entry& entry = entries_[(newest_ + kJsonCacheEntries - i) % kJsonCacheEntries];
    if (!entry.holds(text)) continue;
    *document = entry.document();
    return true;
  }
  if (is_wide_ && text.size() <= kWideTextBytesMax) return parse_wide(text, document);
  newest_ = (newest_ + 1) % kJsonCacheEntries;
  return fill(&entries_[newest_], text, document);
}

void JsonCache::note_site(const void* site) {
  if (site_ != nullptr && !is_wide_ && parse_count_ >= wide_after_) {
    is_wide_ = true;
    wide_misses_ = 0;
    if (wide_ == nullptr) wide_ = std::make_unique<Entry[]>(kWideEntries);
  }
  site_ = site;
}

bool JsonCache::parse_wide(std::string_view text, JsonDocument* document) {
  uint64_t hash = hash_bytes(text);
  Entry& entry = wide_[hash % kWideEntries];
  if (entry.hash == hash && entry.holds(text)) {
    wide_misses_ = 0;
    *document = entry.document();
    return true;
  }
  if (++wide_misses_ > kWideMissesMax) {
    is_wide_ = false;
    wide_after_ = parse_count_ + kWideRetry;
  }
  entry.hash = hash;
  return fill(&entry, text, document);
}

bool JsonCache::fill(Entry* entry, std::string_view text, JsonDocument* document) {
  ++parse_count_;
  entry->is_filled = false;
  entry->text.clear();
  entry->jsonb.clear();
  append_json_padded(&entry->text, text);
  JsonParse parsed = parse_json({entry->text.data(), text.size()}, &entry->jsonb);
  if (!parsed.ok) return false;
  entry->text_size = static_cast<uint32_t>(text.size());
  entry->extended = parsed.extended;
  entry->is_filled = true;
  *document = entry->document();
  return true;
}

}  // namespace godwit
