#!/bin/sh
# The test suite for other machines, on this one:  tests/arch.sh BUILD
#
# The library, GoogleTest (from /usr/src/googletest) and the tests are built for each architecture with Debian's cross
# compilers, linked statically, and run by qemu-user, once for each kernel that the emulated CPU has. On x86 it is the
# ordinary test program on CPUs of other days.
#   ARCHS   which ones; all of: aarch64 s390x armhf i386 riscv64 ppc64le core2duo Westmere Haswell
#   JOBS    compilers at once (2)
# Prints a line for each architecture and kernel, and what was skipped; the last line is the sum.
set -u
build=$1
archs=${ARCHS:-aarch64 s390x armhf i386 riscv64 ppc64le core2duo Westmere Haswell}
jobs=${JOBS:-2}
make=${MAKE:-make}
googletest=/usr/src/googletest/googletest
unset MAKEFLAGS MFLAGS
passed=0 failed=0 skipped=0
export LOGUUID_TEST_SLOW=1
export LOGUUID_TEST_LIMIT="${LOGUUID_TEST_LIMIT:-1200}"

# These ask the Linux kernel, or the loader of shared libraries, for what an emulator of static programs does not have.
native=' constant_time edge_dlopen edge_entropy edge_pid_namespaces edge_raw_clone edge_shared_readonly edge_snapshot '

skip() {
  echo "$1: SKIPPED: $2"
  skipped=$((skipped + 1))
}

fail() {
  echo "$1: FAILED: $2"
  failed=$((failed + 1))
}

# A command for the test runner in place of the program: wrapper FILE EMULATOR PROGRAM
wrapper() {
  mkdir -p "$(dirname "$1")"
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$2" "$3" > "$1"
  chmod +x "$1"
}

# add ARCH LOG: shows what tests/run.sh said and adds its last line to the sum.
add() {
  sed "\$d; s/^/$1: /" "$2"
  sum=$(tail -n 1 "$2")
  case $sum in
    *' passed, '*' failed'*)
      passed=$((passed + $(echo "$sum" | sed 's/ passed.*//')))
      failed=$((failed + $(echo "$sum" | sed 's/.* passed, \([0-9]*\) failed.*/\1/')))
      case $sum in *skipped) skipped=$((skipped + $(echo "$sum" | sed 's/.* \([0-9]*\) skipped/\1/'))) ;; esac
      ;;
    *) fail "$1" "the tests ended without a sum: $sum" ;;
  esac
}

# cross ARCH TRIPLE EMULATOR
cross() {
  arch=$1 triple=$2 emulator=$3
  if ! command -v "$triple-g++" > /dev/null; then
    skip "$arch" "no compiler $triple-g++"
    return
  fi
  if ! command -v "${emulator%% *}" > /dev/null; then
    skip "$arch" "no emulator $emulator"
    return
  fi
  if [ ! -d "$googletest" ]; then
    skip "$arch" "no sources of GoogleTest in $googletest"
    return
  fi
  there=$build/arch/$arch
  mkdir -p "$there"
  log=$there/build.log
  if [ ! -e "$there/gtest.o" ]; then
    "$triple-g++" -std=c++17 -O1 -isystem "$googletest/include" -I "$googletest" -c -o "$there/gtest.o" \
      "$googletest/src/gtest-all.cc" > "$log" 2>&1 || { tail -n 20 "$log" && fail "$arch" "GoogleTest" && return; }
  fi

  programs=
  for source in tests/programs/*.c tests/programs/*.cc; do
    [ -e "$source" ] || continue
    name=$(basename "$source")
    name=${name%.*}
    case $native in
      *" $name "*)
        wrapper "$there/run/tests/$name" "sh -c 'echo needs a real system, not an emulator; exit 77'" sh
        ;;
      *)
        programs="$programs $there/tests/$name"
        wrapper "$there/run/tests/$name" "$emulator" "$there/tests/$name"
        ;;
    esac
  done
  wrapper "$there/run/loguuid-tests" "$emulator" "$there/loguuid-tests"
  # A program that counts allocations has a malloc of its own, before the C library's.
  # shellcheck disable=SC2086 # a list
  if ! "$make" -j "$jobs" BUILD="$there" CXX="$triple-g++" CC="$triple-gcc" AR="$triple-ar" \
    LDFLAGS="-static -Wl,-z,muldefs" \
    CPPFLAGS="-isystem $googletest/include -DLOGUUID_TEST_WITHOUT_LIBUUID" TEST_LIBS="$there/gtest.o -pthread" \
    "$there/loguuid-tests" $programs > "$log" 2>&1; then
    tail -n 30 "$log"
    fail "$arch" "the build"
    return
  fi
  if grep -E '^(src|include)/.*warning:' "$log"; then
    fail "$arch" "warnings in the build"
  fi
  sh tests/run.sh "$there/run" kernels programs > "$there/run.log" 2>&1
  add "$arch" "$there/run.log"
}

# The native test program on an emulated CPU.
old_cpu() {
  if ! command -v qemu-x86_64 > /dev/null || [ "$(uname -m)" != x86_64 ]; then
    skip "x86_64 $1" "no qemu-x86_64, or no x86_64 machine"
    return
  fi
  there=$build/arch/$1
  mkdir -p "$there"
  wrapper "$there/run/loguuid-tests" "qemu-x86_64 -cpu $1" "$build/loguuid-tests"
  sh tests/run.sh "$there/run" kernels > "$there/run.log" 2>&1
  add "x86_64 $1" "$there/run.log"
}

sh tests/deps.sh arch || echo "Not all compilers and emulators could be installed; going on with those that are here."
mkdir -p "$build"
build=$(cd "$build" && pwd)
for arch in $archs; do
  case $arch in
    aarch64) cross aarch64 aarch64-linux-gnu qemu-aarch64 ;;
    armhf) cross armhf arm-linux-gnueabihf qemu-arm ;;
    riscv64) cross riscv64 riscv64-linux-gnu qemu-riscv64 ;;
    ppc64le) cross ppc64le powerpc64le-linux-gnu qemu-ppc64le ;;
    s390x) cross s390x s390x-linux-gnu qemu-s390x ;;
    i386) cross i386 i686-linux-gnu 'qemu-i386 -cpu max' ;; # with the kernels up to avx2
    core2duo | Westmere | Haswell) old_cpu "$arch" ;;
    *) fail "$arch" "unknown architecture" ;;
  esac
done

total="$passed passed, $failed failed"
[ "$skipped" = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
