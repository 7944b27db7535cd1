#include "json.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "loguuid.h"
#include "machine.h"

namespace bench {

void Json::comma() {
  if (!first_) text_ += ',';
  first_ = false;
}

Json& Json::open(char bracket) {
  comma();
  text_ += bracket;
  first_ = true;
  return *this;
}

Json& Json::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

Json& Json::key(std::string_view name) {
  value(name);
  text_ += ':';
  first_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  comma();
  text_ += '"';
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 32) {
      text_ += fmt::format("\\u{:04x}", byte);
    } else {
      text_ += c;
    }
  }
  text_ += '"';
  return *this;
}

Json& Json::value(double number) {
  comma();
  text_ += std::isfinite(number) ? fmt::format("{:.6g}", number) : "null";
  return *this;
}

Json& Json::value(bool b) {
  comma();
  text_ += b ? "true" : "false";
  return *this;
}

Json& Json::machine_members() {
  const Machine& m = machine();
  member("cpu", m.cpu).member("cores", m.cores).member("kernel", m.kernel).member("os", m.os);
  return member("compiler", m.compiler).member("flags", m.flags).member("version", loguuid_version());
}

bool write_document(const Json& json, const std::string& path, std::string& message) {
  const bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(json.text().data(), 1, json.text().size(), file) == json.text().size();
    good = std::fputc('\n', file) != EOF && good;
    good = (to_stdout ? std::fflush(file) : std::fclose(file)) == 0 && good;
  }
  if (!good) message = fmt::format("cannot write {}: {}", to_stdout ? "standard output" : path, strerror(errno));
  return good;
}

}  // namespace bench
