#include "server/token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server/base64.h"
#include "server/json_writer.h"

namespace godwit::server {
namespace {

using TokenJson = nlohmann::json;

constexpr size_t kTokenSizeMax = 8192;
constexpr size_t kSecretSizeMin = 32;

struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, BioFree>;

std::string bio_text(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

std::shared_ptr<EVP_PKEY> own(EVP_PKEY* key) {
  return {key, [](EVP_PKEY* k) { EVP_PKEY_free(k); }};
}

std::string base64_url(std::string_view bytes) {
  std::string out;
  append_base64(bytes, Base64::kUrlUnpadded, &out);
  return out;
}

std::optional<TokenJson> decode_part(std::string_view part) {
  std::string bytes;
  if (!parse_base64(part, Base64::kUrlUnpadded, &bytes)) return {};
  // Claims are flat; what is deeper is not ours.
  if (std::count(bytes.begin(), bytes.end(), '[') + std::count(bytes.begin(), bytes.end(), '{') > 32) {
    return {};
  }
  TokenJson json = TokenJson::parse(bytes, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return {};
  return json;
}

std::optional<int64_t> time_claim(const TokenJson& json, const char* name, bool* ok) {
  auto found = json.find(name);
  if (found == json.end()) return {};
  if (!found->is_number()) {
    *ok = false;
    return {};
  }
  double value = found->get<double>();
  if (!(value > -1e15 && value < 1e15)) *ok = false;
  return *ok ? std::optional<int64_t>(static_cast<int64_t>(value)) : std::nullopt;
}

std::optional<TokenClaims> read_claims(const TokenJson& json, int64_t now) {
  TokenClaims claims;
  bool ok = true;
  claims.expires = time_claim(json, "exp", &ok);
  auto not_before = time_claim(json, "nbf", &ok);
  if (!ok || (claims.expires && now >= *claims.expires) || (not_before && now < *not_before)) return {};
  if (auto access = json.find("a"); access != json.end()) {
    if (*access != "rw" && *access != "ro") return {};
    claims.may_write = *access == "rw";
  }
  if (auto databases = json.find("db"); databases != json.end()) {
    if (!databases->is_array()) return {};
    claims.all_databases = false;
    for (const TokenJson& name : *databases) {
      if (!name.is_string()) return {};
      if (name == "*") claims.all_databases = true;
      claims.databases.push_back(name.get<std::string>());
    }
  }
  if (auto admin = json.find("admin"); admin != json.end()) {
    claims.is_admin = admin->is_boolean() && admin->get<bool>();
  }
  if (auto subject = json.find("sub"); subject != json.end() && subject->is_string()) {
    claims.subject = subject->get<std::string>();
  }
  return claims;
}

}  // namespace

bool TokenClaims::covers(std::string_view database) const {
  return all_databases ||
         std::find(databases.begin(), databases.end(), database) != databases.end();
}

Result<TokenKey> TokenKey::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::error("cannot read " + path);
  std::ostringstream content;
  content << file.rdbuf();
  return from_text(content.str(), path);
}

Result<TokenKey> TokenKey::from_text(std::string_view content, const std::string& name) {
  TokenKey key;
  if (content.find("-----BEGIN") != std::string_view::npos) {
    auto bio = BioPtr(BIO_new_mem_buf(content.data(), static_cast<int>(content.size())));
    key.is_private_ = content.find("PRIVATE KEY-----") != std::string_view::npos;
    key.key_ = own(key.is_private_ ? PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr)
                                   : PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
    if (!key.key_ || EVP_PKEY_id(key.key_.get()) != EVP_PKEY_ED25519) {
      return Status::error(name + " holds no Ed25519 key");
    }
    return key;
  }
  while (!content.empty() && (content.back() == '\n' || content.back() == '\r')) {
    content.remove_suffix(1);
  }
  if (content.size() < kSecretSizeMin) {
    return Status::error(name + " is neither a PEM file nor a secret of at least 32 bytes");
  }
  key.secret_ = content;
  return key;
}

Result<std::pair<std::string, std::string>> TokenKey::generate() {
  auto key = own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  auto private_bio = BioPtr(BIO_new(BIO_s_mem())), public_bio = BioPtr(BIO_new(BIO_s_mem()));
  if (!key ||
      PEM_write_bio_PrivateKey(private_bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_PUBKEY(public_bio.get(), key.get()) != 1) {
    return Status::error("cannot make a key");
  }
  return std::pair(bio_text(private_bio.get()), bio_text(public_bio.get()));
}

std::string TokenKey::hmac(std::string_view text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return {reinterpret_cast<char*>(digest), size};
}

Result<std::string> TokenKey::sign(const TokenClaims& claims, int64_t issued_at) const {
  std::string header, payload;
  JsonWriter json(&header);
  json.begin_object();
  json.key("alg").text(algorithm());
  json.key("typ").text("JWT");
  json.end_object();
  JsonWriter body(&payload);
  body.begin_object();
  body.key("a").text(claims.may_write ? "rw" : "ro");
  if (!claims.all_databases) {
    body.key("db").begin_array();
    for (const std::string& name : claims.databases) body.text(name);
    body.end_array();
  }
  if (claims.is_admin) body.key("admin").boolean(true);
  if (!claims.subject.empty()) body.key("sub").text(claims.subject);
  body.key("iat").integer(issued_at);
  if (claims.expires) body.key("exp").integer(*claims.expires);
  body.end_object();
  std::string token = base64_url(header) + '.' + base64_url(payload);
  if (!secret_.empty()) return token + '.' + base64_url(hmac(token));
  if (!is_private_) return Status::error("a public key cannot sign");
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  unsigned char signature[64];
  size_t size = sizeof signature;
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), signature, &size,
                     reinterpret_cast<const unsigned char*>(token.data()), token.size()) != 1) {
    return Status::error("cannot sign");
  }
  return token + '.' + base64_url({reinterpret_cast<char*>(signature), size});
}

bool TokenKey::verify(std::string_view signed_part, std::string_view signature) const {
  if (!secret_.empty()) {
    std::string expected = hmac(signed_part);
    return expected.size() == signature.size() &&
           CRYPTO_memcmp(expected.data(), signature.data(), signature.size()) == 0;
  }
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(),
                          reinterpret_cast<const unsigned char*>(signed_part.data()),
                          signed_part.size()) == 1;
}

std::optional<TokenClaims> verify_token(const std::vector<TokenKey>& keys, std::string_view token,
                                        int64_t now) {
  if (token.size() > kTokenSizeMax) return {};
  size_t first = token.find('.'), last = token.rfind('.');
  if (first == std::string_view::npos || first == last) return {};
  std::string signature;
  if (!parse_base64(token.substr(last + 1), Base64::kUrlUnpadded, &signature)) return {};
  auto header = decode_part(token.substr(0, first));
  if (!header || !header->contains("alg") || header->contains("crit")) return {};
  for (const TokenKey& key : keys) {
    if ((*header)["alg"] != key.algorithm()) continue;
    if (!key.verify(token.substr(0, last), signature)) continue;
    auto payload = decode_part(token.substr(first + 1, last - first - 1));
    if (!payload) return {};
    return read_claims(*payload, now);
  }
  return {};
}

}  // namespace godwit::server
