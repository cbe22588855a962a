#include "base/arena.h"

#include <algorithm>
#include <cstdlib>

namespace godwit {

namespace {
// The first block holds the trees of an ordinary statement; later ones double up to the largest.
constexpr size_t kFirstBlockBytes = 4096;
constexpr size_t kLargestBlockBytes = 256 * 1024;
}  // namespace

Arena::~Arena() {
  run_destructors();
  while (blocks_ != nullptr) {
    Block* previous = blocks_->previous;
    std::free(blocks_);
    blocks_ = previous;
  }
}

void Arena::reset() {
  run_destructors();
  if (blocks_ == nullptr) return;
  while (blocks_->previous != nullptr) {
    Block* older = blocks_->previous;
    blocks_->previous = older->previous;
    bytes_reserved_ -= older->bytes;
    std::free(older);
  }
  position_ = reinterpret_cast<uintptr_t>(blocks_ + 1);
  limit_ = reinterpret_cast<uintptr_t>(blocks_) + blocks_->bytes;
}

void* Arena::allocate_slow(size_t bytes, size_t alignment) {
  size_t next = blocks_ == nullptr ? kFirstBlockBytes
                                   : std::min(blocks_->bytes * 2, kLargestBlockBytes);
  size_t block_bytes = std::max(next, sizeof(Block) + bytes + alignment);
  Block* block = static_cast<Block*>(std::malloc(block_bytes));
  if (block == nullptr) throw std::bad_alloc();
  block->previous = blocks_;
  block->bytes = block_bytes;
  blocks_ = block;
  bytes_reserved_ += block_bytes;
  position_ = reinterpret_cast<uintptr_t>(block + 1);
  limit_ = reinterpret_cast<uintptr_t>(block) + block_bytes;
  uintptr_t start = (position_ + alignment - 1) & ~(alignment - 1);
  position_ = start + bytes;
  return reinterpret_cast<void*>(start);
}

void Arena::add_destructor(void (*destroy)(void*), void* object) {
  auto* entry = static_cast<Destructor*>(allocate(sizeof(Destructor), alignof(Destructor)));
  *entry = {destructors_, destroy, object};
  destructors_ = entry;
}

void Arena::run_destructors() {
  while (destructors_ != nullptr) {
    destructors_->destroy(destructors_->object);
    destructors_ = destructors_->previous;
  }
}

}  // namespace godwit
