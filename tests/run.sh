#!/bin/sh
# Runs the tests and adds up:  tests/run.sh BUILD [kernels|programs|scripts|mutants|long]...   (no part: all but long)
#
# Whatever runs prints one line for each result: `ok NAME`, `not ok NAME: why` or `skip NAME: why`; other lines are shown
# only with a failure. A program of tests/programs is one result: exit status 0 passed, 77 skipped, anything else failed,
# its last line says why. Nothing passes by dying: a part that ends with a failing status, or reports nothing, has failed.
#
# The last line is the sum, alone: `N passed, N failed` or `N passed, N failed, N skipped`. V=1 shows every result.
set -u
build=$1
shift
[ $# -gt 0 ] || set -- kernels programs scripts mutants
limit=${LOGUUID_TEST_LIMIT:-170} # seconds for one part
logs=$build/tests/logs
rm -rf "$logs"
mkdir -p "$logs"
results=$logs/results
: > "$results"

# show LOG TITLE: adds the results in LOG to the sum and prints them as far as the reader wants to see them.
show() {
  grep -E "^(ok|not ok|skip) " "$1" >> "$results"
  passed=$(grep -c '^ok ' "$1")
  failed=$(grep -c '^not ok ' "$1")
  skipped=$(grep -c '^skip ' "$1")
  summary="$passed passed"
  [ "$failed" = 0 ] || summary="$summary, $failed FAILED"
  [ "$skipped" = 0 ] || summary="$summary, $skipped skipped"
  printf '%-28s %s\n' "$2" "$summary"
  if [ "${V:-0}" = 1 ]; then
    sed 's/^/    /' "$1"
  elif [ "$failed" != 0 ]; then
    grep -v '^ok ' "$1" | tail -n 60 | sed 's/^/    /'
  else
    grep '^skip ' "$1" | sed 's/^/    /'
  fi
}

# run LOG COMMAND...: its output to LOG. Leaves the exit status in $status.
run() {
  log=$1
  shift
  timeout -k 5 "$limit" "$@" < /dev/null > "$log" 2>&1
  status=$?
}

# For commands that report results themselves.
report() {
  title=$1
  shift
  run "$logs/$(echo "$title" | tr ' /' '__')" "$@"
  if [ $status = 124 ] || [ $status = 137 ]; then
    echo "not ok $title: not done after $limit seconds" >> "$log"
  elif ! grep -q -E '^(ok|not ok|skip) ' "$log"; then
    echo "not ok $title: reported nothing, exit status $status" >> "$log"
  elif [ $status != 0 ] && ! grep -q '^not ok ' "$log"; then
    echo "not ok $title: exit status $status" >> "$log"
  fi
  show "$log" "$title"
}

kernels() {
  if ! kernels=$("$build/loguuid-tests" --list-kernels) || [ -z "$kernels" ]; then
    echo "not ok the test program lists the kernels of this CPU" > "$logs/kernels"
    show "$logs/kernels" kernels
    return
  fi
  for kernel in $kernels; do
    report "kernel $kernel" env LOGUUID_KERNEL="$kernel" "$build/loguuid-tests"
  done
}

programs() {
  all=$logs/programs
  : > "$all"
  for source in tests/programs/*.c tests/programs/*.cc; do
    [ -e "$source" ] || continue
    name=$(basename "$source")
    name=${name%.*}
    run "$logs/program-$name" "$build/tests/$name"
    last=$(tail -n 1 "$log")
    case $status in
      0) echo "ok program $name" ;;
      77) echo "skip program $name: $last" ;;
      124 | 137) echo "not ok program $name: not done after $limit seconds: $last" ;;
      *) sed 's/^/# /' "$log" && echo "not ok program $name: exit status $status: $last" ;;
    esac >> "$all"
  done
  show "$all" programs
}

# The same programs at the counts that are aimed at.
long() {
  all=$logs/long
  : > "$all"
  for what in 'edge_threads 1000000' 'edge_dlopen 10000'; do
    # shellcheck disable=SC2086 # a program and its argument
    run "$logs/long-${what%% *}" "$build"/tests/$what
    last=$(tail -n 1 "$log")
    case $status in
      0) echo "ok program $what: $last" ;;
      *) sed 's/^/# /' "$log" && echo "not ok program $what: exit status $status: $last" ;;
    esac >> "$all"
  done
  show "$all" long
}

scripts() {
  for script in tests/*.sh; do
    case $script in
      tests/run.sh | tests/deps.sh | tests/arch.sh) ;;
      *) report "$script" sh "$script" "$build" ;;
    esac
  done
}

# A mutant is caught when its test fails, and the same test passes on the library as it is.
mutants() {
  all=$logs/mutants
  : > "$all"
  grep -E '^[A-Z0-9_]+ ' tests/mutants.txt > "$logs/mutant-list"
  while read -r mutant program arguments; do
    bin=$build/mutant-$mutant/$program
    healthy=$build/tests/$program
    [ "$program" != loguuid-tests ] || healthy=$build/loguuid-tests
    if [ ! -x "$bin" ]; then
      echo "not ok mutant $mutant: nothing in src is switched by LOGUUID_MUTANT_$mutant" >> "$all"
      continue
    fi
    set -f # arguments are words, but a * in them is for GoogleTest
    run "$logs/mutant-$mutant-healthy" "$healthy" $arguments
    set +f
    if [ $status != 0 ]; then
      echo "not ok mutant $mutant: $program fails without it (exit status $status)" >> "$all"
      continue
    fi
    set -f
    # Some need a race or a signal at the right instruction, which a busy machine may miss; a healthy library fails never.
    for try in 1 2 3; do
      run "$logs/mutant-$mutant" "$bin" $arguments
      [ $status = 0 ] || break
    done
    set +f
    case $status in
      0 | 77) echo "not ok mutant $mutant is caught by $program $arguments: exit status $status" ;;
      *) echo "ok mutant $mutant is caught by $program $arguments" ;;
    esac >> "$all"
  done < "$logs/mutant-list"
  [ ! -s "$all" ] || show "$all" mutants
}

for part in "$@"; do
  case $part in
    kernels | programs | scripts | mutants | long) $part ;;
    *)
      echo "run.sh: unknown part '$part'" >&2
      exit 2
      ;;
  esac
done

passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^not ok ' "$results")
skipped=$(grep -c '^skip ' "$results")
total="$passed passed, $failed failed"
[ "$skipped" = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
