#!/bin/sh
# The command loguuid as a person and as a script meet it:  tests/tool.sh BUILD
# One line a check: `ok NAME`, `not ok NAME: why` or `skip NAME: why`.
set -u
build=${1:-build}
tool=$build/loguuid
tests=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0
uuid='[0-9a-f]\{8\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{4\}-[0-9a-f]\{12\}'
seed96=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f

ok() { printf 'ok tool: %s\n' "$1"; }
skip() { printf 'skip tool: %s: %s\n' "$1" "$2"; }
bad() {
  printf 'not ok tool: %s: %s\n' "$1" "$2"
  failures=$((failures + 1))
}

# check NAME COMMAND...: the command succeeds.
check() {
  name=$1
  shift
  if "$@"; then ok "$name"; else bad "$name" "failed: $*"; fi
}

# same NAME WANTED GOT
same() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "wanted '$2', got '$3'"; fi; }

# run ARGUMENTS...: output in $dir/out, messages in $dir/err, exit status in $status.
run() {
  "$tool" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
  status=$?
}

# refused STATUS PATTERN ARGUMENTS...: the message matches, and nothing was written to standard output.
refused() {
  wanted=$1
  pattern=$2
  shift 2
  run "$@"
  name="'$*' is refused with '$pattern'"
  if [ $status != "$wanted" ]; then
    bad "$name" "exit status $status, not $wanted"
  elif [ -s "$dir/out" ]; then
    bad "$name" "standard output has $(head -c 100 "$dir/out")"
  elif ! grep -q -e "$pattern" "$dir/err"; then
    bad "$name" "the message is: $(head -n 1 "$dir/err")"
  else
    ok "$name"
  fi
}

# lines NAME COUNT REGEX ARGUMENTS...: exactly COUNT lines, all match as a whole, none twice, status 0, no message.
lines() {
  name=$1
  count=$2
  regex=$3
  shift 3
  run "$@"
  matching=$(grep -c -x -e "$regex" "$dir/out")
  total=$(wc -l < "$dir/out")
  unique=$(sort -u "$dir/out" | wc -l)
  same "$name" "0 $count $count $count 0" "$status $matching $total $unique $(wc -c < "$dir/err")"
}

# options COMMAND: its long options, as its help has them, without the dashes.
options() { "$tool" help "$1" | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p'; }

# going NAME ARGUMENTS...: is at work after half a second, and has not complained.
going() {
  name=$1
  shift
  "$tool" "$@" > "$dir/out" 2> "$dir/err" < /dev/null &
  worker=$!
  sleep 0.5
  if kill "$worker" 2> /dev/null; then stopped=yes; else stopped=no; fi
  wait "$worker" 2> /dev/null
  same "$name" "yes 0" "$stopped $(cat "$dir/out" "$dir/err" | wc -c)"
}

# User and system seconds of a command, in hundredths.
cpu_time() {
  # shellcheck disable=SC2016 # the inner shell expands it
  sh -c '"$@" > /dev/null 2>&1; times' sh "$@" | awk 'NR == 2 {
    for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] }
    print int(sum * 100) }'
}

# quick NAME HUNDREDTHS COMMAND...: takes less processor time in one of three tries; a busy machine disturbs some.
quick() {
  name=$1
  limit=$2
  shift 2
  for try in 1 2 3; do
    used=$(cpu_time "$@")
    [ "$used" -ge "$limit" ] || break
  done
  check "$name ($used hundredths of a second, try $try)" [ "$used" -lt "$limit" ]
}

# ---- help, version, unknown words ----
help() {
  run --version
  check "--version prints the version" grep -q -x 'loguuid [0-9]*\.[0-9]*\.[0-9]*' "$dir/out"
  run --help
  for command in gen format inspect replay locate info; do
    check "--help lists $command" grep -q "^  $command " "$dir/out"
  done
  for command in gen format inspect replay locate info; do
    "$tool" help $command > "$dir/help" 2>&1
    run $command --help
    check "'help $command' and '$command --help' say the same" cmp -s "$dir/help" "$dir/out"
    awk -v name=$command '/^\.S[sh] / { inside = $2 == name } inside' "$tests/../doc/loguuid.1" > "$dir/section"
    for option in $(options $command | grep -v -x help); do
      check "the manual page has --$option of $command" grep -q -e "^\.It.* Fl -$option\( \|\$\)" "$dir/section"
    done
  done
  refused 2 'no command'
  refused 2 'did you mean format' fromat
  refused 2 'did you mean --version' --versoin
  refused 2 'did you mean inspect' help inspct
  refused 2 'stands alone' --help gen
  refused 2 'did you mean --ulid' gen --uild
  refused 2 'did you mean --json' info --josn
  refused 2 'did you mean --json' format --jsonl
  refused 2 'did you mean format' f
  refused 2 'did you mean gen' gn
  # Far words get no suggestion: the line ends behind the word.
  refused 2 'unknown option "--yaml"$' format --yaml
  refused 2 'unknown option "--jnow"$' inspect --jnow
  refused 2 'unknown option "--x"$' gen --x
  refused 2 'unknown command "ls"$' ls
  refused 2 'unknown command "generate"$' generate
  refused 2 'unknown option "--gen"$' --gen
  refused 2 'unknown option "-x"' gen -x
  refused 2 'ambiguous: --token, --traceparent' gen --t
  refused 2 '--v7 takes no value' gen --v7=1
  refused 2 'what is "extra"' gen extra
  refused 2 'what is "extra"' info extra
}

# ---- gen ----
gen() {
  lines "gen makes one UUID" 1 "$uuid" gen
  lines "gen makes version 4" 10000 '[0-9a-f-]\{14\}4[0-9a-f]\{3\}-[89ab][0-9a-f-]\{16\}' gen -n 10000
  lines "gen --v7 makes version 7" 10000 '[0-9a-f-]\{14\}7[0-9a-f]\{3\}-[89ab][0-9a-f-]\{16\}' gen -n 10000 --v7
  check "gen --v7 makes them in order" sort -c "$dir/out"
  lines "gen --ulid makes ULIDs" 10000 '[0-7][0-9A-HJKMNP-TV-Z]\{25\}' gen --ulid -n 10000
  LC_ALL=C check "gen --ulid makes them in order" sort -c "$dir/out"
  lines "gen --token in hexadecimal" 10000 '[0-9a-f]\{32\}' gen --token 16 -n 10000
  lines "gen --token in base64" 5000 '[A-Za-z0-9+/]\{22\}==' gen --token 16 --encoding base64 -n 5000
  lines "gen --token in base64url" 5000 '[A-Za-z0-9_-]\{22\}' gen --token 16 --encoding base64url -n 5000
  lines "gen --token in base32" 5000 '[0-9A-HJKMNP-TV-Z]\{32\}' gen --token 20 --encoding base32 -n 5000
  lines "gen --token takes a megabyte" 3 '[0-9a-f]*' gen --token 1048576 -n 3
  same "the tokens have all their characters" 6291459 "$(wc -c < "$dir/out")"
  lines "gen --traceparent" 5000 '00-[0-9a-f]\{32\}-[0-9a-f]\{16\}-01' gen --traceparent -n 5000
  lines "gen --traceparent --flags" 10 '00-[0-9a-f]\{32\}-[0-9a-f]\{16\}-0a' gen --traceparent --flags 0xa -n 10
  lines "gen --websocket-key" 5000 '[A-Za-z0-9+/]\{22\}==' gen --websocket-key -n 5000
  lines "gen reads hexadecimal numbers" 16 "$uuid" gen -n 0x10
  lines "gen --separator puts its character between" 1 "$uuid,$uuid,$uuid" gen -n 3 --separator ,
  run gen -n 5000 --separator '\0'
  same "gen --separator '\\0' ends each with a NUL" "5000 0" \
    "$(tr -d -c '\0' < "$dir/out" | wc -c) $(tr -d '\0' < "$dir/out" | wc -l)"
  run gen -n 0
  same "gen -n 0 writes nothing" "0 0" "$status $(wc -c < "$dir/out")"
  refused 2 '"x" at position 2' gen -n 12x
  refused 2 'out of range' gen -n 18446744073709551616
  refused 2 'at position 0' gen -n -5
  refused 2 'no digits' gen -n ''
  refused 2 '-n needs a value' gen -n
  refused 2 'whole number from 1 to 1048576' gen --token 0
  refused 2 'whole number from 1 to 1048576' gen --token 1048577
  refused 2 '--v7 and --ulid exclude each other' gen --ulid --v7
  refused 2 '--encoding needs --token' gen --encoding hex
  refused 2 '--flags needs --traceparent' gen --flags 1
  refused 2 'unknown encoding "base65"' gen --token 4 --encoding base65
  refused 2 'not one character' gen --separator ab
  lines "gen --json" 3000 "{\"uuid\":\"[0-9a-f-]\{14\}4[0-9a-f-]\{21\}\",\"version\":4}" gen --json -n 3000
  lines "gen --v7 --json" 3000 "{\"uuid\":\"[0-9a-f-]\{14\}7[0-9a-f-]\{21\}\",\"version\":7}" gen --v7 --json -n 3000
  check "gen --v7 --json makes them in order" sort -c "$dir/out"
  lines "gen --ulid --json" 3000 '{"ulid":"[0-7][0-9A-HJKMNP-TV-Z]\{25\}"}' gen --ulid --json -n 3000
  lines "gen --token --json" 3000 '{"token":"[A-Za-z0-9+/]\{22\}=="}' gen --token 16 --encoding base64 --json -n 3000
  lines "gen --traceparent --json" 3000 '{"traceparent":"00-[0-9a-f]\{32\}-[0-9a-f]\{16\}-01"}' gen --traceparent --json -n 3000
  lines "gen --websocket-key --json" 3000 '{"websocket_key":"[A-Za-z0-9+/]\{22\}=="}' gen --websocket-key --json -n 3000
  lines "gen --json takes tokens of a megabyte" 2 '{"token":"[0-9a-f]*"}' gen --token 1048576 --json -n 2
  same "with all their characters" $((2 * (2097152 + 13))) "$(wc -c < "$dir/out")"
  run gen -n 0 --json
  same "gen -n 0 --json writes nothing" "0 0" "$status $(wc -c < "$dir/out")"
  refused 2 '--json and --separator exclude each other' gen --separator , --json
  refused 2 '--json takes no value' gen --json=1
}

# ---- errors of standard output ----
output() {
  for arguments in "gen" "gen -n 100000 --ulid" "gen --json" "gen -n 100000 --json" "format %[uuid]" \
    "format %[uuid] -n 100000 --threads 3" "format %[uuid] --json" "format %[uuid] --json -n 100000 --threads 3" "inspect 00000000-0000-0000-0000-000000000000" "replay --seed 1" "info" "info --json" "--help" "--version" "help gen"; do
    if [ -w /dev/full ]; then
      # shellcheck disable=SC2086 # words
      "$tool" $arguments > /dev/full 2> "$dir/err"
      same "'$arguments' on a full disk ends with a message and status 1" \
        "1 loguuid: standard output: No space left on device" "$? $(cat "$dir/err")"
    else
      skip "'$arguments' on a full disk" "no /dev/full"
    fi
    # shellcheck disable=SC2086 # words
    "$tool" $arguments 2> "$dir/err" >&-
    same "'$arguments' with standard output closed ends with a message and status 1" \
      "1 loguuid: standard output: Bad file descriptor" "$? $(cat "$dir/err")"
  done
  for arguments in "gen -n 100000000000" "gen -n 100000000000 --json" "format %[uuid] -n 100000000000" \
    "format %[uuid] -n 100000000000 --threads 3" "format %[uuid] -n 100000000000 --json --threads 3" \
    "replay --seed 1 -n 100000000000" "replay --seed 1 -n 100000000000 --json"; do
    # 141 is 128 + 13, as a shell shows the signal.
    if sh -c 'kill -PIPE $$'; then
      skip "'$arguments' into a closed pipe" "SIGPIPE was ignored when this started, and no shell can change that"
    else
      # shellcheck disable=SC2086 # words
      { "$tool" $arguments 2> "$dir/err"; echo $? > "$dir/status"; } | head -n 1 > "$dir/out"
      same "'$arguments' into a closed pipe ends silently by SIGPIPE" "1 141" \
        "$(wc -l < "$dir/out") $(cat "$dir/status" "$dir/err")"
    fi
    # shellcheck disable=SC2086 # words
    { (trap '' PIPE; exec "$tool" $arguments 2> "$dir/err"); echo $? > "$dir/status"; } | head -n 1 > "$dir/out"
    same "'$arguments' into a closed pipe, SIGPIPE ignored, ends with a message and status 1" \
      "1 1 loguuid: standard output: Broken pipe" "$(wc -l < "$dir/out") $(cat "$dir/status" "$dir/err" | xargs)"
  done
  if [ -w /dev/full ]; then
    "$tool" gen extra 2> /dev/full
    same "a message that nobody can read changes no exit status" 2 $?
    "$tool" inspect xyz 00000000-0000-0000-0000-000000000000 > "$dir/out" 2> /dev/full
    same "nor does it end the work" "1 1" "$? $(wc -l < "$dir/out")"
  fi
}

# ---- format ----
format() {
  lines "format renders a UUID" 100 "id=$uuid" format 'id=%[uuid]' -n 100
  lines "format takes options behind the format" 1 "$uuid 100% -" format '%[uuid] 100%% -'
  lines "format --field gives a value of the host" 1 '192.0.2.7 "POST"' format -F ci=192.0.2.7 -F m=POST '%ci "%[m]"'
  lines "a field cannot break the line" 1 'a#0Ab#22c' format --field 'v=a
b"c' '%v'
  lines "format --merge-spaces" 1 'a b' format --merge-spaces 'a    b'
  lines "without --merge-spaces blanks stay" 1 'a    b' format 'a    b'
  printf 'x=%%[uuid]\n' > "$dir/format"
  lines "format --file reads a format" 20 "x=$uuid" format --file "$dir/format" -n 20
  printf 'x=%%[uuid]' | "$tool" format -f - > "$dir/out"
  check "format --file - reads standard input" grep -q -x "x=$uuid" "$dir/out"

  lines "lines of four threads are whole" 6000 "BEGIN\\( $uuid\\)\\{30\\} END" format --threads 4 -n 6000 \
    "BEGIN$(printf ' %%[uuid]%.0s' $(seq 30)) END"
  same "four threads make no UUID twice" 180000 "$(grep -o "$uuid" "$dir/out" | sort -u | wc -l)"
  "$tool" format --threads 7 -n 50001 '%[uuid] %[uuid(7)] %pid' | awk 'NF == 3 && length($1 $2) == 72' > "$dir/out"
  same "lines of seven threads come whole through a pipe" 50001 "$(wc -l < "$dir/out")"
  lines "more threads than lines" 3 "$uuid" format --threads 64 -n 3 '%[uuid]'
  run format -n 0 '%[uuid]'
  same "format -n 0 writes nothing" "0 0" "$status $(wc -c < "$dir/out")"

  line='%T %ms %[uuid] %[uuid(7)] %[ulid] %[token(24)] %[uuid]'
  "$tool" format --seed 7 --thread 3 --now 1700000000123456789 -n 9000 "$line" > "$dir/one"
  "$tool" format --seed 7 --thread 3 --now 1700000000123456789 -n 9000 "$line" > "$dir/two"
  check "a seed and a clock reproduce lines byte for byte" cmp "$dir/one" "$dir/two"
  same "a reproduced line has the time it was given" '14/Nov/2023:22:13:20 +0000 123' "$(head -n 1 "$dir/one" | cut -c1-30)"
  same "reproduced lines differ from each other" 9000 "$(sort -u "$dir/one" | wc -l)"
  "$tool" format --seed 7 --thread 3 --now 1700000000123456789 -n 10 "$line" > "$dir/two"
  same "fewer lines are the first lines" "$(head -n 10 "$dir/one")" "$(cat "$dir/two")"
  "$tool" format --seed 42 --thread 5 --process 2 -n 3000 "$(printf '%%[uuid] %.0s' $(seq 9))%[uuid]" | tr ' ' '\n' > "$dir/one"
  "$tool" replay --seed 42 --thread 5 --process 2 -n 30000 > "$dir/two"
  check "a lane's lines hold the lane's draws in order" cmp "$dir/one" "$dir/two"
  # 9,000 UUIDs are more than a block of the output.
  printf '%%[uuid] %.0s' $(seq 9000) | sed 's/ $//' > "$dir/format"
  "$tool" format --seed 42 --thread 5 -n 3 -f "$dir/format" | tr ' ' '\n' > "$dir/one"
  "$tool" replay --seed 42 --thread 5 -n 27000 > "$dir/two"
  check "a line longer than a block is made from the same draws" cmp "$dir/one" "$dir/two"
  "$tool" format --seed 42 --thread 5 -n 3 --json -f "$dir/format" | sed 's/^{"line":"//; s/"}$//' | tr ' ' '\n' > "$dir/one"
  check "and so it is in JSON" cmp "$dir/one" "$dir/two"
  "$tool" format --seed 9 --now 1 --threads 2 -n 3000 '%[uuid]' | sort > "$dir/one"
  { "$tool" replay --seed 9 -n 1500; "$tool" replay --seed 9 --thread 1 -n 1500; } | sort > "$dir/two"
  check "with a seed each thread takes a lane of its own" cmp "$dir/one" "$dir/two"

  lines "format --json" 2000 "{\"line\":\"id $uuid \\\\\\\"x\\\\\\\"\"}" format --json -n 2000 'id %[uuid] "x"'
  lines "format --json, lines of four threads" 6000 "{\"line\":\"BEGIN\\( $uuid\\)\\{30\\} END\"}" format --json --threads 4 \
    -n 6000 "BEGIN$(printf ' %%[uuid]%.0s' $(seq 30)) END"
  refused 2 'unknown item "uid".*did you mean "uuid"' format 'id=%[uid] rest'
  same "an error of the format is shown with a caret under it" '  id=%[uid] rest
       ^' "$(sed -n 2,3p "$dir/err")"
  check "and with the way to give a server's value" grep -q -e '--field NAME=VALUE' "$dir/err"
  refused 2 'position' format '%[uuid'
  refused 2 'no format' format
  refused 2 'what is "b"' format a b
  refused 2 'two formats' format a --file "$dir/format"
  refused 1 'No such file' format --file "$dir/none"
  refused 1 'Is a directory' format --file "$dir"
  refused 2 'from 1 to 1024' format a --threads 0
  refused 2 'from 1 to 1024' format a --threads 1025
  refused 2 '--thread 18446744073709551614 with --threads 3 goes beyond' format a --seed 1 --threads 3 \
    --thread 18446744073709551614
  run format --seed 1 --threads 2 --thread 18446744073709551614 -n 2 '%[lane]'
  same "the last lanes of all are there" "0 18446744073709551614.0.0 18446744073709551615.0.0" "$status $(sort "$dir/out" | xargs)"
  refused 2 '--now needs --seed' format a --now 1
  refused 2 'no equals sign' format a --field x
  refused 2 'no name' format a --field =x
  refused 2 'has two values' format '%[x]' --field x=1 --field x=2
  printf 'a\0b' > "$dir/format"
  refused 2 'NUL byte at position 1' format --file "$dir/format"
  refused 2 'both read standard input' format --seed @- --file -
  refused 2 '"a b" is a name that no format can hold' format --field 'a b=1' x
  refused 2 'is a name longer than 255 bytes' format --field "$(printf '%0256d' 1)=1" x
}

# ---- inspect ----
# shows ID TEXT [JSON]
shows() {
  run inspect "$1"
  same "inspect reads $1" "0 $1  $2" "$status $(cat "$dir/out")"
}

inspect() {
  # RFC 9562, appendix A; the ULID of its specification.
  shows C232AB00-9414-11EC-B3C8-9F6BDECED846 \
    'UUID  version 1 (Gregorian time and node)  variant RFC 9562  time 2022-02-22T19:22:22.0000000Z'
  shows 1EC9414C-232A-6B00-B3C8-9F6BDECED846 \
    'UUID  version 6 (reordered Gregorian time and node)  variant RFC 9562  time 2022-02-22T19:22:22.0000000Z'
  shows 017F22E2-79B0-7CC3-98C4-DC0C0C07398F \
    'UUID  version 7 (Unix time and random)  variant RFC 9562  time 2022-02-22T19:22:22.000Z'
  shows 919108f7-52d1-4320-9bac-f847db4148a8 'UUID  version 4 (random)  variant RFC 9562'
  shows 5df41881-3aed-3515-88a7-2f4a814cf09e 'UUID  version 3 (MD5 of a name)  variant RFC 9562'
  shows 2489E9AD-2EE2-8E00-8EC9-32D5F69181C0 'UUID  version 8 (custom)  variant RFC 9562'
  shows 919108f7-52d1-4320-dbac-f847db4148a8 'UUID  variant Microsoft'
  shows 919108f7-52d1-4320-7bac-f847db4148a8 'UUID  variant NCS'
  shows urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8 'UUID  version 4 (random)  variant RFC 9562'
  shows 919108f752d143209bacf847db4148a8 'UUID  version 4 (random)  variant RFC 9562'
  shows 00000000-0000-0000-0000-000000000000 'UUID  the nil UUID'
  shows ffffffff-ffff-ffff-ffff-ffffffffffff 'UUID  the max UUID'
  shows 01ARZ3NDEKTSV4RRFFQ69G5FAV 'ULID  time 2016-07-30T23:54:10.259Z'
  shows 7zzzzzzzzzzzzzzzzzzzzzzzzz 'ULID  time +10889-08-02T05:31:50.655Z'
  for wrong in 8ZZZZZZZZZZZZZZZZZZZZZZZZZ 01ARZ3NDEKTSV4RRFFQ69G5FAU 919108f7-52d1-4320-9bac-f847db4148 xyz; do
    refused 1 "\"$wrong\" is neither" inspect $wrong
  done
  escape=$(printf '\033')
  refused 1 '\\x1b\[2J' inspect "${escape}[2J"
  check "a message carries no control byte of its subject" sh -c "! grep -q '$escape' '$dir/err'"
  printf '\357\273\277017F22E2-79B0-7CC3-98C4-DC0C0C07398F 01ARZ3NDEKTSV4RRFFQ69G5FAV\r\n\nfoo\n919108f752d143209bacf847db4148a8' |
    "$tool" inspect > "$dir/out" 2> "$dir/err"
  same "standard input: good ones are shown, bad ones reported with their line" \
    '1 3 loguuid: inspect: line 3: "foo" is neither a UUID nor a ULID' "$? $(wc -l < "$dir/out") $(cat "$dir/err")"
  before=$(date +%s)
  moment=$("$tool" gen --v7 | "$tool" inspect | sed 's/.*time \(.*\)\..*Z/\1/')
  after=$(date +%s)
  moment=$(date -u -d "$moment" +%s 2> /dev/null || echo 0)
  check "the time of a new version 7 is now" [ "$moment" -ge "$before" ] && [ "$moment" -le "$after" ]
  run inspect --json 017F22E2-79B0-7CC3-98C4-DC0C0C07398F 01ARZ3NDEKTSV4RRFFQ69G5FAV
  same "inspect --json" '{"id":"017F22E2-79B0-7CC3-98C4-DC0C0C07398F","kind":"uuid","variant":"RFC 9562","version":7,"time":"2022-02-22T19:22:22.000Z"}
{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","kind":"ulid","time":"2016-07-30T23:54:10.259Z"}' "$(cat "$dir/out")"
}

# ---- replay and locate ----
# Every stream of the vectors, by the number and by the bytes of its seed.
vectors() {
  file=$tests/vectors/stream-aes.txt
  awk -F ' = ' '
    $0 == "[stream]" { if (seed != "") show(); seed = "" }
    { value[$1] = $2 }
    $1 == "seed" { seed = $2 }
    function show() {
      print seed, value["seed_bytes"], value["thread"], value["process"], value["unix_ms"]
      print value["uuid_v4"]; print value["uuid_v4_1023_to_1026"]; print value["uuid_v4_2048_to_2050"]; print value["uuid_v7"]
    }
    END { show() }' "$file" > "$dir/vectors"
  streams=0
  wrong=
  while read -r seed bytes thread process ms && read -r first && read -r rekey && read -r later && read -r v7; do
    streams=$((streams + 1))
    lane="--thread $thread --process $process"
    # shellcheck disable=SC2086 # words
    {
      [ "$first" = "$("$tool" replay --seed "$seed" $lane -n 3 | xargs)" ] &&
        [ "$rekey" = "$("$tool" replay --seed "$bytes" $lane --at 1022 -n 4 | xargs)" ] &&
        [ "$later" = "$("$tool" replay --seed "$bytes" $lane --at 2047 -n 3 | xargs)" ] &&
        [ "$v7" = "$("$tool" replay --seed "$seed" $lane --v7 --now "${ms}000000" -n 3 | xargs)" ]
    } || wrong="$wrong seed $seed $lane;"
  done < "$dir/vectors"
  same "replay makes every stream of the vectors" "$(grep -c '^\[stream\]' "$file") " "$streams $wrong"
}

replay() {
  vectors
  "$tool" replay --seed $seed96 -n 3000 > "$dir/one"
  same "a replay started later goes on as the earlier one did" "$(sed -n '2500,$p' "$dir/one")" \
    "$("$tool" replay --seed $seed96 --at 2499 -n 501)"
  echo $seed96 > "$dir/seed"
  same "a seed is read from a file" "$(head -n 1 "$dir/one")" "$("$tool" replay --seed "@$dir/seed")"
  run replay --seed 0x2a --thread 1 --at 1000000000 --json -n 2
  same "replay --json names the positions" \
    '{"thread":1,"process":0,"draw":1000000000,"uuid":"62b70fec-c335-4147-b243-17f97cf9d9d4"}
{"thread":1,"process":0,"draw":1000000001,"uuid":"52ee5890-d777-44f9-a34b-75ed412b999a"}' "$(cat "$dir/out")"
  refused 2 '--seed is missing' replay
  refused 2 'out of range' replay --seed 18446744073709551616
  refused 2 '98 hexadecimal digits' replay --seed ${seed96}00
  refused 2 'all zero' replay --seed "$(printf '0%.0s' $(seq 96))"
  refused 2 '"z" at position 1' replay --seed 1z
  refused 1 'No such file' replay --seed "@$dir/none"
  printf 'secret%089d' 0 > "$dir/seed"
  refused 2 'the 95 characters of ".*seed" are no seed' replay --seed "@$dir/seed"
  same "a seed of a file is not shown" "$(grep -c secret "$dir/err")" 0
  printf '%095d' 0 > "$dir/seed"
  refused 2 'the 95 characters of' replay --seed "@$dir/seed"
  : > "$dir/seed"
  refused 2 'the 0 characters of' replay --seed "@$dir/seed"
  echo 12345678901234567890123 > "$dir/seed"
  refused 2 'the 23 characters of' replay --seed "@$dir/seed"
  for most in 18446744073709551615 0xffffffffffffffff; do
    echo $most > "$dir/seed"
    run replay --seed "@$dir/seed"
    same "a file's seed may be $most" $status 0
  done
  for large in 18446744073709551616 0x10000000000000000; do
    echo $large > "$dir/seed"
    refused 2 'are no seed' replay --seed "@$dir/seed"
    same "a number of a file is not shown" "$(grep -c "$large" "$dir/err")" 0
  done
  refused 2 '--v7 needs --now' replay --seed 1 --v7
  refused 2 '--at 18446744073709551615 with --count 2 goes beyond' replay --seed 1 --at 18446744073709551615 -n 2
  refused 2 '--at 18446744073709551615 with --count 2 goes beyond' replay --seed 1 --at 18446744073709551615 -n 2 --unlimited
  for at in 1000000000001 18446744073709551615 0xffffffffffffffff; do
    refused 2 '--at: [0-9]* draws .* more than the limit of 10^12 .* --unlimited' replay --seed 1 --at $at
  done
  going "replay goes up to the limit" replay --seed 1 --at 1000000000000
  going "replay --unlimited goes beyond it" replay --seed 1 --at 18446744073709551615 --unlimited
}

locate() {
  for place in "0 0 0" "63 0 999999" "17 2 1024" "18446744073709551615 18446744073709551615 5" "4294967296 0 7"; do
    # shellcheck disable=SC2086 # words
    set -- $place
    id=$("$tool" replay --seed 42 --thread "$1" --process "$2" --at "$3")
    threads=$1
    [ "$1" -gt 63 ] 2> /dev/null || threads=0-63
    [ ${#1} -lt 10 ] || threads=$1
    run locate --seed 42 --threads "$threads" --process "$2" --within 1000000 --json "$id"
    same "locate finds lane $1 of process $2, draw $3" \
      "0 {\"uuid\":\"$id\",\"found\":true,\"thread\":$1,\"process\":$2,\"draw\":$3}" "$status $(cat "$dir/out")"
  done
  id=$("$tool" replay --seed 42 --thread 9 --process 3 --at 5000000)
  upper=$(echo "$id" | tr a-f A-F)
  run locate --seed 42 --threads 0-15 --process 0-4 --from 4999999 --within 2 "{$upper}"
  same "locate says it in words, in a range of processes, from a draw on" \
    'thread 9 (TID 8), process 3, draw 5000000' "$(cat "$dir/out")"
  for last in 1 2 3 4 5 6 7 8 15 16 17 31; do
    id=$("$tool" replay --seed 42 --thread 2 --at $((last - 1)))
    run locate --seed 42 --threads 2 --within $last "$id"
    same "the last of $last draws is found" "thread 2 (TID 1), process 0, draw $((last - 1))" "$(cat "$dir/out")"
  done
  id=$("$tool" replay --seed 42 --thread 3 --at 1000)
  refused 1 'not made by' locate --seed 42 --within 1000 "$id"
  refused 1 'not made by' locate --seed 42 --threads 4-9 "$id"
  refused 1 'not made by' locate --seed 43 "$id"
  run locate --seed 43 --within 1000 --json "$id"
  same "locate --json says that nothing was found" "1 {\"uuid\":\"$id\",\"found\":false}" "$status $(cat "$dir/out")"
  refused 2 'second dash at position 3' locate --seed 1 --threads 0-1-2 00000000-0000-4000-8000-000000000000
  refused 2 'no UUID' locate --seed 1
  refused 2 'not a UUID' locate --seed 1 xyz
  refused 2 'not a version 4 UUID' locate --seed 1 017F22E2-79B0-7CC3-98C4-DC0C0C07398F
  refused 2 'runs backwards' locate --seed 1 --threads 5-2 "$id"
  refused 2 'behind its dash' locate --seed 1 --threads 5- "$id"
  refused 2 'from 1 to' locate --seed 1 --within 0 "$id"
  refused 2 'lanes to search' locate --seed 1 --threads 0-18446744073709551615 --process 0-9 "$id"
  refused 2 '--from 18446744073709551615 with --within 2 goes beyond' locate --seed 1 --from 18446744073709551615 --within 2 "$id"
  limit='more than the limit of 10^12 draws in all: .* --unlimited'
  refused 2 "--within 1000000000001 from draw 0 on, in 1 lane, is $limit" locate --seed 1 --threads 1 --within 1000000000001 "$id"
  refused 2 "$limit" locate --seed 1 --threads 1 --from 1000000000000 --within 1 "$id"
  refused 2 "$limit" locate --seed 1 --threads 1 --from 18446744073709551615 --within 1 "$id"
  refused 2 "$limit" locate --seed 1 --within 18446744073709551615 "$id"
  refused 2 "$limit" locate --seed 1 --threads 0-1000000 "$id"
  refused 2 "$limit" locate --seed 1 --threads 0-281474976710654 --within 1 "$id"
  refused 2 "$limit" locate --seed 1 --process 0-15625 "$id"
  going "locate goes up to the limit" locate --seed 1 --threads 1 --within 1000000000000 "$id"
  going "locate --unlimited goes beyond it" locate --seed 1 --from 18446744073709551615 --within 1 --unlimited "$id"
  # Lanes in pieces, one worker's and many workers'; the last draw of each is found.
  for place in "1 0 0" "1 2999999 0" "1 262144 0" "2 262143 5000" "1 2999998 12345" "3 2000000 1" "40 999999 0"; do
    # shellcheck disable=SC2086 # words
    set -- $place
    id=$("$tool" replay --seed 42 --thread "$1" --at $(($2 + $3)))
    run locate --seed 42 --threads 1-"$1" --from "$3" --within $(($2 + 1)) "$id"
    same "draw $2 from $3 on of lane $1 is found" "thread $1 (TID $(($1 - 1))), process 0, draw $(($2 + $3))" "$(cat "$dir/out")"
    [ "$2" = 0 ] || refused 1 'not made by' locate --seed 42 --threads 1-"$1" --from "$3" --within "$2" "$id"
  done
}

# ---- info ----
info() {
  run info
  for row in version kernel 'kernels of this CPU' LOGUUID_KERNEL 'fork detection' 'snapshot detection' clock mode hash \
    'thread state'; do
    check "info has $row" grep -q "^$row  *[^ ]" "$dir/out"
  done
  LOGUUID_KERNEL=scalar run info --json
  check "info says that a kernel was chosen" grep -q '"kernel":"scalar".*"kernel_request":"scalar","kernel_request_honoured":true' "$dir/out"
  LOGUUID_KERNEL=abacus run info
  check "info says that an unknown kernel is ignored" grep -q '^LOGUUID_KERNEL  *"abacus": ignored' "$dir/out"
  LOGUUID_KERNEL=abacus run info --json
  check "so does info --json" grep -q '"kernel_request":"abacus","kernel_request_honoured":false' "$dir/out"
}

json() {
  if ! command -v python3 > /dev/null; then
    skip "JSON is read by an independent parser" "no python3"
    return
  fi
  {
    LOGUUID_KERNEL=$(printf 'a"\\\377\001') "$tool" info --json
    "$tool" info --json
    "$tool" gen --v7 -n 50 | "$tool" inspect --json
    "$tool" inspect --json 919108f7-52d1-4320-7bac-f847db4148a8 00000000-0000-0000-0000-000000000000
    "$tool" replay --seed 1 --json -n 50
    "$tool" locate --seed 1 --within 10 --json 919108f7-52d1-4320-9bac-f847db4148a8
    for kind in --v4 --v7 --ulid '--token 7 --encoding base64' --traceparent --websocket-key; do
      # shellcheck disable=SC2086 # words
      "$tool" gen --json -n 10 $kind
    done
    "$tool" format --json -n 35 '%t "%[uuid]"'
  } > "$dir/out"
  check "JSON is read by an independent parser" python3 -c '
import json, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert len(lines) == 200 and all(isinstance(json.loads(line), dict) for line in lines)' "$dir/out"
  check "format --json is valid and says the same for any bytes" python3 "$tests/tool_json.py" "$tool"
}

# ---- on a terminal ----
# A reader that makes short work long: nothing for 1.3 seconds once the first block has come.
late='(head -c 1; sleep 1.3; cat) > /dev/null'

# on_terminal TERM: what standard error shows of long work.
on_terminal() {
  script -qec "TERM=$1 NO_COLOR=1 '$tool' gen -n 3000000 | $late" /dev/null < /dev/null > "$dir/out"
}

terminal() {
  if ! script -qec true /dev/null < /dev/null > "$dir/out" 2>&1; then
    skip "long work shows its progress on a terminal" "no script(1) that makes one"
    return
  fi
  on_terminal xterm
  check "long work shows its progress on a terminal" grep -q '[0-9]%  .* of 3.0M identifiers .*/s .* left' "$dir/out"
  check "the progress line is gone at the end" sh -c "tr '\\r' '\\n' < '$dir/out' | sed -n '\$p' | grep -q -x '' ||
    tr '\\r' '\\n' < '$dir/out' | tail -n 1 | grep -q -x ' *'"
  check "nothing is coloured" sh -c "! grep -q '$(printf '\033')' '$dir/out'"
  script -qec "TERM=xterm '$tool' gen --json -n 100000000000 | timeout 2 cat > /dev/null" /dev/null < /dev/null > "$dir/out"
  check "a reader that goes away leaves no progress line" sh -c "grep -q ' of 100.0G identifiers' '$dir/out' &&
    tr '\\r' '\\n' < '$dir/out' | sed -n '\$p' | grep -q -x ' *'"
  script -qec "TERM=xterm timeout 2 '$tool' locate --seed 1 --threads 1 --from 900000000000 \
    919108f7-52d1-4320-9bac-f847db4148a8" /dev/null < /dev/null > "$dir/out"
  check "a search shows its progress on its way to the first draw, also beside its output" grep -q ' of 900.0G draws' "$dir/out"
  check "a signal that ends it leaves no progress line" sh -c "tr '\\r' '\\n' < '$dir/out' | sed -n '\$p' | grep -q -x ' *'"
  script -qec "TERM=xterm; yes 01ARZ3NDEKTSV4RRFFQ69G5FAV | head -n 200000 | '$tool' inspect | $late" /dev/null \
    < /dev/null > "$dir/out"
  check "inspect counts" grep -q '[0-9]k identifiers  .*/s' "$dir/out"
  on_terminal dumb
  check "a dumb terminal gets no progress" [ ! -s "$dir/out" ]
  script -qec "'$tool' gen -n 3" /dev/null < /dev/null > "$dir/out"
  same "short work shows its output alone" 3 "$(tr -d '\r' < "$dir/out" | grep -c -x "$uuid")"
  "$tool" gen -n 3000000 2> "$dir/err" | eval "$late"
  check "without a terminal there is no progress" [ ! -s "$dir/err" ]
}

# ---- completion ----
# completes WANTED WORDS...: what may stand for the last word.
completes() {
  wanted=$1
  shift
  # shellcheck disable=SC2016 # bash expands it
  same "the completion of '$*' is '$wanted'" "$wanted" "$(bash -c '. "$0"; COMP_WORDS=(loguuid "$@"); COMP_CWORD=$#
    _loguuid 2> /dev/null; echo "${COMPREPLY[*]}"' "$file" "$@")"
}

completion() {
  file=$tests/../doc/loguuid.bash-completion
  if ! command -v bash > /dev/null; then
    skip "the completion knows every option" "no bash"
    return
  fi
  for command in gen format inspect replay locate info; do
    options $command | sed 's/^/--/' | sort > "$dir/one"
    # shellcheck disable=SC2016 # bash expands it
    bash -c '. "$1"; COMP_WORDS=(loguuid "$2" --); COMP_CWORD=2; _loguuid; printf "%s\n" "${COMPREPLY[@]}"' \
      bash "$file" $command | sort > "$dir/two"
    check "the completion knows the options of $command" cmp "$dir/one" "$dir/two"
  done
  completes 'gen format inspect replay locate info help --help --version' ''
  completes 'inspect info' in
  completes '--json' format --j
  completes '--unlimited' replay --seed 1 --un
  completes '--unlimited' locate --un
  completes 'inspect info' help in
  completes 'base64 base64url' gen --encoding base6
  # As bash parts words at = and @.
  completes 'base64 base64url' gen --encoding = base6
  completes 'hex base64 base64url base32' gen --encoding =
  completes '' gen --count =
  completes "$dir/one" format --file = "$dir/on"
  completes "@$dir/one" replay --seed "@$dir/on"
  completes "@$dir/one" replay --seed @ "$dir/on"
  completes "@$dir/one" replay --seed =@ "$dir/on"
  completes '' replay --seed "$dir/on"
}

# ---- speed: processor time, so that a busy machine does not decide ----
speed() {
  if "$tool" info --json | grep -q '"kernel":"scalar"'; then
    skip "gen writes 1 GB a second" "a CPU without a vector kernel"
    return
  fi
  if grep -q -a -e '__[amt]san_init' -e __ubsan_handle "$tool"; then
    skip "gen writes 1 GB a second" "built with a sanitizer"
    return
  fi
  quick "gen writes 1 GB a second: 3.7 GB" 370 "$tool" gen -n 100000000
  quick "replay reaches draw 1000000000 in 2 seconds" 200 "$tool" replay --seed 1 --at 1000000000
}

if [ ! -x "$tool" ]; then
  bad "the command is there" "no $tool"
  exit 1
fi
for part in help gen output format inspect replay locate info json terminal completion speed; do $part; done
[ $failures = 0 ]
