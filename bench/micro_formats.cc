// Log formats: compiling, rendering, and the live format.
#include <string>

#include "format.h"
#include "micro.h"

namespace bench {
namespace {

const char kHttp[] = "%ci:%cp [%t] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %tsc %hr %hs %{+Q}r %[uuid]";

void render(benchmark::State& state, const std::string& text) {
  std::string message;
  const Format format = compile(text, message);
  if (!format) return state.SkipWithError(message.c_str());
  std::string out(format.line_capacity(), '\0');
  size_t len = 0;
  for (auto _ : state) {
    len = loguuid_format_render(format.get(), out.data(), out.size(), nullptr);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(len));
}

void compile_and_free(benchmark::State& state, const std::string& text) {
  std::string message;
  for (auto _ : state)
    if (!compile(text, message)) return state.SkipWithError(message.c_str());
}

void live_render(benchmark::State& state) {
  std::string message;
  Format format = compile("%[uuid]", message);
  loguuid_live* live;
  if (!format || loguuid_live_new(&live, format.get()) != LOGUUID_OK) return state.SkipWithError("no live format");
  format.release();
  char out[64];
  for (auto _ : state) {
    loguuid_live_render(live, out, sizeof out, nullptr);
    benchmark::ClobberMemory();
  }
  loguuid_live_free(live);
}

void live_replace(benchmark::State& state) {
  std::string message;
  Format format = compile("%[uuid]", message);
  loguuid_live* live;
  if (!format || loguuid_live_new(&live, format.get()) != LOGUUID_OK) return state.SkipWithError("no live format");
  format.release();
  for (auto _ : state) {
    Format next = compile("%[uuid]", message);
    if (loguuid_live_replace(live, next.get()) == LOGUUID_OK) next.release();
  }
  loguuid_live_free(live);
}

void live_new_and_free(benchmark::State& state) {
  std::string message;
  for (auto _ : state) {
    Format format = compile("%[uuid]", message);
    loguuid_live* live;
    if (loguuid_live_new(&live, format.get()) != LOGUUID_OK) return state.SkipWithError("no live format");
    format.release();
    loguuid_live_free(live);
  }
}

std::string repeated(const std::string& item, size_t count, const char* between) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += i == 0 ? item : between + item;
  return text;
}

}  // namespace

void register_formats() {
  benchmark::RegisterBenchmark("format_render/literal", render, "nothing to fill in");
  benchmark::RegisterBenchmark("format_render/uuid", render, "%[uuid]");
  benchmark::RegisterBenchmark("format_render/uuid_100", render, repeated("%[uuid]", 100, " "));
  benchmark::RegisterBenchmark("format_render/uuid_100_json", render, repeated("\"%[uuid]\"", 100, ","));
  benchmark::RegisterBenchmark("format_render/uuid7_100", render, repeated("%[uuid(7)]", 100, " "));
  benchmark::RegisterBenchmark("format_render/date", render, "%t");
  benchmark::RegisterBenchmark("format_render/http", render, kHttp);
  benchmark::RegisterBenchmark("format_compile_free/uuid", compile_and_free, "%[uuid]");
  benchmark::RegisterBenchmark("format_compile_free/http", compile_and_free, kHttp);
  benchmark::RegisterBenchmark("live_new_free/uuid_with_compile", live_new_and_free);
  benchmark::RegisterBenchmark("live_render/uuid", live_render);
  benchmark::RegisterBenchmark("live_replace/uuid_with_compile", live_replace);
}

}  // namespace bench
