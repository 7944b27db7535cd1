# Tests. `make test` ends with the line of totals; tests/run.sh says how a result is reported.
#  tests/*_test.cc          GoogleTest cases, one program, run once for each kernel of this CPU
#  tests/programs/*.{c,cc}  programs that need a process of their own: exit status 0 passed, 77 skipped, else failed
#  tests/*.sh               checks of the files, the archive and the tool, with the build folder as argument; a .py beside them
#                           is a part of the script of its name
#  tests/mutants.txt        detectors switched off: the test beside them must fail
TEST_BIN := $(BUILD)/loguuid-tests
TEST_SRC := $(sort $(wildcard tests/*_test.cc) $(wildcard tests/support*.cc) tests/main.cc)
TEST_OBJ := $(TEST_SRC:tests/%.cc=$(BUILD)/tests/obj/%.o)
PROGRAM_CC := $(wildcard tests/programs/*.cc)
PROGRAM_C := $(wildcard tests/programs/*.c)
PROGRAM_CC_OBJ := $(PROGRAM_CC:tests/programs/%.cc=$(BUILD)/tests/obj/programs/%.o)
PROGRAM_C_OBJ := $(PROGRAM_C:tests/programs/%.c=$(BUILD)/tests/obj/programs/%.c.o)
PROGRAMS := $(PROGRAM_CC:tests/programs/%.cc=$(BUILD)/tests/%) $(PROGRAM_C:tests/programs/%.c=$(BUILD)/tests/%)
# Optimised less than the library: half of the time to compile them.
TEST_CXXFLAGS := $(APP_CXXFLAGS) -O1 -Isrc -DLOGUUID_VECTORS_FOLDER='"$(CURDIR)/tests/vectors"'
TEST_LIBS := -lgtest -luuid -lfmt -ldl -pthread

$(BUILD)/tests/obj/%.o: tests/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(TEST_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

# What an embedder in C does: a strict C99 compiler, and nothing of C++ when linking.
$(BUILD)/tests/obj/programs/%.c.o: tests/programs/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE_CFLAGS) -Werror -pthread $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(TEST_BIN): $(TEST_OBJ) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(TEST_OBJ) $(LIB_A) $(TEST_LIBS)

$(PROGRAM_CC:tests/programs/%.cc=$(BUILD)/tests/%): $(BUILD)/tests/%: $(BUILD)/tests/obj/programs/%.o $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $< $(LIB_A) -ldl -pthread

$(PROGRAM_C:tests/programs/%.c=$(BUILD)/tests/%): $(BUILD)/tests/%: $(BUILD)/tests/obj/programs/%.c.o $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(LIB_A) -pthread

# ---- mutants ----
# Only the sources that a switch stands in, themselves or in a header of theirs, are compiled again; the rest of the archive is
# as it was. A switched-off detector may leave a parameter unused, hence no warnings there.
MUTANTS := $(if $(filter test test-build,$(MAKECMDGOALS)),$(shell sed -n 's/^\([A-Z0-9_][A-Z0-9_]*\) .*/\1/p' tests/mutants.txt | sort -u))
mutant_sources = $(shell files=$$(grep -lw LOGUUID_MUTANT_$(1) src/*.h src/*.cc); \
  for round in 1 2 3; do for file in $$files; do case $$file in (*.h) \
    files="$$files $$(grep -l "include \"$$(basename $$file)\"" src/*.h src/*.cc | tr '\n' ' ')" ;; esac; done; \
    files=$$(echo $$files | tr ' ' '\n' | sort -u); done; echo $$files | tr ' ' '\n' | grep 'cc$$')
mutant_programs = $(shell sed -n 's/^$(1) \([^ ]*\).*/\1/p' tests/mutants.txt | sort -u)

define mutant_rules
MUTANT_OBJ_$(1) := $$(patsubst src/%.cc,$(BUILD)/mutant-$(1)/%.o,$$(call mutant_sources,$(1)))
MUTANT_BIN_$(1) := $$(if $$(MUTANT_OBJ_$(1)),$$(addprefix $(BUILD)/mutant-$(1)/,$$(call mutant_programs,$(1))))
MUTANT_OBJ += $$(MUTANT_OBJ_$(1))
MUTANT_BIN += $$(MUTANT_BIN_$(1))

$$(MUTANT_OBJ_$(1)): $(BUILD)/mutant-$(1)/%.o: src/%.cc $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call say,CXX,"$$< without $(1)")
	$(Q)$(CXX) $(LIB_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -g0 -w -DLOGUUID_MUTANT_$(1) -c -o $$@ $$<

$(BUILD)/mutant-$(1)/libloguuid.a: $$(MUTANT_OBJ_$(1)) $(LIB_A)
	$(Q)cp $(LIB_A) $$@.new && $(AR) r $$@.new $$(MUTANT_OBJ_$(1)) && mv $$@.new $$@

$(BUILD)/mutant-$(1)/loguuid-tests: $(TEST_OBJ) $(BUILD)/mutant-$(1)/libloguuid.a
	$$(call say,LINK,$$@)
	$(Q)$(CXX) $(LDFLAGS) -o $$@ $(TEST_OBJ) $(BUILD)/mutant-$(1)/libloguuid.a $(TEST_LIBS)

$$(filter-out %/loguuid-tests,$$(MUTANT_BIN_$(1))): $(BUILD)/mutant-$(1)/%: $(BUILD)/tests/obj/programs/%.o \
  $(BUILD)/mutant-$(1)/libloguuid.a
	$$(call say,LINK,$$@)
	$(Q)$(CXX) $(LDFLAGS) -o $$@ $$< $(BUILD)/mutant-$(1)/libloguuid.a -ldl -pthread
endef
MUTANT_OBJ :=
MUTANT_BIN :=
$(foreach mutant,$(MUTANTS),$(eval $(call mutant_rules,$(mutant))))

# ---- targets ----
RUN_TESTS = CC='$(CC)' CXX='$(CXX)' V='$(V)' sh tests/run.sh $(BUILD)

.PHONY: test-build
test-build: all $(TEST_BIN) $(PROGRAMS) $(MUTANT_BIN)

# `make deps test` with -j: the compiler comes before what it compiles.
.PHONY: test
test: | $(filter deps,$(MAKECMDGOALS)) ## every test that takes seconds; the last line counts
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) test-build
	@$(RUN_TESTS)

.PHONY: test-plain
test-plain: all $(TEST_BIN) $(PROGRAMS) ## the same without the mutants
	@$(RUN_TESTS) kernels programs scripts

.PHONY: test-long
test-long: all $(PROGRAMS) ## a million threads, ten thousand forks of a program that loads and unloads the library
	@LOGUUID_TEST_LIMIT=$${LOGUUID_TEST_LIMIT:-1800} $(RUN_TESTS) long

.PHONY: test-kernels
test-kernels: $(TEST_BIN) ## only the test program, once for each kernel of this CPU
	@$(RUN_TESTS) kernels

-include $(TEST_OBJ:.o=.d) $(PROGRAM_CC_OBJ:.o=.d) $(PROGRAM_C_OBJ:.o=.d) $(MUTANT_OBJ:.o=.d)

-include tests/arch.mk
-include tests/fuzz.mk
-include tests/sanitize.mk
-include tests/statistics.mk
