// fts3tokenize: the tokens of a text. CREATE VIRTUAL TABLE t USING fts3tokenize(tokenizer, argument, ...);
// SELECT token, start, end, position FROM t WHERE input = 'a text'.
#include <new>

#include "modules/fts3_cursor.h"

namespace godwit::modules {

namespace {

struct TokenizeTable {
  sqlite3_vtab base = {};
  std::shared_ptr<const Fts3Tokenizer> tokenizer;
};

struct TokenizeCursor {
  sqlite3_vtab_cursor base = {};
  struct Row {
    std::string token;
    int start, end, position;
  };
  std::string input;
  std::vector<Row> rows;
  size_t at = 0;
};

TokenizeTable* tokenize_table(sqlite3_vtab* vtab) { return reinterpret_cast<TokenizeTable*>(vtab); }
TokenizeCursor* tokenize_cursor(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<TokenizeCursor*>(cursor); }

int connect_tokenize(sqlite3* db, void*, int count, const char* const* arguments, sqlite3_vtab** out, char** error) {
  std::vector<std::string> words;
  for (int i = 3; i < count; ++i) {
    size_t at = 0;
    std::string word = arguments[i];
    if (!word.empty() && (word[0] == '\'' || word[0] == '"' || word[0] == '[' || word[0] == '`')) {
      take_fts3_word(arguments[i], &at, &word);
    }
    words.push_back(std::move(word));
  }
  const std::string name = words.empty() ? "simple" : words[0];
  if (!words.empty()) words.erase(words.begin());
  auto made = std::make_unique<TokenizeTable>();
  std::string message;
  int code = open_fts3_tokenizer(name, words, &made->tokenizer, &message);
  if (code != SQLITE_OK) {
    *error = sqlite3_mprintf("%s", message.c_str());
    return code;
  }
  code = sqlite3_declare_vtab(db, "CREATE TABLE x(input, token, start, end, position)");
  if (code == SQLITE_OK) *out = &made.release()->base;
  return code;
}
int disconnect_tokenize(sqlite3_vtab* vtab) {
  delete tokenize_table(vtab);
  return SQLITE_OK;
}

int best_tokenize_index(sqlite3_vtab*, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn != 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    info->idxNum = 1;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    return SQLITE_OK;
  }
  return SQLITE_OK;
}

int open_tokenize(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) TokenizeCursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = &cursor->base;
  return SQLITE_OK;
}
int close_tokenize(sqlite3_vtab_cursor* cursor) {
  delete tokenize_cursor(cursor);
  return SQLITE_OK;
}

int filter_tokenize(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** values) {
  TokenizeCursor* cursor = tokenize_cursor(base);
  cursor->rows.clear();
  cursor->at = 0;
  if (plan == 0) return SQLITE_ERROR;
  cursor->input = fts3_text(values[0]);
  tokenize_table(base->pVtab)->tokenizer->tokenize(cursor->input, [&](const Fts3Token& token) {
    cursor->rows.push_back({std::string(token.text), token.start, token.end, token.position});
    return true;
  });
  return SQLITE_OK;
}
int next_tokenize(sqlite3_vtab_cursor* cursor) {
  ++tokenize_cursor(cursor)->at;
  return SQLITE_OK;
}
int tokenize_at_end(sqlite3_vtab_cursor* cursor) {
  return tokenize_cursor(cursor)->at >= tokenize_cursor(cursor)->rows.size() ? 1 : 0;
}
int tokenize_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(tokenize_cursor(cursor)->at) + 1;
  return SQLITE_OK;
}
int tokenize_column(sqlite3_vtab_cursor* base, sqlite3_context* context, int index) {
  const TokenizeCursor* cursor = tokenize_cursor(base);
  const TokenizeCursor::Row& row = cursor->rows[cursor->at];
  if (index < 2) {
    const std::string& text = index == 0 ? cursor->input : row.token;
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  } else {
    sqlite3_result_int(context, index == 2 ? row.start : index == 3 ? row.end : row.position);
  }
  return SQLITE_OK;
}

const sqlite3_module kTokenizeModule = {
    2, connect_tokenize, connect_tokenize, best_tokenize_index, disconnect_tokenize, disconnect_tokenize, open_tokenize,
    close_tokenize, filter_tokenize, next_tokenize, tokenize_at_end, tokenize_column, tokenize_rowid, nullptr, nullptr,
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

int register_fts3_tokenize(sqlite3* db) { return sqlite3_create_module(db, "fts3tokenize", &kTokenizeModule, nullptr); }

}  // namespace godwit::modules
