// The public face of the life cycle and of caller-owned generators: arguments are checked here, process.cc and lane.cc
// do the work.
#include "loguuid.h"
#include "platform.h"
#include "process.h"

using namespace loguuid;

static_assert(sizeof(Lane) <= sizeof(loguuid_gen));
static_assert(kSaveBytes == LOGUUID_GEN_SAVE_SIZE);

loguuid_status loguuid_boot(const loguuid_config* config) { return boot(config); }
loguuid_status loguuid_thread_start(uint32_t tid) { return thread_start(tid); }
void loguuid_thread_stop(void) { thread_stop(); }
void loguuid_set_entropy_wait(unsigned milliseconds) { set_entropy_wait(milliseconds); }
void loguuid_set_snapshot_file(const char* path) { set_snapshot_file(path); }

loguuid_status loguuid_reseed(void) {
  loguuid_status status = LOGUUID_OK;
  draw([&](Lane& lane) {
    uint8_t fresh[16];
    if (!lane_is_live(lane) || lane.hash != Hash::aes) {
      status = LOGUUID_ERR_STATE;
    } else if (!entropy_fill(fresh, sizeof fresh, 0)) {
      status = LOGUUID_ERR_ENTROPY;
    } else {
      status = LOGUUID_OK;
      lane_reseed(lane, fresh);
      wipe(fresh, sizeof fresh);
    }
  });
  return status;
}

loguuid_status loguuid_gen_init(loguuid_gen* gen, const void* seed, size_t seed_len, uint64_t thread, uint64_t process,
                                loguuid_hash hash) {
  if (gen == nullptr || seed == nullptr || (hash != LOGUUID_HASH_AES && hash != LOGUUID_HASH_XXH3))
    return LOGUUID_ERR_ARG;
  const bool ok = generator_reproducible(*lane_of(gen), seed, seed_len, thread, process, static_cast<Hash>(hash));
  return ok ? LOGUUID_OK : LOGUUID_ERR_ARG;
}

loguuid_status loguuid_gen_init_live(loguuid_gen* gen) {
  return gen == nullptr ? LOGUUID_ERR_ARG : generator_live(*lane_of(gen));
}

loguuid_gen* loguuid_use(loguuid_gen* gen) { return use(gen); }

void loguuid_gen_set_clock(loguuid_gen* gen, uint64_t now_ns) {
  if (gen == nullptr || lane_of(gen)->magic != kLaneMagic || lane_is_live(*lane_of(gen))) return;
  lane_pin(*lane_of(gen), now_ns);
}

void loguuid_gen_skip(loguuid_gen* gen, uint64_t draws) {
  if (gen == nullptr || lane_of(gen)->magic != kLaneMagic) return;
  Lane& lane = *lane_of(gen);
  lane_skip(lane, draws);
  lane.gate = 0;  // the next draw looks whether it wants service
}

loguuid_position loguuid_gen_position(const loguuid_gen* gen) {
  loguuid_position position = {0, 0, 0};
  const auto read = [&](const Lane& lane) { position = {lane.thread, lane.process, lane_draws(lane)}; };
  if (gen == nullptr)
    draw(read);
  else if (lane_of(gen)->magic == kLaneMagic)
    read(*lane_of(gen));
  return position;
}

loguuid_status loguuid_gen_save(const loguuid_gen* gen, unsigned char out[LOGUUID_GEN_SAVE_SIZE]) {
  if (gen == nullptr || out == nullptr) return LOGUUID_ERR_ARG;
  if (lane_of(gen)->magic != kLaneMagic) return LOGUUID_ERR_STATE;
  lane_save(*lane_of(gen), out);
  return LOGUUID_OK;
}

loguuid_status loguuid_gen_restore(loguuid_gen* gen, const unsigned char in[LOGUUID_GEN_SAVE_SIZE]) {
  if (gen == nullptr || in == nullptr) return LOGUUID_ERR_ARG;
  Lane lane;
  bool was_live = false;
  loguuid_status status = lane_restore(lane, in, was_live) ? LOGUUID_OK : LOGUUID_ERR_FORMAT;
  if (status == LOGUUID_OK && was_live)
    status = generator_live(lane);
  else if (status == LOGUUID_OK)
    bring_clock(lane);
  if (status == LOGUUID_OK) *lane_of(gen) = lane;
  wipe(&lane, sizeof lane);
  return status;
}

void loguuid_gen_wipe(loguuid_gen* gen) {
  if (gen == nullptr) return;
  loguuid_gen* serving = use(nullptr);
  if (serving != gen) use(serving);
  wipe(gen, sizeof *gen);
}
