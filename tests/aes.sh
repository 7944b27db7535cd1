# The stream against an implementation that shares no code with ours: python3 walks the sequence and expands the seed (from
# the published algorithms), `openssl enc` does the AES, over two changes of the key and on every kernel.
set -u
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cat > "$work/reference.py" << 'PY'
import subprocess, sys
M = (1 << 64) - 1
def rotl(x, k): return ((x << k) | (x >> (64 - k))) & M
def splitmix(x):
    while True:
        x = (x + 0x9e3779b97f4a7c15) & M
        z = x
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & M
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & M
        yield z ^ (z >> 31)
def step(s):
    t = (s[1] << 17) & M
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45)
def jump(s, polynomial):
    r = [0, 0, 0, 0]
    for word in polynomial:
        for bit in range(64):
            if word >> bit & 1: r = [a ^ b for a, b in zip(r, s)]
            step(s)
    s[:] = r
JUMP = (0x180ec6d33cfd0aba, 0xd5a61266f0c9392c, 0xa9582618e03fc9aa, 0x39abdc4529b1661c)
LONG_JUMP = (0x76e15d3efefdcbbf, 0xc5004e441c522fb3, 0x77710069854ee241, 0x39109bb02acbe635)
def le(*words): return b"".join(w.to_bytes(8, "little") for w in words)
def aes(key, plain):
    return subprocess.run(["openssl", "enc", "-aes-128-ecb", "-K", key.hex(), "-nopad", "-nosalt"], input=plain,
                          stdout=subprocess.PIPE, check=True).stdout
def blocks(seed, thread, process, count):
    words = splitmix(seed)
    k0 = le(next(words), next(words))
    s = [next(words) for _ in range(4)]
    for _ in range(thread): jump(s, LONG_JUMP)
    for _ in range(process): jump(s, JUMP)
    key = aes(k0, le(thread, process))
    out = b""
    while len(out) < 16 * count:
        plain = b""
        for _ in range(1025):
            plain += le(s[0], s[1])
            step(s)
        cipher = aes(key, plain)
        out += cipher[:-16]
        key = cipher[-16:]
    return out[:16 * count]
sys.stdout.buffer.write(blocks(*map(int, sys.argv[1:])))
PY

for lane in '42 0 0' '0 3 2' '18446744073709551615 9 0' '1700000000 0 7'; do
  name=$(echo "$lane" | tr ' ' '-')
  if ! python3 "$work/reference.py" $lane 2500 > "$work/$name"; then
    echo "not ok reference of lane $lane: python3 or openssl failed"
    exit 1
  fi
  for kernel in $("$build/loguuid-tests" --list-kernels); do
    title="blocks of seed, thread, process $lane are openssl's ($kernel)"
    if ! LOGUUID_KERNEL=$kernel "$build/loguuid-tests" --blocks $lane 2500 > "$work/ours"; then
      echo "not ok $title: the test program failed"
    elif [ "$(wc -c < "$work/ours")" != 40000 ]; then
      echo "not ok $title: $(wc -c < "$work/ours") bytes"
    elif difference=$(cmp "$work/ours" "$work/$name" 2>&1); then
      echo "ok $title"
    else
      echo "not ok $title: $difference"
    fi
  done
done
