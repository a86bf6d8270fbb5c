# Build pdconv. `make help` lists the targets.
#
# Variables: CC CFLAGS LDFLAGS PREFIX LIBDIR DESTDIR BUILD SAN=address,undefined V=1 KINDS="unit cli"

CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BUILD ?= build
PKGS := zlib libzstd liblzma libxxhash libtraceevent libdw libelf libprotobuf-c libdeflate
VERSION := 0.1.0
# Date of the manual pages.
VERSION_DATE := 2026-11-22
# Raise it when programs that were linked with an older library would no longer work.
SONAME := libpdconv.so.0

# Debian packages to build and run; and those to test.
PACKAGES := gcc libc6-dev make pkg-config libdw-dev libelf-dev zlib1g-dev libzstd-dev liblzma-dev \
	libprotobuf-c-dev protobuf-c-compiler libxxhash-dev libiberty-dev libtraceevent-dev \
	libarchive-dev libdebuginfod-dev libdeflate-dev llvm-dev
CHECK_PACKAGES := libcmocka-dev g++ binutils xz-utils bzip2 zstd python3 less
# Compilers for other machines, and qemu to run their programs.
UNWIND_PACKAGES := lld libboost-context-dev fp-compiler golang-go rustc musl-tools qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross gcc-aarch64-linux-gnu \
	libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-riscv64-linux-gnu \
	libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-powerpc64-linux-gnu \
	libc6-dev-ppc64-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
# More packages for .ci/run.
CI_PACKAGES := clang clang-format libclang-rt-dev valgrind linux-perf nodejs chromium firefox-esr python3 python3-jsonschema debuginfod llvm dwz $(UNWIND_PACKAGES)

# The disassembler is loaded at run time (annotate/disassembler.c): its headers, and the name of its library.
LLVM_CONFIG ?= llvm-config
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
LLVM_SONAME := $(shell objdump -p $$($(LLVM_CONFIG) --libdir)/libLLVM*.so 2>/dev/null | awk '$$1 == "SONAME" { print $$2; exit }')

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DPD_VERSION='"$(VERSION)"' -DPD_VERSION_DATE='"$(VERSION_DATE)"' -Iinclude -I. -I$(BUILD)/gen $(WARN) -pthread \
	-fPIC -fvisibility=hidden -fno-semantic-interposition \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
ALL_LDLIBS := -Wl,--as-needed $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty -ldl -lm -pthread
# Sanitizers replace these checks, and FORTIFY needs optimization.
ifeq ($(SAN),)
ALL_CFLAGS += -fstack-protector-strong $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif
HARDEN_LDFLAGS := -Wl,-z,relro,-z,now
ifneq ($(SAN),)
ALL_CFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SAN)
else
LIB_LDFLAGS := -Wl,-z,defs
endif

# The library is everything except cmd/.
LIB_DIRS := base parse unwind symbolize profile analyze annotate resolve index output inspect capture api
LIB_SRCS := $(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.c $(d)/*/*.c))
CMD_SRCS := $(wildcard cmd/*.c)
HEADERS := $(wildcard include/pdconv/*.h)
TEST_SRCS := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
PROTOS := $(wildcard output/*.proto)
SOURCES := $(wildcard $(foreach d,include/pdconv $(LIB_DIRS) cmd examples tests/unit tests/oracle tests/unwind tests/fuzz bench, \
	$(foreach f,*.c *.h *.cpp,$(d)/$(f) $(d)/*/$(f) $(d)/*/*/$(f))))

PROTO_SRCS := $(PROTOS:%.proto=$(BUILD)/gen/%.pb-c.c)
PROTO_HDRS := $(PROTO_SRCS:.c=.h)
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o) $(PROTO_SRCS:.c=.o)
CMD_OBJS := $(CMD_SRCS:%.c=$(BUILD)/%.o)
TESTS := $(TEST_SRCS:%.c=$(BUILD)/%)
ORACLES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/oracle/*.c))
# The recorder of true call chains (tests/unwind), and the program that prints ours.
UNWIND_SRCS := $(filter-out tests/unwind/chains.c,$(wildcard tests/unwind/*.c))
UNWIND := $(BUILD)/tests/unwind/stepper $(BUILD)/tests/unwind/chains
LIB := $(BUILD)/libpdconv.a
# The program itself, its commands, and perf_to_profile have a manual page each.
MAN_PAGES := $(patsubst %,$(BUILD)/%.1,pdconv pdconv-report pdconv-annotate pdconv-diff pdconv-view pdconv-record pdconv-info pdconv-dump perf_to_profile)
SHARED_LIB := $(BUILD)/libpdconv.so.$(VERSION)

msg = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)
q := $(if $(V),,@)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: fuzz fuzz-build all deps ci-deps check check-all check-build check-run demo demo-run bench bench-unwind bench-reader golden format format-check tidy install uninstall clean help
.DEFAULT_GOAL := all

all: pdconv $(LIB) $(SHARED_LIB) ## build ./pdconv and libpdconv

# The program is linked in $(BUILD), so that several builds can coexist, and copied here.
pdconv: $(BUILD)/pdconv
	$(q)cp $< $@

$(BUILD)/pdconv: $(CMD_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $(CMD_OBJS) $(LIB) $(ALL_LDLIBS)

$(LIB): $(LIB_OBJS)
	$(call msg,AR,$@)rm -f $@; $(AR) rcs $@ $^

$(SHARED_LIB): $(LIB_OBJS) libpdconv.map
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script,libpdconv.map -o $@ $(LIB_OBJS) $(ALL_LDLIBS)

$(BUILD)/%.o: %.c Makefile | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/annotate/disassembler.o: ALL_CFLAGS += -DPD_LLVM_SONAME='"$(LLVM_SONAME)"' $(addprefix -isystem ,$(LLVM_INCLUDE))

# The page of the format html: modules become one script, and the page allows no other.
WEB := $(BUILD)/gen/web
WEB_HASH = sha256sum <$(1) | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64 -w 0

$(WEB)/program.js: web/bundle.awk $(wildcard web/*.js web/*/*.js) Makefile
	$(q)mkdir -p $(@D)
	$(call msg,GEN,$@)awk -f web/bundle.awk web/views/main.js >$@

$(WEB)/page.head $(WEB)/page.tail: $(WEB)/page.%: web/page.awk web/page.html web/style.css $(WEB)/program.js
	$(call msg,GEN,$@)awk -v part=$* -v style=web/style.css -v style_hash="$$($(call WEB_HASH,web/style.css))" \
		-v program=$(WEB)/program.js -v program_hash="$$($(call WEB_HASH,$(WEB)/program.js))" \
		-f web/page.awk web/page.html >$@

$(BUILD)/output/html_page.o: ALL_CFLAGS += -DPD_WEB_DIR='"$(WEB)"'
$(BUILD)/output/html_page.o: $(WEB)/page.head $(WEB)/page.tail

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto
	$(q)mkdir -p $(BUILD)/gen
	$(call msg,GEN,$<)protoc-c --c_out=$(BUILD)/gen $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(ALL_LDLIBS)

$(BUILD)/tests/oracle/%: $(BUILD)/tests/oracle/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

$(BUILD)/tests/unwind/stepper: $(UNWIND_SRCS:%.c=$(BUILD)/%.o) $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/tests/unwind/chains: $(BUILD)/tests/unwind/chains.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

-include $(wildcard $(foreach d,* */* */*/* */*/*/*,$(BUILD)/$(d)/*.d))

deps: ## install missing packages for building and testing (Debian, Ubuntu)
	$(q)PKGS="$(PKGS) cmocka" sh tests/deps.sh $(PACKAGES) $(CHECK_PACKAGES)

ci-deps:
	$(q)PKGS="$(PKGS) cmocka" sh tests/deps.sh $(PACKAGES) $(CHECK_PACKAGES) $(CI_PACKAGES)

# Build on all CPUs, unless the user chose.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

check: deps ## install what is missing, build, and test in about 3 minutes
	$(q)$(MAKE) --no-print-directory $(JOBS) check-build
	$(q)$(MAKE) --no-print-directory check-run QUICK=1

check-all: deps ## like check, with all comparisons
	$(q)$(MAKE) --no-print-directory $(JOBS) check-build
	$(q)$(MAKE) --no-print-directory check-run

# What the kinds of tests need: those of the sources nothing, others the program, comparisons with other tools most.
TESTED := $(if $(KINDS),$(foreach k,$(KINDS),$(firstword $(subst /, ,$(k)))),all)
ifneq ($(filter-out house layering format,$(TESTED)),)
CHECK_BUILT := $(BUILD)/pdconv $(SHARED_LIB) $(MAN_PAGES)
endif
ifneq ($(filter unit all,$(TESTED)),)
CHECK_BUILT += $(TESTS)
endif
ifneq ($(filter-out house layering format unit cli library languages valgrind,$(TESTED)),)
CHECK_BUILT += $(ORACLES) $(UNWIND) $(BUILD)/bench/walks
endif

check-build: $(CHECK_BUILT)

check-run: check-build ## build and test some kinds: KINDS="unit cli", or one test: KINDS=cli/info/binaries
	$(q)BUILD=$(BUILD) CC="$(CC)" SAN=$(SAN) QUICK=$(QUICK) V=$(V) sh tests/run.sh $(KINDS)

# Run time in seconds, and the directory for inputs that reach new code.
FUZZ_SECONDS ?= 60
FUZZ_CORPUS ?= $(BUILD)/corpus

fuzz-build:
	$(q)$(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/fuzz SAN=address,undefined,fuzzer-no-link \
		$(BUILD)/fuzz/tests/fuzz/reader $(BUILD)/fuzz/tests/fuzz/names $(BUILD)/fuzz/tests/fuzz/store \
		$(BUILD)/fuzz/pdconv

fuzz: fuzz-build ## run the fuzz targets for FUZZ_SECONDS (clang)
	$(q)BUILD=$(BUILD)/fuzz CORPUS=$(FUZZ_CORPUS) sh tests/fuzz/run.sh $(FUZZ_SECONDS)

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $< $(LIB) $(ALL_LDLIBS)

golden: $(BUILD)/pdconv ## rewrite the expected output of the command line tests
	$(q)BUILD=$(BUILD) GOLDEN=1 sh tests/run.sh cli

demo: ## install what is missing, build, convert recordings and show a report
	$(q)PKGS="$(PKGS)" sh tests/deps.sh $(PACKAGES)
	$(q)$(MAKE) --no-print-directory $(JOBS) demo-run

demo-run: pdconv
	$(q)sh testdata/demo.sh

bench: $(BUILD)/pdconv ## time pdconv against perf script (FILE=perf.data, default: record one)
	$(q)python3 bench/run.py $(BUILD)/pdconv $(FILE)

bench-unwind: $(BUILD)/pdconv $(BUILD)/bench/walks $(BUILD)/tests/oracle/dwfl ## time unwinding against libdwfl (FILE=perf.data)
	$(q)python3 bench/unwind.py $(BUILD) $(FILE)

bench-reader: $(BUILD)/pdconv ## time the reader on large recordings, against perf
	$(q)python3 bench/reader.py $(BUILD)/pdconv

format: ## apply .clang-format
	$(q)clang-format -i $(SOURCES)

format-check: ## list what differs from .clang-format
	$(q)clang-format --dry-run -Werror $(SOURCES)

tidy: $(PROTO_HDRS) ## run clang-tidy
	$(q)clang-tidy --quiet $(LIB_SRCS) $(CMD_SRCS) -- $(ALL_CFLAGS)

$(MAN_PAGES): $(BUILD)/%.1: $(BUILD)/pdconv
	$(q)$< $(patsubst pdconv-%,%,$(filter-out pdconv,$*)) --man >$@

install: $(BUILD)/pdconv $(LIB) $(SHARED_LIB) $(MAN_PAGES) ## install program, manual pages and library under PREFIX
	install -D -m 755 $(BUILD)/pdconv $(DESTDIR)$(PREFIX)/bin/pdconv
	ln -sf pdconv $(DESTDIR)$(PREFIX)/bin/perf_to_profile
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN_PAGES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/pdconv $(HEADERS)
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(LIB) $(SHARED_LIB)
	ln -sf libpdconv.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libpdconv.so
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed 's,@prefix@,$(PREFIX),; s,@libdir@,$(LIBDIR:$(PREFIX)/%=$${prefix}/%),; s,@version@,$(VERSION),; s,@requires@,$(PKGS),' \
		pdconv.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/pdconv.pc

uninstall: ## remove what make install installed
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,pdconv perf_to_profile) $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(MAN_PAGES)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(HEADERS))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(notdir $(LIB) $(SHARED_LIB)) $(SONAME) libpdconv.so pkgconfig/pdconv.pc)
	-rmdir $(DESTDIR)$(PREFIX)/include/pdconv

clean: ## remove everything that was built
	rm -rf $(BUILD) pdconv demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
