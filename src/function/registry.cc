#include "function/registry.h"

#include <algorithm>

#include "base/name_hash.h"
#include "base/utf.h"
#include "function/builtins.h"
#include "value/number_text.h"

namespace godwit {

namespace {

constexpr WindowFunction kWindowFunctions[] = {
    {"row_number", 0, 0, WindowKind::kRowNumber},
    {"rank", 0, 0, WindowKind::kRank},
    {"dense_rank", 0, 0, WindowKind::kDenseRank},
    {"percent_rank", 0, 0, WindowKind::kPercentRank},
    {"cume_dist", 0, 0, WindowKind::kCumeDist},
    {"ntile", 1, 1, WindowKind::kNtile},
    {"lag", 1, 3, WindowKind::kLag},
    {"lead", 1, 3, WindowKind::kLead},
    {"first_value", 1, 1, WindowKind::kFirstValue},
    {"last_value", 1, 1, WindowKind::kLastValue},
    {"nth_value", 2, 2, WindowKind::kNthValue},
};

std::string to_lower(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

// An open-addressing table from names to their entries; entries of one name are chained.
class BuiltinTable {
 public:
  BuiltinTable() {
    for (auto list : {text_functions(), unicode_functions(), blob_functions(), number_functions(),
                      math_functions(), conditional_functions(), connection_functions(),
                      like_functions(), format_functions(), datetime_functions(), json_read_functions(),
                      json_build_functions()}) {
      for (const ScalarFunction& function : list) scalars_.push_back(&function);
    }
    for (auto list : {number_aggregates(), extreme_aggregates(), text_aggregates(), json_aggregates()}) {
      for (const AggregateFunction& function : list) aggregates_.push_back(&function);
    }
    for (const AggregateFunction* function : aggregates_) add({function->name, nullptr, function});
    for (const ScalarFunction* function : scalars_) add({function->name, function});
    for (const WindowFunction& function : kWindowFunctions) {
      add({function.name, nullptr, nullptr, &function});
    }
  }

  FunctionLookup find(std::string_view name, int argument_count) const {
    FunctionLookup result;
    for (int i = slots_[slot_of(name)]; i >= 0; i = entries_[i].next) {
      const Entry& entry = entries_[i];
      result.name_exists = true;
      if (entry.scalar != nullptr && entry.scalar->accepts(argument_count)) {
        result.scalar = entry.scalar;
        return result;
      }
      if (entry.aggregate != nullptr && entry.aggregate->accepts(argument_count)) {
        result.aggregate = entry.aggregate;
        return result;
      }
      if (entry.window != nullptr && entry.window->accepts(argument_count)) {
        result.window = entry.window;
        return result;
      }
    }
    return result;
  }

  std::span<const ScalarFunction* const> scalars() const { return scalars_; }
  std::span<const AggregateFunction* const> aggregates() const { return aggregates_; }

 private:
  struct Entry {
    std::string_view name;
    const ScalarFunction* scalar = nullptr;
    const AggregateFunction* aggregate = nullptr;
    const WindowFunction* window = nullptr;
    int next = -1;  // entry of the same name
  };
  static constexpr size_t kSlots = 512;  // a power of two, about three times the names

  // The slot that holds the name, or the free one where it belongs.
  size_t slot_of(std::string_view name) const {
    size_t slot = hash_name(name) % kSlots;
    while (slots_[slot] >= 0 && !equals_ignore_case(entries_[slots_[slot]].name, name)) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }

  void add(Entry entry) {
    if (entries_.empty()) std::fill(std::begin(slots_), std::end(slots_), int16_t{-1});
    int16_t* link = &slots_[slot_of(entry.name)];
    int index = static_cast<int>(entries_.size());
    if (*link < 0) {
      *link = static_cast<int16_t>(index);
    } else {
      int last = *link;
      while (entries_[last].next >= 0) last = entries_[last].next;
      entries_[last].next = index;
    }
    entries_.push_back(entry);
  }

  std::vector<const ScalarFunction*> scalars_;
  std::vector<const AggregateFunction*> aggregates_;
  std::vector<Entry> entries_;
  int16_t slots_[kSlots];
};

const BuiltinTable& builtin_table() {
  static const BuiltinTable table;
  return table;
}

}  // namespace

FunctionLookup find_builtin_function(std::string_view name, int argument_count) {
  return builtin_table().find(name, argument_count);
}

std::span<const ScalarFunction* const> builtin_scalars() {
  return builtin_table().scalars();
}
std::span<const AggregateFunction* const> builtin_aggregates() {
  return builtin_table().aggregates();
}
std::span<const WindowFunction> builtin_windows() {
  return kWindowFunctions;
}

ValueView numeric_view(const ValueView& value) {
  if (!value.is_text()) return value;
  // Unlike NUMERIC affinity this keeps '1.0' a real.
  ParsedNumber number = parse_number(value.text());
  return number.is_whole ? number.value() : value;
}

void FunctionRegistry::add(std::unique_ptr<UserFunction> function) {
  function->scalar.name = function->aggregate.name = function->name;
  function->scalar.user_data = function->aggregate.user_data = function->user_data;
  auto& list = functions_[to_lower(function->name)];
  for (std::unique_ptr<UserFunction>& entry : list) {
    if (entry->argument_count != function->argument_count) continue;
    entry = std::move(function);
    return;
  }
  list.push_back(std::move(function));
}

bool FunctionRegistry::remove(std::string_view name, int argument_count) {
  auto found = functions_.find(to_lower(name));
  if (found == functions_.end()) return false;
  size_t removed = std::erase_if(found->second, [argument_count](const auto& entry) {
    return entry->argument_count == argument_count;
  });
  if (found->second.empty()) functions_.erase(found);
  return removed > 0;
}

const UserFunction* FunctionRegistry::find_user(std::string_view name, int argument_count) const {
  auto found = functions_.find(to_lower(name));
  if (found == functions_.end()) return nullptr;
  for (const std::unique_ptr<UserFunction>& entry : found->second) {
    if (entry->argument_count == argument_count) return entry.get();
  }
  return nullptr;
}

FunctionLookup FunctionRegistry::find(std::string_view name, int argument_count) const {
  FunctionLookup result;
  if (!functions_.empty()) {
    const UserFunction* user = find_user(name, argument_count);
    if (user == nullptr) user = find_user(name, kVariableArguments);
    if (user != nullptr) {
      if (user->is_aggregate) {
        result.aggregate = &user->aggregate;
      } else {
        result.scalar = &user->scalar;
      }
      result.name_exists = true;
      return result;
    }
    result.name_exists = functions_.contains(to_lower(name));
  }
  FunctionLookup builtin = find_builtin_function(name, argument_count);
  builtin.name_exists |= result.name_exists;
  bool is_like = builtin.scalar != nullptr && builtin.scalar->intrinsic == Intrinsic::kLike;
  if (is_like && case_sensitive_like_) builtin.scalar = &case_sensitive_like();
  return builtin;
}

void FunctionRegistry::set_case_sensitive_like(bool on) {
  case_sensitive_like_ = on;
  for (int arguments : {2, 3}) remove("like", arguments);
}

}  // namespace godwit
