#include "api/uri.h"

#include <cstdlib>
#include <string_view>

namespace godwit::api {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Undoes %XX. A %00 ends the text.
std::string decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      int c = hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]);
      if (c == 0) break;
      out += static_cast<char>(c);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Status apply_mode(const std::string& mode, ConnectOptions* options) {
  bool was_read_only = options->read_only;
  if (mode == "ro") {
    options->read_only = true;
    options->create = false;
  } else if (mode == "rw" || mode == "rwc") {
    if (was_read_only) return Status(code::kPerm, "access mode not allowed: " + mode);
    options->create = mode == "rwc";
  } else if (mode == "memory") {
    options->memory = true;
  } else {
    return Status::error("no such access mode: " + mode);
  }
  return Status();
}

// As sqlite3_uri_boolean(): a number that is not zero, or a word for yes.
bool is_true(const std::string& value) {
  if (!value.empty() && value[0] >= '0' && value[0] <= '9') return std::atoll(value.c_str()) != 0;
  std::string word;
  for (char c : value) word.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
  return word == "on" || word == "yes" || word == "true";
}

}  // namespace

Status apply_uri(const std::string& uri, std::string* path, ConnectOptions* options,
                 UriParameters* parameters) {
  std::string_view rest(uri);
  rest.remove_prefix(5);  // file:
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view authority = rest.substr(0, slash);
    if (!authority.empty() && authority != "localhost") {
      return Status::error("invalid uri authority: " + std::string(authority));
    }
    rest.remove_prefix(slash);
  }
  rest = rest.substr(0, rest.find('#'));
  size_t question = rest.find('?');
  std::string file = decode(rest.substr(0, question));
  std::string_view query =
      question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  while (!query.empty()) {
    size_t end = std::min(query.find('&'), query.size());
    std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    size_t equal = parameter.find('=');
    std::string name = decode(parameter.substr(0, equal));
    std::string value =
        equal == std::string_view::npos ? "" : decode(parameter.substr(equal + 1));
    parameters->emplace_back(name, value);
    if (name == "mode") GW_TRY(apply_mode(value, options));
    if (name == "cache" && value != "shared" && value != "private") {
      return Status::error("no such cache mode: " + value);
    }
    if (name == "immutable") options->immutable = is_true(value);
    if (name == "nolock") options->no_lock = is_true(value);
  }
  *path = file;
  return Status();
}

}  // namespace godwit::api
