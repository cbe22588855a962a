// Loadable extensions: shared libraries that add functions, collations and modules to a connection,
// and those that every new connection gets.
#include <dlfcn.h>

#include <algorithm>
#include <mutex>

#include "api/api_routines.h"
#include "api/extension.h"
#include "api/handles.h"
#include "base/utf.h"

using namespace godwit;
using namespace godwit::api;

namespace {

constexpr size_t kPathBytesMax = 4096;
constexpr const char* kDefaultEntry = "sqlite3_extension_init";

std::string last_error(std::string fallback) {
  const char* text = dlerror();
  return text == nullptr ? std::move(fallback) : std::string(text);
}

// sqlite3_NAME_init of dir/[lib]NAME.so; of the letters in NAME alone, or of its digits too.
std::string entry_of_file(const std::string& file, bool with_digits) {
  size_t start = file.rfind('/') + 1;  // npos + 1 is 0
  if (file.size() - start >= 3 && equals_ignore_case(file.substr(start, 3), "lib")) start += 3;
  std::string entry = "sqlite3_";
  for (size_t i = start; i < file.size() && file[i] != '.'; ++i) {
    char c = file[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (with_digits && c >= '0' && c <= '9')) entry += c;
  }
  return entry + "_init";
}

sqlite3_loadext_entry find_entry(void* library, const std::string& file, const char* entry) {
  std::string names[] = {entry != nullptr ? entry : kDefaultEntry, entry_of_file(file, false),
                         entry_of_file(file, true)};
  for (const std::string& name : names) {
    if (void* symbol = dlsym(library, name.c_str())) {
      return reinterpret_cast<sqlite3_loadext_entry>(symbol);
    }
    if (entry != nullptr) break;
  }
  return nullptr;
}

// Opens `file`, or the same name with the suffix of shared libraries.
void* open_library(const std::string& file, std::string* error) {
  std::string fallback = "unable to open shared library [" + file + "]";
  if (file.empty() || file.size() > kPathBytesMax) {
    *error = std::move(fallback);
    return nullptr;
  }
  for (const std::string& path : {file, file + ".so"}) {
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    *error = last_error(fallback);
  }
  return nullptr;
}

// The mutex of `db` is held.
int load(sqlite3* db, const std::string& file, const char* entry, std::string* error) {
  void* library = open_library(file, error);
  if (library == nullptr) return SQLITE_ERROR;
  sqlite3_loadext_entry start = find_entry(library, file, entry);
  if (start == nullptr) {
    *error = last_error("no entry point [" + std::string(entry != nullptr ? entry : kDefaultEntry) +
                        "] in shared library [" + file + "]");
    dlclose(library);
    return SQLITE_ERROR;
  }
  char* message = nullptr;
  int code = start(db, &message, api_routines());
  if (code == SQLITE_OK_LOAD_PERMANENTLY) return SQLITE_OK;
  if (code != SQLITE_OK) {
    *error = "error during initialization: " + std::string(message == nullptr ? "" : message);
    sqlite3_free(message);
    dlclose(library);
    return SQLITE_ERROR;
  }
  db->extensions.push_back(library);
  return SQLITE_OK;
}

// Those that every new connection gets.
struct AutomaticExtensions {
  std::mutex mutex;
  std::vector<void (*)()> entries;
};

AutomaticExtensions& automatic_extensions() {
  static auto* extensions = new AutomaticExtensions;  // never destroyed: threads may outlive main()
  return *extensions;
}

}  // namespace

namespace godwit::api {

Status start_automatic_extensions(sqlite3* db) {
  AutomaticExtensions& all = automatic_extensions();
  for (size_t i = 0;; ++i) {
    sqlite3_loadext_entry entry = nullptr;
    {
      // An extension may add others.
      std::lock_guard lock(all.mutex);
      if (i >= all.entries.size()) return Status();
      entry = reinterpret_cast<sqlite3_loadext_entry>(all.entries[i]);
    }
    char* message = nullptr;
    int code = entry(db, &message, api_routines());
    std::string text = message == nullptr ? "" : message;
    sqlite3_free(message);
    if (code != SQLITE_OK) return Status(code, "automatic extension loading failed: " + text);
  }
}

void close_extensions(sqlite3* db) {
  for (void* library : db->extensions) dlclose(library);
  db->extensions.clear();
}

Status load_extension_function(void* context, std::string_view file, std::string_view entry) {
  auto* db = static_cast<sqlite3*>(context);
  if (!db->connection->settings.load_extension_function) return Status::error("not authorized");
  std::string error;
  std::string name(entry);
  int code = load(db, std::string(file.substr(0, file.find('\0'))),
                  entry.data() == nullptr ? nullptr : name.c_str(), &error);
  return code == SQLITE_OK ? Status() : Status(code, std::move(error));
}

}  // namespace godwit::api

int sqlite3_load_extension(sqlite3* db, const char* file, const char* entry, char** error) {
  if (error != nullptr) *error = nullptr;
  if (!is_usable(db) || file == nullptr) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  std::string text = "not authorized";
  int code = SQLITE_ERROR;
  if (db->connection->settings.load_extension) code = load(db, file, entry, &text);
  if (code != SQLITE_OK && error != nullptr) *error = sqlite3_mprintf("%s", text.c_str());
  return code;
}

int sqlite3_enable_load_extension(sqlite3* db, int on) {
  if (!is_usable(db)) return SQLITE_MISUSE;
  std::lock_guard lock(db->mutex);
  db->connection->settings.load_extension = on != 0;
  db->connection->settings.load_extension_function = on != 0;
  return SQLITE_OK;
}

int sqlite3_auto_extension(void (*entry)(void)) {
  if (entry == nullptr) return SQLITE_MISUSE;
  AutomaticExtensions& all = automatic_extensions();
  std::lock_guard lock(all.mutex);
  if (std::ranges::find(all.entries, entry) == all.entries.end()) all.entries.push_back(entry);
  return SQLITE_OK;
}

int sqlite3_cancel_auto_extension(void (*entry)(void)) {
  AutomaticExtensions& all = automatic_extensions();
  std::lock_guard lock(all.mutex);
  return std::erase(all.entries, entry) > 0 ? 1 : 0;
}

void sqlite3_reset_auto_extension(void) {
  AutomaticExtensions& all = automatic_extensions();
  std::lock_guard lock(all.mutex);
  all.entries.clear();
}
