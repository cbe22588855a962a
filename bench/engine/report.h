// The results of the benchmark: a table for people, JSON for tools.
#pragma once

#include <string>
#include <vector>

namespace godwit::bench {

struct ResultRow {
  std::string name;
  // Seconds for one operation, medians over the rounds.
  double reference = 0;
  double godwit = 0;
  // Empty when both engines ran and agreed.
  std::string error;

  // Above 1: Godwit is faster.
  double ratio() const { return reference / godwit; }
};

// The table is printed line by line, so that a long run shows its progress.
void print_header();
void print_row(const ResultRow& row);
// How many rows are faster, slower, failed, and the geometric mean of the ratios.
void print_summary(const std::vector<ResultRow>& rows);

// False when the file cannot be written.
bool write_json(const std::string& path, const std::vector<ResultRow>& rows);

}  // namespace godwit::bench
