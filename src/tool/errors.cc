#include "errors.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace loguuid::tool {

void complain(std::string_view message) {
  const std::string line = fmt::format("loguuid: {}\n", message);
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace loguuid::tool
