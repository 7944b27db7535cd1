# Tokens in every encoding and size against openssl and coreutils, on every kernel.
set -u
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# RFC 4648's alphabet to Crockford's, digit by digit.
crockford() { tr -d '=' | tr 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567' '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; }

first=
for kernel in $("$build/loguuid-tests" --list-kernels); do
  LOGUUID_KERNEL=$kernel "$build/loguuid-tests" --tokens 1000 > "$work/$kernel"
  if [ -z "$first" ]; then
    first=$kernel
  elif cmp -s "$work/$first" "$work/$kernel"; then
    echo "ok tokens of 0 to 80 bytes are those of $first ($kernel)"
  else
    echo "not ok tokens of 0 to 80 bytes are those of $first ($kernel): $(diff "$work/$first" "$work/$kernel" | head -n 1)"
  fi
done

# The bytes come from the hexadecimal form; its length and alphabet prove that it is one.
lines=0
wrong=
check() { # NAME RIGHT OURS
  [ "${2:--}" = "$3" ] || wrong="$1 of $size bytes is $3, others write ${2:--}"
}
while read -r size hex base64 base64url base32; do
  lines=$((lines + 1))
  [ "$hex" != - ] || hex=
  [ ${#hex} = $((2 * size)) ] || wrong="hexadecimal of $size bytes has ${#hex} digits"
  echo "$hex" | tr 'a-f' 'A-F' | basenc --base16 -d > "$work/bytes" || wrong="hexadecimal of $size bytes is not read by basenc"
  check base64 "$(openssl base64 -A -in "$work/bytes")" "$base64"
  check base64url "$(basenc --base64url -w 0 "$work/bytes" | tr -d '=')" "$base64url"
  check base32 "$(base32 -w 0 "$work/bytes" | crockford)" "$base32"
done < "$work/$first"
[ $lines = 81 ] || wrong="$lines lines"
name="tokens of 0 to 80 bytes are what openssl and coreutils write ($first)"
if [ -z "$wrong" ]; then echo "ok $name"; else echo "not ok $name: $wrong"; fi
