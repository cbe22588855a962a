// The writers of tables that foreign key actions change. An action may lead to another action on the
// same table: each nesting borrows a writer of its own, and gives it back.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "exec/exec_context.h"
#include "plan/bound_dml.h"

namespace godwit {

class TableWriter;

class ActionWriters {
 public:
  explicit ActionWriters(ExecContext* context);
  ~ActionWriters();

  // A writer that is open until the lease ends.
  class Lease {
   public:
    Lease(ActionWriters* owner, std::unique_ptr<TableWriter> writer);
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    TableWriter* get() const { return writer_.get(); }

   private:
    ActionWriters* owner_;
    std::unique_ptr<TableWriter> writer_;
  };
  // Errors: actions nest too deep.
  Result<Lease> borrow(const BoundTableWrite& write);

 private:
  ExecContext* context_;
  std::unordered_map<const BoundTableWrite*, std::vector<std::unique_ptr<TableWriter>>> idle_;
  uint32_t depth_ = 0;
};

}  // namespace godwit
