/* loguuid: identifiers for proxies and servers.
 *
 * Every thread walks its own lane of one xoshiro256** sequence (Blackman and Vigna, 2018), every 128-bit block
 * is hidden behind an AES key (FIPS 197), and blocks become UUIDs (RFC 9562), tokens and log lines.
 *
 * Rules that hold for every function below, unless its comment says otherwise:
 *  - Any thread may call it at any time, also from a signal handler and after fork() in the child; a child draws
 *    from a lane of its own, with a key of its own, without being told.
 *  - Nothing is printed, no lock is taken, nothing shared is written on a draw, and nothing is allocated after a
 *    thread's first draw. Only functions whose comment says so allocate or may block.
 *  - The first draw of a thread gives it a lane; the first draw of a process boots in live mode. If the operating
 *    system has no entropy for that boot, the draw calls abort(): a guessable identifier is worse. Call
 *    loguuid_boot() first to get an error instead.
 *  - A length is in bytes. `cap` is the size of `out`, the final NUL included.
 *
 * License: MIT. */
#ifndef LOGUUID_H
#define LOGUUID_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOGUUID_VERSION_MAJOR 1
#define LOGUUID_VERSION_MINOR 0
#define LOGUUID_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define LOGUUID_API __attribute__((visibility("default")))
#else
#define LOGUUID_API
#endif

typedef enum loguuid_status {
  LOGUUID_OK = 0,
  LOGUUID_ERR_ARG,     /* NULL where a value is needed, a length that fits nothing, an all-zero state */
  LOGUUID_ERR_ENTROPY, /* the operating system gave no random bytes */
  LOGUUID_ERR_STATE,   /* not now: booted already, another TID held, wrong mode */
  LOGUUID_ERR_TID,     /* another living thread has this TID */
  LOGUUID_ERR_SPACE,   /* the buffer is too small, or a value would overflow */
  LOGUUID_ERR_SYNTAX,  /* text that does not parse */
  LOGUUID_ERR_NOMEM,   /* the operating system gave no memory */
  LOGUUID_ERR_FORMAT   /* saved state: wrong version or corrupt */
} loguuid_status;

/* A sentence for a status, in English; never NULL, static storage. Safe in signal handlers. */
LOGUUID_API const char *loguuid_strerror(loguuid_status status);

/* "1.0.0". Static storage. */
LOGUUID_API const char *loguuid_version(void);

/* The kernel (set of fast loops) this CPU got: "avx512", "avx2", "ssse3", "neon" or "scalar". All give the same
 * bytes. The environment variable LOGUUID_KERNEL may name a lower one; it is read once. Static storage. */
LOGUUID_API const char *loguuid_kernel(void);

/* ---- life cycle ---- */

typedef enum loguuid_hash {
  LOGUUID_HASH_AES = 0, /* hides the state; the default */
  LOGUUID_HASH_XXH3 = 1 /* bit-compatible with HAProxy 3.4, for comparison: treat what it prints as showing the state */
} loguuid_hash;

typedef struct loguuid_config {
  size_t size;      /* sizeof(loguuid_config): lets the struct grow */
  const void *seed; /* NULL: seed from the operating system (live mode). Else reproducible mode */
  size_t seed_len;  /* 48 (16 bytes of key, then the state s0 s1 s2 s3 little-endian, not all zero), or 8 for an
                       integer seed (a uint64_t in host order) */
  loguuid_hash hash;
  uint64_t (*now_ns)(void); /* the host's clock, nanoseconds since the Unix epoch; NULL: the library's own. Called
                               at most once a line or batch, possibly from a signal handler of yours that draws */
} loguuid_config;

/* Boots the process. `config` NULL: live mode, AES, the library's clock. The calling thread walks lane 0 until it
 * starts with a TID. Of several threads that boot at once, one gets LOGUUID_OK.
 * Returns LOGUUID_OK; LOGUUID_ERR_STATE when booted already (a draw boots too); LOGUUID_ERR_ARG for a wrong size,
 * seed length, hash or an all-zero state; LOGUUID_ERR_ENTROPY; LOGUUID_ERR_NOMEM. On failure nothing has happened.
 * May block for the system's entropy at early boot, see loguuid_set_entropy_wait(). */
LOGUUID_API loguuid_status loguuid_boot(const loguuid_config *config);

/* This thread walks lane tid + 1 from now on; the TID is released when the thread stops or ends. Boots if needed.
 * The second owner of a TID gets a fresh process number, so that no lane is walked twice. A child made by fork()
 * keeps its thread's TID. Generators given to loguuid_use() stay in service.
 * Returns LOGUUID_OK (also when this thread has this TID already); LOGUUID_ERR_TID when another living thread has
 * it; LOGUUID_ERR_STATE when this thread has another; LOGUUID_ERR_ENTROPY or LOGUUID_ERR_NOMEM when the boot failed.
 * Not for signal handlers. */
LOGUUID_API loguuid_status loguuid_thread_start(uint32_t tid);

/* Ends this thread's lane, overwrites its secrets and releases its TID. Happens by itself when the thread ends. A later
 * draw of this thread gets a new lane. Without a lane nothing happens. Not for signal handlers. */
LOGUUID_API void loguuid_thread_stop(void);

/* XORs fresh system entropy into the key of this thread's current generator: for hosts that learn of a snapshot or a
 * clone. Other threads are not touched. Returns LOGUUID_OK; LOGUUID_ERR_STATE in reproducible mode or in XXH3 mode;
 * LOGUUID_ERR_ENTROPY (the key is unchanged). */
LOGUUID_API loguuid_status loguuid_reseed(void);

/* How long a boot may wait for a system whose entropy pool is not ready yet, in milliseconds (default 10,000; 0: do not
 * wait). Set before boot; process-wide. */
LOGUUID_API void loguuid_set_entropy_wait(unsigned milliseconds);

/* The file in which the machine counts its snapshots and clones, in the form of Linux's vmclock device. Default (NULL):
 * /dev/vmclock0. The string must stay. Where no such file can be mapped, the clock in every live draw is what parts
 * clones. Set before boot; process-wide. */
LOGUUID_API void loguuid_set_snapshot_file(const char *path);

/* ---- caller-owned generators: tests, replay, coroutines that move between threads ---- */

/* An object of its own: copy only through save and restore. One thread at a time may use it. Holds secrets: end it
 * with loguuid_gen_wipe(). */
typedef struct loguuid_gen {
  uint64_t opaque[64];
} loguuid_gen;

/* Reproducible generator at the start of lane (thread, process); `thread` is the lane's index, TID + 1. `seed` and
 * `seed_len` as in loguuid_config. The same arguments give the same output for ever, on every machine; fork() copies
 * it as it is. Returns LOGUUID_OK or LOGUUID_ERR_ARG (then *gen is unchanged). */
LOGUUID_API loguuid_status loguuid_gen_init(loguuid_gen *gen, const void *seed, size_t seed_len, uint64_t thread,
                                            uint64_t process, loguuid_hash hash);

/* Live generator on the next free lane, in the mode the process was booted with (a process in reproducible mode
 * makes reproducible ones). Boots if needed. After fork() the child's copy moves to a lane of its own. Returns
 * LOGUUID_OK, LOGUUID_ERR_ARG for NULL, LOGUUID_ERR_ENTROPY or LOGUUID_ERR_NOMEM when the boot failed. */
LOGUUID_API loguuid_status loguuid_gen_init_live(loguuid_gen *gen);

/* From now on `gen` serves this thread's calls; NULL: the thread's own lane. Returns what served before (NULL: the
 * thread's own). The generator must outlive its use. A few stores: cheap enough for each switch of a coroutine. */
LOGUUID_API loguuid_gen *loguuid_use(loguuid_gen *gen);

/* Pins the clock of a reproducible generator to `now_ns` (v7, ULID, dates of a line). No effect on a live one
 * or NULL. */
LOGUUID_API void loguuid_gen_set_clock(loguuid_gen *gen, uint64_t now_ns);

/* Moves on as if `draws` draws had been made. Takes one AES block for each 1,024 draws: 10^9 in well under a second.
 * NULL: nothing happens. In live mode the keys passed over get no system bytes, so skip reproducible ones. */
LOGUUID_API void loguuid_gen_skip(loguuid_gen *gen, uint64_t draws);

typedef struct loguuid_position {
  uint64_t thread;  /* the lane's index: TID + 1 */
  uint64_t process; /* the lane's process number */
  uint64_t draws;   /* draws made: the number of the next one */
} loguuid_position;

/* Where a generator stands, for an audit trail. NULL: this thread's current one (which gets a lane if it has none). */
LOGUUID_API loguuid_position loguuid_gen_position(const loguuid_gen *gen);

#define LOGUUID_GEN_SAVE_SIZE 160

/* Writes a generator as portable bytes (any machine reads them). They hold its key: protect and overwrite them. Returns
 * LOGUUID_OK, LOGUUID_ERR_ARG for NULL, LOGUUID_ERR_STATE for memory that holds no generator. */
LOGUUID_API loguuid_status loguuid_gen_save(const loguuid_gen *gen, unsigned char out[LOGUUID_GEN_SAVE_SIZE]);

/* Makes `gen` the generator that was saved; a reproducible one goes on byte for byte, a live one moves to a fresh lane
 * and key (its saved copy may serve elsewhere). Returns LOGUUID_OK, LOGUUID_ERR_ARG for NULL, LOGUUID_ERR_FORMAT for
 * another version or a changed byte; on failure *gen is unchanged. */
LOGUUID_API loguuid_status loguuid_gen_restore(loguuid_gen *gen, const unsigned char in[LOGUUID_GEN_SAVE_SIZE]);

/* Overwrites a generator's secrets. If it serves this thread, the thread's own lane takes over. NULL:
 * nothing happens. */
LOGUUID_API void loguuid_gen_wipe(loguuid_gen *gen);

/* ---- randoms: from this thread's current generator ---- */

LOGUUID_API uint64_t loguuid_random64(void); /* 64 uniform bits, safe to show; one draw */
LOGUUID_API uint32_t loguuid_random32(void); /* the upper half of a random64; one draw */

/* Uniform in [0, bound), without modulo bias (Lemire, 2019); 0 for bound 0. One draw, rarely more. */
LOGUUID_API uint64_t loguuid_random_below(uint64_t bound);

/* The raw xoshiro256** word. Fastest, and shows the state: never publish it. Not a draw. */
LOGUUID_API uint64_t loguuid_random64_internal(void);

/* The two halves of one draw. A NULL pointer is not written. */
LOGUUID_API void loguuid_random_pair(uint64_t *lo, uint64_t *hi);

/* `len` random bytes: ceil(len / 16) draws. `out` NULL is allowed with `len` 0 only. */
LOGUUID_API void loguuid_random_bytes(void *out, size_t len);

/* ---- identifiers ----
 * The text functions write text and a NUL and return the length without it. If `cap` is too small they return 0, draw
 * nothing and write "" (nothing if `cap` is 0). `out` NULL returns 0. */

LOGUUID_API void loguuid_v4_bytes(unsigned char out[16]); /* RFC 9562, 5.4, network byte order */
LOGUUID_API void loguuid_v7_bytes(unsigned char out[16]); /* RFC 9562, 5.7; strictly increasing within a lane */
LOGUUID_API size_t loguuid_v4(char *out, size_t cap);     /* 36 characters, cap >= 37 */
LOGUUID_API size_t loguuid_v7(char *out, size_t cap);     /* 36 characters, cap >= 37 */

/* `count` UUIDs with `separator` between them, no separator behind the last; cap >= 37 * count (>= 1 for count 0). The
 * same UUIDs as `count` single calls. Returns 37 * count - 1, or 0 for count 0. */
LOGUUID_API size_t loguuid_v4_many(char *out, size_t cap, size_t count, char separator);
LOGUUID_API size_t loguuid_v7_many(char *out, size_t cap, size_t count, char separator);

/* 26 characters of Crockford base32 (ULID specification); cap >= 27. Monotonic within a lane: in one millisecond, or
 * when the clock goes back, the last value plus one. Should the 80 random bits overflow (the specification's error) it
 * returns 0 and writes "". */
LOGUUID_API size_t loguuid_ulid(char *out, size_t cap);

/* W3C Trace Context, version 00: 55 characters, cap >= 56. `flags`: its lower 8 bits. Never an all-zero id. */
LOGUUID_API size_t loguuid_traceparent(char *out, size_t cap, unsigned flags);

/* Sec-WebSocket-Key (RFC 6455, 4.1): base64 of 16 bytes, 24 characters, cap >= 25. */
LOGUUID_API size_t loguuid_websocket_key(char *out, size_t cap);

typedef enum loguuid_encoding {
  LOGUUID_HEX,       /* lower case */
  LOGUUID_BASE64,    /* RFC 4648, section 4, padded */
  LOGUUID_BASE64URL, /* RFC 4648, section 5, not padded */
  LOGUUID_BASE32     /* Crockford's alphabet, upper case, not padded */
} loguuid_encoding;

/* Capacity that a token of `num_bytes` random bytes needs, NUL included; 0 for SIZE_MAX / 2 bytes and more, and if
 * `encoding` is unknown. */
LOGUUID_API size_t loguuid_token_size(size_t num_bytes, loguuid_encoding encoding);

/* `num_bytes` random bytes as text: ceil(num_bytes / 16) draws. */
LOGUUID_API size_t loguuid_token(char *out, size_t cap, size_t num_bytes, loguuid_encoding encoding);

/* Reads a UUID: 36 characters in either case; also 32 hexadecimal digits, {braces} around 36, urn:uuid: before 36.
 * Nothing else: no blanks, no missing dash. Any version and variant. Takes as long on bad input as on good.
 * Returns LOGUUID_OK; LOGUUID_ERR_SYNTAX (`out` is unchanged); LOGUUID_ERR_ARG for NULL. Draws nothing. */
LOGUUID_API loguuid_status loguuid_parse(unsigned char out[16], const char *text, size_t len);

/* 36 characters, lower case, and a NUL; cap >= 37. Draws nothing. `in` NULL returns 0. */
LOGUUID_API size_t loguuid_unparse(char *out, size_t cap, const unsigned char in[16]);

/* ---- log formats: HAProxy's custom log format language (doc/formats.md) ---- */

typedef struct loguuid_format loguuid_format;

typedef enum loguuid_type { LOGUUID_STR = 0, LOGUUID_INT, LOGUUID_BOOL } loguuid_type; /* how JSON and CBOR show it */

/* A value that the host supplies, named as in %[name] or %name; `name(argument)` only as in %[name(argument)].
 * A name that cannot be written so is LOGUUID_ERR_ARG for the compiler of the format. */
typedef struct loguuid_field {
  const char *name; /* copied by the compiler of the format */
  /* Writes the value's text, at most `cap` bytes (a NUL among them is its own business); returns the length it wanted,
   * as snprintf does. Called by loguuid_format_render() in the rendering thread; must not leave by longjmp. */
  size_t (*write)(void *context, char *out, size_t cap);
  loguuid_type type;
} loguuid_field;

#define LOGUUID_FORMAT_MERGE_SPACES 1u /* runs of blanks in the format become one, as in HAProxy's log-format */

typedef struct loguuid_format_error {
  size_t position;   /* byte of `text`, from 0 */
  char message[120]; /* a sentence, with the position in it */
} loguuid_format_error;

/* Compiles `text`. `fields` are looked up before the built-in items. `error` (may be NULL) is filled on failure, and
 * emptied on success. Allocates; takes time linear in the text. Returns LOGUUID_OK, LOGUUID_ERR_ARG,
 * LOGUUID_ERR_SYNTAX, LOGUUID_ERR_SPACE (over the stated limits of doc/formats.md) or LOGUUID_ERR_NOMEM; on failure
 * *out is NULL. */
LOGUUID_API loguuid_status loguuid_format_compile(loguuid_format **out, const char *text, const loguuid_field *fields,
                                                  size_t num_fields, unsigned flags, loguuid_format_error *error);

/* Renders one line, with no end of line. Returns the length the line wanted; at most cap - 1 characters and a NUL are
 * written (nothing if `cap` is 0). All UUIDs of the line are drawn in one batch, the clock is read once. A compiled
 * format is immutable: any number of threads may render it at once. `context` goes to the fields' functions. */
LOGUUID_API size_t loguuid_format_render(const loguuid_format *format, char *out, size_t cap, void *context);

/* Frees a format that no thread renders any more. NULL: nothing happens. */
LOGUUID_API void loguuid_format_free(loguuid_format *format);

/* ---- a format that can be replaced while threads render it ---- */

typedef struct loguuid_live loguuid_live;

/* Takes ownership of `initial`. Allocates. LOGUUID_OK, LOGUUID_ERR_ARG, LOGUUID_ERR_NOMEM (then `initial` is still
 * yours). */
LOGUUID_API loguuid_status loguuid_live_new(loguuid_live **out, loguuid_format *initial);

/* From now on renders use `next`, which the live format owns from then on. Readers never wait; the old format is freed
 * when no reader can hold it: now, or in a later call. Writers may call it at once and do not wait for each other. */
LOGUUID_API loguuid_status loguuid_live_replace(loguuid_live *live, loguuid_format *next);

/* loguuid_format_render() of the format in service. Never waits. A thread's first one may map a page of memory: should
 * the system have none left for more than 64 such threads, it returns 0 and writes "". */
LOGUUID_API size_t loguuid_live_render(loguuid_live *live, char *out, size_t cap, void *context);

/* Frees it and its formats. No thread may be in or come to another call on it. NULL: nothing happens. */
LOGUUID_API void loguuid_live_free(loguuid_live *live);

/* ---- what the library found on this machine ---- */

typedef struct loguuid_info {
  size_t size;                    /* in: sizeof(loguuid_info) */
  const char *kernel;             /* as loguuid_kernel() */
  const char *kernels;            /* names of all kernels this CPU can run, best first, one blank between */
  const char *kernel_request;     /* LOGUUID_KERNEL's value as it was read, or NULL */
  int kernel_request_honoured;    /* 0: unknown name, or not for this CPU */
  const char *fork_detection;     /* "wiped page and atfork", or "atfork and process id" */
  const char *snapshot_detection; /* the file of the machine's generation counter, or "clock" */
  const char *clock;              /* what every live draw is mixed with, such as "time-stamp counter" */
  int host_clock;                 /* 1: the host's now_ns tells the time, 0: the system */
  const char *mode;               /* "not booted", "live", "reproducible" */
  const char *hash;               /* "aes", "xxh3" */
  size_t thread_state_bytes;      /* memory of one thread's lane */
} loguuid_info;

/* Fills *info. Does not boot. LOGUUID_OK, or LOGUUID_ERR_ARG for NULL or a size this version does not know. */
LOGUUID_API loguuid_status loguuid_describe(loguuid_info *info);

#ifdef __cplusplus
}
#endif

#endif /* LOGUUID_H */
