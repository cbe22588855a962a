#include "engine/statement_cache.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "engine/statement.h"

namespace godwit {

namespace {
constexpr size_t kStatementsMax = 32;
}  // namespace

StatementCache::StatementCache() = default;
StatementCache::~StatementCache() = default;

std::unique_ptr<Statement> StatementCache::take(std::string_view text, uint64_t catalog_version) {
  auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                            [&](const auto& kept) { return kept->sql() == text; });
  if (found == kept_.rend()) return nullptr;
  std::unique_ptr<Statement> statement = std::move(*found);
  kept_.erase(std::next(found).base());
  if (statement->catalog_version() != catalog_version) return nullptr;
  statement->clear_bindings();
  return statement;
}

void StatementCache::keep(std::unique_ptr<Statement> statement) {
  if (!statement->is_reusable()) return;
  uint64_t hash = hash_bytes(statement->sql());
  if (std::exchange(seen_[hash % kSeen], hash) != hash) return;
  if (kept_.size() == kStatementsMax) kept_.erase(kept_.begin());
  kept_.push_back(std::move(statement));
}

void StatementCache::clear() { kept_.clear(); }

}  // namespace godwit
