# Floors: an #include of ours points to the same floor or down, never up, and only the contract with the machine knows systems.
# A file that is in no floor is a mistake: give it one here.
set -u

floor_of() {
  case $1 in
    base.h | civil_time.h | civil_time.cc) echo 0 ;;
    platform.h | platform_*.h | platform_*.cc) echo 0 ;;
    xoshiro.h | xxh3_pair.h | xxh3_pair.cc) echo 1 ;;
    stream.h | ahead.h | turn.h | kernel.h | kernel.cc | kernel_*.cc | kernel_*.h | aes_bitsliced.h | aes_bitsliced.cc) echo 1 ;;
    lane.h | lane.cc | lane_*.cc | lane_*.h) echo 2 ;;
    process.h | process.cc | process_*.h | process_*.cc | thread.h | single.h | single.cc) echo 2 ;;
    slots.h | slots.cc | lifecycle.h | lifecycle.cc) echo 2 ;;
    uuid.h | uuid.cc | token.h | token.cc | encode.h | encode.cc) echo 3 ;;
    haproxy.cc) echo 4 ;;
    logformat.h | logformat.cc | logformat_*.cc | logformat_*.h | lib.cc) echo 4 ;;
    *) echo none ;;
  esac
}

# The kernels and everything below the lanes is mathematics: it may not know threads or systems at all.
knows_a_system='^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)[^/]*(__linux__|__gnu_linux__|__APPLE__|__FreeBSD__|_WIN32|__unix__)'
system_headers='^[ \t]*#[ \t]*include[ \t]*<(sys/|linux/|asm/|windows\.h|mach/)'

files=0
wrong=no
for path in src/*.cc src/*.h; do
  file=$(basename "$path")
  floor=$(floor_of "$file")
  files=$((files + 1))
  if [ "$floor" = none ]; then
    echo "not ok every file has a floor: $path has none in tests/includes.sh"
    wrong=yes
    continue
  fi
  for included in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$path"); do
    case $included in loguuid.h | loguuid_haproxy.h) continue ;; esac
    below=$(floor_of "$included")
    if [ "$below" = none ] || [ ! -e "src/$included" ]; then
      echo "not ok includes are files of src: $path includes $included"
      wrong=yes
    elif [ "$below" -gt "$floor" ]; then
      echo "not ok includes point down: $path (floor $floor) includes $included (floor $below)"
      wrong=yes
    fi
  done
  case $file in
    platform_*.cc) ;;
    *)
      if found=$(grep -n -E "$knows_a_system" "$path"); then
        echo "not ok only the platform knows systems: $path:$found"
        wrong=yes
      fi
      if [ "$floor" -ne 0 ] && found=$(grep -n -E "$system_headers" "$path"); then
        echo "not ok only the platform includes system headers: $path:$found"
        wrong=yes
      fi
      ;;
  esac
  case $file in
    lane* | xoshiro.h | xxh3_pair.* | kernel* | aes_bitsliced.*)
      if found=$(grep -n -E 'thread_local|<pthread\.h>|<thread>' "$path"); then
        echo "not ok lanes and kernels know no thread: $path:$found"
        wrong=yes
      fi
      ;;
  esac
done
if grep -q -E '#[ \t]*include[ \t]*"' include/loguuid.h; then
  echo "not ok the public header includes nothing of ours"
  wrong=yes
fi
if [ $files -lt 10 ]; then
  echo "not ok the sources were found: only $files"
elif [ $wrong = no ]; then
  echo "ok the includes of $files files point down, and only the platform knows systems"
fi
