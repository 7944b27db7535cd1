# loguuid: build, test, measure, install. `make help` lists the targets.
VERSION := 1.0.0
SOVERSION := 1

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
DESTDIR ?=

BUILD ?= build
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

ifeq ($(origin CC),default)
CC := cc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
AR ?= ar

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wundef -Wvla
OPTIMIZE ?= -O2 -g
# 64-bit offsets and times: else 32-bit machines see no files with large inode numbers and no clock behind 2038.
BASE_CXXFLAGS := -std=c++20 $(OPTIMIZE) $(WARNINGS) -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Iinclude -MMD -MP
BASE_CFLAGS := -std=c99 $(OPTIMIZE) $(WARNINGS) -pedantic -Iinclude -MMD -MP
# Without exceptions, RTTI and guards the library needs no C++ run-time; initial-exec makes a thread-local access one
# instruction, also in the shared library. No SLP vectorizer: it would read a lane's words as vectors right after they were
# stored one by one, which stalls for over ten cycles in every single draw.
LIB_CXXFLAGS := $(BASE_CXXFLAGS) -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-threadsafe-statics \
                -ftls-model=initial-exec -fno-asynchronous-unwind-tables -fno-tree-slp-vectorize $(MUTANT)
APP_CXXFLAGS := $(BASE_CXXFLAGS) -pthread

LIB_SRC := $(wildcard src/*.cc)
LIB_OBJ := $(LIB_SRC:src/%.cc=$(BUILD)/lib/%.o)
TOOL_SRC := $(wildcard src/tool/*.cc)
TOOL_OBJ := $(TOOL_SRC:src/tool/%.cc=$(BUILD)/tool/%.o)

LIB_A := $(BUILD)/libloguuid.a
LIB_SO := $(BUILD)/libloguuid.so.$(SOVERSION)
TOOL := $(BUILD)/loguuid

.PHONY: all
all: lib tool ## everything a user installs

.PHONY: lib
lib: $(LIB_A) $(LIB_SO) $(BUILD)/loguuid.pc ## the library, static and shared

.PHONY: tool
tool: $(TOOL) ## the command loguuid

# Objects are rebuilt when the compiler or a flag changes.
FLAGS_TEXT := $(CXX) $(CC) $(LIB_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) $(CFLAGS) $(LDFLAGS)
# Writes lines into the target if it has others.
write_lines = @printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
$(BUILD)/flags: force
	@mkdir -p $(@D)
	$(call write_lines,'$(subst ','\'',$(FLAGS_TEXT))')
.PHONY: force
force:

define say
@$(if $(filter 1,$(V)),true,printf '  %-5s %s\n' $(1) $(2))
endef

$(BUILD)/lib/%.o: src/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(LIB_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(BUILD)/tool/%.o: src/tool/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(APP_CXXFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(LIB_A): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ)

# Never unloaded: threads and forks may still come to its handlers after a dlclose(). Its functions call each other
# directly.
$(LIB_SO): $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-soname,libloguuid.so.$(SOVERSION) -Wl,-z,nodelete -Wl,-z,defs \
	  -Wl,-Bsymbolic-functions -Wl,--as-needed $(LDFLAGS) -o $@ $(LIB_OBJ) -pthread
	$(Q)ln -sf $(@F) $(BUILD)/libloguuid.so

$(TOOL): $(TOOL_OBJ) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(LIB_A) -lfmt -pthread

# Looked at each time, since install may be given another PREFIX than the build.
PC_LINES := 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' 'Name: loguuid' \
  'Description: identifiers for proxies and servers' 'Version: $(VERSION)' \
  'Libs: -L$${libdir} -lloguuid -pthread' 'Cflags: -I$${includedir}'
$(BUILD)/loguuid.pc: force
	@mkdir -p $(@D)
	$(call write_lines,$(PC_LINES))

include tests/tests.mk
include bench/bench.mk

.PHONY: deps
deps: ## install what building, testing and measuring need (apt-get), if something is missing
	@sh tests/deps.sh

.PHONY: install
install: all ## install under DESTDIR and PREFIX
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 \
	  $(DESTDIR)$(COMPLETIONDIR)
	install -m 644 include/loguuid.h include/loguuid_haproxy.h $(DESTDIR)$(INCLUDEDIR)/
	install -m 644 $(LIB_A) $(DESTDIR)$(LIBDIR)/
	install -m 755 $(LIB_SO) $(DESTDIR)$(LIBDIR)/
	ln -sf libloguuid.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libloguuid.so
	install -m 644 $(BUILD)/loguuid.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 755 $(TOOL) $(DESTDIR)$(BINDIR)/
	install -m 644 doc/loguuid.1 $(DESTDIR)$(MANDIR)/man1/
	install -m 644 doc/loguuid.bash-completion $(DESTDIR)$(COMPLETIONDIR)/loguuid

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(INCLUDEDIR)/loguuid.h $(DESTDIR)$(INCLUDEDIR)/loguuid_haproxy.h \
	  $(DESTDIR)$(LIBDIR)/libloguuid.a $(DESTDIR)$(LIBDIR)/libloguuid.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libloguuid.so \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/loguuid.pc $(DESTDIR)$(BINDIR)/loguuid $(DESTDIR)$(MANDIR)/man1/loguuid.1 \
	  $(DESTDIR)$(COMPLETIONDIR)/loguuid

.PHONY: format
format: ## clang-format on all sources
	clang-format -i $$(git ls-files '*.cc' '*.h' '*.c')

.PHONY: clean
clean: ## remove the build folder
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 24

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d)
