// Is asked, while a statement is compiled, whether it may do each thing that it is about to do
// (sqlite3_set_authorizer()).
#pragma once

#include <string_view>

#include "base/status.h"

namespace godwit {

// SQLite's numbers (sqlite3.h).
enum class AuthAction : int {
  kCreateIndex = 1,
  kCreateTable = 2,
  kCreateTempIndex = 3,
  kCreateTempTable = 4,
  kCreateTempTrigger = 5,
  kCreateTempView = 6,
  kCreateTrigger = 7,
  kCreateView = 8,
  kDelete = 9,
  kDropIndex = 10,
  kDropTable = 11,
  kDropTempIndex = 12,
  kDropTempTable = 13,
  kDropTempTrigger = 14,
  kDropTempView = 15,
  kDropTrigger = 16,
  kDropView = 17,
  kInsert = 18,
  kPragma = 19,
  kRead = 20,
  kSelect = 21,
  kTransaction = 22,
  kUpdate = 23,
  kAttach = 24,
  kDetach = 25,
  kAlterTable = 26,
  kReindex = 27,
  kAnalyze = 28,
  kCreateVtable = 29,
  kDropVtable = 30,
  kFunction = 31,
  kSavepoint = 32,
  kRecursive = 33,
};

// What is asked. A view without data() is NULL to the application.
struct AuthQuestion {
  AuthAction action;
  std::string_view first, second;
  std::string_view database;
  std::string_view inner;  // the innermost view, trigger or common table that asks
};

class Authorizer {
 public:
  static constexpr int kOk = 0, kDeny = 1, kIgnore = 2;

  virtual ~Authorizer() = default;
  virtual int ask(const AuthQuestion& question) = 0;

  // Errors: kAuth when it is denied. *ignored: it is to be left out.
  Status check(const AuthQuestion& question, bool* ignored);
  // The same for a column, with its names in the text of the error. `qualified`: more databases than
  // main and temp are open.
  Status check_read(const AuthQuestion& question, bool qualified, bool* ignored);
};

}  // namespace godwit
