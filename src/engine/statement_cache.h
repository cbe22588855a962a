// Finalized statements that a connection keeps for the next time their text is prepared. Programs
// that prepare the same text again and again then pay for compiling once.
//
// A text is kept when it comes for the second time: texts that come once would only push out the
// others. Kept are statements that hold no memory in proportion to rows between runs (holds_rows() of
// exec/plan_memory.h), and not many. An entry is used only as long as the catalog is what it was
// compiled for; whatever else changes what compiling a text gives (settings, limits, functions)
// clears the cache.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace godwit {

class Statement;

class StatementCache {
 public:
  StatementCache();
  ~StatementCache();

  // The statement kept for exactly this text, without bindings; null: there is none.
  std::unique_ptr<Statement> take(std::string_view text, uint64_t catalog_version);
  // Keeps a statement that has been reset, or destroys it where it is not worth keeping.
  void keep(std::unique_ptr<Statement> statement);
  void clear();
  size_t size() const { return kept_.size(); }

 private:
  static constexpr size_t kSeen = 64;

  std::array<uint64_t, kSeen> seen_{};            // hashes of texts, by hash modulo kSeen
  std::vector<std::unique_ptr<Statement>> kept_;  // the least recently used first
};

}  // namespace godwit
