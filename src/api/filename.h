// File names as the C interface hands them out: a name with everything behind it that the functions
// about names can find.
//
//   0 0 0 0  database \0  { parameter \0 value \0 }  \0  journal \0  WAL \0  \0 \0
//           ^ the pointer that is handed out
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace godwit::api {

using UriParameters = std::vector<std::pair<std::string, std::string>>;

inline constexpr size_t kFilenamePrefix = 4;

inline std::string filename_block(const std::string& database, const std::string& journal,
                                  const std::string& wal, const UriParameters& parameters) {
  std::string block(kFilenamePrefix, '\0');
  auto add = [&](const std::string& text) { block.append(text.c_str(), text.size() + 1); };
  add(database);
  for (const auto& [name, value] : parameters) {
    add(name);
    add(value);
  }
  add("");
  add(journal);
  add(wal);
  block.append(2, '\0');
  return block;
}

}  // namespace godwit::api
