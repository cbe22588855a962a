// Memory for the application, with the count of it. The library's own objects come from the C++
// runtime and are not counted.
#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "api/memory.h"
#include "sqlite3.h"

namespace {

using namespace godwit::api;

// As in SQLite no allocation is larger than a signed 32-bit size with some room.
constexpr sqlite3_uint64 kAllocationMax = 0x7fffff00;

std::atomic<sqlite3_int64> used{0}, used_max{0}, count{0}, count_max{0}, largest{0};
std::atomic<sqlite3_int64> soft_limit{0}, hard_limit{0};

void raise(std::atomic<sqlite3_int64>& mark, sqlite3_int64 value) {
  sqlite3_int64 before = mark.load(std::memory_order_relaxed);
  while (value > before && !mark.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

void add(sqlite3_int64 bytes, int allocations) {
  raise(used_max, used.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  raise(count_max, count.fetch_add(allocations, std::memory_order_relaxed) + allocations);
}

bool exceeds_hard_limit(sqlite3_uint64 bytes) {
  sqlite3_int64 limit = hard_limit.load(std::memory_order_relaxed);
  return limit > 0 && used.load(std::memory_order_relaxed) + static_cast<sqlite3_int64>(bytes) > limit;
}

sqlite3_int64 read(std::atomic<sqlite3_int64>& value, std::atomic<sqlite3_int64>& mark, bool reset,
                   sqlite3_int64* highwater) {
  sqlite3_int64 now = value.load(std::memory_order_relaxed);
  if (highwater != nullptr) *highwater = mark.load(std::memory_order_relaxed);
  if (reset) mark.store(now, std::memory_order_relaxed);
  return now;
}

}  // namespace

namespace godwit::api {

sqlite3_mem_methods memory_methods = {};

}  // namespace godwit::api

void* sqlite3_malloc(int bytes) {
  return bytes <= 0 ? nullptr : sqlite3_malloc64(static_cast<sqlite3_uint64>(bytes));
}

void* sqlite3_malloc64(sqlite3_uint64 bytes) {
  if (bytes == 0 || bytes > kAllocationMax || exceeds_hard_limit(bytes)) return nullptr;
  void* memory = memory_methods.xMalloc != nullptr ? memory_methods.xMalloc(static_cast<int>(bytes))
                                                   : std::malloc(bytes);
  if (memory == nullptr) return nullptr;
  raise(largest, static_cast<sqlite3_int64>(bytes));
  add(static_cast<sqlite3_int64>(sqlite3_msize(memory)), 1);
  return memory;
}

void* sqlite3_realloc(void* memory, int bytes) {
  return sqlite3_realloc64(memory, bytes < 0 ? 0 : static_cast<sqlite3_uint64>(bytes));
}

void* sqlite3_realloc64(void* memory, sqlite3_uint64 bytes) {
  if (memory == nullptr) return sqlite3_malloc64(bytes);
  if (bytes == 0) {
    sqlite3_free(memory);
    return nullptr;
  }
  if (bytes > kAllocationMax) return nullptr;
  const sqlite3_uint64 before = sqlite3_msize(memory);
  if (bytes > before && exceeds_hard_limit(bytes - before)) return nullptr;
  void* moved = memory_methods.xRealloc != nullptr
                    ? memory_methods.xRealloc(memory, static_cast<int>(bytes))
                    : std::realloc(memory, bytes);
  if (moved == nullptr) return nullptr;
  raise(largest, static_cast<sqlite3_int64>(bytes));
  add(static_cast<sqlite3_int64>(sqlite3_msize(moved)) - static_cast<sqlite3_int64>(before), 0);
  return moved;
}

void sqlite3_free(void* memory) {
  if (memory == nullptr) return;
  add(-static_cast<sqlite3_int64>(sqlite3_msize(memory)), -1);
  if (memory_methods.xFree != nullptr) {
    memory_methods.xFree(memory);
  } else {
    std::free(memory);
  }
}

sqlite3_uint64 sqlite3_msize(void* memory) {
  if (memory == nullptr) return 0;
  return memory_methods.xSize != nullptr ? static_cast<sqlite3_uint64>(memory_methods.xSize(memory))
                                         : malloc_usable_size(memory);
}

sqlite3_int64 sqlite3_memory_used() { return used.load(std::memory_order_relaxed); }
sqlite3_int64 sqlite3_memory_highwater(int reset) {
  sqlite3_int64 highwater = 0;
  (void)read(used, used_max, reset != 0, &highwater);
  return highwater;
}

sqlite3_int64 sqlite3_soft_heap_limit64(sqlite3_int64 bytes) {
  sqlite3_int64 before = soft_limit.load(std::memory_order_relaxed);
  if (bytes < 0) return before;
  sqlite3_int64 hard = hard_limit.load(std::memory_order_relaxed);
  if (hard > 0 && (bytes > hard || bytes == 0)) bytes = hard;
  soft_limit.store(bytes, std::memory_order_relaxed);
  return before;
}
sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64 bytes) {
  sqlite3_int64 before = hard_limit.load(std::memory_order_relaxed);
  if (bytes < 0) return before;
  hard_limit.store(bytes, std::memory_order_relaxed);
  sqlite3_int64 soft = soft_limit.load(std::memory_order_relaxed);
  if (bytes < soft || soft == 0) soft_limit.store(bytes, std::memory_order_relaxed);
  return before;
}
void sqlite3_soft_heap_limit(int bytes) { (void)sqlite3_soft_heap_limit64(bytes < 0 ? 0 : bytes); }
int sqlite3_release_memory(int) { return 0; }
int sqlite3_memory_alarm(void (*)(void*, sqlite3_int64, int), void*, sqlite3_int64) {
  return SQLITE_OK;
}

int sqlite3_status64(int figure, sqlite3_int64* now, sqlite3_int64* highwater, int reset) {
  if (now == nullptr || highwater == nullptr || figure < 0 || figure > SQLITE_STATUS_MALLOC_COUNT) {
    return SQLITE_MISUSE;
  }
  *now = *highwater = 0;
  if (figure == SQLITE_STATUS_MEMORY_USED) *now = read(used, used_max, reset != 0, highwater);
  if (figure == SQLITE_STATUS_MALLOC_COUNT) *now = read(count, count_max, reset != 0, highwater);
  if (figure == SQLITE_STATUS_MALLOC_SIZE) {
    *highwater = largest.load(std::memory_order_relaxed);
    if (reset != 0) largest.store(0, std::memory_order_relaxed);
  }
  return SQLITE_OK;
}

int sqlite3_status(int figure, int* now, int* highwater, int reset) {
  if (now == nullptr || highwater == nullptr) return SQLITE_MISUSE;
  sqlite3_int64 wide_now = 0, wide_highwater = 0;
  int code = sqlite3_status64(figure, &wide_now, &wide_highwater, reset);
  if (code != SQLITE_OK) return code;
  *now = static_cast<int>(wide_now);
  *highwater = static_cast<int>(wide_highwater);
  return SQLITE_OK;
}
