// Well-formed or not: JSON (RFC 8259, with strict UTF-8, RFC 3629) and CBOR as hexadecimal digits (RFC 8949). One
// object or map, nothing before it, nothing behind.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace fuzz {

class Json {
 public:
  static bool is_object(const std::string& text) {
    Json json(text);
    return json.object() && json.at_ == text.size();
  }

 private:
  explicit Json(const std::string& text) : text_(text) {}

  unsigned char peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : 0; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(const char* expected) {
    const size_t len = strlen(expected);
    if (text_.compare(at_, len, expected) != 0) return false;
    at_ += len;
    return true;
  }
  void blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;  // a line feed would end the log line
  }
  bool object() {
    if (!take('{')) return false;
    blanks();
    if (take('}')) return true;
    do {
      blanks();
      if (!string()) return false;
      blanks();
      if (!take(':')) return false;
      blanks();
      if (!value()) return false;
      blanks();
    } while (take(','));
    return take('}');
  }
  bool value() {
    if (peek() == '"') return string();
    if (peek() == '{') return object();
    return word("true") || word("false") || word("null") || number();
  }
  bool digits() {
    const size_t from = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > from;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return true;
  }
  bool escape() {
    if (peek() != 'u') {
      const bool known = peek() != 0 && strchr("\"\\/bfnrt", peek()) != nullptr;
      ++at_;
      return known;
    }
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_)
      if (peek() == 0 || strchr("0123456789abcdefABCDEF", peek()) == nullptr) return false;
    return true;
  }
  bool rune() {
    const unsigned char lead = peek();
    ++at_;
    if (lead < 0x80) return true;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4) return false;
    uint32_t code = lead & (0x3fu >> more);
    for (int i = 0; i < more; ++i, ++at_) {
      if ((peek() & 0xc0) != 0x80) return false;
      code = code << 6 | (peek() & 0x3f);
    }
    return code >= (more == 1   ? 0x80u
                    : more == 2 ? 0x800u
                                : 0x10000u) &&
           code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  }
  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      if (take('"')) return true;
      if (take('\\')) {
        if (!escape()) return false;
      } else if (peek() < 0x20 || !rune()) {
        return false;
      }
    }
    return false;
  }

  const std::string& text_;
  size_t at_ = 0;
};

class Cbor {
 public:
  static bool is_map(const std::string& digits) {
    Cbor cbor;
    if (digits.size() % 2 != 0) return false;
    for (size_t i = 0; i < digits.size(); i += 2) {
      const int high = digit(digits[i]), low = digit(digits[i + 1]);
      if (high < 0 || low < 0) return false;
      cbor.bytes_ += static_cast<char>(high << 4 | low);
    }
    return !cbor.bytes_.empty() && (static_cast<unsigned char>(cbor.bytes_[0]) >> 5) == 5 && cbor.item(0) &&
           cbor.at_ == cbor.bytes_.size();
  }

 private:
  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  bool byte(unsigned& b) {
    if (at_ >= bytes_.size()) return false;
    b = static_cast<unsigned char>(bytes_[at_++]);
    return true;
  }
  // Text must be UTF-8: it is read as a string of JSON, whose special characters are not looked at.
  static bool is_utf8(const std::string& text) {
    std::string json = "{\"\":\"";
    for (char c : text) json += static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' ? '.' : c;
    return Json::is_object(json + "\"}");
  }
  bool item(int depth) {
    unsigned head = 0, more = 0;
    if (depth > 8 || !byte(head)) return false;
    const unsigned major = head >> 5, low = head & 31;
    uint64_t argument = low;
    const bool endless = low == 31;
    if (low >= 24 && !endless) {
      if (low > 27) return false;
      argument = 0;
      for (unsigned i = 0; i < 1u << (low - 24); ++i) {
        if (!byte(more)) return false;
        argument = argument << 8 | more;
      }
    }
    switch (major) {
      case 0:
      case 1:
        return !endless;
      case 2:
      case 3:
        if (endless) return pieces(major);
        if (argument > bytes_.size() - at_) return false;
        at_ += argument;
        return major == 2 || is_utf8(bytes_.substr(at_ - argument, argument));
      case 4:
      case 5:
        return items(major == 5 ? 2 : 1, endless, argument, depth);
      case 7:
        return !endless && (low < 24 || low > 24 || argument >= 32);
      default:
        return !endless && item(depth + 1);
    }
  }
  bool end_of_items() {
    if (at_ >= bytes_.size() || static_cast<unsigned char>(bytes_[at_]) != 0xff) return false;
    ++at_;
    return true;
  }
  bool pieces(unsigned major) {
    while (!end_of_items()) {
      if (at_ >= bytes_.size() || (static_cast<unsigned char>(bytes_[at_]) >> 5) != major || !item(8)) return false;
    }
    return true;
  }
  bool items(uint64_t each, bool endless, uint64_t count, int depth) {
    while (endless ? !end_of_items() : count-- > 0)
      for (uint64_t i = 0; i < each; ++i)
        if (!item(depth + 1)) return false;
    return true;
  }

  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace fuzz
