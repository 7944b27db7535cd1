// Randoms and identifiers.
#include <cstring>

#include "micro.h"

namespace bench {
namespace {

uint64_t byte_at(const char* out, size_t at) { return static_cast<unsigned char>(out[at]); }

constexpr char kText[] = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
constexpr char kUrn[] = "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
constexpr char kPlain[] = "f81d4fae7dec11d0a76500a0c91e6bf6";
constexpr char kBad[] = "f81d4fae-7dec-11d0-a765-00a0c91e6bfg";

// The result's address depends on `out`, so that latency can be chained; the text is constant.
uint64_t parse(char* out, const char* text, size_t len) {
  unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
  return static_cast<uint64_t>(loguuid_parse(bytes, text, len)) + bytes[15];
}

template <size_t kLen>
uint64_t random_bytes(char* out) {
  loguuid_random_bytes(out, kLen);
  return byte_at(out, kLen - 1);
}

template <size_t kBytes, loguuid_encoding kEncoding>
uint64_t token(char* out) {
  return byte_at(out, loguuid_token(out, kRoom, kBytes, kEncoding) - 1);
}

template <loguuid_encoding kEncoding>
void add_token(const std::string& name) {
  add_draw("token/16/" + name, [](char* out) { return token<16, kEncoding>(out); });
  add_draw(
      "token/1024/" + name, [](char* out) { return token<1024, kEncoding>(out); }, 1024);
}

void register_randoms() {
  add_draw("random64", [](char*) { return loguuid_random64(); });
  add_draw("random32", [](char*) { return uint64_t{loguuid_random32()}; });
  add_draw("random_below/1000", [](char*) { return loguuid_random_below(1000); });
  add_draw("random64_internal", [](char*) { return loguuid_random64_internal(); });
  add_draw("random_pair", [](char*) {
    uint64_t lo, hi;
    loguuid_random_pair(&lo, &hi);
    return lo ^ hi;
  });
  add_draw(
      "random_bytes/16", [](char* out) { return random_bytes<16>(out); }, 16);
  add_draw(
      "random_bytes/4096", [](char* out) { return random_bytes<4096>(out); }, 4096);
}

void register_uuids() {
  add_draw("v4_bytes", [](char* out) {
    loguuid_v4_bytes(reinterpret_cast<unsigned char*>(out));
    return byte_at(out, 0);
  });
  add_draw("v7_bytes", [](char* out) {
    loguuid_v7_bytes(reinterpret_cast<unsigned char*>(out));
    return byte_at(out, 15);
  });
  add_draw("v4", [](char* out) { return byte_at(out, loguuid_v4(out, 37) - 1); });
  add_draw("v7", [](char* out) { return byte_at(out, loguuid_v7(out, 37) - 1); });
  add_draw(
      "v4_many/100", [](char* out) { return byte_at(out, loguuid_v4_many(out, kRoom, 100, ' ') - 1); }, 100);
  add_draw(
      "v7_many/100", [](char* out) { return byte_at(out, loguuid_v7_many(out, kRoom, 100, ' ') - 1); }, 100);
}

void register_text() {
  add_draw("ulid", [](char* out) { return byte_at(out, loguuid_ulid(out, 27) - 1); });
  add_draw("traceparent", [](char* out) { return byte_at(out, loguuid_traceparent(out, 56, 1) - 4); });
  add_draw("websocket_key", [](char* out) { return byte_at(out, loguuid_websocket_key(out, 25) - 3); });
  add_token<LOGUUID_HEX>("hex");
  add_token<LOGUUID_BASE64>("base64");
  add_token<LOGUUID_BASE64URL>("base64url");
  add_token<LOGUUID_BASE32>("base32");
  add_pure("token_size", [](char* out) { return uint64_t{loguuid_token_size(16 + byte_at(out, 0), LOGUUID_BASE64)}; });
  add_pure("parse/36", [](char* out) { return parse(out, kText, sizeof kText - 1); });
  add_pure("parse/32", [](char* out) { return parse(out, kPlain, sizeof kPlain - 1); });
  add_pure("parse/urn", [](char* out) { return parse(out, kUrn, sizeof kUrn - 1); });
  add_pure("parse/bad", [](char* out) { return parse(out, kBad, sizeof kBad - 1); });
  add_pure("unparse", [](char* out) {
    return byte_at(out + 64, loguuid_unparse(out + 64, 37, reinterpret_cast<const unsigned char*>(out)) - 1);
  });
}

}  // namespace

void register_draws() {
  register_randoms();
  register_uuids();
  register_text();
}

}  // namespace bench
