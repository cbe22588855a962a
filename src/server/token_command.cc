#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "server/commands.h"
#include "server/option_reader.h"
#include "server/token.h"

namespace godwit::server {
namespace {

constexpr char kTokenUsage[] =
    "Usage: godwit token new-key FILE        makes FILE (private key, signs tokens) and FILE.pub\n"
    "                                        (public key, enough for the server)\n"
    "       godwit token --key FILE [OPTIONS] prints a token\n"
    "\n"
    "The key is an Ed25519 key in PEM, or any file of at least 32 bytes: the secret of HS256.\n"
    "\n"
    "   --db NAME         good for this database only (may be repeated)\n"
    "   --read-only       changes nothing\n"
    "   --admin           may create databases and read /metrics\n"
    "   --expires TIME    from now: 30d, 12h, 15m (default: never)\n"
    "   --subject WHO     whom it is for\n";

int token_failure(const std::string& message) {
  std::fprintf(stderr, "godwit token: %s\n", message.c_str());
  return 1;
}

bool write_file(const std::string& path, const std::string& content, int mode) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return false;
  bool ok = write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  return ::close(fd) == 0 && ok;
}

int make_key(const std::string& path) {
  auto pair = TokenKey::generate();
  if (!pair.ok()) return token_failure(pair.status().message());
  if (!write_file(path, pair->first, 0600) || !write_file(path + ".pub", pair->second, 0644)) {
    return token_failure("cannot write " + path + " (it must not exist)");
  }
  return 0;
}

}  // namespace

int token_command(int argc, char** argv) {
  OptionReader reader(argc, argv);
  TokenClaims claims;
  std::string key_file, new_key;
  bool makes_key = false;
  const int64_t now = std::time(nullptr);
  while (reader.next()) {
    const std::string name = reader.name();
    if (!reader.is_option()) {
      if (name == "new-key" && !makes_key) makes_key = true;
      else if (makes_key && new_key.empty()) new_key = name;
      else reader.fail("unexpected: " + name);
    } else if (name == "help") {
      std::fputs(kTokenUsage, stdout);
      return 0;
    } else if (name == "key") {
      key_file = reader.value();
    } else if (name == "db") {
      claims.all_databases = false;
      claims.databases.push_back(reader.value());
    } else if (name == "read-only") {
      claims.may_write = !reader.flag();
    } else if (name == "admin") {
      claims.is_admin = reader.flag();
    } else if (name == "expires") {
      claims.expires = now + reader.milliseconds() / 1000;
    } else if (name == "subject") {
      claims.subject = reader.value();
    } else {
      reader.fail("unknown option: --" + name);
    }
  }
  if (!reader.failed() && makes_key == new_key.empty()) reader.fail("new-key needs a file");
  if (!reader.failed() && !makes_key && key_file.empty()) reader.fail("--key is needed");
  if (reader.failed()) return token_failure(reader.error());
  if (makes_key) return make_key(new_key);
  auto key = TokenKey::load(key_file);
  if (!key.ok()) return token_failure(key.status().message());
  auto token = key->sign(claims, now);
  if (!token.ok()) return token_failure(token.status().message());
  std::printf("%s\n", token->c_str());
  return 0;
}

}  // namespace godwit::server
