# What the library asks of a linker: libc and nothing of C++; what it offers: exactly the committed list of symbols.
set -u
build=$1
archive=$build/libloguuid.a
shared=$build/libloguuid.so.1
nm=${NM:-nm}
readelf=${READELF:-readelf}

# verdict NAME WRONG: passes when WRONG is empty.
verdict() {
  if [ -z "$2" ]; then echo "ok $1"; else echo "not ok $1: $(echo "$2" | tr '\n' ' ')"; fi
}

if ! $nm "$archive" > /dev/null 2>&1 || ! $readelf -h "$shared" > /dev/null 2>&1; then
  echo "not ok the libraries can be read: $archive, $shared"
  exit 1
fi

undefined=$($nm -u "$archive" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u)
[ -n "$undefined" ] || echo "not ok the archive's undefined symbols can be listed: there are none"
verdict "no undefined C++ run-time symbol in the archive" \
  "$(echo "$undefined" | grep -E '^(_ZSt|_ZNSt|_ZNKSt|_Znw|_Zna|_Zdl|_Zda|_ZT[ISV]|__cxa|__gxx|_Unwind|__dynamic_cast)')"
verdict "nothing of the archive allocates but through malloc, calloc and realloc" \
  "$(echo "$undefined" | grep -E '^(aligned_alloc|posix_memalign|memalign|strdup|asprintf)$')"
verdict "nothing in the archive prints or exits" \
  "$(echo "$undefined" | grep -E '^(v?f?printf|puts|putchar|fwrite|perror|exit|_exit|__v?f?printf_chk)$')"
verdict "no symbol of the archive is outside loguuid" \
  "$($nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v -E '^(loguuid_|_ZN?K?7loguuid|_ZT[HW]N?7loguuid|_ZGV)')"

# The dynamic symbols.
exported=$($nm -D --defined-only "$shared" | awk '{ print $3 }' | LC_ALL=C sort -u)
listed=$(LC_ALL=C sort -u tests/exported-symbols.txt)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo "$exported" > "$work/exported"
echo "$listed" > "$work/listed"
verdict "the shared library exports the committed list of symbols" "$(diff "$work/listed" "$work/exported" | grep '^[<>]')"

# Every function of the headers is exported, and no other.
declared=$(sed -n 's/^LOGUUID_API.*[ *]\(loguuid_[a-z0-9_]*\)(.*/\1/p' include/loguuid.h include/loguuid_haproxy.h | LC_ALL=C sort -u)
echo "$declared" > "$work/declared"
verdict "the list is what the headers declare" "$(diff "$work/declared" "$work/listed" | grep '^[<>]')"

verdict "the shared library needs libc alone" \
  "$($readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | grep -v -E '^(libc\.so\.|ld-linux|ld64|libpthread\.so\.)')"
verdict "the shared library never calls __tls_get_addr" "$($nm -D -u "$shared" | grep -o '__tls_get_addr')"
verdict "the shared library has its soname" \
  "$($readelf -d "$shared" | grep -q 'SONAME.*\[libloguuid.so.1\]' || echo 'no libloguuid.so.1')"
verdict "the shared library is never unloaded" "$($readelf -d "$shared" | grep -q NODELETE || echo 'no NODELETE flag')"
verdict "the stack of the shared library is not executable" \
  "$($readelf -lW "$shared" | grep GNU_STACK | grep -q 'RWE' && echo 'GNU_STACK is RWE')"
verdict "the shared library has no text relocations" "$($readelf -d "$shared" | grep -o TEXTREL)"

# install may name another place than the build did.
for prefix in /opt/one /opt/two; do
  MAKEFLAGS='' make -s BUILD="$work/pc" PREFIX=$prefix "$work/pc/loguuid.pc" > /dev/null
  verdict "the pkg-config file names $prefix" "$(grep -q "^prefix=$prefix\$" "$work/pc/loguuid.pc" || echo "no prefix=$prefix")"
done
