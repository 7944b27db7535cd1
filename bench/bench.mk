# Measuring. The harness compares designs and plays scenarios; the micro-benchmarks time single calls.
BENCH := $(BUILD)/loguuid-bench
BENCH_MICRO := $(BUILD)/loguuid-bench-micro

BENCH_MICRO_SRC := $(wildcard bench/micro*.cc)
BENCH_SRC := $(filter-out $(BENCH_MICRO_SRC),$(wildcard bench/*.cc))
BENCH_OBJ := $(BENCH_SRC:bench/%.cc=$(BUILD)/bench/%.o)
BENCH_MICRO_OBJ := $(BENCH_MICRO_SRC:bench/%.cc=$(BUILD)/bench/%.o)
BENCH_FLAGS := $(strip $(OPTIMIZE) $(CPPFLAGS) $(CXXFLAGS))
JOBS := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

$(BUILD)/bench/%.o: bench/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(APP_CXXFLAGS) -g0 $(BENCH_INCLUDE) -DBENCH_FLAGS='"$(BENCH_FLAGS)"' $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(BENCH): $(BENCH_OBJ) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(BENCH_OBJ) $(LIB_A) -lfmt -pthread

# The inner floors are measured too.
$(BENCH_MICRO_OBJ): BENCH_INCLUDE := -Isrc
$(BENCH_MICRO): $(BENCH_MICRO_OBJ) $(BUILD)/bench/format.o $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(BENCH_MICRO_OBJ) $(BUILD)/bench/format.o $(LIB_A) -lbenchmark -lfmt -pthread

.PHONY: bench-build
bench-build: $(BENCH)

.PHONY: bench
bench: ## the table: 100 UUIDs a line on 20 threads, beside other ways to make them (under a minute)
	@$(MAKE) --no-print-directory -j$(JOBS) bench-build
	@$(BENCH) $(BENCH_ARGS)

.PHONY: bench-scaling
bench-scaling: ## from 1 to 20 threads, and what a thread costs
	@$(MAKE) --no-print-directory -j$(JOBS) bench-build
	@$(BENCH) --scenario scaling $(BENCH_ARGS)

.PHONY: bench-micro
bench-micro: $(BENCH_MICRO) ## latency and throughput of every call, on every kernel (Google Benchmark)
	@sh bench/micro.sh $(BENCH_MICRO) $(BENCH_MICRO_ARGS)

-include $(BENCH_OBJ:.o=.d) $(BENCH_MICRO_OBJ:.o=.d)
