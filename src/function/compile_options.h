// What PRAGMA compile_options and sqlite_compileoption_used() say of this library.
#pragma once

#include <span>
#include <string_view>

namespace godwit {

// Sorted by name; without the SQLITE_ prefix.
std::span<const std::string_view> compile_options();
// `option` may have the SQLITE_ prefix and leave out the value behind '='.
bool is_compile_option_used(std::string_view option);

inline constexpr std::string_view kSqliteVersion = "3.53.2";
inline constexpr int kSqliteVersionNumber = 3053002;
// Date and check-in of the SQLite whose behaviour this library has.
inline constexpr std::string_view kSqliteSourceId =
    "2026-06-03 19:12:13 d6e03d8c777cfa2d35e3b60d8ec3e0187f3e9f99d8e2ee9cac695fd6fcdf1a24";

}  // namespace godwit
