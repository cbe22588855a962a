// Bearer tokens: JSON Web Tokens (RFC 7519), signed with Ed25519 ("EdDSA") or HMAC-SHA-256 ("HS256").
//
//   {"a": "rw" or "ro", "db": ["name", ...], "exp": seconds since 1970, "admin": true, "sub": "who"}
//
// Without "db" a token is good for all databases, without "a" for writing, without "exp" for ever. The
// algorithm is that of the server's key; what the token's header says must be the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct evp_pkey_st;

namespace godwit::server {

struct TokenClaims {
  bool may_write = true;
  bool is_admin = false;
  bool all_databases = true;
  std::vector<std::string> databases;  // unless all_databases
  std::optional<int64_t> expires;      // seconds since 1970
  std::string subject;

  bool covers(std::string_view database) const;
};

class TokenKey {
 public:
  // A PEM file with an Ed25519 key (a public one can only verify), or any other file of at least 32
  // bytes: the secret of HS256.
  static Result<TokenKey> load(const std::string& path);
  static Result<TokenKey> from_text(std::string_view content, const std::string& name);
  // A new Ed25519 key pair in PEM.
  static Result<std::pair<std::string, std::string>> generate();  // private, public

  // Errors: the key is a public one.
  Result<std::string> sign(const TokenClaims& claims, int64_t issued_at) const;
  bool verify(std::string_view signed_part, std::string_view signature) const;
  std::string_view algorithm() const { return secret_.empty() ? "EdDSA" : "HS256"; }

 private:
  std::string hmac(std::string_view text) const;
  std::shared_ptr<evp_pkey_st> key_;  // Ed25519
  bool is_private_ = false;
  std::string secret_;  // HS256
};

// Nothing: the token is malformed, signed by nobody we know, or not valid at this time.
std::optional<TokenClaims> verify_token(const std::vector<TokenKey>& keys, std::string_view token,
                                        int64_t now);

}  // namespace godwit::server
