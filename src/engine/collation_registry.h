// The collations of the application, of one connection.
//
// Schemas and statements point to collations, so that an entry stays where it is for the life of the
// connection: replacing or removing one changes what it compares with. The engine makes sure that
// no statement runs then.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "value/collation.h"

namespace godwit {

class CollationRegistry {
 public:
  CollationRegistry() = default;
  CollationRegistry(const CollationRegistry&) = delete;
  CollationRegistry& operator=(const CollationRegistry&) = delete;
  ~CollationRegistry();

  // Null: there is none of that name.
  const Collation* find(std::string_view name) const;
  // Adds or replaces one. `destroy` (may be null) is called with `context` when it is replaced, removed,
  // or the registry dies.
  void set(std::string_view name, Collation::CompareFunction compare, void* context,
           void (*destroy)(void*));
  void remove(std::string_view name);
  // In the order in which they were added, without removed ones.
  std::vector<const Collation*> list() const;

 private:
  struct Entry {
    Collation collation;  // compare_function null: removed
    void (*destroy)(void*) = nullptr;
  };
  Entry* entry(std::string_view name) const;
  static void clear(Entry* entry);

  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace godwit
