// Instruction sets for a part of one file. The library is built for the machine's baseline; a kernel's functions stand
// between LOGUUID_TARGET_BEGIN("...") and LOGUUID_TARGET_END and may use the features named there. Headers come before,
// so that no inline function of theirs is compiled for a machine that may not run it.
#pragma once

#define LOGUUID_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define LOGUUID_TARGET_BEGIN(features) \
  LOGUUID_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define LOGUUID_TARGET_END LOGUUID_PRAGMA(clang attribute pop)
#else
#define LOGUUID_TARGET_BEGIN(features) LOGUUID_PRAGMA(GCC push_options) LOGUUID_PRAGMA(GCC target(features))
#define LOGUUID_TARGET_END LOGUUID_PRAGMA(GCC pop_options)
#endif
