#!/bin/sh
# tests/edges.sh BUILD: the fork tests on a library built as for a system that cannot wipe pages on fork. They must pass
# there as well: by the process id, which each draw then looks at.
set -u
build=$1
out=$build/variant-NO_WIPE
mkdir -p "$out"
flags="-std=c++20 -O2 -Iinclude -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -ftls-model=initial-exec"
cp "$build/libloguuid.a" "$out/libloguuid.a" || exit 1
for source in $(grep -lw LOGUUID_VARIANT_NO_WIPE src/*.cc); do
  object=$out/$(basename "$source" .cc).o
  # shellcheck disable=SC2086 # flags are words
  if ! ${CXX:-g++} $flags -DLOGUUID_VARIANT_NO_WIPE -c -o "$object" "$source" || ! ar r "$out/libloguuid.a" "$object"; then
    echo "not ok the library builds for a system that cannot wipe on fork"
    exit 1
  fi
done
for program in fork edge_fork_tree edge_raw_clone edge_fork_in_handler; do
  name="$program passes where fork wipes nothing"
  if ! ${CXX:-g++} -o "$out/$program" "$build/tests/obj/programs/$program.o" "$out/libloguuid.a" -ldl -pthread; then
    echo "not ok $name: does not link"
    continue
  fi
  "$out/$program" > "$out/$program.log" 2>&1
  status=$?
  case $status in
    0) echo "ok $name" ;;
    77) echo "skip $name: $(tail -n 1 "$out/$program.log")" ;;
    *) echo "not ok $name: exit status $status: $(tail -n 1 "$out/$program.log")" ;;
  esac
done
