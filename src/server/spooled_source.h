// A body that is written to a temporary file before it is sent: of databases whose readers keep writers
// out.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "server/http.h"

namespace godwit::server {

class SpooledSource final : public BodySource {
 public:
  // Takes all of `source`. The file has no name and lies beside the database, where there is room.
  static Result<std::unique_ptr<BodySource>> make(const std::string& database_path,
                                                  BodySource* source);
  ~SpooledSource() override;
  Result<bool> next(std::string* out) override;

 private:
  FILE* file_ = nullptr;
};

}  // namespace godwit::server
