#include "identifier.h"

#include <fmt/format.h>
#include <loguuid.h>

#include <chrono>
#include <iterator>

namespace loguuid::tool {
namespace {

// A big-endian number from `count` bytes.
std::uint64_t number_at(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; i++) value = value << 8 | bytes[at + i];
  return value;
}

Instant from_milliseconds(std::uint64_t ms) {
  return {static_cast<std::int64_t>(ms / 1000), static_cast<std::uint32_t>(ms % 1000), 3};
}

// Units of 100 ns since the Gregorian reform, 1582-10-15 (RFC 9562, section 5.1).
Instant from_gregorian(std::uint64_t ticks) {
  constexpr std::int64_t reform_to_unix_seconds = 12'219'292'800;
  return {static_cast<std::int64_t>(ticks / 10'000'000) - reform_to_unix_seconds,
          static_cast<std::uint32_t>(ticks % 10'000'000), 7};
}

}  // namespace

std::string iso_time(const Instant& instant) {
  using namespace std::chrono;
  const sys_seconds moment{seconds(instant.seconds)};
  const sys_days day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(moment - day);
  const int year = static_cast<int>(date.year());
  const std::string_view sign = year > 9999 ? "+" : "";  // ISO 8601 wants one before more than four digits
  return fmt::format("{}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:0{}}Z", sign, year, static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                     time.seconds().count(), instant.ticks, instant.digits);
}

std::optional<Bytes> parse_uuid(std::string_view text) {
  Bytes bytes;
  if (loguuid_parse(bytes.data(), text.data(), text.size()) != LOGUUID_OK) return std::nullopt;
  return bytes;
}

std::optional<Bytes> parse_ulid(std::string_view text) {
  static constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  if (text.size() != 26) return std::nullopt;
  // 130 bits in 26 digits of 5; the first two are zero.
  Bytes bytes{};
  std::size_t filled = 0;
  unsigned pending = 0;  // its lowest `bits` bits are not yet in `bytes`
  unsigned bits = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    const char c = text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
    const std::size_t digit = alphabet.find(c);
    if (digit == std::string_view::npos || (i == 0 && digit > 7)) return std::nullopt;
    pending = pending << 5 | static_cast<unsigned>(digit);
    bits += i == 0 ? 3 : 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[filled++] = static_cast<unsigned char>(pending >> bits);
  }
  return bytes;
}

unsigned uuid_version(const Bytes& uuid) { return uuid[6] >> 4; }

bool is_rfc_variant(const Bytes& uuid) { return (uuid[8] & 0xc0) == 0x80; }

std::string_view uuid_variant(const Bytes& uuid) {
  if ((uuid[8] & 0x80) == 0) return "NCS";
  if (is_rfc_variant(uuid)) return "RFC 9562";
  return (uuid[8] & 0x20) == 0 ? "Microsoft" : "reserved";
}

std::string_view version_meaning(unsigned version) {
  static constexpr std::string_view meanings[] = {"",
                                                  "Gregorian time and node",
                                                  "DCE security",
                                                  "MD5 of a name",
                                                  "random",
                                                  "SHA-1 of a name",
                                                  "reordered Gregorian time and node",
                                                  "Unix time and random",
                                                  "custom"};
  return version < std::size(meanings) ? meanings[version] : "";
}

std::optional<Instant> uuid_time(const Bytes& uuid) {
  if (!is_rfc_variant(uuid)) return std::nullopt;
  switch (uuid_version(uuid)) {
    case 1:
      return from_gregorian((number_at(uuid, 6, 2) & 0xfff) << 48 | number_at(uuid, 4, 2) << 32 |
                            number_at(uuid, 0, 4));
    case 6:
      return from_gregorian(number_at(uuid, 0, 6) << 12 | (number_at(uuid, 6, 2) & 0xfff));
    case 7:
      return from_milliseconds(number_at(uuid, 0, 6));
    default:
      return std::nullopt;
  }
}

Instant ulid_time(const Bytes& ulid) { return from_milliseconds(number_at(ulid, 0, 6)); }

}  // namespace loguuid::tool
