# Tokens in every encoding and size against openssl and coreutils, on every kernel.
set -u
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# RFC 4648's alphabet to Crockford's, digit by digit.
crockford() { tr -d '=' | tr 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567' '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; }

check() { # NAME SIZE RIGHT OURS
  [ -n "$3" ] || set -- "$1" "$2" - "$4"
  if [ "$3" != "$4" ]; then
    echo "not ok $1 of $2 bytes is what others write ($kernel): $4 should be $3"
    wrong=yes
  fi
}

for kernel in $("$build/loguuid-tests" --list-kernels); do
  wrong=no
  lines=0
  LOGUUID_KERNEL=$kernel "$build/loguuid-tests" --tokens 1000 > "$work/tokens"
  while read -r size hex base64 base64url base32; do
    lines=$((lines + 1))
    if [ "$hex" = - ]; then : > "$work/bytes"; else python3 -c "
import sys
sys.stdout.buffer.write(bytes.fromhex('$hex'))" > "$work/bytes"; fi
    [ "$(wc -c < "$work/bytes")" = "$size" ] || check 'hexadecimal' "$size" "$size bytes" "$hex"
    check base64 "$size" "$(openssl base64 -A -in "$work/bytes")" "$base64"
    check base64url "$size" "$(basenc --base64url -w 0 "$work/bytes" | tr -d '=')" "$base64url"
    check base32 "$size" "$(base32 -w 0 "$work/bytes" | crockford)" "$base32"
  done < "$work/tokens"
  if [ $lines != 81 ]; then
    echo "not ok tokens of 0 to 80 bytes ($kernel): $lines lines"
  elif [ $wrong = no ]; then
    echo "ok tokens of 0 to 80 bytes are what openssl and coreutils write ($kernel)"
  fi
done
