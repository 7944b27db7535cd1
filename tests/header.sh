# The public headers compile alone under every standard and strict compiler we know, include two standard headers, and define
# nothing outside loguuid_ and LOGUUID_.
set -u
build=$1
cc=${CC:-cc}
cxx=${CXX:-g++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

compiles() { # NAME COMMAND...
  name=$1
  shift
  if "$@" > "$work/log" 2>&1; then
    echo "ok $name"
  else
    sed 's/^/# /' "$work/log"
    echo "not ok $name: $(head -n 1 "$work/log")"
  fi
}

for header in loguuid.h loguuid_haproxy.h; do
  # Twice: a header must stand being included again.
  printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' $header $header > "$work/use.c"
  cp "$work/use.c" "$work/use.cc"
  strict='-pedantic -Wall -Wextra -Wconversion -Wshadow -Wundef -Werror -fsyntax-only -Iinclude'
  for standard in c99 c11 c17; do
    compiles "$header is clean $standard ($cc)" $cc -std=$standard $strict -Wstrict-prototypes "$work/use.c"
  done
  for standard in c++11 c++14 c++17 c++20; do
    compiles "$header is clean $standard ($cxx)" $cxx -std=$standard $strict -Wold-style-cast "$work/use.cc"
  done
  if command -v clang > /dev/null; then
    # Left out: what C99 or C++98 would not have (we ask for C99 and C++11), the compiler's padding of structs, and the casts
    # that a header for both languages needs.
    compiles "$header is clean c99 with every warning of clang" clang -std=c99 -Weverything -Wno-padded \
      -Wno-declaration-after-statement -Wno-reserved-macro-identifier -Werror -fsyntax-only -Iinclude "$work/use.c"
    compiles "$header is clean c++11 with every warning of clang" clang++ -std=c++11 -Weverything -Wno-padded \
      -Wno-c++98-compat-pedantic -Wno-old-style-cast -Wno-reserved-macro-identifier -Werror -fsyntax-only -Iinclude \
      "$work/use.cc"
  else
    echo "skip $header is clean with every warning of clang: there is no clang"
  fi
done

own=$(sed -n 's/^[ \t]*#[ \t]*include[ \t]*//p' include/loguuid.h | sort | tr '\n' ' ')
if [ "$own" = '<stddef.h> <stdint.h> ' ]; then
  echo "ok loguuid.h includes stddef.h and stdint.h alone"
else
  echo "not ok loguuid.h includes stddef.h and stdint.h alone: $own"
fi

printf '#include <stddef.h>\n#include <stdint.h>\n' > "$work/without.c"
printf '#include "loguuid.h"\n' > "$work/with.c"
for kind in with without; do
  $cc -std=c99 -dM -E -Iinclude "$work/$kind.c" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort -u > "$work/$kind.macros"
done
foreign=$(comm -13 "$work/without.macros" "$work/with.macros" | grep -v '^LOGUUID_' | tr '\n' ' ')
if [ -z "$foreign" ]; then
  echo "ok loguuid.h defines macros of LOGUUID_ alone"
else
  echo "not ok loguuid.h defines macros of LOGUUID_ alone: $foreign"
fi

# Names of the preprocessed header itself: what stands in front of a parenthesis, a brace, a comma or a semicolon at file scope.
$cc -std=c99 -E -P -Iinclude "$work/with.c" > "$work/with.i"
$cc -std=c99 -E -P "$work/without.c" > "$work/without.i"
foreign=$(python3 - "$work/with.i" "$work/without.i" << 'PY'
import re, sys
text, base = (open(f).read() for f in sys.argv[1:])
ours = text[len(base.rstrip()):] if text.startswith(base.rstrip()) else text
while True:  # bodies of structs and parameter lists have scopes of their own; enumerators have not
    inner = re.sub(r'(struct \w+ )\{[^{}]*\}', r'\1', ours)
    inner = re.sub(r'__attribute__ ?\(\(.*?\)\)\)', '', re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', '', inner))
    if inner == ours: break
    ours = inner
names = set(re.findall(r'(\w+) ?\(', ours)) | set(re.findall(r'\} (\w+);', ours)) | set(re.findall(r'(\w+);', ours))
names |= set(re.findall(r'\b(?:struct|enum|union) (\w+)', ours))
for body in re.findall(r'enum \w+ \{([^}]*)\}', ours): names |= set(re.findall(r'(\w+)(?: = \d+)?\s*(?:,|$)', body.strip()))
if len(names) < 40: print("too_few_names_found_%d" % len(names))
print(" ".join(sorted(n for n in names if not re.match('(loguuid_|LOGUUID_)', n))))
PY
)
if [ -z "$(echo "$foreign" | tr -d ' \n')" ]; then
  echo "ok loguuid.h declares names of loguuid_ alone"
else
  echo "not ok loguuid.h declares names of loguuid_ alone: $foreign"
fi

# What cc alone links: the C99 program of the tests was built so; in C++ it must mean the same.
if [ -x "$build/tests/embed" ]; then
  if ${READELF:-readelf} -d "$build/tests/embed" | grep -q 'NEEDED.*libstdc++'; then
    echo "not ok a C program links without the C++ run-time: embed needs libstdc++"
  else
    echo "ok a C program links without the C++ run-time"
  fi
  compiles "the same program compiles as C++" $cxx -x c++ -std=c++17 -Wall -Wextra -Wconversion -Werror -fsyntax-only -Iinclude \
    tests/programs/embed.c
else
  echo "not ok a C program links without the C++ run-time: tests/embed was not built"
fi
# And with the shared library, found through its pkg-config file's own words.
cat > "$work/shared.c" << 'C'
#include <stdio.h>
#include "loguuid.h"
int main(void) {
  char text[37];
  if (loguuid_v4(text, sizeof text) != 36) return 1;
  puts(text);
  return 0;
}
C
libs=$(sed -n 's/^Libs: -L${libdir} //p' "$build/loguuid.pc")
if $cc -std=c99 -Iinclude -o "$work/shared" "$work/shared.c" -L"$build" $libs > "$work/log" 2>&1 &&
  LD_LIBRARY_PATH=$build "$work/shared" | grep -q -E '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'; then
  echo "ok a C program with the shared library prints a UUID"
else
  echo "not ok a C program with the shared library prints a UUID: $(head -n 1 "$work/log")"
fi
