// The tokenizers of FTS3: simple, porter, unicode61.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sqlite3.h"

namespace godwit::modules {

struct Fts3Token {
  std::string_view text;  // folded; valid during the call
  int start, end;         // bytes of the document
  int position;
};

class Fts3Tokenizer {
 public:
  virtual ~Fts3Tokenizer() = default;
  // Until `take` says false.
  virtual void tokenize(std::string_view text, const std::function<bool(const Fts3Token&)>& take) const = 0;
};

// By a directive: name and arguments.
int open_fts3_tokenizer(std::string_view directive, std::shared_ptr<const Fts3Tokenizer>* tokenizer, std::string* error);
int open_fts3_tokenizer(const std::string& name, const std::vector<std::string>& arguments,
                        std::shared_ptr<const Fts3Tokenizer>* tokenizer, std::string* error);

}  // namespace godwit::modules
