#include "tests/sim/history.h"

#include <algorithm>

namespace godwit::sim {

uint64_t digest(const Rows& rows) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      hash = (hash ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
    }
  };
  for (const auto& [k, row] : rows) {
    add(&k, sizeof k);
    add(&row.v, sizeof row.v);
    add(row.w.data(), row.w.size());
  }
  return hash;
}

const State* History::add(const State* parent, Rows rows) {
  auto state = std::make_unique<State>();
  state->number = next_number();
  state->parent = parent;
  state->digest = digest(rows);
  state->rows = std::move(rows);
  states_.push_back(std::move(state));
  return states_.back().get();
}

const State* History::find(int64_t number) const {
  if (number < 1 || number > static_cast<int64_t>(states_.size())) return nullptr;
  return states_[static_cast<size_t>(number - 1)].get();
}

bool History::is_head(const State* state) const {
  return std::find(heads_.begin(), heads_.end(), state) != heads_.end();
}

bool History::descends(const State* state, const State* ancestor) {
  while (state != nullptr && state != ancestor) state = state->parent;
  return state == ancestor;
}

void History::promise(const State* state) {
  if (promised_ == nullptr || descends(state, promised_)) promised_ = state;
}

}  // namespace godwit::sim
