// What a measurement is worth depends on the designs doing the work: each renders a line here that is read back.
#include <fmt/core.h>

#include <cstring>
#include <set>

#include "designs.h"
#include "rivals.h"

namespace bench {
namespace {

bool is_v4(const char* text) {
  for (int i = 0; i < 36; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : strchr("0123456789abcdef", text[i]) == nullptr) return false;
  }
  return text[14] == '4' && strchr("89ab", text[19]) != nullptr;
}

// UUIDs that HAProxy itself made: the state of a thread's generator, its clock, and what came of it.
struct Vector {
  uint64_t clock;
  Xoshiro lane;
  const char* uuids[3];
};
constexpr int kDrawsBefore = 6;
const Vector kVectors[] = {
    {0,
     {{0xea81f3eb05253b48, 0x9d0cab4a5eff2ee8, 0xdf35306e7079b4f7, 0x32be7451e3e97777}},
     {"02e6c05b-6036-4842-beb6-95ee499033a9", "788ec632-e077-4ca0-b3ac-2ffb39d7bd75",
      "4a102021-3392-4ef7-a700-7859ddb1ddd3"}},
    {1921477405343938959,
     {{0xaf0ebf343aeeed4a, 0x2b1a2e89ef892db1, 0x820920f8acbbe2fa, 0x38aa360473e67a17}},
     {"0acb69dd-ad47-46cb-87a1-85a07d2e8374", "141c82a2-6627-4a57-9c1e-fb35115d99b4",
      "fe9c701a-b594-4e51-a704-75ede2fe5fd8"}},
};

std::string check_haproxy() {
  for (const Vector& vector : kVectors) {
    haproxy_state() = vector.lane;
    haproxy_set_clock(vector.clock);
    for (int i = 0; i < kDrawsBefore; ++i) haproxy_pair();
    for (const char* expected : vector.uuids) {
      char text[37];
      print_uuid(text, sizeof text, haproxy_pair());
      if (strcmp(text, expected) != 0) return fmt::format("it makes {} where HAProxy makes {}", text, expected);
    }
  }
  return "";
}

std::string check_uuid_line(const char* line, size_t len, size_t uuids) {
  if (len != 37 * uuids - 1 || strlen(line) != len) return fmt::format("its line has {} characters", len);
  std::set<std::string> seen;
  for (size_t i = 0; i < uuids; ++i) {
    const char* uuid = line + 37 * i;
    if (!is_v4(uuid)) return fmt::format("its UUID number {} is '{}'", i + 1, std::string(uuid, 36));
    if (i + 1 < uuids && uuid[36] != ' ') return fmt::format("no blank follows its UUID number {}", i + 1);
    if (!seen.emplace(uuid, 36).second) return fmt::format("its UUID number {} is a repetition", i + 1);
  }
  return "";
}

}  // namespace

std::string check_design(Design& design, const LineShape& shape) {
  const std::string name = design.name();
  std::vector<char> line(design.capacity());
  design.enter(0);
  const size_t len = design.line(0, line.data(), line.size());
  design.leave(0);
  std::string wrong;
  if (name == "haproxy") wrong = check_haproxy();
  const bool other_format = !shape.format.empty() && (name == "loguuid" || name == "memcpy");
  if (wrong.empty() && !other_format) wrong = check_uuid_line(line.data(), len, shape.uuids);
  return wrong.empty() ? "" : fmt::format("design {}: {}", name, wrong);
}

}  // namespace bench
