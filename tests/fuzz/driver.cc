// usage: fuzz_TARGET [--seconds N] [--seed N] [FILE...]
// Mutates seeds for N seconds (default 10), or runs the given files once. An input that crashes the
// target is in ./fuzz-crash-input when the process dies: it is written before it is run.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/prng.h"
#include "tests/fuzz/driver.h"

namespace {

using godwit::Prng;

// Changes a few places of `input`: bits, bytes, interesting numbers, pieces copied, cut or inserted.
void mutate(Prng* prng, const std::vector<std::string>& seeds, std::string* input) {
  static constexpr uint8_t kInteresting[] = {0, 1, 2, 5, 10, 13, 0x7f, 0x80, 0xff};
  uint64_t changes = 1 + prng->below(8);
  for (uint64_t i = 0; i < changes; ++i) {
    if (input->empty()) *input = "x";
    size_t at = prng->below(input->size());
    switch (prng->below(7)) {
      case 0: (*input)[at] = static_cast<char>((*input)[at] ^ (1 << prng->below(8))); break;
      case 1: (*input)[at] = static_cast<char>(prng->next()); break;
      case 2: (*input)[at] = static_cast<char>(kInteresting[prng->below(std::size(kInteresting))]); break;
      case 3: input->erase(at, 1 + prng->below(16)); break;
      case 4: input->insert(at, input->substr(prng->below(input->size()), prng->below(32))); break;
      case 5: {
        const std::string& other = seeds[prng->below(seeds.size())];
        if (other.empty()) break;
        size_t from = prng->below(other.size());
        input->replace(at, prng->below(32), other.substr(from, prng->below(64)));
        break;
      }
      default:
        if (prng->below(20) == 0) input->resize(at);
        break;
    }
  }
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 10;
  uint64_t seed = 1;
  bool files = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::ifstream file(argv[i], std::ios::binary);
      run(std::string(std::istreambuf_iterator<char>(file), {}));
      files = true;
    }
  }
  if (files) return 0;
  std::vector<std::string> seeds = fuzz_seeds();
  for (const std::string& input : seeds) run(input);
  Prng prng(seed);
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  uint64_t count = 0;
  while (std::chrono::steady_clock::now() < end) {
    std::string input = seeds[prng.below(seeds.size())];
    mutate(&prng, seeds, &input);
    std::ofstream("fuzz-crash-input", std::ios::binary) << input;
    run(input);
    ++count;
  }
  std::remove("fuzz-crash-input");
  std::printf("%llu inputs, seed %llu: no crash\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
  return 0;
}
