// What the tests of files share: a directory of their own, and C SQLite's command line as a judge.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace godwit {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "godwit-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The output of a shell command, without the last newline.
inline std::string run(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) output.append(buffer.data(), n);
  pclose(pipe);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

// C SQLite in a process of its own that keeps a database open, driven by one line of SQL at a time.
class SqliteProcess {
 public:
  explicit SqliteProcess(const std::string& path) {
    static const char* script =
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)\n"
        "for line in sys.stdin:\n"
        "  try:\n"
        "    print('|'.join(str(c) for row in db.execute(line) for c in row), flush=True)\n"
        "  except Exception as e:\n"
        "    print(e, flush=True)\n";
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) abort();
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (int fd = 3; fd < 256; ++fd) close(fd);
      execlp("python3", "python3", "-c", script, path.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  ~SqliteProcess() {
    fclose(to_);  // the script ends, and closes its connection properly
    int status;
    waitpid(child_, &status, 0);
    fclose(from_);
  }
  void kill() { ::kill(child_, SIGKILL); }
  // The values of the result, separated by bars; or the error's text.
  std::string operator()(const std::string& sql) {
    fprintf(to_, "%s\n", sql.c_str());
    fflush(to_);
    char line[4096] = {};
    if (fgets(line, sizeof line, from_) == nullptr) return "(no answer)";
    std::string result = line;
    result.pop_back();
    return result;
  }

 private:
  pid_t child_;
  FILE* to_;
  FILE* from_;
};

inline std::string sqlite(const std::string& path, const std::string& sql) {
  return run("sqlite3 -batch -init /dev/null '" + path + "' \"" + sql + "\"");
}

}  // namespace godwit
