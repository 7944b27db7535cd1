// Saved states: any 160 bytes are refused or become a generator that works; what is restored is saved as it was.
#include "fuzz.h"
#include "loguuid.h"

namespace {

constexpr size_t kSize = LOGUUID_GEN_SAVE_SIZE;
constexpr uint8_t kVersion[8] = {'G', 'L', 'U', 'U', 'D', 'I', 'G', '1'};

// The checksum is no secret (FNV-1a over all before it): without a right one the fuzzer would see the first check only.
void seal(uint8_t* state) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < kSize - 8; ++i) h = (h ^ state[i]) * 0x100000001b3;
  for (size_t i = 0; i < 8; ++i) state[kSize - 8 + i] = static_cast<uint8_t>(h >> (8 * i));
}

void draw_everything(fuzz::Input& input) {
  char text[64];
  unsigned char bytes[100];
  uint64_t draws = loguuid_gen_position(nullptr).draws;
  for (int i = 0; i < 8; ++i) {
    const uint8_t what = input.byte();
    uint64_t made = 1;
    switch (what % 8) {
      case 0:
        FUZZ_CHECK(loguuid_v4(text, 37) == 36);
        break;
      case 1:
        FUZZ_CHECK(loguuid_v7(text, 37) == 36);
        break;
      case 2:
        loguuid_ulid(text, 27);  // may overflow: then it says so
        break;
      case 3:
        loguuid_random_bytes(bytes, what % sizeof bytes);
        made = (what % sizeof bytes + 15) / 16;
        break;
      case 4:
        loguuid_random64();
        break;
      case 5:
        loguuid_random64_internal();
        made = 0;
        break;
      case 6:
        loguuid_random_pair(nullptr, nullptr);
        break;
      default:
        FUZZ_CHECK(loguuid_traceparent(text, sizeof text, what) == 55);
        made = 2;
    }
    draws += made;
    FUZZ_CHECK(loguuid_gen_position(nullptr).draws == draws);
  }
}

void check(const uint8_t* state, fuzz::Input input) {
  static loguuid_gen gen, untouched;
  memset(&gen, 0x5a, sizeof gen);
  memset(&untouched, 0x5a, sizeof gen);
  fuzz::Exact in(state, kSize), out(kSize);
  const loguuid_status status = loguuid_gen_restore(&gen, in.bytes());
  if (status != LOGUUID_OK) {
    FUZZ_CHECK(status == LOGUUID_ERR_FORMAT);
    FUZZ_CHECK(memcmp(&gen, &untouched, sizeof gen) == 0);
    return;
  }
  FUZZ_CHECK(loguuid_gen_save(&gen, out.bytes()) == LOGUUID_OK);
  const bool was_live = (in.bytes()[9] & 1) != 0;
  if (was_live)
    FUZZ_CHECK(!out.same(in));  // a lane and a key of its own
  else
    FUZZ_CHECK(out.same(in));
  for (const int changed : {0, 8, 31, 80, 159}) {
    fuzz::Exact broken(state, kSize);
    broken.bytes()[changed] ^= static_cast<uint8_t>(1 + input.byte() % 255);
    FUZZ_CHECK(loguuid_gen_restore(&untouched, broken.bytes()) == LOGUUID_ERR_FORMAT);
  }
  loguuid_use(&gen);
  draw_everything(input);
  loguuid_use(nullptr);

  // A copy goes on like the original.
  if (!was_live && out.bytes()[8] == 0) {
    static loguuid_gen copy;
    FUZZ_CHECK(loguuid_gen_save(&gen, out.bytes()) == LOGUUID_OK);
    FUZZ_CHECK(loguuid_gen_restore(&copy, out.bytes()) == LOGUUID_OK);
    const uint64_t skip = input.byte() * uint64_t{9};
    loguuid_gen_skip(&gen, skip);
    loguuid_gen_skip(&copy, skip);
    uint64_t a[2], b[2];
    loguuid_use(&gen);
    loguuid_random_pair(&a[0], &a[1]);
    loguuid_use(&copy);
    loguuid_random_pair(&b[0], &b[1]);
    loguuid_use(nullptr);
    FUZZ_CHECK(a[0] == b[0] && a[1] == b[1]);
    loguuid_gen_wipe(&copy);
  }
  loguuid_gen_wipe(&gen);
}

}  // namespace

// Bytes 0 to 159 as they came; then with the version and the checksum of a real state. What follows them says what to
// draw.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint8_t state[kSize] = {};
  memcpy(state, data, size < kSize ? size : kSize);
  const fuzz::Input input(data + (size < kSize ? size : kSize), size < kSize ? 0 : size - kSize);
  check(state, input);
  memcpy(state, kVersion, sizeof kVersion);
  seal(state);
  check(state, input);
  return 0;
}
