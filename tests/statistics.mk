# Statistics of the output: our own checks (tests/statistics/checks.cc) on STATISTICS_GB gigabytes, then dieharder and ent
# (tests/statistics/run.sh says how many of its tests).
STATISTICS_GB ?= 10

$(BUILD)/tests/statistics: tests/statistics/checks.cc tests/statistics/law.h $(LIB_A) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(APP_CXXFLAGS) -O2 $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $< $(LIB_A) -pthread

.PHONY: test-statistics
test-statistics: statistics-deps $(BUILD)/tests/statistics ## bit balance, correlation, lanes, collisions, dieharder, ent: STATISTICS_GB=10
	@STATISTICS_GB='$(STATISTICS_GB)' sh tests/statistics/run.sh $(BUILD)

.PHONY: statistics-deps
statistics-deps:
	@sh tests/deps.sh build long
