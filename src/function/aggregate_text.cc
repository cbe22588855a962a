// group_concat() and string_agg().
//
// The separator may differ from row to row: each stands before its row's text, but for the first
// row, which has none. A moving window frame removes rows from the front, and with each the
// separator of the row behind it.
#include <new>
#include <string>
#include <vector>

#include "function/builtins.h"

namespace godwit {

namespace {

struct ConcatState {
  std::string text;
  size_t removed = 0;  // bytes of `text` that concat_inverse steps took from the front
  int64_t rows = 0;
  // The next row has no separator: of empty texts that are left when `text` has become empty SQLite
  // does not know.
  bool is_first = true;
  // The size of every separator; once they differ, the sizes of those still in `text`, from
  // first_separator on.
  size_t separator_size = 0;
  bool separators_differ = false;
  std::vector<size_t> separator_sizes;
  size_t first_separator = 0;

  void note_separator(size_t size) {
    if (!separators_differ && size != separator_size) {
      separators_differ = true;
      separator_sizes.assign(static_cast<size_t>(rows) - 2, separator_size);
      first_separator = 0;
    }
    if (separators_differ) separator_sizes.push_back(size);
  }
  size_t take_first_separator() {
    return separators_differ ? separator_sizes[first_separator++] : separator_size;
  }
};

void init_concat(void* state) {
  new (state) ConcatState;
}
void destroy_concat(void* state) {
  static_cast<ConcatState*>(state)->~ConcatState();
}

void concat_step(FunctionContext& context, void* state, Args args) {
  if (args[0].is_null()) return;
  ConcatState* concat = static_cast<ConcatState*>(state);
  std::string_view separator = ",";
  if (args.size() == 2) separator = text_of(context, args[1]);
  std::string_view text = text_of(context, args[0]);
  if (!context.fits_length_limit(concat->text.size() + separator.size() + text.size())) return;
  ++concat->rows;
  if (concat->is_first) {
    concat->is_first = false;
    concat->separator_size = separator.size();
  } else {
    concat->text += separator;
    concat->note_separator(separator.size());
  }
  concat->text += text;
}

void concat_inverse(FunctionContext& context, void* state, Args args) {
  if (args[0].is_null()) return;
  ConcatState* concat = static_cast<ConcatState*>(state);
  size_t size = text_of(context, args[0]).size();
  if (concat->rows > 1) size += concat->take_first_separator();
  --concat->rows;
  concat->removed += size;
  if (concat->removed >= concat->text.size()) {
    concat->text.clear();
    concat->removed = 0;
    concat->separators_differ = false;
    concat->is_first = true;
  } else if (concat->removed > 4096 && concat->removed > concat->text.size() / 2) {
    concat->text.erase(0, concat->removed);
    concat->removed = 0;
  }
}

void concat_result(FunctionContext&, void* state, ValueView* result) {
  ConcatState* concat = static_cast<ConcatState*>(state);
  if (concat->rows == 0) return;
  *result = ValueView::of_text(std::string_view(concat->text).substr(concat->removed));
}

// As a window function SQLite gives a NUL for the empty text.
void concat_value(FunctionContext& context, void* state, ValueView* result) {
  concat_result(context, state, result);
  if (result->is_text() && result->size == 0) *result = ValueView::of_text({"\0", 1});
}

constexpr AggregateFunction concat(std::string_view name, int args_min, int args_max) {
  AggregateFunction f;
  f.name = name;
  f.args_min = args_min;
  f.args_max = args_max;
  f.flags = function_flag::kPlain;
  f.state_size = sizeof(ConcatState);
  f.init = init_concat;
  f.step = concat_step;
  f.inverse = concat_inverse;
  f.finalize = concat_result;
  f.value = concat_value;
  f.destroy = destroy_concat;
  return f;
}

constexpr AggregateFunction kTextAggregates[] = {concat("group_concat", 1, 2),
                                            concat("string_agg", 2, 2)};

}  // namespace

std::span<const AggregateFunction> text_aggregates() {
  return kTextAggregates;
}

}  // namespace godwit
