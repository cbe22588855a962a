// What the database may hold: a tree of states. Each commit that was tried is a state with a number,
// which the transaction writes into the database beside its changes; its parent is the state that it
// saw. A commit that failed or was interrupted is in doubt until somebody reads the number.
//
//     1 --- 2 --- 3 --- 5        3: acknowledged; 4: in doubt, and turned out not to be
//                  \--- 4
//
// After a power cut the database must be one of these states, whole, and not older than the newest
// whose durability was promised.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace godwit::sim {

struct Row {
  int64_t v = 0;
  std::string w;
};
using Rows = std::map<int64_t, Row>;

uint64_t digest(const Rows& rows);

struct State {
  int64_t number = 0;
  const State* parent = nullptr;
  uint64_t digest = 0;
  Rows rows;
};

class History {
 public:
  const State* add(const State* parent, Rows rows);
  const State* find(int64_t number) const;
  int64_t next_number() const { return static_cast<int64_t>(states_.size()) + 1; }

  // The states that the newest content may be. More than one: the last commit is in doubt.
  const std::vector<const State*>& heads() const { return heads_; }
  bool is_head(const State* state) const;
  void acknowledged(const State* state) { heads_ = {state}; }
  void in_doubt(const State* state) { heads_.push_back(state); }
  // Somebody saw this state: the doubt is over.
  void seen(const State* state) { heads_ = {state}; }

  // The newest state that a power cut must not undo.
  const State* promised() const { return promised_; }
  void promise(const State* state);
  static bool descends(const State* state, const State* ancestor);

 private:
  std::vector<std::unique_ptr<State>> states_;
  std::vector<const State*> heads_;
  const State* promised_ = nullptr;
};

}  // namespace godwit::sim
