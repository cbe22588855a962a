// Rows found by one branch of an OR after the other, each row once.
#pragma once

#include <memory>
#include <vector>

#include "exec/access_table.h"

namespace godwit {

class OrSource final : public TreeSource {
 public:
  static Result<std::unique_ptr<TreeSource>> make(const RowSourceSpec& spec);
  Status open() override;
  void close() override;
  Status reopen() override { return RowSource::reopen(); }
  Status begin_left(const Chunk& left) override;
  Status seek(uint32_t left_row) override;
  Status fetch(uint32_t max, uint32_t* fetched) override;

 private:
  OrSource(const RowSourceSpec& spec, const Index* index)
      : TreeSource(spec, index), seen_(index == nullptr) {}

  std::vector<std::unique_ptr<TreeSource>> branches_;
  size_t branch_ = 0;
  uint32_t left_row_ = 0;
  EntrySet seen_;  // for the current left row
};

}  // namespace godwit
