#include "pager/page_store.h"

#include <map>
#include <tuple>

#include "base/assert.h"

namespace godwit {
namespace {

using StoreKey = std::tuple<Vfs*, uint64_t, uint64_t>;

struct Registry {
  std::mutex mutex;
  std::map<StoreKey, std::weak_ptr<PageStore>> stores;
};

Registry& registry() {
  static Registry* instance = new Registry;  // never destroyed: threads may outlive main()
  return *instance;
}

uint32_t home_slot(PageNumber number, size_t slots) {
  return (number / 16 * 0x9e3779b1u >> 7) & static_cast<uint32_t>(slots - 1);
}

}  // namespace

std::shared_ptr<PageStore> PageStore::for_file(Vfs* vfs, FileIdentity identity) {
  Registry& r = registry();
  std::lock_guard guard(r.mutex);
  StoreKey key{vfs, identity.device, identity.inode};
  if (auto found = r.stores[key].lock()) return found;
  auto store = std::make_shared<PageStore>();
  r.stores[key] = store;
  for (auto it = r.stores.begin(); it != r.stores.end();) {
    it = it->second.expired() ? r.stores.erase(it) : std::next(it);
  }
  return store;
}

uint64_t PageStore::advance(const SnapshotState& state, const std::vector<PageNumber>* changed) {
  uint64_t next = version() + 1;
  // First the number, then the entries: an insert that still sees the old number happened before
  // its entry is removed here (the shard's mutex orders them), later ones are refused.
  version_.store(next, std::memory_order_seq_cst);
  state_ = state;
  if (changed == nullptr) {
    for (Shard& shard : shards_) {
      std::lock_guard guard(shard.mutex);
      shard.clear();
    }
    log_.clear();
    logged_pages_ = 0;
    return next;
  }
  for (PageNumber number : *changed) {
    Shard& shard = shard_of(number);
    std::lock_guard guard(shard.mutex);
    if (Entry* entry = shard.find(number)) shard.erase(entry);
  }
  log_.push_back({next, *changed});
  logged_pages_ += changed->size();
  while (logged_pages_ > kLoggedPagesMax && !log_.empty()) {
    logged_pages_ -= log_.front().changed.size();
    log_.pop_front();
  }
  return next;
}

void PageStore::publish(PageNumber number, PageImage* image) {
  put(number, version(), image);
}

bool PageStore::changed_between(uint64_t from, uint64_t to,
                                std::vector<PageNumber>* changed) const {
  if (log_.empty() || log_.front().version > from + 1) return false;
  for (const LoggedVersion& entry : log_) {
    if (entry.version > from && entry.version <= to) {
      changed->insert(changed->end(), entry.changed.begin(), entry.changed.end());
    }
  }
  return true;
}

PageImageRef PageStore::find(PageNumber number, uint64_t version) {
  Shard& shard = shard_of(number);
  std::lock_guard guard(shard.mutex);
  Entry* entry = shard.find(number);
  if (entry == nullptr || entry->from > version) return {};
  entry->recent = true;
  return entry->image;
}

void PageStore::insert(PageNumber number, uint64_t version, PageImage* image) {
  put(number, version, image);
}

void PageStore::put(PageNumber number, uint64_t version, PageImage* image) {
  Shard& shard = shard_of(number);
  std::lock_guard guard(shard.mutex);
  if (version_.load(std::memory_order_seq_cst) != version) return;
  Entry* entry = shard.find_or_add(number);
  entry->recent = true;
  if (entry->image) return;  // the same bytes, known to be right since an earlier version
  entry->from = version;
  entry->image = PageImageRef(image);
  shard.evict_down_to(budget_.load(std::memory_order_relaxed) / kShards);
}

void PageStore::raise_budget(uint32_t pages) {
  uint32_t current = budget_.load();
  while (pages > current && !budget_.compare_exchange_weak(current, pages)) {
  }
}

PageStore::Entry* PageStore::Shard::find(PageNumber number) {
  if (slots.empty()) return nullptr;
  size_t mask = slots.size() - 1;
  for (size_t i = home_slot(number, slots.size()); slots[i].number != 0; i = (i + 1) & mask) {
    if (slots[i].number == number) return &slots[i];
  }
  return nullptr;
}

PageStore::Entry* PageStore::Shard::find_or_add(PageNumber number) {
  if (Entry* entry = find(number)) return entry;
  if (used * 3 >= slots.size() * 2) grow();
  size_t mask = slots.size() - 1;
  size_t i = home_slot(number, slots.size());
  while (slots[i].number != 0) i = (i + 1) & mask;
  slots[i].number = number;
  ++used;
  return &slots[i];
}

void PageStore::Shard::grow() {
  std::vector<Entry> old(slots.empty() ? 64 : slots.size() * 2);
  old.swap(slots);
  size_t mask = slots.size() - 1;
  for (Entry& entry : old) {
    if (entry.number == 0) continue;
    size_t i = home_slot(entry.number, slots.size());
    while (slots[i].number != 0) i = (i + 1) & mask;
    slots[i] = std::move(entry);
  }
}

// Closes the gap, so that no probe sequence is cut: entries that follow move back unless they
// already stand between their home and the gap.
void PageStore::Shard::erase(Entry* entry) {
  size_t mask = slots.size() - 1;
  size_t gap = static_cast<size_t>(entry - slots.data());
  for (size_t i = (gap + 1) & mask; slots[i].number != 0; i = (i + 1) & mask) {
    size_t home = home_slot(slots[i].number, slots.size());
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      slots[gap] = std::move(slots[i]);
      gap = i;
    }
  }
  slots[gap] = Entry();
  --used;
}

// Images that a connection holds anyway cost nothing to keep, so they go last.
void PageStore::Shard::evict_down_to(uint32_t budget) {
  for (size_t step = 0; used > budget && step < 3 * slots.size(); ++step) {
    hand = (hand + 1) & static_cast<uint32_t>(slots.size() - 1);
    Entry& entry = slots[hand];
    if (entry.number == 0) continue;
    if (entry.recent) {
      entry.recent = false;
    } else if (!entry.image->is_shared() || step >= 2 * slots.size()) {
      erase(&entry);
    }
  }
}

void PageStore::Shard::clear() {
  slots.clear();
  used = 0;
  hand = 0;
}

}  // namespace godwit
