// Fts5ExtensionApi: what auxiliary functions may ask of the row where a query is.
#include <algorithm>
#include <new>

#include "modules/fts5_cursor.h"

namespace godwit::modules {

namespace {

Fts5Cursor* cursor_of(Fts5Context* context) { return reinterpret_cast<Fts5Cursor*>(context); }
const Fts5Config& config_of(Fts5Context* context) { return cursor_of(context)->table()->config; }

void* user_data(Fts5Context* context) { return cursor_of(context)->running->context; }
int column_count(Fts5Context* context) { return config_of(context).column_count(); }

int row_count(Fts5Context* context, sqlite3_int64* rows) {
  const Fts5Totals* totals = nullptr;
  int code = cursor_of(context)->table()->totals(&totals);
  if (code == SQLITE_OK) *rows = totals->rows;
  return code;
}

int column_total_size(Fts5Context* context, int column, sqlite3_int64* tokens) {
  const Fts5Totals* totals = nullptr;
  *tokens = 0;
  int code = cursor_of(context)->table()->totals(&totals);
  if (code != SQLITE_OK) return code;
  if (column >= column_count(context)) return SQLITE_RANGE;
  for (int i = 0; i < column_count(context); ++i) {
    if (column < 0 || i == column) *tokens += totals->tokens[static_cast<size_t>(i)];
  }
  return SQLITE_OK;
}

int tokenize(Fts5Context* context, const char* text, int size, void* token_context,
             int (*token)(void*, int, const char*, int, int, int)) {
  return config_of(context).tokenize({text, static_cast<size_t>(std::max(size, 0))}, FTS5_TOKENIZE_AUX, token_context, token);
}
int tokenize_v2(Fts5Context* context, const char* text, int size, const char*, int, void* token_context,
                int (*token)(void*, int, const char*, int, int, int)) {
  return tokenize(context, text, size, token_context, token);
}

int phrase_count(Fts5Context* context) { return static_cast<int>(cursor_of(context)->phrase_count()); }
bool has_phrase(Fts5Context* context, int phrase) { return phrase >= 0 && phrase < phrase_count(context); }
int phrase_size(Fts5Context* context, int phrase) {
  if (!has_phrase(context, phrase)) return 0;
  return static_cast<int>(cursor_of(context)->query()->phrase(static_cast<size_t>(phrase)).terms.size());
}

int instance_count(Fts5Context* context, int* count) {
  const std::vector<Fts5Instance>* instances = nullptr;
  int code = cursor_of(context)->instances(&instances);
  if (code == SQLITE_OK) *count = static_cast<int>(instances->size());
  return code;
}

int instance(Fts5Context* context, int index, int* phrase, int* column, int* offset) {
  const std::vector<Fts5Instance>* instances = nullptr;
  int code = cursor_of(context)->instances(&instances);
  if (code != SQLITE_OK) return code;
  if (index < 0 || static_cast<size_t>(index) >= instances->size()) return SQLITE_RANGE;
  const Fts5Instance& found = (*instances)[static_cast<size_t>(index)];
  *phrase = found.phrase;
  *column = column_of(found.place);
  *offset = token_of(found.place);
  return SQLITE_OK;
}

sqlite3_int64 rowid(Fts5Context* context) { return cursor_of(context)->rowid(); }

int column_text(Fts5Context* context, int column, const char** text, int* size) {
  if (column < 0 || column >= column_count(context)) return SQLITE_RANGE;
  std::string_view found;
  int code = cursor_of(context)->text(column, &found);
  *text = found.data();
  *size = static_cast<int>(found.size());
  return code;
}

int column_size(Fts5Context* context, int column, int* tokens) {
  int64_t size = 0;
  int code = cursor_of(context)->size(column, &size);
  *tokens = static_cast<int>(size);
  return code;
}

int query_phrase(Fts5Context* context, int phrase, void* row_context,
                 int (*row)(const Fts5ExtensionApi*, Fts5Context*, void*)) {
  if (!has_phrase(context, phrase)) return SQLITE_RANGE;
  Fts5Cursor rows(cursor_of(context)->table());
  rows.running = cursor_of(context)->running;
  int code = rows.start_phrase(cursor_of(context)->query()->query_of_phrase(static_cast<size_t>(phrase)));
  while (code == SQLITE_OK && !rows.at_end()) {
    code = row(fts5_extension_api(), reinterpret_cast<Fts5Context*>(&rows), row_context);
    if (code == SQLITE_OK) code = rows.next();
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int set_auxdata(Fts5Context* context, void* data, void (*destroy)(void*)) {
  Fts5Cursor* cursor = cursor_of(context);
  Fts5Cursor::Kept& kept = cursor->kept[cursor->running];
  if (kept.destroy != nullptr) kept.destroy(kept.data);
  kept = {data, destroy};
  return SQLITE_OK;
}

void* get_auxdata(Fts5Context* context, int clear) {
  Fts5Cursor* cursor = cursor_of(context);
  auto found = cursor->kept.find(cursor->running);
  if (found == cursor->kept.end()) return nullptr;
  void* data = found->second.data;
  if (clear != 0) cursor->kept.erase(found);
  return data;
}

// The iterator goes over the cursor's places.
void give_place(Fts5PhraseIter* iter, int* column, int* offset) {
  if (iter->a == iter->b) {
    *column = *offset = -1;
    return;
  }
  const auto* place = reinterpret_cast<const Fts5Place*>(iter->a);
  *column = column_of(*place);
  *offset = token_of(*place);
  iter->a += sizeof(Fts5Place);
}

int first_place(Fts5Context* context, int phrase, Fts5PhraseIter* iter) {
  iter->a = iter->b = nullptr;
  if (!has_phrase(context, phrase)) return SQLITE_RANGE;
  const std::vector<Fts5Place>* places = nullptr;
  int code = cursor_of(context)->phrase_places(static_cast<size_t>(phrase), &places);
  if (code != SQLITE_OK) return code;
  iter->a = reinterpret_cast<const unsigned char*>(places->data());
  iter->b = reinterpret_cast<const unsigned char*>(places->data() + places->size());
  return SQLITE_OK;
}

int phrase_first(Fts5Context* context, int phrase, Fts5PhraseIter* iter, int* column, int* offset) {
  int code = first_place(context, phrase, iter);
  give_place(iter, column, offset);
  return code;
}
void phrase_next(Fts5Context*, Fts5PhraseIter* iter, int* column, int* offset) { give_place(iter, column, offset); }

void give_column(Fts5PhraseIter* iter, int* column) {
  int offset = 0;
  give_place(iter, column, &offset);
  while (iter->a != iter->b && column_of(*reinterpret_cast<const Fts5Place*>(iter->a)) == *column) {
    iter->a += sizeof(Fts5Place);
  }
}
int phrase_first_column(Fts5Context* context, int phrase, Fts5PhraseIter* iter, int* column) {
  int code = first_place(context, phrase, iter);
  give_column(iter, column);
  return code;
}
void phrase_next_column(Fts5Context*, Fts5PhraseIter* iter, int* column) { give_column(iter, column); }

int query_token(Fts5Context* context, int phrase, int token, const char** text, int* size) {
  if (!has_phrase(context, phrase) || token < 0 || token >= phrase_size(context, phrase)) return SQLITE_RANGE;
  const Fts5Phrase& found = cursor_of(context)->query()->phrase(static_cast<size_t>(phrase));
  const std::string& term = found.terms[static_cast<size_t>(token)].text;
  *text = term.data();
  *size = static_cast<int>(term.size());
  return SQLITE_OK;
}

int instance_token(Fts5Context* context, int index, int token, const char** text, int* size) {
  int phrase = 0, column = 0, offset = 0;
  int code = instance(context, index, &phrase, &column, &offset);
  if (code != SQLITE_OK) return code;
  if (token < 0 || token >= phrase_size(context, phrase)) return SQLITE_RANGE;
  const Fts5Phrase& found = cursor_of(context)->query()->phrase(static_cast<size_t>(phrase));
  *text = nullptr;
  *size = 0;
  // Which token it was is known only if there is no choice.
  const Fts5Term& term = found.terms[static_cast<size_t>(token)];
  if (term.is_prefix || !term.synonyms.empty()) return SQLITE_OK;
  return query_token(context, phrase, token, text, size);
}

int column_locale(Fts5Context* context, int column, const char** locale, int* size) {
  *locale = nullptr;
  *size = 0;
  return column < 0 || column >= column_count(context) ? SQLITE_RANGE : SQLITE_OK;
}

}  // namespace

const Fts5ExtensionApi* fts5_extension_api() {
  static const Fts5ExtensionApi api = {
      4,           user_data,    column_count,   row_count,     column_total_size, tokenize,
      phrase_count, phrase_size, instance_count, instance,      rowid,             column_text,
      column_size, query_phrase, set_auxdata,    get_auxdata,   phrase_first,      phrase_next,
      phrase_first_column, phrase_next_column, query_token, instance_token, column_locale, tokenize_v2,
  };
  return &api;
}

void call_fts5_function(const Fts5FunctionEntry* entry, Fts5Cursor* cursor, sqlite3_context* context, int count,
                        sqlite3_value** values) {
  const Fts5FunctionEntry* before = std::exchange(cursor->running, entry);
  entry->function(fts5_extension_api(), reinterpret_cast<Fts5Context*>(cursor), context, count, values);
  cursor->running = before;
}

}  // namespace godwit::modules
