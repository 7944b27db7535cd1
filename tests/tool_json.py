"""The JSON of `loguuid format --json` for lines of any bytes:  tests/tool_json.py TOOL

Python reads the lines, and says itself what broken UTF-8 becomes. The library's own JSON of the same bytes as a value must be
the same text.
"""
import json
import random
import subprocess
import sys

tool = sys.argv[1]
pieces = [b"a", b"plain text of a log line", b'"', b"\\", b"\n", b"\r", b"\t", b"\x01", b"\x1f", b"\x7f", b"/", b"#", b" ",
          "ü€𐍈".encode(), "\u0080\u0085\u009f\u00a0\u2027\u2028\u2029\u202a\ufeff\ufffd\uffff\U0010ffff".encode(),
          b"\x80", b"\xbf", b"\xc0\xaf", b"\xc1", b"\xc3", b"\xe0\x80\x80", b"\xe2\x82", b"\xed\xa0\x80", b"\xef\xbf",
          b"\xf0\x80\x80\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf5", b"\xff\xfe"]


def run(*arguments, text=b""):
    return subprocess.run([tool, "format", *arguments], input=text, stdout=subprocess.PIPE, check=True).stdout


def check(line):
    out = run("--json", "-n", "2", "-f", "-", text=line.replace(b"%", b"%%") + b"\r\n")
    wanted = line.decode("utf-8", "replace")
    rows = out.split(b"\n")
    assert len(rows) == 3 and rows[0] == rows[1] and rows[2] == b"", (line, out)
    text = rows[0].decode("utf-8")
    assert json.loads(text) == {"line": wanted}, (line, out)
    assert text.splitlines() == [text] and all(c.isprintable() or ord(c) >= 0xa0 for c in text), (line, out)
    if line:
        library = run("-F", b"v=" + line, "%{+json}o %(line)[v]")
        assert library.replace(b'{"line": ', b'{"line":', 1) == rows[0] + b"\n", (line, out, library)


# Every byte at every place of eight, every length, and then what chance brings; few starts of the tool, many bytes.
random.seed(1)
for gap in range(6, 9):
    check(b"".join(bytes([byte]) + b"x" * gap for byte in range(1, 256)))
for size in range(0, 18):
    check(b"x" * size)
for _ in range(12):
    check(b"".join(random.choices(pieces, k=300)))
    check(bytes(random.randrange(1, 256) for _ in range(2000)))
for piece in pieces:
    check(b"12345" + piece)
