#include "function/compile_options.h"

#include "base/utf.h"

namespace godwit {

namespace {

constexpr std::string_view kOptions[] = {
    "COMPILER=godwit",
    "DEFAULT_AUTOVACUUM=0",
    "DEFAULT_CACHE_SIZE=-2000",
    "DEFAULT_FILE_FORMAT=4",
    "DEFAULT_JOURNAL_SIZE_LIMIT=-1",
    "DEFAULT_MMAP_SIZE=0",
    "DEFAULT_PAGE_SIZE=4096",
    "DEFAULT_SYNCHRONOUS=2",
    "DEFAULT_WAL_AUTOCHECKPOINT=1000",
    "DEFAULT_WAL_SYNCHRONOUS=2",
    "DEFAULT_WORKER_THREADS=0",
    "ENABLE_COLUMN_METADATA",
    "ENABLE_DBPAGE_VTAB",
    "ENABLE_DBSTAT_VTAB",
    "ENABLE_FTS3",
    "ENABLE_FTS3_PARENTHESIS",
    "ENABLE_FTS4",
    "ENABLE_FTS5",
    "ENABLE_MATH_FUNCTIONS",
    "ENABLE_RTREE",
    "ENABLE_UPDATE_DELETE_LIMIT",
    "MAX_ATTACHED=10",
    "MAX_COLUMN=2000",
    "MAX_COMPOUND_SELECT=500",
    "MAX_EXPR_DEPTH=1000",
    "MAX_FUNCTION_ARG=1000",
    "MAX_LENGTH=1000000000",
    "MAX_LIKE_PATTERN_LENGTH=50000",
    "MAX_MMAP_SIZE=0x7fff0000",
    "MAX_PAGE_COUNT=0xfffffffe",
    "MAX_PAGE_SIZE=65536",
    "MAX_SQL_LENGTH=1000000000",
    "MAX_TRIGGER_DEPTH=1000",
    "MAX_VARIABLE_NUMBER=32766",
    "MAX_WORKER_THREADS=8",
    "SYSTEM_MALLOC",
    "TEMP_STORE=1",
    "THREADSAFE=1",
    "USE_URI",
};

bool is_identifier_character(char c) {
  return (c >= '0' && c <= '9') || c == '_' || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

}  // namespace

std::span<const std::string_view> compile_options() {
  return kOptions;
}

bool is_compile_option_used(std::string_view option) {
  constexpr std::string_view kPrefix = "SQLITE_";
  if (equals_ignore_case(option.substr(0, kPrefix.size()), kPrefix)) {
    option.remove_prefix(kPrefix.size());
  }
  for (std::string_view known : kOptions) {
    if (!equals_ignore_case(known.substr(0, option.size()), option)) continue;
    if (known.size() == option.size() || !is_identifier_character(known[option.size()]))
      return true;
  }
  return false;
}

}  // namespace godwit
