// Pragmas about memory: caches, mapped files, heap limits.
#include <algorithm>
#include <atomic>

#include "engine/pragma.h"

namespace godwit {

namespace {

// What SQLite keeps beside each cached page; sizes in KiB count it.
constexpr int64_t kPageOverhead = 136;
constexpr int64_t kMmapMax = 0x7fff0000;

int64_t pages_of(int64_t pages_or_minus_kib, uint32_t page_size) {
  if (pages_or_minus_kib >= 0) return pages_or_minus_kib;
  return std::min<int64_t>(-pages_or_minus_kib * 1024 / (page_size + kPageOverhead), 1000000000);
}

// After how many pages a write transaction may begin to write before it commits. A number sets the
// size, a boolean turns it on and off.
Status cache_spill(PragmaCall* call) {
  AttachedDatabase& db = call->attached();
  bool& on = call->connection->settings.cache_spill;
  if (call->has_argument) {
    int32_t size = 1;
    if (parse_pragma_integer(call->argument, &size) && size != 0) db.spill_size = size;
    on = pragma_boolean(call->argument, size != 0);
    for (AttachedDatabase& each : call->connection->databases()) {
      if (each.btree == nullptr) continue;
      Pager& pager = each.btree->pager();
      const int64_t threshold = pages_of(each.spill_size, pager.page_size());
      pager.set_cache_spill(on, static_cast<uint32_t>(threshold));
    }
    return Status();
  }
  uint32_t page_size = db.btree != nullptr ? db.btree->pager().page_size() : 4096;
  int64_t pages = std::max(pages_of(db.cache_size, page_size), pages_of(db.spill_size, page_size));
  call->add_integer(on ? pages : 0);
  return Status();
}

// Databases in memory have no file that could be mapped.
Status mmap_size(PragmaCall* call) {
  AttachedDatabase& db = call->attached();
  bool is_integer = false;
  if (call->has_argument) {
    db.mmap_size = std::clamp<int64_t>(pragma_wide(call->argument, &is_integer), 0, kMmapMax);
  }
  bool has_file = db.btree != nullptr && !db.btree->pager().is_memory();
  if (has_file) call->add_integer(db.mmap_size);
  return Status();
}

// Limits of the process: memory is given back early (soft), or not given (hard). 0: none.
std::atomic<int64_t> soft_limit{0};
std::atomic<int64_t> hard_limit{0};

Status soft_heap_limit(PragmaCall* call) {
  bool is_integer = false;
  int64_t wanted = pragma_wide(call->argument, &is_integer);
  if (call->has_argument && is_integer && wanted >= 0) {
    int64_t hard = hard_limit.load();
    soft_limit = hard > 0 && (wanted == 0 || wanted > hard) ? hard : wanted;
  }
  call->add_integer(soft_limit.load());
  return Status();
}

// It can only be lowered.
Status hard_heap_limit(PragmaCall* call) {
  bool is_integer = false;
  int64_t wanted = pragma_wide(call->argument, &is_integer);
  int64_t hard = hard_limit.load();
  if (call->has_argument && is_integer && wanted > 0 && (hard == 0 || wanted < hard)) {
    hard_limit = wanted;
    int64_t soft = soft_limit.load();
    if (soft == 0 || soft > wanted) soft_limit = wanted;
  }
  call->add_integer(hard_limit.load());
  return Status();
}

// Caches hold what their budgets allow; there is nothing more to give back.
Status shrink_memory(PragmaCall*) { return Status(); }

}  // namespace

std::vector<PragmaDefinition> memory_pragmas() {
  using N = PragmaNeeds;
  using pragma_table::kPlain;
  using pragma_table::kSchema;
  return {
      {"cache_spill", N::kNothing, cache_spill, {}, true, kSchema},
      {"mmap_size", N::kNothing, mmap_size, {}},
      {"soft_heap_limit", N::kNothing, soft_heap_limit, {}, false, kPlain},
      {"hard_heap_limit", N::kNothing, hard_heap_limit, {}, false, kPlain},
      {"shrink_memory", N::kNothing, shrink_memory, {}, true, pragma_table::kNone, true},
  };
}

}  // namespace godwit
