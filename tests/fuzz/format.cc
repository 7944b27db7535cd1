// Formats: any text is refused with a reason or compiled, and renders the same line into any buffer, whatever the
// fields of a hostile host return.
#include <algorithm>
#include <string>

#include "fuzz.h"
#include "loguuid.h"
#include "readers.h"

namespace {

// What the host's fields do. Every render starts with the same one, so that every render must give the same line.
struct Host {
  uint64_t random;
  bool draws;

  uint64_t next() {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  }
};

size_t fill(void* context, char* out, size_t cap, size_t wanted, uint64_t (*make)(Host&)) {
  Host& host = *static_cast<Host*>(context);
  if (host.draws) loguuid_random64();
  for (size_t i = 0; i < std::min(wanted, cap); ++i) out[i] = static_cast<char>(make(host));
  return wanted;
}

uint64_t any_byte(Host& host) { return host.next() >> 11; }
uint64_t nul(Host&) { return 0; }
uint64_t letter(Host& host) { return 'a' + host.next() % 26; }
uint64_t digit(Host& host) { return '0' + host.next() % 10; }
uint64_t mark(Host& host) {
  constexpr char kMarks[] = "\"\\]#{}\n\r\t,: \xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\x7f-";
  return static_cast<uint64_t>(kMarks[host.next() % (sizeof kMarks - 1)]);
}

size_t write_any(void* context, char* out, size_t cap) {
  return fill(context, out, cap, static_cast<Host*>(context)->next() % 100, any_byte);
}
size_t write_nothing(void*, char*, size_t) { return 0; }
size_t write_nuls(void* context, char* out, size_t cap) { return fill(context, out, cap, 9, nul); }
size_t write_marks(void* context, char* out, size_t cap) { return fill(context, out, cap, 40, mark); }
size_t write_number(void* context, char* out, size_t cap) {
  return fill(context, out, cap, static_cast<Host*>(context)->next() % 25, digit);
}
size_t write_more_than_fits(void* context, char* out, size_t cap) { return fill(context, out, cap, cap + 1, letter); }
size_t write_most(void* context, char* out, size_t cap) { return fill(context, out, cap, SIZE_MAX, letter); }
size_t write_exactly(void* context, char* out, size_t cap) { return fill(context, out, cap, cap, mark); }

constexpr loguuid_field kFields[] = {
    {"any", write_any, LOGUUID_STR},
    {"anyi", write_any, LOGUUID_INT},
    {"anyb", write_any, LOGUUID_BOOL},
    {"none", write_nothing, LOGUUID_STR},
    {"nonei", write_nothing, LOGUUID_INT},
    {"nul", write_nuls, LOGUUID_STR},
    {"marks", write_marks, LOGUUID_STR},
    {"num", write_number, LOGUUID_INT},
    {"numb", write_number, LOGUUID_BOOL},
    {"nums", write_number, LOGUUID_STR},
    {"more", write_more_than_fits, LOGUUID_STR},
    {"most", write_most, LOGUUID_STR},
    {"exact", write_exactly, LOGUUID_STR},
    {"f(x)", write_any, LOGUUID_STR},
    {"a-b.c_d", write_number, LOGUUID_STR},
};

loguuid_gen generator;

// A generator and a clock that are the same each time.
void start_again(uint64_t seed) {
  FUZZ_CHECK(loguuid_gen_init(&generator, &seed, sizeof seed, 1, 0, LOGUUID_HASH_AES) == LOGUUID_OK);
  loguuid_gen_set_clock(&generator, 1700000000123456789 + seed);
  loguuid_use(&generator);
}

using Render = size_t (*)(void* format, char* out, size_t cap, void* context);

// Renders into a buffer of this size and returns what is in it.
std::string render(Render with, void* format, const Host& host, uint64_t seed, size_t cap, size_t& wanted) {
  Host mine = host;
  fuzz::Exact buffer(cap);
  start_again(seed);
  wanted = with(format, buffer.text(), cap, &mine);
  if (cap == 0) return "";
  const size_t len = std::min(wanted, cap - 1);
  FUZZ_CHECK(buffer.text()[len] == '\0');
  return {buffer.text(), len};
}

bool has_controls(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
}

// Another %o could end the encoding of the line.
bool may_change_encoding(const std::string& text) { return text.find('o') != std::string::npos; }

enum class Mode { plain, json, cbor };

void check_line(const std::string& line, const std::string& text, Mode mode) {
  if (!has_controls(text)) FUZZ_CHECK(!has_controls(line));
  if (may_change_encoding(text)) return;
  if (mode == Mode::json) FUZZ_CHECK(fuzz::Json::is_object(line));
  if (mode == Mode::cbor) FUZZ_CHECK(fuzz::Cbor::is_map(line));
}

void check_renders(Render with, void* format, const Host& host, uint64_t seed, const std::string& text, Mode mode,
                   fuzz::Input& input) {
  size_t wanted = 0, again = 0;
  render(with, format, host, seed, 0, wanted);
  const std::string line = render(with, format, host, seed, wanted + 1, again);
  FUZZ_CHECK(again == wanted && line.size() == wanted);
  check_line(line, text, mode);
  const size_t caps[] = {
      1, 2, input.byte() + size_t{1}, wanted, wanted / 2 + 1, (input.word() % (wanted + 1)) + 1, wanted + 100};
  for (const size_t cap : caps) {
    const std::string part = render(with, format, host, seed, cap, again);
    FUZZ_CHECK(again == wanted);
    if (cap > 0) FUZZ_CHECK(part == line.substr(0, std::min(cap - 1, wanted)));
  }
}

loguuid_format* compile(const std::string& text, unsigned flags) {
  loguuid_format_error error;
  memset(&error, 0x77, sizeof error);
  loguuid_format* format = nullptr;
  fuzz::Exact exact(text.c_str(), text.size() + 1);
  const loguuid_status status =
      loguuid_format_compile(&format, exact.text(), kFields, std::size(kFields), flags, &error);
  FUZZ_CHECK(memchr(error.message, 0, sizeof error.message) != nullptr);
  FUZZ_CHECK((status == LOGUUID_OK) == (format != nullptr));
  FUZZ_CHECK((status == LOGUUID_OK) == (error.message[0] == '\0'));
  if (status == LOGUUID_OK) {
    FUZZ_CHECK(error.position == 0);
  } else {
    FUZZ_CHECK(status == LOGUUID_ERR_SYNTAX || status == LOGUUID_ERR_SPACE);
    FUZZ_CHECK(error.position <= text.size());
    FUZZ_CHECK(!has_controls(error.message));
  }
  return format;
}

size_t render_format(void* format, char* out, size_t cap, void* context) {
  return loguuid_format_render(static_cast<loguuid_format*>(format), out, cap, context);
}
size_t render_live(void* live, char* out, size_t cap, void* context) {
  return loguuid_live_render(static_cast<loguuid_live*>(live), out, cap, context);
}

}  // namespace

// Two bytes of choices, then the text of the format.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t choice = input.byte(), seed = input.byte();
  const unsigned flags = choice & 1 ? LOGUUID_FORMAT_MERGE_SPACES : 0;
  const Mode mode = choice & 2 ? Mode::json : choice & 4 ? Mode::cbor : Mode::plain;
  const Host host = {seed * uint64_t{0x9e3779b97f4a7c15} + 1, (choice & 8) != 0};
  std::string text(reinterpret_cast<const char*>(input.rest()), input.left());
  text.resize(strlen(text.c_str()));

  const char* const prefix = mode == Mode::json ? "%{+json}o " : mode == Mode::cbor ? "%{+cbor}o " : "";
  loguuid_format* format = compile(prefix + text, flags);
  if (format == nullptr) return 0;
  if (choice & 16) {
    loguuid_live* live = nullptr;
    FUZZ_CHECK(loguuid_live_new(&live, format) == LOGUUID_OK);
    check_renders(render_live, live, host, seed, text, mode, input);
    // In another encoding a name may be refused that was none before.
    loguuid_format* next = compile("%[uuid] " + text, flags);
    if (next != nullptr) {
      FUZZ_CHECK(loguuid_live_replace(live, next) == LOGUUID_OK);
      check_renders(render_live, live, host, seed, text, Mode::plain, input);
    }
    loguuid_live_free(live);
  } else {
    check_renders(render_format, format, host, seed, text, mode, input);
    loguuid_format_free(format);
  }
  loguuid_use(nullptr);
  return 0;
}
