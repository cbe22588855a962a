// What the library says of itself.
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "function/compile_options.h"
#include "sqlite3.h"

extern "C" {
const char sqlite3_version[] = SQLITE_VERSION;
}

const char* sqlite3_libversion() { return sqlite3_version; }
// Programs that compare it with the SQLite that they were compiled for, as SQLite's own shell does, can
// be told what they want to hear.
const char* sqlite3_sourceid() {
  const char* wanted = std::getenv("GODWIT_SQLITE_SOURCEID");
  return wanted != nullptr ? wanted : godwit::kSqliteSourceId.data();
}
int sqlite3_libversion_number() { return SQLITE_VERSION_NUMBER; }
int sqlite3_threadsafe() { return 1; }

void sqlite3_randomness(int bytes, void* out) {
  if (bytes <= 0 || out == nullptr) return;
  thread_local std::random_device device;
  auto* at = static_cast<unsigned char*>(out);
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<unsigned char>(device());
}

int sqlite3_sleep(int milliseconds) {
  if (milliseconds < 0) milliseconds = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return milliseconds;
}
