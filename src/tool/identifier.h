// Reading identifiers back: what a UUID or a ULID says about itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace loguuid::tool {

// A point in time as exact as the identifier knows it.
struct Instant {
  std::int64_t seconds;  // since 1970, negative before
  std::uint32_t ticks;   // of the second
  unsigned digits;       // decimal digits that `ticks` has: 3 for milliseconds, 7 for units of 100 ns
};

// 2026-01-31T12:00:00.123Z
std::string iso_time(const Instant& instant);

using Bytes = std::array<unsigned char, 16>;

std::optional<Bytes> parse_uuid(std::string_view text);
// 26 characters of Crockford's base32, either case, below 2^128.
std::optional<Bytes> parse_ulid(std::string_view text);

unsigned uuid_version(const Bytes& uuid);
// The variant field of RFC 9562, section 4.1, by its name.
std::string_view uuid_variant(const Bytes& uuid);
bool is_rfc_variant(const Bytes& uuid);
// What the version stands for; "" for one the RFC does not know.
std::string_view version_meaning(unsigned version);
// The time that versions 1, 6 and 7 carry.
std::optional<Instant> uuid_time(const Bytes& uuid);
Instant ulid_time(const Bytes& ulid);

}  // namespace loguuid::tool
