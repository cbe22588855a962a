#include <string_view>

#include "sql/complete.h"
#include "sqlite3.h"

int sqlite3_complete(const char* sql) {
  return sql != nullptr && godwit::is_complete_statement(sql) ? 1 : 0;
}
