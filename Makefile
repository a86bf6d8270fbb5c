# Build and install pdconv and libpdconv. `make help` lists all targets; the others are in the makefiles at the end.
#
# Variables: CC CFLAGS LDFLAGS PREFIX LIBDIR DESTDIR BUILD SAN=address,undefined WINDOW=64 V=1

CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Directories where shells look for completions.
BASH_COMPLETION = $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION = $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION = $(PREFIX)/share/fish/vendor_completions.d
# DOC_DIR= leaves out the documents.
DOC_DIR = $(PREFIX)/share/doc/pdconv
EXAMPLES_DIR = $(PREFIX)/share/doc/pdconv/examples
BUILD ?= build
VERSION := $(shell awk '/^\#define PD_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' include/pdconv/version.h)
# Date of the manual pages.
VERSION_DATE := 2026-11-26
# Raise it when programs that were linked with an older library would no longer work.
SONAME := libpdconv.so.1
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))

include bpf/bpf.mk

# Libraries by their names in pkg-config.
PKGS := zlib libzstd liblzma libxxhash libdw libelf libprotobuf-c libdeflate libseccomp sqlite3 $(if $(BPF),libbpf)
# ISA-L compresses faster than zlib (output/deflate.c), but exists for few architectures, and not as a static library.
ISAL := $(if $(STATIC),,$(shell pkg-config --exists libisal 2>/dev/null && echo libisal))
PKGS += $(ISAL)
# Libraries of the program alone: pdconv mcp reads JSON.
PROGRAM_PKGS := $(if $(PLAIN),,jansson)

# The disassembler is loaded at run time (annotate/disassembler_linux.c): its headers, and the name of its library.
LLVM_CONFIG ?= llvm-config
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
LLVM_SONAME := $(shell objdump -p $$($(LLVM_CONFIG) --libdir 2>/dev/null)/libLLVM*.so 2>/dev/null | awk '$$1 == "SONAME" { print $$2; exit }')

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DPD_VERSION='"$(VERSION)"' -DPD_VERSION_DATE='"$(VERSION_DATE)"' -DPD_INLINE='static inline' -Iinclude -I. -I$(BUILD)/gen $(WARN) -pthread \
	-fPIC -fvisibility=hidden -fno-semantic-interposition \
	$(shell pkg-config --cflags $(PKGS) $(PROGRAM_PKGS) 2>/dev/null) $(CFLAGS)
ALL_LDLIBS := -Wl,--as-needed $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty -ldl -lm -pthread
PROGRAM_LDLIBS = $(shell pkg-config $(if $(STATIC),--static) --libs $(PROGRAM_PKGS) 2>/dev/null)
ALL_CFLAGS += $(if $(ISAL),-DPD_HAS_ISAL)
HARDEN_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack
PROGRAM_LDFLAGS := -pie $(HARDEN_LDFLAGS)
# Left out for their cost: -ftrivial-auto-var-init=zero, with which conversions
# take a third more instructions, and marks for indirect jumps on x86, which Linux does not check in programs.
HARDEN_x86_64 := -fcf-protection=return
HARDEN_aarch64 := -mbranch-protection=standard
# The x87 computes with more bits than a double has, and results would depend on what the compiler keeps there.
ALL_CFLAGS += $(if $(filter i386 i486 i586 i686,$(MACHINE)),-msse2 -mfpmath=sse)
ifeq ($(SAN),)
# Sanitizers replace these checks, and FORTIFY needs optimization.
ALL_CFLAGS += -fstack-protector-strong -fstack-clash-protection $(HARDEN_$(MACHINE)) $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
LIB_LDFLAGS := -Wl,-z,defs
else
ALL_CFLAGS += -DPD_SANITIZED -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SAN)
# Programs start in two thirds of the time without relocations: thousands of them are started by tests.
PROGRAM_LDFLAGS := -no-pie $(if $(and $(findstring gcc,$(CC)),$(findstring address,$(SAN))),-static-libasan)
endif
# One file that runs without libraries: see packaging/packages.mk. Functions that are not called are left out, and with them
# the libraries that parts of libarchive need.
ifneq ($(STATIC),)
ALL_CFLAGS += -DPD_STATIC
LDFLAGS += -static-pie -Wl,--gc-sections
ALL_LDLIBS := $(shell pkg-config --static --libs $(PKGS) 2>/dev/null) -larchive -lzstd -llzma -lbz2 -lz -liberty -lm -pthread
endif

# WINDOW=64 builds what reads files through windows of 64 bytes, so that all tests can run with them.
ALL_CFLAGS += $(WINDOW:%=-DPD_TEST_WINDOW=%)

# PLAIN=1 builds what needs neither Linux nor processes: everything but recording. A file named _linux.c has a twin, _plain.c.
LINUX_ONLY := batch/% capture/% send/% sql/% base/io/write_queue.c output/lake.c output/table_file.c $(addprefix api/,profiler.c profiler_setup.c unwinder.c unwinder_state.c \
	unwinder_worker.c live_chains.c table_maker.c) $(addprefix cmd/process/,sandbox.c standby.c pager.c browser.c signals.c) \
	$(addprefix cmd/commands/,live.c list.c send.c send_repeat.c batch_command.c batch_pool.c batch_worker.c record_command.c record_setup.c mcp_command.c mcp_protocol.c)
LINUX_TESTS := batch/% capture/% sql/% annotate/test_disassembler base/io/test_write_queue index/test_index resolve/binaries/test_unwind_tables \
	symbolize/test_debuginfod $(addprefix api/test_,file_guard live_chains profiler table_source unwinder)
OTHER_SYSTEM := $(if $(PLAIN),%_linux.c $(LINUX_ONLY),%_plain.c)

# The library is everything except cmd/.
LIB_DIRS := base batch send parquet parse unwind symbolize profile ledger pgo advice analyze tables sql annotate resolve index output inspect capture api query
LIB_SRCS := $(filter-out $(OTHER_SYSTEM) $(if $(BPF),capture/bpf/bpf_program_none.c,$(BPF_SRCS)),$(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.c $(d)/*/*.c)))
CMD_SRCS := $(filter-out $(OTHER_SYSTEM),$(wildcard cmd/*.c cmd/*/*.c))
HEADERS := $(wildcard include/pdconv/*.h)
PROTO_SRCS := $(patsubst %.proto,$(BUILD)/gen/%.pb-c.c,$(wildcard output/*/*.proto))
PROTO_HDRS := $(PROTO_SRCS:.c=.h)
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o) $(PROTO_SRCS:.c=.o)
CMD_OBJS := $(CMD_SRCS:%.c=$(BUILD)/%.o)
LIB := $(BUILD)/libpdconv.a
SHARED_LIB := $(BUILD)/libpdconv.so.$(VERSION)

# $(call msg,TOOL,FILE) prints a line instead of the command that follows, unless V is set.
msg = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)
q := $(if $(V),,@)
# Build on all CPUs, unless the user chose.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo demo-run install uninstall clean help
.DEFAULT_GOAL := all

all: pdconv $(LIB) $(SHARED_LIB) ## build ./pdconv and libpdconv

# The program is linked in $(BUILD), so that several builds can coexist, and copied here.
pdconv: $(BUILD)/pdconv
	$(q)cp $< $@
	$(if $(BPF),,$(if $(BPF_FLAGS_$(MACHINE)),@echo "  note  built without pdconv record --call-graph bpf: that needs clang and libbpf-dev"))

$(BUILD)/pdconv: $(CMD_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $(CMD_OBJS) $(LIB) $(PROGRAM_LDLIBS) $(ALL_LDLIBS)

$(LIB): $(LIB_OBJS)
	$(call msg,AR,$@)rm -f $@; $(AR) rcs $@ $^

$(SHARED_LIB): $(LIB_OBJS) libpdconv.map
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script,libpdconv.map -o $@ $(LIB_OBJS) $(ALL_LDLIBS)

$(BUILD)/%.o: %.c Makefile | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto
	$(q)mkdir -p $(BUILD)/gen
	$(call msg,GEN,$<)protoc --c_out=$(BUILD)/gen $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/annotate/disassembler_linux.o: ALL_CFLAGS += -DPD_LLVM_SONAME='"$(LLVM_SONAME)"' $(addprefix -isystem ,$(LLVM_INCLUDE))

# The cache of names is valid for the code that makes the names and the limits of that code. Builds of the same code share it.
NAMES_CODE := $(sort $(wildcard symbolize/*.[ch] symbolize/*/*.[ch] base/limit_defs.h base/leb.h base/pclntab.[ch]))
NAMES_CODE_HASH := $(shell cat $(NAMES_CODE) | sha256sum | cut -c 1-32)
%/symbolize/cache.o: ALL_CFLAGS += -DPD_NAMES_CODE='"$(NAMES_CODE_HASH)"'
$(BUILD)/symbolize/cache.o: $(NAMES_CODE)

# The cache of tables is valid for the code that makes the tables.
ROWS_CODE := $(sort $(NAMES_CODE) $(wildcard unwind/*.[ch] bpf/*.h resolve/*.[ch] resolve/*/*.[ch]))
ROWS_CODE_HASH := $(shell cat $(ROWS_CODE) | sha256sum | cut -c 1-32)
%/resolve/binaries/unwind_tables.o: ALL_CFLAGS += -DPD_ROWS_CODE='"$(ROWS_CODE_HASH)"'
$(BUILD)/resolve/binaries/unwind_tables.o: $(ROWS_CODE)

-include $(wildcard $(foreach d,* */* */*/* */*/*/*,$(BUILD)/$(d)/*.d))

# Each file's purpose is at its top.
MAKEFILES_READ := Makefile web/web.mk web/open/open.mk doc/doc.mk packaging/deps.mk packaging/packages.mk tests/tests.mk tests/analyze.mk \
	tests/fuzz/fuzz.mk bench/bench.mk packaging/wasm/wasm.mk
include $(filter-out Makefile,$(MAKEFILES_READ))

demo: ## install what is missing, build, convert recordings and show a report
	$(INSTALL_DEPS) $(PACKAGES)
	$(q)$(MAKE) --no-print-directory $(JOBS) demo-run

demo-run: pdconv
	$(q)sh testdata/demo.sh

install: $(BUILD)/pdconv $(LIB) $(SHARED_LIB) $(MAN_PAGES) $(LIB_MAN_PAGES) $(FUNCTION_PAGES) ## install program, manual pages and library under PREFIX
	install -D -m 755 $(BUILD)/pdconv $(DESTDIR)$(PREFIX)/bin/pdconv
	ln -sf pdconv $(DESTDIR)$(PREFIX)/bin/perf_to_profile
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN_PAGES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man3 $(LIB_MAN_PAGES) $$(cat $(FUNCTION_PAGES))
	install -D -m 644 cmd/completion/pdconv.bash $(DESTDIR)$(BASH_COMPLETION)/pdconv
	ln -sf pdconv $(DESTDIR)$(BASH_COMPLETION)/perf_to_profile
	install -D -m 644 -t $(DESTDIR)$(ZSH_COMPLETION) cmd/completion/_pdconv
	install -D -m 644 -t $(DESTDIR)$(FISH_COMPLETION) cmd/completion/pdconv.fish
	ln -sf pdconv.fish $(DESTDIR)$(FISH_COMPLETION)/perf_to_profile.fish
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/pdconv $(HEADERS)
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(LIB) $(SHARED_LIB)
	ln -sf libpdconv.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpdconv.so
	install -D -m 644 -t $(DESTDIR)$(EXAMPLES_DIR) $(wildcard examples/*)
	$(if $(DOC_DIR),tar -c README.md CHANGELOG.md SECURITY.md doc/*.md doc/design doc/schema | \
		(install -d $(DESTDIR)$(DOC_DIR) && tar -x --no-same-owner -C $(DESTDIR)$(DOC_DIR)))
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's,@prefix@,$(PREFIX),; s,@libdir@,$(LIBDIR:$(PREFIX)/%=$${prefix}/%),; s,@version@,$(VERSION),; s,@requires@,$(PKGS),' \
		pdconv.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/pdconv.pc

uninstall: $(FUNCTION_PAGES) ## remove what make install installed
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,pdconv perf_to_profile) $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(MAN_PAGES)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/man3/,$(notdir $(LIB_MAN_PAGES)))
	cd $(DESTDIR)$(PREFIX)/share/man/man3 && xargs -n 1 basename <$(abspath $(FUNCTION_PAGES)) | xargs rm -f
	rm -f $(addprefix $(DESTDIR)$(BASH_COMPLETION)/,pdconv perf_to_profile) $(DESTDIR)$(ZSH_COMPLETION)/_pdconv
	rm -f $(addprefix $(DESTDIR)$(FISH_COMPLETION)/,pdconv.fish perf_to_profile.fish)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(HEADERS))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(notdir $(LIB) $(SHARED_LIB)) $(SONAME) libpdconv.so pkgconfig/pdconv.pc)
	rm -f $(addprefix $(DESTDIR)$(EXAMPLES_DIR)/,$(notdir $(wildcard examples/*)))
	$(if $(DOC_DIR),rm -rf $(addprefix $(DESTDIR)$(DOC_DIR)/,README.md CHANGELOG.md SECURITY.md doc))
	-rmdir $(DESTDIR)$(PREFIX)/include/pdconv $(DESTDIR)$(EXAMPLES_DIR) $(dir $(DESTDIR)$(EXAMPLES_DIR))

clean: ## remove everything that was built
	rm -rf $(BUILD) pdconv demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-][a-z0-9-]*:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILES_READ)
