// A connection that runs SQL, whoever serves it: Godwit on the simulated machine, or reference
// SQLite on files that were dumped to a real folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/connection.h"
#include "os/vfs.h"

namespace godwit::sim {

using SqlRow = std::vector<std::string>;  // values as text

class Session {
 public:
  virtual ~Session() = default;
  // The rows of one statement. Returns the extended result code, 0 when all went well.
  virtual int run(const std::string& sql, std::vector<SqlRow>* rows = nullptr) = 0;
  virtual std::string message() const = 0;
};

class GodwitSession : public Session {
 public:
  // Null: could not be opened; *code says why.
  static std::unique_ptr<GodwitSession> open(Vfs* vfs, const std::string& path, int* code);
  int run(const std::string& sql, std::vector<SqlRow>* rows = nullptr) override;
  std::string message() const override { return message_; }
  bool in_transaction() const { return !connection_->autocommit(); }

 private:
  std::unique_ptr<Connection> connection_;
  std::string message_;
};

// Loads the library at `path`. False: it cannot be.
bool load_reference(const std::string& path);
std::unique_ptr<Session> open_reference(const std::string& path, int* code);

}  // namespace godwit::sim
