// What a fuzz target provides. The targets follow libFuzzer's interface; without libFuzzer,
// driver.cc mutates the seeds for a bounded time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Inputs to start from.
std::vector<std::string> fuzz_seeds();
