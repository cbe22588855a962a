// Runs SQL line by line on a new database, for tests of what SQL does.
#pragma once

#include <initializer_list>
#include <string>

#include "tests/unit/engine/run_sql.h"

namespace godwit {

// What run_sql() gives for each line, errors included; lines that give nothing are left out.
inline std::string run_lines(std::initializer_list<const char*> lines) {
  auto connection = Connection::open(":memory:", {});
  std::string out;
  for (const char* line : lines) {
    std::string result = run_sql(connection->get(), line);
    if (result.empty()) continue;
    if (!out.empty()) out += '\n';
    out += result;
  }
  return out;
}

}  // namespace godwit
