// .dbinfo: the fields of the file header, and how many objects the schema has.
#include <cstdint>
#include <cstring>

#include "dot_command.h"
#include "literal.h"

namespace godwit::shell {
namespace {

struct HeaderField {
  const char* name;
  size_t offset;
};

constexpr HeaderField kHeaderFields[] = {
    {"file change counter:", 24}, {"database page count:", 28}, {"freelist page count:", 36},
    {"schema cookie:", 40},       {"schema format:", 44},       {"default cache size:", 48},
    {"autovacuum top root:", 52}, {"incremental vacuum:", 64},  {"text encoding:", 56},
    {"user version:", 60},        {"application id:", 68},      {"software version:", 96},
};

const char* encoding_name(uint32_t encoding) {
  switch (encoding) {
    case 1: return " (utf8)";
    case 2: return " (utf16le)";
    case 3: return " (utf16be)";
    default: return "";
  }
}

void print_header(ShellState& state, const unsigned char* header) {
  const int page_size = header[16] << 8 | header[17];
  std::fprintf(state.out, "%-20s %d\n", "database page size:", page_size == 1 ? 65536 : page_size);
  std::fprintf(state.out, "%-20s %d\n", "write format:", header[18]);
  std::fprintf(state.out, "%-20s %d\n", "read format:", header[19]);
  std::fprintf(state.out, "%-20s %d\n", "reserved bytes:", header[20]);
  for (const HeaderField& field : kHeaderFields) {
    const unsigned char* at = header + field.offset;
    const uint32_t value = uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
    std::fprintf(state.out, "%-20s %u%s\n", field.name, value,
                 field.offset == 56 ? encoding_name(value) : "");
  }
}

}  // namespace

DotResult dot_dbinfo(ShellState& state, const DotWords& words) {
  if (!open_database(state)) return DotResult::kError;
  const std::string schema = words.size() > 1 ? words[1] : "main";
  bool found = false;
  query(state, "SELECT data FROM sqlite_dbpage(?1) WHERE pgno = 1", schema, [&](sqlite3_stmt* stmt) {
    found = sqlite3_column_bytes(stmt, 0) >= 100;
    if (found) print_header(state, static_cast<const unsigned char*>(sqlite3_column_blob(stmt, 0)));
  });
  if (!found) {
    std::fprintf(stderr, "unable to read database header\n");
    return DotResult::kError;
  }
  const std::string table = sqlite3_stricmp(schema.c_str(), "temp") == 0
                                ? "sqlite_temp_schema" : quoted_identifier(schema) + ".sqlite_schema";
  static constexpr const char* kCounts[][2] = {
      {"number of tables:", "SELECT count(*) FROM %s WHERE type = 'table'"},
      {"number of indexes:", "SELECT count(*) FROM %s WHERE type = 'index'"},
      {"number of triggers:", "SELECT count(*) FROM %s WHERE type = 'trigger'"},
      {"number of views:", "SELECT count(*) FROM %s WHERE type = 'view'"},
      {"schema size:", "SELECT coalesce(sum(length(sql)), 0) FROM %s"},
  };
  for (const auto& [name, text] : kCounts) {
    std::string sql = text;
    sql.replace(sql.find("%s"), 2, table);
    sqlite3_int64 value = 0;
    query(state, sql, "", [&](sqlite3_stmt* stmt) { value = sqlite3_column_int64(stmt, 0); });
    std::fprintf(state.out, "%-20s %lld\n", name, static_cast<long long>(value));
  }
  unsigned int version = 0;
  sqlite3_file_control(state.db, schema.c_str(), SQLITE_FCNTL_DATA_VERSION, &version);
  std::fprintf(state.out, "%-20s %u\n", "data version", version);
  return DotResult::kOk;
}

}  // namespace godwit::shell
