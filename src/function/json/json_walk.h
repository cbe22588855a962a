// The rows of json_each() and json_tree(): the elements of a document, one after the other.
//
// json_each() shows the items of the array or object that the path leads to (or the element itself,
// if it is neither); json_tree() that element and all that is in it, parents first.
//
//   walk.begin(jsonb, "$.a", recursive), then until at_end(): columns, next()
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "function/json/json_path.h"
#include "function/json/json_render.h"
#include "value/value.h"

namespace godwit {

class JsonWalk {
 public:
  // Copies both. `path` is a path with its '$'; kNotFound: there are no rows.
  JsonLookup begin(ByteSpan document, std::string_view path, bool recursive);
  bool at_end() const { return at_end_; }
  // False: the document is malformed.
  bool next();

  // Columns of the current row. Texts stay until the next call of any of these.
  JsonError key(ValueView* value);
  const JsonbElement& element() const { return place_.element; }
  int64_t id() const { return row_id_; }
  bool has_parent() const { return recursive_ && !levels_.empty(); }
  int64_t parent() const { return levels_.back().id; }
  std::string_view fullkey();
  std::string_view path() const;

 private:
  // An array or object whose items are shown.
  struct Level {
    const uint8_t* next;
    const uint8_t* end;
    bool is_object;
    int64_t index;     // of the current item of an array
    int64_t id;        // its row's id
    size_t path_size;  // of path_, up to here
  };

  void enter();
  // Takes the next item of the innermost level that has one.
  bool take_item();
  int64_t offset_of(const uint8_t* at) const { return at - document_.bytes(); }
  size_t root_path_size(const JsonbElement& root, const uint8_t* start) const;

  JsonBuffer document_;
  JsonBuffer path_;              // of the innermost level
  JsonBuffer text_;              // keys
  size_t root_size_ = 0;         // of the path that was given
  size_t root_parent_size_ = 0;  // the part of it that leads to the element's parent
  std::vector<Level> levels_;
  JsonPlace place_;
  int64_t row_id_ = 0;
  bool recursive_ = false;
  bool at_end_ = true;
};

}  // namespace godwit
