// A database has one number that tests change to see who sees what: PRAGMA user_version.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "pager/pager.h"

namespace godwit {

inline constexpr uint32_t kUserVersion = 60;  // a header field that PRAGMA user_version shows

inline std::unique_ptr<Pager> open_pager(const std::string& path, PagerOptions options = {}) {
  auto pager = Pager::open(default_vfs(), path, options);
  EXPECT_TRUE(pager.ok()) << pager.status().message();
  return pager.ok() ? std::move(*pager) : nullptr;
}

inline uint32_t user_version(Pager& pager) {
  auto first = pager.read(1);
  EXPECT_TRUE(first.ok()) << first.status().message();
  return first.ok() ? load_be32(first->data() + kUserVersion) : UINT32_MAX;
}

inline void set_user_version(Pager& pager, uint32_t value) {
  auto first = pager.read(1);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(pager.write(*first).ok());
  store_be32(first->data() + kUserVersion, value);
}

// The first page that holds `text`, 0 if none, read through the pager.
inline PageNumber find_text(Pager& pager, std::string_view text) {
  for (PageNumber n = 1; n <= pager.page_count(); ++n) {
    auto page = pager.read(n);
    EXPECT_TRUE(page.ok());
    std::string_view bytes(reinterpret_cast<const char*>(page->data()), pager.page_size());
    if (bytes.find(text) != std::string_view::npos) return n;
  }
  return 0;
}

// One whole write transaction.
inline Status commit_user_version(Pager& pager, uint32_t value) {
  GW_TRY(pager.begin_write());
  set_user_version(pager, value);
  Status status = pager.commit();
  pager.end_read();
  return status;
}

inline uint32_t read_user_version(Pager& pager) {
  Status status = pager.begin_read();
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok()) return UINT32_MAX;
  uint32_t value = user_version(pager);
  pager.end_read();
  return value;
}

}  // namespace godwit
