#include "server/token.h"

#include <gtest/gtest.h>

namespace godwit::server {
namespace {

constexpr int64_t kNow = 1800000000;
constexpr std::string_view kSecret = "0123456789abcdef0123456789abcdef";

TEST(Token, SaysWhatWasSigned) {
  auto pair = TokenKey::generate();
  ASSERT_TRUE(pair.ok());
  auto signer = TokenKey::from_text(pair->first, "private");
  auto verifier = TokenKey::from_text(pair->second, "public");
  ASSERT_TRUE(signer.ok() && verifier.ok());
  TokenClaims claims;
  claims.all_databases = false;
  claims.databases = {"a", "b"};
  claims.may_write = false;
  claims.expires = kNow + 10;
  auto token = signer->sign(claims, kNow);
  ASSERT_TRUE(token.ok());
  EXPECT_FALSE(verifier->sign(claims, kNow).ok());
  std::vector<TokenKey> keys = {*verifier};
  auto read = verify_token(keys, *token, kNow);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->may_write);
  EXPECT_FALSE(read->is_admin);
  EXPECT_TRUE(read->covers("a"));
  EXPECT_FALSE(read->covers("c"));
  EXPECT_FALSE(verify_token(keys, *token, kNow + 10));
  EXPECT_FALSE(verify_token({}, *token, kNow));
  for (size_t i = 0; i < token->size(); ++i) {
    std::string changed = *token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    // The last character of a part has bits that say nothing.
    bool is_last = i + 1 == token->size() || (*token)[i + 1] == '.';
    if (is_last) continue;
    EXPECT_FALSE(verify_token(keys, changed, kNow)) << i;
  }
}

TEST(Token, OfAnotherAlgorithmIsRefused) {
  auto secret = TokenKey::from_text(kSecret, "secret");
  ASSERT_TRUE(secret.ok());
  auto pair = TokenKey::generate();
  auto verifier = TokenKey::from_text(pair->second, "public");
  // The public key, known to all, used as a secret.
  auto confused = TokenKey::from_text(pair->second.substr(27), "as secret");
  ASSERT_TRUE(confused.ok());
  EXPECT_FALSE(verify_token({*verifier}, *confused->sign({}, kNow), kNow));
  EXPECT_TRUE(verify_token({*verifier, *secret}, *secret->sign({}, kNow), kNow));
  // {"alg":"none"} . {}
  EXPECT_FALSE(verify_token({*secret}, "eyJhbGciOiJub25lIn0.e30.", kNow));
}


TEST(Token, NamesItsAlgorithm) {
  auto secret = TokenKey::from_text("your-256-bit-secret-your-256-bit-secret", "secret");
  ASSERT_TRUE(secret.ok());
  TokenClaims claims;
  claims.subject = "x";
  auto token = secret->sign(claims, kNow);
  EXPECT_EQ(token->substr(0, token->find('.')), "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9");
}

TEST(TokenKey, RefusesWhatIsNoKey) {
  EXPECT_FALSE(TokenKey::from_text("short", "x").ok());
  EXPECT_FALSE(TokenKey::from_text("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "x").ok());
}

}  // namespace
}  // namespace godwit::server
