// Renders a line of a compiled format.
#include "logformat.h"

#include <cstdlib>

#include "base.h"
#include "kernel.h"
#include "process.h"
#include "token.h"
#include "uuid.h"

namespace loguuid::logformat {
namespace {

constexpr size_t kUuidAndSeparator = kUuidText + 1;

// As loguuid_random_below().
uint64_t below(Lane& lane, uint64_t bound) {
  const uint64_t redraw_below = (0 - bound) % bound;
  for (;;) {
    const WideProduct product = multiply_wide(lane_random64(lane), bound);
    if (product.lo >= redraw_below) return product.hi;
  }
}

// Version and variant by words: bytes would be read back from vectors that were written just now, one by one.
void draw_v4(Lane& lane, uint8_t* out, size_t count) {
  lane_blocks(lane, out, count);
  for (; count != 0; --count, out += 16) {
    store_le64(out, (load_le64(out) & ~(uint64_t{0xf} << 52)) | uint64_t{0x4} << 52);
    store_le64(out + 8, (load_le64(out + 8) & ~uint64_t{0xc0}) | 0x80);
  }
}

void draw_v7(Lane& lane, uint64_t ms, uint8_t* out, size_t count) {
  lane_blocks(lane, out, count);
  for (; count != 0; --count, out += 16) v7_from_block(lane, ms, out, out);
}

void run_step(Lane& lane, const Step& step, uint64_t ms, uint8_t* out) {
  switch (step.kind) {
    case Step::blocks:
      lane_blocks(lane, out, static_cast<size_t>(step.number));
      break;
    case Step::word:
      store_le64(out, lane_random64(lane) >> 32);
      break;
    case Step::below:
      store_le64(out, below(lane, step.number));
      break;
    case Step::v4:
      draw_v4(lane, out, static_cast<size_t>(step.number));
      break;
    case Step::v7:
      draw_v7(lane, ms, out, static_cast<size_t>(step.number));
      break;
    case Step::ulid:
      out[kUlidFailed] = !ulid_next(lane, ms, out);
      break;
    case Step::traceparent:
      traceparent_text(lane, reinterpret_cast<char*>(out), static_cast<unsigned>(step.number));
      break;
    case Step::position: {
      const Position at = {lane.thread, lane.process, lane_draws(lane)};
      memcpy(out, &at, sizeof at);
      break;
    }
  }
}

void run_chunk(Line& line, const Chunk& chunk) {
  draw([&](Lane& lane) {
    lane_refresh(lane);
    for (uint32_t i = chunk.first; i < chunk.end; ++i) {
      const Step& step = line.format.steps[i];
      run_step(lane, step, line.now_ns / kNsPerMs, line.scratch + step.at);
    }
  });
}

size_t run_size(const Op& op) { return kUuidAndSeparator * op.count - 1; }

// Also the NUL that follows in the caller's buffer, where the run is of one.
void draw_run(const Op& op, char* out) {
  if (op.count == 1) {
    v4_text(out);
    return;
  }
  draw([&](Lane& lane) {
    lane_refresh(lane);
    lane_v4_run(lane, out, op.separator, op.count);
  });
}

// The run goes straight into the caller's buffer; what does not fit is drawn all the same.
void write_run(const Op& op, Out& out) {
  const size_t whole = run_size(op);
  if (LOGUUID_LIKELY(out.room() >= whole)) {
    draw_run(op, out.at);
    out.at += whole;
    out.len += whole;
    return;
  }
  constexpr uint32_t kAtOnce = 32;
  char text[kUuidAndSeparator * kAtOnce];
  for (uint32_t done = 0; done < op.count; done += kAtOnce) {
    const uint32_t count = op.count - done < kAtOnce ? op.count - done : kAtOnce;
    draw([&](Lane& lane) {
      if (done == 0) lane_refresh(lane);
      lane_v4_run(lane, text, op.separator, count);
    });
    text[kUuidAndSeparator * count - 1] = op.separator;
    out.put(text, kUuidAndSeparator * count - (done + count == op.count));
  }
}

// Copies `size` bytes between UUIDs, `count` times. Two overlapping copies of a fixed size, because a call of memcpy()
// for each of them costs as much as the UUID.
template <class Word>
void fill_gaps(char* out, size_t stride, const char* text, size_t size, size_t count) {
  for (; count != 0; --count, out += stride, text += size) {
    Word first, last;
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + size - sizeof last, sizeof last);
    memcpy(out, &first, sizeof first);
    memcpy(out + size - sizeof last, &last, sizeof last);
  }
}

void fill_gaps(char* out, size_t stride, const char* text, size_t count) {
  const size_t size = stride - kUuidText;
  if (size >= 16)
    for (; count != 0; --count, out += stride, text += size) memcpy(out, text, size);
  else if (size >= 8)
    fill_gaps<uint64_t>(out, stride, text, size, count);
  else if (size >= 4)
    fill_gaps<uint32_t>(out, stride, text, size, count);
  else if (size >= 2)
    fill_gaps<uint16_t>(out, stride, text, size, count);
  else if (size == 1)
    fill_gaps<char>(out, stride, text, size, count);
}

void write_uuids(Line& line, const Op& op, Out& out) {
  const uint8_t* values = line.scratch + op.scratch;
  const char* gaps = line.format.pool + op.at;
  const size_t whole = size_t{op.stride} * (op.count - 1) + kUuidText;
  if (LOGUUID_LIKELY(out.room() >= whole)) {
    kernel().text(out.at, op.stride, values, op.count);
    fill_gaps(out.at + kUuidText, op.stride, gaps, op.count - 1);
    out.at += whole;
    out.len += whole;
    return;
  }
  const size_t gap = op.stride - kUuidText;
  for (size_t i = 0; i < op.count; ++i) {
    char text[kUuidText];
    kernel().text(text, kUuidText, values + 16 * i, 1);
    out.put(text, kUuidText);
    if (i + 1 < op.count) out.put(gaps + i * gap, gap);
  }
}

void read_clock(Line& line) {
  draw([&](Lane& lane) { line.now_ns = wall_clock_ns(lane); });
}

}  // namespace
}  // namespace loguuid::logformat

using namespace loguuid;
using namespace loguuid::logformat;

static size_t render(const loguuid_format& format, char* out, size_t cap, void* context) {
  char none;
  Out to = {cap != 0 ? out : &none, cap != 0 ? out + cap - 1 : &none, 0};
  Line line(format, context);
  if (format.needs_clock) read_clock(line);
  for (const Op *op = format.ops, *end = op + format.num_ops; op != end; ++op) {
    switch (op->kind) {
      case Op::literal:
        to.put(format.pool + op->at, op->len);
        break;
      case Op::run:
        write_run(*op, to);
        break;
      case Op::uuids:
        write_uuids(line, *op, to);
        break;
      case Op::value:
        write_value(line, format.values[op->at], to);
        break;
      case Op::chunk:
        run_chunk(line, format.chunks[op->at]);
        break;
    }
  }
  if (cap != 0) *to.at = '\0';
  return to.len;
}

// A line that is nothing but UUIDs needs none of render().
LOGUUID_NOINLINE static size_t render_checked(const loguuid_format* format, char* out, size_t cap, void* context) {
  if (out == nullptr) cap = 0;
  if (format == nullptr) {
    if (cap != 0) *out = '\0';
    return 0;
  }
  const Op& first = *format->ops;
  if (format->num_ops == 1 && first.kind == Op::run && LOGUUID_LIKELY(cap > run_size(first))) {
    draw_run(first, out);
    out[run_size(first)] = '\0';
    return run_size(first);
  }
  return render(*format, out, cap, context);
}

size_t loguuid_format_render(const loguuid_format* format, char* out, size_t cap, void* context) {
  // A line of one UUID has no more to do than loguuid_v4().
  if (LOGUUID_LIKELY(format != nullptr && format->is_uuid && out != nullptr && cap > kUuidText)) return v4_text(out);
  return render_checked(format, out, cap, context);
}

void loguuid_format_free(loguuid_format* format) { free(format); }
