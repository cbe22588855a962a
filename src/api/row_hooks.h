// What sqlite3_update_hook() and sqlite3_preupdate_hook() have set.
#pragma once

#include <vector>

#include "exec/row_observer.h"
#include "sqlite3.h"

struct sqlite3_value;

namespace godwit::api {

class AppRowObserver final : public RowObserver {
 public:
  explicit AppRowObserver(sqlite3* db);
  ~AppRowObserver() override;

  void before_change(const RowChange& change) override;
  void after_change(const RowChange& change) override;
  bool wants_each_row() const override { return preupdate != nullptr; }

  // Makes the connection tell of its changes, or no longer.
  void install(sqlite3* db);
  // The change that the pre-update hook is being told of; null: none.
  const RowChange* current() const { return current_; }
  // One of its values, valid until the hook returns. Returns a result code.
  int value(bool is_old, int column, sqlite3_value** value);

  void (*update)(void*, int, char const*, char const*, sqlite3_int64) = nullptr;
  void* update_context = nullptr;
  void (*preupdate)(void*, sqlite3*, int, char const*, char const*, sqlite3_int64,
                    sqlite3_int64) = nullptr;
  void* preupdate_context = nullptr;

 private:
  const char* database_name(const RowChange& change) const;

  sqlite3* db_;
  const RowChange* current_ = nullptr;
  std::vector<sqlite3_value> old_values_, new_values_;
};

}  // namespace godwit::api
