# The library and its tests under ThreadSanitizer, AddressSanitizer with UndefinedBehaviorSanitizer, and MemorySanitizer.
# Each builds everything anew in a folder of its own with the rules of the Makefile.
SANITIZE_CC ?= clang
SANITIZE_CXX ?= clang++
SANITIZERS ?= thread address memory

# Programs that live with the run-time of a sanitizer: it needs system calls that others forbid, descriptors and memory
# that others take away, a clone that it can see, and time. MemorySanitizer knows only code that it compiled, so that C++'s
# library and GoogleTest are out: what it runs is C.
SANITIZE_PROGRAMS_address := ahead attack boot boot_race draw_boots edge_clock edge_snapshot embed fork host_clock \
  live_without_membarrier tids
SANITIZE_PROGRAMS_thread := ahead boot boot_race draw_boots edge_clock edge_snapshot embed fork host_clock \
  live_without_membarrier tids
SANITIZE_PROGRAMS_memory := embed

# Not: `function`, which needs RTTI; `enum`, since callers in C may pass any number for one of ours, and it is checked.
SANITIZE_FLAGS_address := -fsanitize=address,undefined -fno-sanitize=function,enum -fno-sanitize-recover=all
SANITIZE_FLAGS_thread := -fsanitize=thread
SANITIZE_FLAGS_memory := -fsanitize=memory -fsanitize-memory-track-origins
SANITIZE_COMPILE := -O1 -fno-omit-frame-pointer

SANITIZE_BIN := $(addprefix $(BUILD)/tests/,$(SANITIZE_PROGRAMS_$(SANITIZER))) $(BUILD)/tests/every_call $(BUILD)/tests/misuse \
  $(if $(filter memory,$(SANITIZER)),,$(TEST_BIN))

$(BUILD)/tests/obj/sanitize/%.c.o: tests/sanitize/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_CFLAGS) -pthread $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/every_call $(BUILD)/tests/misuse: $(BUILD)/tests/%: $(BUILD)/tests/obj/sanitize/%.c.o $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(LIB_A) -pthread

.PHONY: test-sanitize
test-sanitize: $(SANITIZERS:%=build-sanitize-%) ## everything under ThreadSanitizer, AddressSanitizer and others
	@SANITIZERS='$(SANITIZERS)' sh tests/sanitize/run.sh $(BUILD)/sanitize

.PHONY: $(SANITIZERS:%=build-sanitize-%)
$(SANITIZERS:%=build-sanitize-%): build-sanitize-%: sanitize-deps
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize/$* SANITIZER=$* CC=$(SANITIZE_CC) CXX=$(SANITIZE_CXX) \
	  CFLAGS='$(SANITIZE_FLAGS_$*) $(SANITIZE_COMPILE)' CXXFLAGS='$(SANITIZE_FLAGS_$*) $(SANITIZE_COMPILE)' \
	  LDFLAGS='$(SANITIZE_FLAGS_$*)' sanitize-programs

# For the make above: all that runs under SANITIZER.
.PHONY: sanitize-programs
sanitize-programs: $(SANITIZE_BIN)
	@echo '$(SANITIZE_PROGRAMS_$(SANITIZER))' > $(BUILD)/programs

.PHONY: sanitize-deps
sanitize-deps:
	@sh tests/deps.sh build long
