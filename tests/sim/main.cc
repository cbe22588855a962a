// usage: godwit_sim [--seeds N] [--first SEED] [--jobs N] [--bug NUMBER] [--reference LIBRARY] [--verbose]
//                   [--all]
// Runs N seeds (default 500). Stops at the first that fails (--all: at none) and says how to run it again.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "pager/read_mark_lock.h"
#include "tests/sim/simulation.h"

namespace {

using namespace godwit::sim;

struct Arguments {
  uint64_t first = 1;
  uint64_t seeds = 500;
  uint64_t jobs = 1;
  bool all = false;
  std::string reference;
  Options options;
};

bool parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (std::strcmp(argv[i], "--seeds") == 0) {
      arguments->seeds = std::strtoull(value(), nullptr, 10);
    } else if (std::strcmp(argv[i], "--first") == 0) {
      arguments->first = std::strtoull(value(), nullptr, 10);
    } else if (std::strcmp(argv[i], "--jobs") == 0) {
      arguments->jobs = std::max(1ull, std::strtoull(value(), nullptr, 10));
    } else if (std::strcmp(argv[i], "--bug") == 0) {
      arguments->options.bug = static_cast<Bug>(std::atoi(value()));
    } else if (std::strcmp(argv[i], "--reference") == 0) {
      arguments->reference = value();
    } else if (std::strcmp(argv[i], "--all") == 0) {
      arguments->all = true;
    } else if (std::strcmp(argv[i], "--verbose") == 0) {
      arguments->options.verbose = true;
    } else {
      std::fprintf(stderr, "unknown argument %s\n", argv[i]);
      return false;
    }
  }
  return true;
}

std::string make_folder() {
  const char* base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  char name[64];
  std::snprintf(name, sizeof name, "%s/godwit-sim-%08d", base, static_cast<int>(getpid()));
  std::filesystem::create_directories(name);
  return name;
}

// Every jobs-th seed, beginning with first + job.
int run_seeds(const Arguments& arguments, uint64_t job) {
  godwit::ReadMarkLock::TEST_release_only_when_asked();
  Options options = arguments.options;
  options.folder = make_folder();
  uint64_t commits = 0, cuts = 0, kills = 0, done = 0;
  int result = 0;
  for (uint64_t i = job; i < arguments.seeds; i += arguments.jobs) {
    uint64_t seed = arguments.first + i;
    Outcome outcome = Simulation(seed, options).run();
    commits += static_cast<uint64_t>(outcome.commits);
    cuts += static_cast<uint64_t>(outcome.power_cuts);
    kills += static_cast<uint64_t>(outcome.kills);
    ++done;
    if (!outcome.failure.empty()) {
      std::printf("seed %llu FAILED: %s\n  %s\n  again: godwit_sim --first %llu --seeds 1 --verbose\n",
                  static_cast<unsigned long long>(seed), outcome.failure.c_str(),
                  Plan(seed).describe().c_str(), static_cast<unsigned long long>(seed));
      std::fflush(stdout);
      result = 1;
      if (!arguments.all) break;
    }
    if (job == 0 && done % 250 == 0) {
      std::printf("... %llu of %llu seeds\n", static_cast<unsigned long long>(i + 1),
                  static_cast<unsigned long long>(arguments.seeds));
      std::fflush(stdout);
    }
  }
  std::filesystem::remove_all(options.folder);
  std::printf("%llu seeds%s: %llu commits, %llu power cuts, %llu kills\n",
              static_cast<unsigned long long>(done), result == 0 ? " clean" : "",
              static_cast<unsigned long long>(commits), static_cast<unsigned long long>(cuts),
              static_cast<unsigned long long>(kills));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, &arguments)) return 2;
  std::string reference = arguments.reference.empty() ? "build/reference/libsqlite3.so.0" : arguments.reference;
  if (!load_reference(reference) && !load_reference("libsqlite3.so.0")) {
    std::fprintf(stderr, "no reference SQLite was found: files are opened by Godwit alone\n");
    arguments.options.reference = false;
  }
  if (arguments.jobs == 1) return run_seeds(arguments, 0);
  for (uint64_t job = 0; job < arguments.jobs; ++job) {
    if (fork() == 0) {
      int result = run_seeds(arguments, job);
      std::fflush(stdout);
      _exit(result);
    }
  }
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) failed |= status != 0;
  return failed;
}
