# The examples of README.md and doc/*.md do what they show:
#   ```c, ```cpp   with a main(): compiled strictly, linked with the library, run; exit status 0. Without one: compiled only if
#                  it stands alone, so it is left out.
#   ```console     lines with "$ " are commands, what follows is their output. Identifiers and times may differ, and a line
#                  "..." stands for any lines. `build/` means the build folder.
# A line <!-- not run: why --> before a block leaves it out. Indented lines that begin with `loguuid ` are commands, too: they
# end with exit status 0.
set -u
build=$1
[ -e README.md ] || { echo "skip the examples of the documents run: there is no README.md yet"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

BUILD=$build WORK=$work CC=${CC:-cc} CXX=${CXX:-g++} python3 - README.md doc/*.md << 'PY'
import os, re, subprocess, sys

build, work = os.path.abspath(os.environ["BUILD"]), os.environ["WORK"]
compilers = {
    "c": [*os.environ["CC"].split(), "-std=c99", "-D_POSIX_C_SOURCE=200809L"],
    "cpp": [*os.environ["CXX"].split(), "-std=c++20"],
}
found = {"c": 0, "commands": 0}

def say(good, name, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why.strip().splitlines()[-1][:300] if why.strip() else 'no reason'}")

def blocks(path):
    language, start, body, previous = None, 0, [], ""
    for number, line in enumerate(open(path), 1):
        fence = re.match(r"\s*```(\w*)", line)
        if fence and language is None:
            language, start, body = fence[1] or "none", number, []
            left_out = previous.startswith("<!-- not run:")
        elif fence:
            if not left_out: yield language, start, "".join(body)
            language = None
        elif language is not None:
            body.append(line)
        if line.strip() and language is None: previous = line.strip()

def run_program(name, language, text):
    source, program = f"{work}/example.{'c' if language == 'c' else 'cc'}", f"{work}/example"
    open(source, "w").write(text)
    made = subprocess.run([*compilers[language], "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o", program, source,
                           f"{build}/libloguuid.a", "-pthread"], text=True, capture_output=True)
    if made.returncode != 0: return say(False, name, made.stderr.splitlines()[0] if made.stderr else "")
    ran = subprocess.run([program], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, cwd=work)
    say(ran.returncode == 0, name, f"exit status {ran.returncode} {ran.stderr}")

# What differs from one run to the next.
VARIES = [(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}", "UUID"),
          (r"\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b", "TRACEPARENT"), (r"\b0[0-9A-HJKMNP-TV-Z]{25}\b", "ULID"),
          (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME"), (r"\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4})?", "TIME")]

def same(shown, printed):
    for pattern, word in VARIES:
        shown, printed = re.sub(pattern, word, shown), re.sub(pattern, word, printed)
    pattern = "\n".join(".*" if line.strip() == "..." else re.escape(line.rstrip()) for line in shown.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, "\n".join(l.rstrip() for l in printed.rstrip("\n").split("\n")), re.S) is not None

def run_shell(command, **options):
    real = re.sub(r"(?<![\w/])(\./)?build/", build + "/", command)
    return subprocess.run(["sh", "-c", real], text=True, stdin=subprocess.DEVNULL, timeout=60,
                          env={**os.environ, "PATH": build + ":" + os.environ["PATH"]}, **options)

def run_console(name, text):
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "): steps.append([line[2:], []])
        elif steps and steps[-1][0].endswith("\\"): steps[-1][0] += "\n" + line
        elif steps: steps[-1][1].append(line)
    if not steps: return say(False, name, "no line begins with '$ '")
    for command, shown in steps:
        if not shown: continue
        ran = run_shell(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not same("\n".join(shown), ran.stdout):
            for line in ran.stdout.splitlines()[:20]: print("# printed: " + line)
            return say(False, name, f"`{command}` does not print what is shown")
    say(True, name)

def run_indented(path):
    inside = False
    for number, line in enumerate(open(path), 1):
        if line.lstrip().startswith("```"): inside = not inside
        if inside or not re.match(r"    (build/)?loguuid ", line): continue
        found["commands"] += 1
        ran = run_shell(line.strip(), capture_output=True)
        say(ran.returncode == 0, f"the command at {path}:{number} works", f"exit status {ran.returncode} {ran.stderr}")

for path in sys.argv[1:]:
    if not os.path.exists(path): continue
    run_indented(path)
    for language, line, text in blocks(path):
        name = f"the example at {path}:{line} does what it shows"
        try:
            if language in compilers and re.search(r"\bmain\s*\(", text):
                found["c"] += 1
                run_program(name, language, text)
            elif language == "console":
                found["commands"] += 1
                run_console(name, text)
        except subprocess.TimeoutExpired:
            say(False, name, "not done after a minute")
say(found["c"] > 0, "the documents have a C example with a main()", "none was found")
say(found["commands"] > 0, "the documents show commands", "none was found")
PY
