// Is told what the names in a text mean while the binder works on it. ALTER TABLE finds the places
// that it must rewrite this way.
#pragma once

#include <string_view>

#include "catalog/schema.h"
#include "sql/ast.h"

namespace godwit {

class NameObserver {
 public:
  virtual ~NameObserver() = default;

  // Only names of this very text are told of, not those in views that it uses.
  virtual std::string_view observed_text() const = 0;
  // `name` stands for the table itself: in FROM, or before a column or a star (no alias).
  virtual void table_named(const ast::Name& name, const Table& table) = 0;
  virtual void column_named(const ast::Name& name, const Table& table, int32_t column) = 0;
  // A name in double quotes that no column has, and that is a string therefore.
  virtual void string_named(const ast::Name& name) = 0;
};

}  // namespace godwit
