#!/bin/sh
# Runs what sanitize.mk built:  tests/sanitize/run.sh BUILD/sanitize
# SANITIZERS names some of `thread address memory`. Every result is a line `ok SANITIZER NAME`, `not ok SANITIZER NAME: why`
# or `skip SANITIZER NAME: why`; the last line is the sum. A sanitizer that does not see a fault made on purpose has failed.
set -u
folder=${1:?the folder that make test-sanitize built in}
logs=$folder/logs
rm -rf "$logs"
mkdir -p "$logs"
results=$logs/results
: > "$results"
seconds=${LOGUUID_SANITIZE_LIMIT:-600} # for one program
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:exitcode=66
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=66
export TSAN_OPTIONS=halt_on_error=1:exitcode=66:history_size=5:second_deadlock_stack=1:die_after_fork=0
export MSAN_OPTIONS=exitcode=66

line() { echo "$1" | tee -a "$results"; }

# The first report of a sanitizer, else the last line.
why() {
  grep -m 1 -E 'WARNING: |ERROR: |runtime error: ' "$1" || tail -n 1 "$1"
}

# run SANITIZER NAME COMMAND...
run() {
  name="$1 $2"
  log="$logs/$1-$(echo "$2" | tr ' /' '__')"
  shift 2
  timeout -k 5 "$seconds" "$@" > "$log" 2>&1 < /dev/null
  status=$?
  case $status in
    0) line "ok $name" ;;
    77) line "skip $name: $(tail -n 1 "$log")" ;;
    124 | 137) line "not ok $name: not done after $seconds seconds" ;;
    *) line "not ok $name: exit status $status: $(why "$log")" && tail -n 50 "$log" | sed 's/^/# /' ;;
  esac
}

# The test program reports its results itself. Left out: limits of time and what is left on the stack, which are for code as
# it is shipped; what asks malloc() how much memory is in use, since a sanitizer has its own; threads that end inside a call,
# whose std::thread is lost.
left_out='*InTime:GenSkip.ReachesDraw*:*TakesLinearTime:*LeavesNoTrail*'
left_out=$left_out:Live.AChildIsFreeOfItsParentsThreads
left_out=$left_out:Live.EndedThreadsHoldNothing:Live.ThreadsThatEndInNestedRendersHoldNothing
export LOGUUID_TEST_SLOW=1
run_tests() {
  log="$logs/$1-tests-$2"
  LOGUUID_KERNEL=$2 timeout -k 5 "$seconds" "$folder/$1/loguuid-tests" --gtest_filter="-$left_out" \
    > "$log" 2>&1 < /dev/null
  status=$?
  sed -n -E "s/^(ok|not ok|skip) /\1 $1 $2 /p" "$log" >> "$results"
  echo "# $1: the test program with kernel $2: $(grep -c '^ok ' "$log") passed, $(grep -c '^not ok ' "$log") failed"
  grep '^not ok ' "$log"
  if [ $status != 0 ] || ! grep -q '^ok ' "$log"; then
    line "not ok $1 the test program with kernel $2 ends well: exit status $status: $(why "$log")"
    grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/# /'
  fi
}

# A fault of the caller's, seen by code of the library: no report means that the library was not instrumented.
must_report() {
  log="$logs/$1-misuse-$2"
  timeout -k 5 "$seconds" "$folder/$1/tests/misuse" "$2" > "$log" 2>&1 < /dev/null
  status=$?
  if [ $status != 0 ] && grep -q "$3" "$log"; then
    line "ok $1 reports $2"
  else
    line "not ok $1 reports $2: exit status $status, no '$3'"
  fi
}

faults() {
  case $1 in
    thread) must_report thread shared-generator 'WARNING: ThreadSanitizer: data race' ;;
    address)
      must_report address short-buffer 'ERROR: AddressSanitizer: heap-buffer-overflow'
      must_report address misaligned-generator 'runtime error: .*misaligned address'
      ;;
    memory) must_report memory uninitialised-value 'WARNING: MemorySanitizer: use-of-uninitialized-value' ;;
  esac
}

for sanitizer in ${SANITIZERS:-thread address memory}; do
  kernels=$("$folder/$sanitizer/tests/every_call" --list-kernels)
  for kernel in $kernels; do
    LOGUUID_KERNEL=$kernel run "$sanitizer" "every call, kernel $kernel" "$folder/$sanitizer/tests/every_call" "$kernel"
    if [ -x "$folder/$sanitizer/loguuid-tests" ]; then run_tests "$sanitizer" "$kernel"; fi
  done
  for program in $(cat "$folder/$sanitizer/programs"); do run "$sanitizer" "$program" "$folder/$sanitizer/tests/$program"; done
  faults "$sanitizer"
done

passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^not ok ' "$results")
skipped=$(grep -c '^skip ' "$results")
total="$passed passed, $failed failed"
[ "$skipped" = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
