// Writes one JSON document.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace bench {

class Json {
 public:
  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_array() { return open('['); }
  Json& end_array() { return close(']'); }

  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(double number);  // null when it is no finite number
  Json& value(bool b);
  template <class Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool>) Json& value(Int number) {
    comma();
    text_ += std::to_string(number);
    return *this;
  }

  template <class T>
  Json& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

  // Members that every document has: the machine.
  Json& machine_members();

  const std::string& text() const { return text_; }

 private:
  Json& open(char bracket);
  Json& close(char bracket);
  void comma();

  std::string text_;
  bool first_ = true;
};

// To a file, or to standard output for "-". False and a message on failure.
bool write_document(const Json& json, const std::string& path, std::string& message);

}  // namespace bench
