// The commands, one file each. Every one reads its arguments completely before it writes a byte.
#pragma once

#include "options.h"

namespace loguuid::tool {

extern const Command gen_command;
extern const Command format_command;
extern const Command inspect_command;
extern const Command replay_command;
extern const Command locate_command;
extern const Command info_command;

}  // namespace loguuid::tool
