#include "server/http.h"

#include "server/json_writer.h"

namespace godwit::server {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

HttpResponse error_response(int status, std::string_view message, std::string_view code) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  JsonWriter json(&response.body);
  json.begin_object();
  json.key("message").text(message);
  json.key("code").text(code);
  json.end_object();
  return response;
}

}  // namespace godwit::server
