// The texts of schema objects: finding out what the names in one mean, and editing it at the places
// of names so that everything else stays as it was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/compile.h"
#include "plan/name_observer.h"
#include "sql/ast.h"

namespace godwit {

class Connection;

// Binds a CREATE statement as stored in the schema of `database`: views and triggers as queries,
// the expressions of tables and indexes. Errors: what is wrong with it ("no such column: x").
// Unknown functions and collations are no errors. `observer` (may be null) is told of the names,
// also of those that are not in expressions. `quoted_strings`: "x" may be a string.
Status bind_schema_text(Connection* connection, int database, std::string_view sql,
                        bool quoted_strings, NameObserver* observer);

// A part of a text that gets another content.
struct TextEdit {
  uint32_t offset = 0;
  uint32_t length = 0;
  std::string text;
};

// Applies edits in any order; of several at one place the first counts.
std::string apply_edits(std::string_view text, std::vector<TextEdit> edits);

// Collects the edits of one text after the other.
class TextEditor : public NameObserver {
 public:
  void start(std::string_view text) {
    text_ = text;
    edits.clear();
  }
  std::string_view observed_text() const override { return text_; }
  void table_named(const ast::Name&, const Table&) override {}
  void column_named(const ast::Name&, const Table&, int32_t) override {}
  void string_named(const ast::Name&) override {}

  std::vector<TextEdit> edits;

 protected:
  void replace(const ast::SourceRange& range, std::string replacement);

 private:
  std::string_view text_;
};

// Makes strings in double quotes proper ones, so that no column captures them later.
class StringFixer : public TextEditor {
 public:
  void string_named(const ast::Name& name) override;
};



}  // namespace godwit
