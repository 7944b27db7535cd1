#!/bin/sh
# JSON lines, encodings and dates read back by Python, which shares no code with the library:
#   tests/logformat_json.sh BUILD
# One line a check: `ok NAME`, `not ok NAME: why` or `skip NAME: why`.
set -u
build=${1:-build}
name='log formats as Python reads them'
if ! python3 -c 'import ctypes, json' 2> /dev/null; then
  echo "skip $name: there is no python3 with ctypes and json"
  exit 0
fi
if [ ! -e "$build/libloguuid.so.1" ]; then
  echo "skip $name: there is no $build/libloguuid.so.1"
  exit 0
fi
python3 - "$build/libloguuid.so.1" << 'PYTHON'
import base64, ctypes, json, random, subprocess, sys, time, uuid

try:
    library = ctypes.CDLL(sys.argv[1])
except OSError as error:  # a library of another machine or built with a sanitizer
    print("skip log formats as Python reads them: %s" % error)
    sys.exit(0)

Write = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("write", Write), ("type", ctypes.c_int)]

class Error(ctypes.Structure):
    _fields_ = [("position", ctypes.c_size_t), ("message", ctypes.c_char * 120)]

library.loguuid_format_render.restype = ctypes.c_size_t
library.loguuid_format_render.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
library.loguuid_format_free.argtypes = [ctypes.c_void_p]

values = {}

def writer(name):
    def write(context, out, cap):
        value = values[name]
        ctypes.memmove(out, value, min(cap, len(value)))
        return len(value)
    return Write(write)

FIELDS = (Field * 4)(*[Field(n.encode(), writer(n), t) for n, t in (("v", 0), ("w", 0), ("n", 1), ("b", 2))])

class Format:
    def __init__(self, text):
        self.format = ctypes.c_void_p()
        error = Error()
        status = library.loguuid_format_compile(ctypes.byref(self.format), text.encode(), FIELDS, ctypes.c_size_t(4),
                                                ctypes.c_uint(0), ctypes.byref(error))
        assert status == 0, (text, error.message)
        self.out = ctypes.create_string_buffer(100000)

    def line(self, **given):
        values.update(given)
        length = library.loguuid_format_render(self.format, self.out, len(self.out), None)
        return self.out.raw[:length]

random.seed(1)
PIECES = [b'"', b"\\", b"\n", b"\r", b"\x00", b"\x7f", b"\xc3\xa9", b"\xe2\x82\xac",
          b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8",
          b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"#", b"]", b"a", b"1", b"-"]

def some_bytes():
    count = random.randrange(30)
    return b"".join(random.choice(PIECES) if random.random() < 0.6 else random.randbytes(1) for _ in range(count))

def json_is_read_back():
    line = Format('%{+json}o %(v)v %(quoted "name" \\)[w] %(u)[uuid] %(n)n %(b)b %(t)t %(s:str)[int(-5)] '
                  '%(y:bool)[str(7)] %(m)ms')
    for _ in range(20000):
        v, w, n = some_bytes(), some_bytes(), random.randrange(-2**63, 2**63)
        flag = random.random() < 0.5
        text = line.line(v=v, w=w, n=str(n).encode(), b=b"true" if flag else b"false")
        assert len(text.splitlines()) == 1 and len(text.decode().splitlines()) == 1, text
        members = json.loads(text.decode("utf-8", "strict"), object_pairs_hook=list)
        assert [name for name, _ in members] == ["v", 'quoted "name" \\', "u", "n", "b", "t", "s", "y", "m"], text
        members = dict(members)
        assert members["v"] == v.decode("utf-8", "replace"), (v, text)
        assert members['quoted "name" \\'] == w.decode("utf-8", "replace"), (w, text)
        assert members["n"] == n and members["b"] is flag and members["s"] == "-5" and members["y"] is True, text
        assert uuid.UUID(members["u"]).version == 4 and 0 <= members["m"] < 1000, text

def numbers_that_are_none_stay_valid():
    line = Format("%{+json}o %(n)n %(b)b %(x:sint)v %(y:bool)w")
    for _ in range(20000):
        json.loads(line.line(v=some_bytes(), w=some_bytes(), n=some_bytes(), b=some_bytes()).decode())

def plain_text_is_one_field():
    line = Format('%{+Q}v|%w|%{+E}v')
    for _ in range(5000):
        text = line.line(v=some_bytes(), w=some_bytes())
        assert all(32 <= byte <= 126 for byte in text), text
        assert text.startswith(b'"') and text[1:].split(b'"')[1].startswith(b"|"), text

def encodings_are_pythons():
    crockford = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    line = Format("%[v,hex] %[v,base64] %[v,ub64enc] %[v,b32]")
    for length in list(range(1, 600)) + [4000, 8192]:
        v = random.randbytes(length)
        expected = [v.hex().upper().encode(), base64.b64encode(v), base64.urlsafe_b64encode(v).rstrip(b"="),
                    base64.b32encode(v).rstrip(b"=").translate(crockford)]
        assert line.line(v=v).split(b" ") == expected, length

def dates_are_strftimes():
    line = Format("%T|%Tl|%Ts|%t")
    for _ in range(200):
        utc, local, seconds, with_ms = line.line().decode().split("|")
        at = int(seconds)
        assert utc == time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(at)), utc
        assert local == time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(at)), local
        assert with_ms[:-4] == local[:-6] and abs(at - time.time()) < 60, with_ms

failed = 0
for check in (json_is_read_back, numbers_that_are_none_stay_valid, plain_text_is_one_field, encodings_are_pythons,
              dates_are_strftimes):
    name = "log formats as Python reads them: " + check.__name__.replace("_", " ")
    try:
        check()
        print("ok " + name)
    except Exception as error:
        print("not ok %s: %s: %s" % (name, type(error).__name__, str(error)[:300].replace("\n", " ")))
        failed = 1
sys.exit(failed)
PYTHON
