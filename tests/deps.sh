#!/bin/sh
# Installs what is missing for building, testing and measuring, with apt-get. Does nothing when all is there.
#   tests/deps.sh [SET...]    sets: build (the default), arch, long
set -u

# package, then a command or a file that shows it is there
packages() {
  case $1 in
    build) cat << 'LIST'
g++ g++
make make
clang clang++
libfmt-dev /usr/include/fmt/core.h
libgtest-dev /usr/include/gtest/gtest.h
libbenchmark-dev /usr/include/benchmark/benchmark.h
uuid-dev /usr/include/uuid/uuid.h
libxxhash-dev /usr/include/xxhash.h
openssl openssl
python3 python3
LIST
      ;;
    arch) cat << 'LIST'
qemu-user qemu-aarch64
g++-aarch64-linux-gnu aarch64-linux-gnu-g++
g++-arm-linux-gnueabihf arm-linux-gnueabihf-g++
g++-i686-linux-gnu i686-linux-gnu-g++
g++-riscv64-linux-gnu riscv64-linux-gnu-g++
g++-powerpc64le-linux-gnu powerpc64le-linux-gnu-g++
g++-s390x-linux-gnu s390x-linux-gnu-g++
LIST
      ;;
    long) cat << 'LIST'
dieharder dieharder
ent ent
valgrind valgrind
gnuplot-nox gnuplot
libclang-rt-14-dev /usr/lib/llvm-14/lib/clang/14.0.6/include/fuzzer/FuzzedDataProvider.h
libjemalloc2 /usr/lib/*/libjemalloc.so.2
libmimalloc2.0 /usr/lib/*/libmimalloc.so.2.0
LIST
      ;;
    *)
      echo "deps: unknown set '$1': build, arch and long are known" >&2
      exit 2
      ;;
  esac
}

present() {
  case $1 in
    /*) ls $1 > /dev/null 2>&1 ;; # unquoted: the path may hold a *
    *) command -v "$1" > /dev/null 2>&1 ;;
  esac
}

missing() {
  for set in "$@"; do
    packages "$set" | while read -r package probe; do
      present "$probe" || printf '%s ' "$package"
    done
  done
}

[ $# -gt 0 ] || set -- build
for set in "$@"; do packages "$set" > /dev/null || exit 2; done
wanted=$(missing "$@")
[ -n "$wanted" ] || exit 0

if ! command -v apt-get > /dev/null 2>&1; then
  echo "deps: there is no apt-get here. Please install (Debian's names): $wanted" >&2
  exit 1
fi
as_root='env'
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null 2>&1; then
    echo "deps: not root and no sudo. Please run as root: apt-get install $wanted" >&2
    exit 1
  fi
  as_root='sudo env'
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
apt() { $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" < /dev/null > "$log" 2>&1; }
update() {
  echo "deps: apt-get update"
  apt update || tail -n 5 "$log" >&2
}

updated=no
if ! ls /var/lib/apt/lists/*Packages* > /dev/null 2>&1; then
  update
  updated=yes
fi
echo "deps: apt-get install $wanted"
# Lists that are old name files that are gone: then once more with fresh ones.
if ! apt install --no-install-recommends $wanted; then
  [ $updated = yes ] || { update && apt install --no-install-recommends $wanted; } || true
fi
left=$(missing "$@")
if [ -n "$left" ]; then
  tail -n 20 "$log" >&2
  echo "deps: could not install: $left" >&2
  exit 1
fi
