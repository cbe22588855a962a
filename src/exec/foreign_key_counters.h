// How many rows violate foreign keys at the moment, as far as is known: each row that loses its
// parent counts up, each that gets it back or goes counts down.
//
// An immediate key must be sound when the statement ends, a deferred one when the transaction ends.
#pragma once

#include <cstdint>

namespace godwit {

struct ForeignKeyCounters {
  int64_t statement = 0;  // of immediate keys, by the statement that runs
  int64_t deferred = 0;   // of deferred keys, in the transaction
  int64_t postponed = 0;  // of immediate keys that PRAGMA defer_foreign_keys defers
  bool defer_all = false;

  void add(bool is_deferred_key, int64_t rows) {
    if (defer_all) {
      postponed += rows;
    } else if (is_deferred_key) {
      deferred += rows;
    } else {
      statement += rows;
    }
  }
  // No violation is open that a change to a key of this kind could mend.
  bool is_sound(bool is_deferred_key) const {
    return postponed == 0 && (is_deferred_key ? deferred : statement) == 0;
  }
  bool may_commit() const { return deferred + postponed <= 0; }
};

}  // namespace godwit
