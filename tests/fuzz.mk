# Fuzzing: libFuzzer drives each target of tests/fuzz over the library's sources, built once more with AddressSanitizer and
# UndefinedBehaviorSanitizer. FUZZ_SECONDS for each target, FUZZ_JOBS at a time; FUZZ_TARGETS names some of them.
FUZZ_CXX ?= clang++
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 2
FUZZ_TARGETS ?= $(sort $(patsubst tests/fuzz/%.cc,%,$(wildcard tests/fuzz/*.cc)))
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_LIB_OBJ := $(LIB_SRC:src/%.cc=$(BUILD)/fuzz/lib/%.o)
FUZZ_OBJ := $(patsubst tests/fuzz/%.cc,$(BUILD)/fuzz/%.o,$(wildcard tests/fuzz/*.cc))

$(BUILD)/fuzz/lib/%.o: src/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,"$< for fuzzing")
	$(Q)$(FUZZ_CXX) $(LIB_CXXFLAGS) -O1 $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(CPPFLAGS) -c -o $@ $<

$(FUZZ_OBJ): $(BUILD)/fuzz/%.o: tests/fuzz/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(FUZZ_CXX) $(APP_CXXFLAGS) -O1 -Isrc $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(CPPFLAGS) -c -o $@ $<

$(FUZZ_OBJ:.o=): %: %.o $(FUZZ_LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CXX) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -pthread

.PHONY: fuzz
fuzz: fuzz-deps ## libFuzzer on formats, parser, saved states and kernels: FUZZ_SECONDS=60 each
	@$(MAKE) --no-print-directory $(addprefix $(BUILD)/fuzz/,$(FUZZ_TARGETS))
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) sh tests/fuzz/run.sh $(BUILD) $(FUZZ_TARGETS)

.PHONY: fuzz-deps
fuzz-deps:
	@sh tests/deps.sh build long

-include $(FUZZ_OBJ:.o=.d) $(FUZZ_LIB_OBJ:.o=.d)
