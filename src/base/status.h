// Status and Result<T>: how every function that can fail says so. No exception crosses a layer.
//
// A Status holds one of SQLite's result codes (base/error_code.h) and, for errors, an optional
// message. An OK status allocates nothing; neither does an error without a message (out-of-memory
// above all). Where no message is given, message() is SQLite's standing text for the code.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"

namespace godwit {

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  explicit Status(int code) noexcept : code_(code) {}
  Status(int code, std::string message)
      : code_(code), message_(std::make_unique<std::string>(std::move(message))) {}
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other)
      : code_(other.code_),
        message_(other.message_ ? std::make_unique<std::string>(*other.message_) : nullptr) {}
  Status& operator=(const Status& other) {
    if (this != &other) *this = Status(other);
    return *this;
  }

  static Status ok_status() noexcept { return Status(); }
  static Status error(std::string message) { return Status(code::kError, std::move(message)); }
  static Status no_memory() noexcept { return Status(code::kNoMem); }
  // For statements that the parser accepts and the engine cannot execute yet.
  static Status not_implemented(std::string_view what) {
    return Status(code::kError, "not implemented: " + std::string(what));
  }

  bool ok() const noexcept { return code_ == code::kOk; }
  int code() const noexcept { return code_; }
  int primary() const noexcept { return code::primary(code_); }
  bool has_message() const noexcept { return message_ != nullptr; }
  std::string message() const { return message_ ? *message_ : std::string(code::text(code_)); }

 private:
  int code_ = code::kOk;
  std::unique_ptr<std::string> message_;
};

// All corruption goes through here, so that one breakpoint finds where a bad byte was noticed.
// `what` is kept for diagnostics in debug builds; users see SQLite's text.
Status corrupt(const char* what);

// A value or the error that kept it from being made.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true) { new (&value_) T(std::move(value)); }  // NOLINT: implicit
  Result(Status status) : status_(std::move(status)) {}                      // NOLINT: implicit
  Result(Result&& other) noexcept : status_(std::move(other.status_)), has_value_(other.has_value_) {
    if (has_value_) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) value_.~T();
  }

  bool ok() const noexcept { return has_value_; }
  const Status& status() const& noexcept { return status_; }
  Status&& take_status() noexcept { return std::move(status_); }
  T& value() & noexcept { return value_; }
  const T& value() const& noexcept { return value_; }
  T&& value() && noexcept { return std::move(value_); }
  T& operator*() & noexcept { return value_; }
  const T& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  Status status_;
  bool has_value_ = false;
  union {
    T value_;
  };
};

namespace internal {
inline Status&& take_status(Status& status) { return std::move(status); }
template <typename T>
Status&& take_status(Result<T>& result) {
  return result.take_status();
}
}  // namespace internal

#define GW_CONCAT_INNER(a, b) a##b
#define GW_CONCAT(a, b) GW_CONCAT_INNER(a, b)

// GW_TRY(expr): evaluates a Status or a Result<T>; on error returns it from the enclosing function.
#define GW_TRY(expr)                                                      \
  do {                                                                    \
    auto gw_try_status = (expr);                                          \
    if (!gw_try_status.ok()) [[unlikely]]                                 \
      return ::godwit::internal::take_status(gw_try_status);              \
  } while (false)

// GW_ASSIGN(auto x, expr): evaluates a Result<T>; on error returns it, else `auto x = value`.
#define GW_ASSIGN(declaration, expr) GW_ASSIGN_INNER(GW_CONCAT(gw_result_, __LINE__), declaration, expr)
#define GW_ASSIGN_INNER(result, declaration, expr)                        \
  auto result = (expr);                                                   \
  if (!result.ok()) [[unlikely]]                                          \
    return result.take_status();                                          \
  declaration = *std::move(result)

}  // namespace godwit
