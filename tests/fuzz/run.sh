#!/bin/sh
# Runs fuzz targets, FUZZ_JOBS at a time, FUZZ_SECONDS each:  tests/fuzz/run.sh BUILD NAME...
# A target starts from tests/fuzz/corpus/NAME and from what earlier runs left in BUILD/fuzz/found/NAME.
# `ok fuzz NAME: N executions ...`, or `not ok fuzz NAME: why` with the end of its output and the input that did it.
set -u
build=$1
shift
seconds=${FUZZ_SECONDS:-60}
jobs=${FUZZ_JOBS:-2}
folder=$build/fuzz
mkdir -p "$folder"
results=$folder/results
: > "$results"

fuzz() {
  name=$1
  log=$folder/$name.log
  mkdir -p "$folder/found/$name" "$folder/failures"
  "$folder/$name" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=2000 -verbosity=1 \
    -artifact_prefix="$folder/failures/$name-" ${FUZZ_ARGUMENTS:-} "$folder/found/$name" "tests/fuzz/corpus/$name" \
    > "$log" 2>&1 < /dev/null
  status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  if [ $status = 0 ] && [ "${executions:-0}" -gt 0 ]; then
    echo "ok fuzz $name: $executions executions in $seconds s, ${edges:-?} edges"
  else
    grep -v '^#[0-9]' "$log" | tail -n 40 | sed 's/^/# /'
    echo "not ok fuzz $name: exit status $status after ${executions:-no} executions, see $log"
  fi
}

pids=
running=0
for target in "$@"; do
  fuzz "$target" > "$folder/$target.result" &
  pids="$pids $!"
  running=$((running + 1))
  if [ $running -ge "$jobs" ]; then
    wait $pids
    pids=
    running=0
  fi
done
wait $pids
for target in "$@"; do cat "$folder/$target.result"; done | tee "$results"
failed=$(grep -c '^not ok ' "$results")
echo "$(grep -c '^ok ' "$results") passed, $failed failed"
[ "$failed" = 0 ]
