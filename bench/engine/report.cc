#include "engine/report.h"

#include <cmath>
#include <cstdio>
#include <fstream>

namespace godwit::bench {
namespace {

std::string duration(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  }
  return text;
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

}  // namespace

void print_header() {
  std::printf("%-34s %12s %12s %8s\n", "row", "reference", "godwit", "ratio");
}

void print_row(const ResultRow& row) {
  if (row.error.empty()) {
    std::printf("%-34s %12s %12s %8.2f\n", row.name.c_str(), duration(row.reference).c_str(),
                duration(row.godwit).c_str(), row.ratio());
  } else {
    std::printf("%-34s FAILED: %s\n", row.name.c_str(), row.error.c_str());
  }
  std::fflush(stdout);
}

void print_summary(const std::vector<ResultRow>& rows) {
  int faster = 0, slower = 0, failed = 0;
  double logarithms = 0;
  for (const ResultRow& row : rows) {
    if (!row.error.empty()) {
      ++failed;
      continue;
    }
    ++(row.ratio() >= 1 ? faster : slower);
    logarithms += std::log(row.ratio());
  }
  std::printf("%d faster, %d slower, %d failed", faster, slower, failed);
  if (faster + slower > 0) {
    std::printf("; geometric mean of the ratios %.2f", std::exp(logarithms / (faster + slower)));
  }
  std::printf("\n");
}

bool write_json(const std::string& path, const std::vector<ResultRow>& rows) {
  std::ofstream file(path);
  file << "[\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const ResultRow& row = rows[i];
    file << "  {\"name\": " << json_string(row.name);
    if (row.error.empty()) {
      file << ", \"reference_seconds\": " << row.reference << ", \"godwit_seconds\": " << row.godwit
           << ", \"ratio\": " << row.ratio();
    } else {
      file << ", \"error\": " << json_string(row.error);
    }
    file << (i + 1 < rows.size() ? "},\n" : "}\n");
  }
  file << "]\n";
  return file.good();
}

}  // namespace godwit::bench
