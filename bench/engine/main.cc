// bench_engine: one workload on two SQLite-compatible libraries, side by side in one process.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "engine/runner.h"

namespace godwit::bench {
namespace {

constexpr const char* kUsage =
    "usage: bench_engine [options] REFERENCE_LIBRARY GODWIT_LIBRARY\n"
    "       bench_engine --alone ROW [--rows N] LIBRARY\n"
    "  --rows N       rows of the tables (100000)\n"
    "  --rounds N     counted rounds; the table shows medians (5)\n"
    "  --filter TEXT  only rows whose name contains TEXT\n"
    "  --cpu          processor time in place of elapsed time\n"
    "  --json FILE    write the results as JSON too\n"
    "  --alone ROW    run this row once on one library, for a profiler: callgrind counts with\n"
    "                 --toggle-collect=bench_engine_measured\n"
    "  --list         names of the rows\n"
    "  --help         this text\n"
    "Ratio: reference time / godwit time; above 1 Godwit is faster. The exit code is 1 when a row\n"
    "fails or the two results differ.\n";

struct Arguments {
  int64_t rows = 100000;
  RunOptions run;
  std::string filter;
  std::string json;
  std::string alone;
  bool list = false;
  std::vector<std::string> libraries;
};

[[noreturn]] void usage(FILE* out, int code) {
  std::fputs(kUsage, out);
  std::exit(code);
}

int64_t positive(const char* text) {
  int64_t number = std::atoll(text);
  if (number <= 0) usage(stderr, 2);
  return number;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    auto value = [&] {
      if (i + 1 >= argc) usage(stderr, 2);
      return argv[++i];
    };
    if (flag == "--help") usage(stdout, 0);
    if (flag == "--rows") {
      arguments.rows = positive(value());
    } else if (flag == "--rounds") {
      arguments.run.rounds = static_cast<int>(positive(value()));
    } else if (flag == "--filter") {
      arguments.filter = value();
    } else if (flag == "--json") {
      arguments.json = value();
    } else if (flag == "--alone") {
      arguments.alone = value();
    } else if (flag == "--cpu") {
      arguments.run.cpu_time = true;
    } else if (flag == "--list") {
      arguments.list = true;
    } else if (flag.starts_with("--")) {
      usage(stderr, 2);
    } else {
      arguments.libraries.push_back(flag);
    }
  }
  return arguments;
}

std::vector<Workload> selected_workloads(const Arguments& arguments) {
  std::vector<Workload> selected;
  for (auto* group : {lookup_workloads, scan_workloads, join_workloads, write_workloads,
                      transaction_workloads}) {
    for (Workload& workload : group(arguments.rows)) {
      if (workload.name.find(arguments.filter) != std::string::npos) {
        selected.push_back(std::move(workload));
      }
    }
  }
  return selected;
}

// A folder of its own, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "bench_engine_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw EngineError("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int run(const Arguments& arguments) {
  Engine reference("reference", arguments.libraries[0]);
  Engine godwit("godwit", arguments.libraries[1]);
  TemporaryFolder folder;
  std::string dataset = folder.path() + "/dataset.db";
  create_dataset(reference, dataset, arguments.rows);
  Session reference_session(reference, folder.path() + "/reference", dataset, arguments.rows);
  Session godwit_session(godwit, folder.path() + "/godwit", dataset, arguments.rows);

  std::printf("reference %s, %lld rows, %d rounds, %s time\n", reference.libversion(),
              static_cast<long long>(arguments.rows), arguments.run.rounds,
              arguments.run.cpu_time ? "processor" : "elapsed");
  print_header();
  std::vector<ResultRow> rows;
  bool failed = false;
  for (const Workload& workload : selected_workloads(arguments)) {
    rows.push_back(run_workload(workload, reference_session, godwit_session, arguments.run));
    failed |= !rows.back().error.empty();
    print_row(rows.back());
  }
  print_summary(rows);
  if (!arguments.json.empty() && !write_json(arguments.json, rows)) {
    std::fprintf(stderr, "cannot write %s\n", arguments.json.c_str());
    return 1;
  }
  return failed ? 1 : 0;
}

int run_one_alone(const Arguments& arguments) {
  Engine engine("engine", arguments.libraries[0]);
  TemporaryFolder folder;
  std::string dataset = folder.path() + "/dataset.db";
  create_dataset(engine, dataset, arguments.rows);
  Session session(engine, folder.path() + "/session", dataset, arguments.rows);
  for (const Workload& workload : selected_workloads(arguments)) {
    if (workload.name != arguments.alone) continue;
    run_alone(workload, session);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%lld operations, peak memory %ld KiB\n",
                static_cast<long long>(workload.operations), usage.ru_maxrss);
    return 0;
  }
  throw EngineError("no row " + arguments.alone);
}

}  // namespace
}  // namespace godwit::bench

int main(int argc, char** argv) {
  using namespace godwit::bench;
  Arguments arguments = parse(argc, argv);
  if (arguments.list) {
    for (const Workload& workload : selected_workloads(arguments)) {
      std::printf("%s\n", workload.name.c_str());
    }
    return 0;
  }
  const bool alone = !arguments.alone.empty();
  if (arguments.libraries.size() != (alone ? 1 : 2)) usage(stderr, 2);
  try {
    return alone ? run_one_alone(arguments) : run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_engine: %s\n", error.what());
    return 1;
  }
}
