// A state machine over a coarse view of the tokens. Only CREATE TRIGGER matters: inside it, a
// semicolon ends the statement only after "; END".
//
//   start --EXPLAIN--> explain --CREATE--> create --TEMP--> create
//   start --CREATE---> create  --TRIGGER--> trigger
//   trigger --;--> trigger_semicolon --END--> trigger_end --;--> start
//   Any other token: from start, explain and create to normal, from the trigger states to trigger.
//   ; outside of triggers --> start
#include "sql/complete.h"

#include "sql/token.h"

namespace godwit {
namespace {

enum State {
  kInvalid,
  kStart,
  kNormal,
  kExplain,
  kCreate,
  kTrigger,
  kTriggerSemicolon,
  kTriggerEnd
};
enum Input {
  kSemicolon,
  kSpace,
  kOther,
  kWordExplain,
  kWordCreate,
  kWordTemp,
  kWordTrigger,
  kWordEnd
};

// EXPLAIN QUERY PLAN: the two words keep the state, as any word does.
constexpr State kNext[8][8] = {
    // ;                space              other    EXPLAIN   CREATE   TEMP     TRIGGER   END
    {kStart, kInvalid, kNormal, kExplain, kCreate, kNormal, kNormal, kNormal},  // invalid
    {kStart, kStart, kNormal, kExplain, kCreate, kNormal, kNormal, kNormal},    // start
    {kStart, kNormal, kNormal, kNormal, kNormal, kNormal, kNormal, kNormal},    // normal
    {kStart, kExplain, kExplain, kNormal, kCreate, kNormal, kNormal, kNormal},  // explain
    {kStart, kCreate, kNormal, kNormal, kNormal, kCreate, kTrigger, kNormal},   // create
    {kTriggerSemicolon, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger},
    {kTriggerSemicolon, kTriggerSemicolon, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger,
     kTriggerEnd},
    {kStart, kTriggerEnd, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger, kTrigger},
};

Input classify_word(std::string_view word) {
  switch (find_keyword(word)) {
    case TokenKind::k_EXPLAIN:
      return kWordExplain;
    case TokenKind::k_CREATE:
      return kWordCreate;
    case TokenKind::k_TEMP:
    case TokenKind::k_TEMPORARY:
      return kWordTemp;
    case TokenKind::k_TRIGGER:
      return kWordTrigger;
    case TokenKind::k_END:
      return kWordEnd;
    default:
      return kOther;
  }
}

constexpr size_t kOpen = std::string_view::npos;  // a comment or quote without its end

// Takes one token off `sql`, or leaves it open.
size_t token_size(std::string_view sql, Input* input) {
  auto up_to = [&](std::string_view end, size_t from) {
    size_t at = sql.find(end, from);
    return at == kOpen ? kOpen : at + end.size();
  };
  *input = kOther;
  switch (sql[0]) {
    case ';':
      *input = kSemicolon;
      return 1;
    case ' ':
    case '\r':
    case '\t':
    case '\n':
    case '\f':
      *input = kSpace;
      return 1;
    case '/':
      if (!sql.starts_with("/*")) return 1;
      *input = kSpace;
      return up_to("*/", 2);
    case '-':
      if (!sql.starts_with("--")) return 1;
      *input = kSpace;
      return up_to("\n", 2);
    case '[':
      return up_to("]", 1);
    case '"':
    case '\'':
    case '`':
      return up_to(sql.substr(0, 1), 1);
    default:
      break;
  }
  size_t size = 0;
  while (size < sql.size() && is_identifier_byte(static_cast<unsigned char>(sql[size]))) ++size;
  if (size == 0) return 1;
  *input = classify_word(sql.substr(0, size));
  return size;
}

}  // namespace

bool is_complete_statement(std::string_view sql) {
  sql = sql.substr(0, sql.find('\0'));
  State state = kInvalid;
  while (!sql.empty()) {
    Input input;
    size_t size = token_size(sql, &input);
    // A line comment may end with the text; anything else that is open waits for more.
    if (size == kOpen) return input == kSpace && sql[0] == '-' && state == kStart;
    state = kNext[state][input];
    sql.remove_prefix(size);
  }
  return state == kStart;
}

}  // namespace godwit
