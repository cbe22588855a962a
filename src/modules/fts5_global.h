// What FTS5 keeps for a connection: tokenizers, auxiliary functions, open cursors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sqlite3.h"

namespace godwit::modules {

class Fts5Cursor;

struct Fts5TokenizerEntry {
  void* context = nullptr;
  fts5_tokenizer methods = {};
  fts5_tokenizer_v2 methods_v2 = {};
  bool is_v2 = false;
  void (*destroy)(void*) = nullptr;

  ~Fts5TokenizerEntry() {
    if (destroy != nullptr) destroy(context);
  }
};

struct Fts5FunctionEntry {
  struct Fts5Global* global = nullptr;
  std::string name;
  void* context = nullptr;
  fts5_extension_function function = nullptr;
  void (*destroy)(void*) = nullptr;

  ~Fts5FunctionEntry() {
    if (destroy != nullptr) destroy(context);
  }
};

struct Fts5Global {
  fts5_api api = {};  // first: the API's functions find the rest by it
  sqlite3* db = nullptr;
  std::map<std::string, std::shared_ptr<Fts5TokenizerEntry>> tokenizers;  // names in lower case
  std::map<std::string, std::shared_ptr<Fts5FunctionEntry>> functions;
  std::map<int64_t, Fts5Cursor*> cursors;
  int64_t next_cursor = 1;

  Fts5TokenizerEntry* find_tokenizer(const std::string& name) const;
  Fts5FunctionEntry* find_function(const std::string& name) const;
};

int register_fts5(sqlite3* db);
int register_fts5_vocabulary(sqlite3* db, Fts5Global* global);
// bm25(), highlight(), snippet().
int add_fts5_functions(fts5_api* api);

}  // namespace godwit::modules
