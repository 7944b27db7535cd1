#include "format.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bench {
namespace {

constexpr size_t kSlack = 256;

template <size_t N>
struct Text {
  char chars[N];
  constexpr Text(const char (&text)[N]) {
    for (size_t i = 0; i < N; ++i) chars[i] = text[i];
  }
};

template <Text kValue>
size_t write_value(void*, char* out, size_t cap) {
  constexpr size_t len = sizeof kValue.chars - 1;
  memcpy(out, kValue.chars, len < cap ? len : cap);
  return len;
}

// The path varies when the caller counts lines: its length then lies between 16 and 216 characters.
size_t write_path(void* context, char* out, size_t cap) {
  static constexpr char kPath[] = "/shop/item/48213";
  const size_t fixed = sizeof kPath - 1;
  size_t more = 0;
  if (context != nullptr) {
    uint64_t number;
    memcpy(&number, context, sizeof number);
    more = (number * 0x9e3779b97f4a7c15u >> 32) % 201;
  }
  memcpy(out, kPath, std::min(fixed, cap));
  if (cap > fixed) memset(out + fixed, 'x', std::min(more, cap - fixed));
  return fixed + more;
}

template <Text kValue>
constexpr loguuid_field text(const char* name) {
  return {name, write_value<kValue>, LOGUUID_STR};
}
template <Text kValue>
constexpr loguuid_field number(const char* name) {
  return {name, write_value<kValue>, LOGUUID_INT};
}

}  // namespace

const std::vector<loguuid_field>& host_fields() {
  static const std::vector<loguuid_field> fields = {
      // client, frontend, backend, server
      text<"203.0.113.87">("ci"), number<"51922">("cp"), text<"198.51.100.10">("fi"), number<"443">("fp"),
      text<"203.0.113.87">("src"), text<"198.51.100.10">("dst"), text<"www-https">("f"), text<"www-https~">("ft"),
      text<"www-https">("fe"), text<"app-pool">("b"), text<"app-pool">("be"), text<"10.20.0.7">("bi"),
      number<"40718">("bp"), text<"app-17">("s"), text<"app-17">("srv"), text<"10.20.1.17">("si"), number<"8080">("sp"),
      // timers in milliseconds
      number<"0">("TR"), number<"3">("Tw"), number<"1">("Tc"), number<"27">("Tr"), number<"31">("Ta"),
      number<"31">("Tt"), number<"0">("Th"), number<"4">("Ti"), number<"28">("Td"), number<"4">("Tq"),
      // status, sizes, counts
      number<"200">("ST"), number<"200">("st"), number<"18733">("B"), number<"612">("U"), text<"----">("tsc"),
      text<"--">("ts"), number<"812">("ac"), number<"640">("fc"), number<"93">("bc"), number<"11">("sc"),
      number<"0">("rc"), number<"0">("sq"), number<"0">("bq"), number<"7719033">("lc"),
      // the request
      text<"GET /shop/item/48213?ref=newsletter HTTP/2.0">("r"), text<"GET">("HM"), text<"/shop/item/48213">("HP"),
      text<"?ref=newsletter">("HQ"), text<"/shop/item/48213?ref=newsletter">("HU"), text<"HTTP/2.0">("HV"),
      text<"GET">("method"), loguuid_field{"path", write_path, LOGUUID_STR}, text<"ref=newsletter">("query"),
      text<"www.example.com">("host"), text<"https://www.example.com/shop">("referer"),
      text<"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0">("ua"),
      text<"{www.example.com|Mozilla/5.0 (X11; Linux x86_64)}">("hr"), text<"{text/html}">("hs"), text<"">("CC"),
      text<"">("CS"), text<"TLSv1.3">("sslv"), text<"TLS_AES_128_GCM_SHA256">("sslc")};
  return fields;
}

std::string Format::line() const {
  std::string text(line_capacity(), '\0');
  text.resize(loguuid_format_render(get(), text.data(), text.size(), nullptr));
  return text;
}

size_t Format::line_capacity() const { return loguuid_format_render(get(), nullptr, 0, nullptr) + kSlack; }

size_t count_uuids(const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("[uuid", at)) != std::string::npos; ++at) ++count;
  return count;
}

Format compile(const std::string& text, std::string& message) {
  loguuid_format* format = nullptr;
  loguuid_format_error error;
  const auto& fields = host_fields();
  const loguuid_status status = loguuid_format_compile(&format, text.c_str(), fields.data(), fields.size(), 0, &error);
  if (status == LOGUUID_OK) return Format(format);
  message = error.message[0] != '\0' ? error.message : loguuid_strerror(status);
  return {};
}

bool read_format_file(const std::string& path, std::string& text, std::string& message) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) {
    message = fmt::format("cannot open {}: {}", path, strerror(errno));
    return false;
  }
  text.clear();
  char part[4096];
  for (size_t len; (len = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, len);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) {
    message = fmt::format("cannot read {}", path);
    return false;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty() || text.find_first_of(std::string("\n\0", 2)) != std::string::npos) {
    message = fmt::format("{} must hold one log-format on one line", path);
    return false;
  }
  return true;
}

}  // namespace bench
