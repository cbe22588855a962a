// What the B-tree tests share: a scratch directory, C SQLite's command line as maker and judge of
// files, and a Btree on a file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "btree/btree.h"
#include "os/vfs.h"

namespace godwit {

#define ASSERT_OK(expr) ASSERT_EQ(::godwit::test_code(expr), code::kOk)
#define EXPECT_OK(expr) EXPECT_EQ(::godwit::test_code(expr), code::kOk)

inline int test_code(const Status& status) {
  return status.code();
}
template <typename T>
int test_code(const Result<T>& result) {
  return result.status().code();
}

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "godwit-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs SQL in C SQLite; the output without the last newline.
inline std::string sqlite(const std::string& path, const std::string& sql) {
  std::string script = path + ".sql";
  std::ofstream(script) << sql;
  FILE* pipe =
      popen(("sqlite3 -batch -init /dev/null '" + path + "' < '" + script + "' 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) output.append(buffer.data(), n);
  pclose(pipe);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

// The root page of a table or index, as C SQLite's schema says.
inline PageNumber root_of(const std::string& path, const std::string& name) {
  std::string root = sqlite(path, "SELECT rootpage FROM sqlite_schema WHERE name='" + name + "';");
  return static_cast<PageNumber>(std::stoul(root));
}

inline std::unique_ptr<Btree> open_btree(const std::string& path, uint32_t page_size = 4096) {
  PagerOptions options;
  options.default_page_size = page_size;
  auto pager = Pager::open(default_vfs(), path, options);
  EXPECT_OK(pager);
  auto btree = std::make_unique<Btree>(*std::move(pager));
  btree->pager().set_synchronous(Synchronous::kOff);
  return btree;
}

inline std::unique_ptr<Cursor> open_cursor(Btree* btree, PageNumber root, TreeKind kind,
                                           const KeyInfo* key_info = nullptr) {
  auto cursor = Cursor::open(btree, root, kind, key_info, true);
  EXPECT_OK(cursor);
  return *std::move(cursor);
}

inline KeyInfo key_info_of(int columns, TextEncoding encoding = TextEncoding::kUtf8) {
  KeyInfo info;
  info.columns.resize(static_cast<size_t>(columns), KeyColumn{binary_collation(encoding)});
  info.encoding = encoding;
  return info;
}

inline std::vector<uint8_t> encode(std::initializer_list<ValueView> values,
                                   TextEncoding encoding = TextEncoding::kUtf8) {
  RecordLayoutOptions options;
  options.encoding = encoding;
  RecordEncoder encoder(options);
  std::vector<uint8_t> record;
  std::vector<ValueView> copy(values);
  EXPECT_OK(encoder.encode(copy, &record));
  return record;
}

}  // namespace godwit
