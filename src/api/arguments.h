// Arguments of a call in the forms of C.
#pragma once

#include <span>
#include <vector>

#include "api/handles.h"

namespace godwit::api {

class Arguments {
 public:
  explicit Arguments(std::span<const ValueView> views)
      : values_(views.size()), pointers_(views.size()) {
    for (size_t i = 0; i < views.size(); ++i) {
      values_[i].set(views[i]);
      pointers_[i] = &values_[i];
    }
  }
  int count() const { return static_cast<int>(values_.size()); }
  sqlite3_value** pointers() { return pointers_.data(); }
  sqlite3_value& operator[](size_t i) { return values_[i]; }

 private:
  std::vector<sqlite3_value> values_;
  std::vector<sqlite3_value*> pointers_;
};

}  // namespace godwit::api
