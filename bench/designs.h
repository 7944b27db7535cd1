// The seven designs that render the same line: `uuids` UUIDs with a blank between them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "crew.h"

namespace bench {

const std::vector<std::string>& design_names();

struct LineShape {
  size_t uuids = 100;
  std::string format;  // a log-format that `loguuid` renders and `memcpy` copies; empty: the UUIDs
};

// NULL with a message when this machine cannot run it, or the format does not compile.
std::unique_ptr<Design> make_design(const std::string& name, const LineShape& shape, std::string& message);

// The text of `uuids` times %[uuid] with blanks between.
std::string uuid_format(size_t uuids);

// Is what the designs make right? Renders one line of `design` and reads it; the design `haproxy` is also held against
// HAProxy's own output. Returns an empty string, or what is wrong.
std::string check_design(Design& design, const LineShape& shape);

}  // namespace bench
