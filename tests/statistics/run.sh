#!/bin/sh
# Statistics of the output:  tests/statistics/run.sh BUILD
# STATISTICS_GB gigabytes (1 GB = 10^9 bytes) go through our own checks, which first have to find faults made on purpose.
# Then dieharder's tests named in STATISTICS_DIEHARDER (numbers of -d, or `all`; empty: none), on one lane and on 64 lanes
# in turn, and ent. Figures are printed as they are; the last line is the sum.
#
# dieharder calls p under 10^-6 FAILED; such a test is run once more, on other output, and has to fail again. WEAK (p under
# 0.005) comes by chance in every long battery: the figure is printed and not judged.
set -u
build=$1
binary=$build/tests/statistics
gigabytes=${STATISTICS_GB:-10}
battery=${STATISTICS_DIEHARDER-0 1 2 3 4 8 9 10 11 12 13 15 16 100 101 102 205}
logs=$build/tests/statistics-logs
mkdir -p "$logs"
results=$logs/results
: > "$results"
line() { echo "$1" | tee -a "$results"; }

# ---- our own ----

for fault in $("$binary" broken); do
  if "$binary" broken "$fault" > "$logs/broken-$fault" 2>&1; then
    line "not ok statistics find $fault: they did not"
  else
    found=$(grep -c '^not ok ' "$logs/broken-$fault")
    line "ok statistics find $fault: in $found of $(grep -c -E '^(not )?ok ' "$logs/broken-$fault") figures"
  fi
done
"$binary" check "${gigabytes}000000000" > "$logs/check" 2>&1
status=$?
tee -a "$results" < "$logs/check"
[ $status -le 1 ] && grep -q '^# .* GB drawn' "$logs/check" || line "not ok statistics: exit status $status"

# ---- dieharder ----

# One line for each figure: name|parameter|t-samples|p-samples|p-value|assessment.
dieharder_run() { # STREAM TEST
  "$binary" stream "$1" | dieharder -d "$2" -g 200 -D test_name -D ntuple -D tsamples -D psamples -D pvalues -D assessment 2> /dev/null
}

dieharder_test() { # STREAM TEST
  log=$logs/dieharder-$1-$2
  dieharder_run "$1" "$2" > "$log"
  again=
  if grep -q FAILED "$log"; then
    again=' (second run)'
    dieharder_run "$1" "$2" > "$log"
  fi
  name=$(sed -n 's/^ *\([a-z0-9_]*\)|.*/\1/p' "$log" | head -n 1)
  figures=$(awk -F '|' '{ gsub(/ /, "", $5); printf "%s%s", separator, $5; separator = " " }' "$log")
  if [ -z "$name" ]; then
    line "not ok dieharder $2 on $1: no result"
  elif grep -q FAILED "$log"; then
    line "not ok dieharder $name on $1$again: p = $figures"
  else
    line "ok dieharder $name on $1$again: p = $figures"
  fi
}

if [ "$battery" = all ]; then
  battery=$(dieharder -l | sed -n 's/^ *-d \([0-9]*\) .*/\1/p')
fi
for stream in lane lanes; do
  for number in $battery; do dieharder_test $stream "$number"; done
done

# ---- ent ----

# Of 200 MB: entropy, chi-square of bytes, mean, serial correlation. With n bytes the standard deviation of chi-square is
# sqrt(2 * 255), the mean's 73.9 / sqrt(n), the correlation's 1 / sqrt(n); the limits are six. The entropy of random bytes
# falls short of 8 by chi-square / (2 n ln 2), which is 0.0000009 and 0.0000014 at the limit.
ent_test() { # STREAM
  bytes=200000000
  "$binary" stream "$1" | head -c $bytes | ent -t > "$logs/ent-$1"
  verdict=$(awk -F , -v n=$bytes '$1 == 1 {
    z = ($4 - 255) / sqrt(2 * 255)  # normal enough for a limit of six
    ok = $2 == n && $3 >= 7.999998 && z > -6 && z < 6 && ($5 - 127.5) ^ 2 < (6 * 73.9) ^ 2 / n && $7 ^ 2 < 36 / n
    printf "%s entropy %s, chi-square %s, mean %s, pi %s, serial correlation %s", ok ? "ok" : "not ok", $3, $4, $5, $6, $7
  }' "$logs/ent-$1")
  case $verdict in
    ok\ *) line "ok ent on $1: ${verdict#ok }" ;;
    *) line "not ok ent on $1: ${verdict#not ok }" ;;
  esac
}
if command -v ent > /dev/null; then
  for stream in lane lanes; do ent_test $stream; done
else
  line "not ok ent: it is not installed"
fi

passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^not ok ' "$results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
