# The test suite under emulators; tests/arch.sh says how, and which ARCHS there are.
.PHONY: test-arch
test-arch: $(TEST_BIN) ## the suite for other CPUs under qemu-user (ARCHS="aarch64 s390x" for some)
	@V='$(V)' MAKE='$(MAKE)' ARCHS='$(ARCHS)' sh tests/arch.sh $(BUILD)
