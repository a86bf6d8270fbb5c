# Build pdconv. `make help` lists the targets.
#
# Variables: CC CFLAGS LDFLAGS PREFIX LIBDIR DESTDIR BUILD SAN=address,undefined V=1 KINDS="unit cli"

CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Where shells look for completions.
BASH_COMPLETION = $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION = $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION = $(PREFIX)/share/fish/vendor_completions.d
# DOC_DIR= leaves out the documents.
DOC_DIR = $(PREFIX)/share/doc/pdconv
EXAMPLES_DIR = $(PREFIX)/share/doc/pdconv/examples
BUILD ?= build
# Libraries of the program alone.
PROGRAM_PKGS := libseccomp
PKGS := zlib libzstd liblzma libxxhash libdw libelf libprotobuf-c libdeflate
# The BPF program (bpf/sample.bpf.c) needs clang and libbpf. BPF= builds without it.
BPF_CLANG ?= clang
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_FLAGS := -O2 -g -target bpf -ffreestanding -Wall -Wextra -I. -ffile-prefix-map=$(CURDIR)=.
BPF_FLAGS_x86_64 := -D__TARGET_ARCH_x86
BPF_FLAGS_aarch64 := -D__TARGET_ARCH_arm64
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))
BPF ?= $(if $(BPF_FLAGS_$(MACHINE)),$(shell pkg-config --exists libbpf && command -v $(BPF_CLANG)))
PKGS += $(if $(BPF),libbpf)
# ISA-L compresses faster than zlib (output/deflate.c), but exists for few architectures, and not as a static library.
ISAL := $(if $(STATIC),,$(shell pkg-config --exists libisal && echo libisal))
PKGS += $(ISAL)
VERSION := $(shell awk '/^\#define PD_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' include/pdconv/version.h)
# Date of the manual pages.
VERSION_DATE := 2026-11-26
# Raise it when programs that were linked with an older library would no longer work.
SONAME := libpdconv.so.1

# Debian packages to build and run; and those to test.
PACKAGES := gcc libc6-dev make pkg-config libdw-dev libelf-dev zlib1g-dev libzstd-dev liblzma-dev \
	libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libxxhash-dev libiberty-dev \
	libarchive-dev libdebuginfod-dev libdeflate-dev llvm-dev libseccomp-dev \
	$(if $(filter x86_64 aarch64,$(MACHINE)),libisal-dev clang libbpf-dev)
CHECK_PACKAGES := libcmocka-dev libbz2-dev g++ libc6-dbg binutils xz-utils bzip2 zstd python3 less
# Compilers for other machines, and qemu to run their programs.
UNWIND_PACKAGES := lld libboost-context-dev fp-compiler golang-go rustc musl-tools qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross gcc-aarch64-linux-gnu \
	libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-riscv64-linux-gnu \
	libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-powerpc64-linux-gnu \
	libc6-dev-ppc64-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
# More packages for .ci/run. Some packages of nodejs bring npm, and conflict with Debian's.
NPM := $(if $(shell command -v npm),,npm)
CI_PACKAGES := abigail-tools util-linux-extra clang-format clang-tidy cppcheck libclang-rt-dev valgrind strace linux-perf nodejs $(NPM) chromium firefox-esr python3 python3-jsonschema mandoc bash-completion zsh fish debootstrap lintian dpkg-dev rpm rpmlint cpio debuginfod llvm dwz $(UNWIND_PACKAGES)

# The disassembler is loaded at run time (annotate/disassembler.c): its headers, and the name of its library.
LLVM_CONFIG ?= llvm-config
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
LLVM_SONAME := $(shell objdump -p $$($(LLVM_CONFIG) --libdir 2>/dev/null)/libLLVM*.so 2>/dev/null | awk '$$1 == "SONAME" { print $$2; exit }')

WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DPD_VERSION='"$(VERSION)"' -DPD_VERSION_DATE='"$(VERSION_DATE)"' -DPD_INLINE='static inline' -Iinclude -I. -I$(BUILD)/gen $(WARN) -pthread \
	-fPIC -fvisibility=hidden -fno-semantic-interposition \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
ALL_LDLIBS := -Wl,--as-needed $(shell pkg-config --libs $(PKGS) 2>/dev/null) -liberty -ldl -lm -pthread
ALL_CFLAGS += $(if $(ISAL),-DPD_HAS_ISAL)
# Left out for their cost: -ftrivial-auto-var-init=zero, with which conversions
# take a third more instructions, and marks for indirect jumps on x86, which Linux does not check in programs.
HARDEN_x86_64 := -fcf-protection=return
HARDEN_aarch64 := -mbranch-protection=standard
# Sanitizers replace these checks, and FORTIFY needs optimization.
ifeq ($(SAN),)
ALL_CFLAGS += -fstack-protector-strong -fstack-clash-protection $(HARDEN_$(MACHINE)) $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif
# One file that runs without libraries: see packaging/packages.mk. What is not called is left out, and with it libraries
# that parts of libarchive need.
ifneq ($(STATIC),)
ALL_CFLAGS += -DPD_STATIC
LDFLAGS += -static-pie -Wl,--gc-sections
ALL_LDLIBS := $(shell pkg-config --static --libs $(PKGS) 2>/dev/null) -larchive -lzstd -llzma -lbz2 -lz -liberty -lm -pthread
endif
HARDEN_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack
ifneq ($(SAN),)
ALL_CFLAGS += -DPD_SANITIZED -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SAN)
else
LIB_LDFLAGS := -Wl,-z,defs
endif

# The library is everything except cmd/.
LIB_DIRS := base parse unwind symbolize profile advice analyze annotate resolve index output inspect capture api
BPF_SRCS := $(filter-out capture/bpf_none.c,$(wildcard capture/bpf*.c)) capture/table_loader.c capture/table_pool.c
LIB_SRCS := $(filter-out $(if $(BPF),capture/bpf_none.c,$(BPF_SRCS)),$(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.c $(d)/*/*.c)))
CMD_SRCS := $(wildcard cmd/*.c)
HEADERS := $(wildcard include/pdconv/*.h)
TEST_SRCS := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
PROTOS := $(wildcard output/*.proto)
SOURCES := $(wildcard $(foreach d,include/pdconv $(LIB_DIRS) bpf cmd examples tests/unit tests/sandbox tests/oracle tests/unwind tests/fuzz tests/failures bench, \
	$(foreach f,*.c *.h *.cpp,$(d)/$(f) $(d)/*/$(f) $(d)/*/*/$(f))))

PROTO_SRCS := $(PROTOS:%.proto=$(BUILD)/gen/%.pb-c.c)
PROTO_HDRS := $(PROTO_SRCS:.c=.h)
LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o) $(PROTO_SRCS:.c=.o)
CMD_OBJS := $(CMD_SRCS:%.c=$(BUILD)/%.o)
TESTS := $(TEST_SRCS:%.c=$(BUILD)/%)
# Unit tests that are asked for by name: KINDS=unit/api/test_profile.
NAMED_TESTS := $(filter $(TESTS),$(patsubst %,$(BUILD)/tests/%,$(filter unit/%,$(KINDS))))
ORACLES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/oracle/*.c))
# The recorder of true call chains (tests/unwind), and the program that prints ours.
UNWIND_SRCS := $(filter-out tests/unwind/chains.c tests/unwind/tables.c,$(wildcard tests/unwind/*.c))
UNWIND := $(addprefix $(BUILD)/tests/unwind/,stepper chains tables)
# A library that attempts what the sandbox refuses.
PROBE := $(BUILD)/tests/sandbox/probe.so
FAILURES := $(addprefix $(BUILD)/tests/failures/,allocations.so short_calls library)
LIB := $(BUILD)/libpdconv.a
# The program with low bounds: sources that use one of them are compiled again.
LOW := $(BUILD)/tests/low
LOW_NAMES := $(shell sed -n 's/^.define PD_LOW_\([A-Z_]*\) .*/PD_LIMIT_\1/p' tests/cli/low_limits.h)
LOW_OBJS := $(patsubst %.c,$(LOW)/%.o,$(shell grep -lwF $(addprefix -e ,$(LOW_NAMES)) $(LIB_SRCS)))
# The program itself, its commands, and perf_to_profile have a manual page each.
MAN_PAGES := $(patsubst %,$(BUILD)/%.1,pdconv pdconv-report pdconv-annotate pdconv-diff pdconv-view pdconv-archive pdconv-record pdconv-list pdconv-info pdconv-dump perf_to_profile)
LIB_MAN_PAGES := $(BUILD)/libpdconv.3 $(BUILD)/libpdconv-structs.3
SHARED_LIB := $(BUILD)/libpdconv.so.$(VERSION)

msg = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)
q := $(if $(V),,@)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: fuzz fuzz-build fuzzers all deps ci-deps check check-all check-build check-run demo demo-run bench bench-unwind bench-reader bench-peers golden format format-check install uninstall clean help
.DEFAULT_GOAL := all

all: pdconv $(LIB) $(SHARED_LIB) ## build ./pdconv and libpdconv

# The program is linked in $(BUILD), so that several builds can coexist, and copied here.
pdconv: $(BUILD)/pdconv
	$(q)cp $< $@
	$(if $(BPF),,$(if $(BPF_FLAGS_$(MACHINE)),@echo "  note  built without pdconv record --call-graph bpf, which needs clang and libbpf-dev"))

$(BUILD)/pdconv: $(CMD_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) -pie $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $(CMD_OBJS) $(LIB) $(ALL_LDLIBS) \
		$(shell pkg-config --libs $(PROGRAM_PKGS) 2>/dev/null)

$(LIB): $(LIB_OBJS)
	$(call msg,AR,$@)rm -f $@; $(AR) rcs $@ $^

$(SHARED_LIB): $(LIB_OBJS) libpdconv.map
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) $(LIB_LDFLAGS) -shared -Wl,-soname,$(SONAME) \
		-Wl,--version-script,libpdconv.map -o $@ $(LIB_OBJS) $(ALL_LDLIBS)

$(BUILD)/%.o: %.c Makefile | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LOW)/%.o: %.c Makefile | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CC,$@)$(CC) $(ALL_CFLAGS) -DPD_LOW_LIMITS='"tests/cli/low_limits.h"' -MMD -MP -c -o $@ $<

$(LOW)/pdconv: $(LOW_OBJS) $(CMD_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) -pie $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $(LOW_OBJS) $(CMD_OBJS) $(LIB) $(ALL_LDLIBS) \
		$(shell pkg-config --libs $(PROGRAM_PKGS) 2>/dev/null)

$(BUILD)/annotate/disassembler.o: ALL_CFLAGS += -DPD_LLVM_SONAME='"$(LLVM_SONAME)"' $(addprefix -isystem ,$(LLVM_INCLUDE))

$(BUILD)/bpf/sample.bpf.o: bpf/sample.bpf.c $(wildcard bpf/*.h) Makefile
	$(q)mkdir -p $(@D)
	$(call msg,BPF,$<)$(BPF_CLANG) $(BPF_FLAGS) $(BPF_FLAGS_$(MACHINE)) $(addprefix -idirafter /usr/include/,$(MULTIARCH)) -c -o $@ $<

# The program for the other machine is compiled in tests only.
$(BUILD)/tests/bpf/sample.aarch64.bpf.o: bpf/sample.bpf.c $(wildcard bpf/*.h) Makefile
	$(q)mkdir -p $(@D)
	$(call msg,BPF,$@)$(BPF_CLANG) $(BPF_FLAGS) $(BPF_FLAGS_aarch64) -Werror -idirafter /usr/aarch64-linux-gnu/include -c -o $@ $<

$(BUILD)/capture/bpf.o: ALL_CFLAGS += -DPD_BPF_OBJECT='"$(BUILD)/bpf/sample.bpf.o"'
$(BUILD)/capture/bpf.o: $(BUILD)/bpf/sample.bpf.o

# The cache of names is valid for the code that makes the names, and the bounds on it. Builds of the same code share it.
NAMES_CODE := $(sort $(wildcard symbolize/*.[ch] symbolize/*/*.[ch] base/limit_defs.h base/leb.h base/pclntab.[ch]))
NAMES_CODE_HASH := $(shell cat $(NAMES_CODE) | sha256sum | cut -c 1-32)
$(BUILD)/symbolize/cache.o $(LOW)/symbolize/cache.o: $(NAMES_CODE)
$(BUILD)/symbolize/cache.o $(LOW)/symbolize/cache.o: ALL_CFLAGS += -DPD_NAMES_CODE='"$(NAMES_CODE_HASH)"'

# So is the cache of tables for the code that makes those.
ROWS_CODE := $(sort $(NAMES_CODE) $(wildcard unwind/*.[ch] bpf/*.h resolve/*.[ch]))
ROWS_CODE_HASH := $(shell cat $(ROWS_CODE) | sha256sum | cut -c 1-32)
$(BUILD)/resolve/tables_cache.o $(LOW)/resolve/tables_cache.o: $(ROWS_CODE)
$(BUILD)/resolve/tables_cache.o $(LOW)/resolve/tables_cache.o: ALL_CFLAGS += -DPD_ROWS_CODE='"$(ROWS_CODE_HASH)"'

# The page of the format html: modules become one script, which is compressed. The page allows it and its loader only.
WEB := $(BUILD)/gen/web
WEB_HASH = sha256sum <$(1) | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64 -w 0

$(WEB)/program.js: web/bundle.awk $(wildcard web/*.js web/*/*.js) Makefile
	$(q)mkdir -p $(@D)
	$(call msg,GEN,$@)awk -f web/bundle.awk web/views/main.js >$@

# Lines are short enough for every awk.
$(WEB)/program.packed: $(WEB)/program.js
	$(call msg,GEN,$@)gzip -9 -n <$< | base64 -w 1000 >$@

$(WEB)/page.head $(WEB)/page.tail: $(WEB)/page.%: web/page.awk web/page.html web/style.css web/loader.js $(WEB)/program.packed
	$(call msg,GEN,$@)awk -v part=$* -v style=web/style.css -v style_hash="$$($(call WEB_HASH,web/style.css))" \
		-v loader=web/loader.js -v loader_hash="$$($(call WEB_HASH,web/loader.js))" \
		-v program=$(WEB)/program.packed -v program_hash="$$($(call WEB_HASH,$(WEB)/program.js))" \
		-f web/page.awk web/page.html >$@

$(BUILD)/output/html_page.o: ALL_CFLAGS += -DPD_WEB_DIR='"$(WEB)"'
$(BUILD)/output/html_page.o: $(WEB)/page.head $(WEB)/page.tail

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto
	$(q)mkdir -p $(BUILD)/gen
	$(call msg,GEN,$<)protoc --c_out=$(BUILD)/gen $<

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call msg,CC,$<)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(ALL_LDLIBS)

$(BUILD)/tests/oracle/%: $(BUILD)/tests/oracle/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

$(PROBE): $(BUILD)/tests/sandbox/probe.o
	$(call msg,LD,$@)$(CC) $(LDFLAGS) -shared -o $@ $<

$(BUILD)/tests/unwind/stepper: $(UNWIND_SRCS:%.c=$(BUILD)/%.o) $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/tests/unwind/chains $(BUILD)/tests/unwind/tables: $(BUILD)/tests/unwind/%: $(BUILD)/tests/unwind/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

# Not instrumented by sanitizers: it replaces the functions that they replace.
$(BUILD)/tests/failures/%.so: tests/failures/%.c Makefile
	$(q)mkdir -p $(@D)
	$(call msg,LD,$@)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -fPIC -shared -o $@ $<

$(BUILD)/tests/failures/library: $(BUILD)/tests/failures/library.o $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/tests/failures/%: tests/failures/%.c Makefile
	$(q)mkdir -p $(@D)
	$(call msg,LD,$@)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -o $@ $<

-include $(wildcard $(foreach d,* */* */*/* */*/*/*,$(BUILD)/$(d)/*.d))

deps: ## install missing packages for building and testing (Debian, Ubuntu)
	$(q)PKGS="$(PKGS) $(PROGRAM_PKGS) cmocka" sh tests/deps.sh $(PACKAGES) $(CHECK_PACKAGES)

ci-deps:
	$(q)PKGS="$(PKGS) $(PROGRAM_PKGS) cmocka" sh tests/deps.sh $(PACKAGES) $(CHECK_PACKAGES) $(CI_PACKAGES)

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
ifneq ($(filter-out house layering format packages,$(TESTED)),)
CHECK_BUILT := $(BUILD)/pdconv $(SHARED_LIB) $(MAN_PAGES) $(LIB_MAN_PAGES)
endif
ifneq ($(filter unit all,$(KINDS) $(TESTED:unit=)),)
CHECK_BUILT += $(TESTS)
endif
CHECK_BUILT += $(NAMED_TESTS)
ifneq ($(filter cli all,$(TESTED)),)
CHECK_BUILT += $(PROBE) $(LOW)/pdconv
endif
ifneq ($(filter replay all,$(TESTED)),)
CHECK_BUILT += $(BUILD)/tests/fuzz/replay $(BUILD)/tests/fuzz/seeds/seeds
endif
ifneq ($(filter failures all,$(TESTED)),)
CHECK_BUILT += $(FAILURES)
endif
ifneq ($(filter-out house layering format unit replay cli library failures languages valgrind mutate web completion packages,$(TESTED)),)
CHECK_BUILT += $(ORACLES) $(UNWIND) $(BUILD)/bench/walks
# The BPF program for the machine that this is not, where its headers are installed.
CHECK_BUILT += $(if $(and $(BPF),$(wildcard /usr/aarch64-linux-gnu/include/asm/ptrace.h)),$(BUILD)/tests/bpf/sample.aarch64.bpf.o)
endif

check-build: $(CHECK_BUILT)

check-run: check-build ## build and test some kinds: KINDS="unit cli", or one test: KINDS=cli/info/binaries
	$(q)BUILD=$(BUILD) CC="$(CC)" SAN=$(SAN) QUICK=$(QUICK) V=$(V) sh tests/run.sh $(KINDS)

# Fuzzing: run time in seconds over all targets, and the directory for inputs that reach new code.
FUZZ_SECONDS ?= 60
FUZZ_CORPUS ?= $(BUILD)/corpus
FUZZ_CC ?= clang
# A fuzzer and a plain program run the same targets: what they share, and the command line without its main().
FUZZ_TARGETS := $(shell awk -F '[^A-Za-z0-9_]+' '$$2 == "T" { print $$3 }' tests/fuzz/target_defs.h)
FUZZ_OBJS := $(patsubst %,$(BUILD)/tests/fuzz/targets/%.o,$(FUZZ_TARGETS)) \
	$(patsubst %,$(BUILD)/tests/fuzz/%.o,fuzz elf recording profiles built_profile) $(filter-out $(BUILD)/cmd/main.o,$(CMD_OBJS))

FUZZ_LDLIBS = $(ALL_LDLIBS) $(shell pkg-config --libs $(PROGRAM_PKGS) 2>/dev/null)
SEED_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/seeds/*.c))

$(BUILD)/tests/fuzz/replay: $(BUILD)/tests/fuzz/replay.o $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(FUZZ_LDLIBS)

# The program that writes seeds, from which every run starts.
$(BUILD)/tests/fuzz/seeds/seeds: $(SEED_OBJS) $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $^ $(FUZZ_LDLIBS)

# The fuzzer, under the name of each target. LIB_FUZZING_ENGINE is the variable of OSS-Fuzz.
LIB_FUZZING_ENGINE ?= -fsanitize=fuzzer

$(BUILD)/tests/fuzz/fuzzer: $(BUILD)/tests/fuzz/engine.o $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(FUZZ_LD) $(LDFLAGS) $(LIB_FUZZING_ENGINE) -o $@ $^ $(FUZZ_LDLIBS)

FUZZ_LD ?= $(CC)
FUZZERS := $(FUZZ_TARGETS:%=$(BUILD)/fuzzers/%)

$(FUZZERS): $(BUILD)/tests/fuzz/fuzzer
	$(q)mkdir -p $(@D)
	$(q)ln -f $< $@

fuzzers: $(FUZZERS)

fuzz-build:
	$(q)$(MAKE) --no-print-directory CC="$(FUZZ_CC)" BUILD=$(BUILD)/fuzz SAN=address,undefined,fuzzer-no-link \
		fuzzers $(BUILD)/fuzz/tests/fuzz/seeds/seeds

fuzz: fuzz-build ## run the fuzz targets for FUZZ_SECONDS (clang)
	$(q)BUILD=$(BUILD)/fuzz CORPUS=$(FUZZ_CORPUS) sh tests/fuzz/run.sh $(FUZZ_SECONDS)

golden: $(BUILD)/pdconv $(PROBE) $(LOW)/pdconv ## rewrite the expected output of the command line tests
	$(q)BUILD=$(BUILD) GOLDEN=1 sh tests/run.sh cli

demo: ## install what is missing, build, convert recordings and show a report
	$(q)PKGS="$(PKGS) $(PROGRAM_PKGS)" sh tests/deps.sh $(PACKAGES)
	$(q)$(MAKE) --no-print-directory $(JOBS) demo-run

demo-run: pdconv
	$(q)sh testdata/demo.sh

bench: $(BUILD)/pdconv ## time pdconv against perf (FILE=perf.data, default: record three)
	$(q)python3 bench/run.py $(BUILD)/pdconv $(FILE)

bench-peers: $(BUILD)/pdconv ## time pdconv against the tools for the same tasks (FILE=perf.data, default: record two)
	$(q)python3 bench/peers.py $(BUILD)/pdconv $(FILE)

bench-unwind: $(BUILD)/pdconv $(BUILD)/bench/walks $(BUILD)/tests/oracle/dwfl ## time unwinding against libdwfl (FILE=perf.data)
	$(q)python3 bench/unwind.py $(BUILD) $(FILE)

bench-reader: $(BUILD)/pdconv ## time the reader on large recordings, against perf
	$(q)python3 bench/reader.py $(BUILD)/pdconv

format: ## apply .clang-format
	$(q)clang-format -i $(SOURCES)

format-check: ## list what differs from .clang-format
	$(q)clang-format --dry-run -Werror $(SOURCES)

include tests/analyze.mk
include packaging/packages.mk

$(MAN_PAGES): $(BUILD)/%.1: $(BUILD)/pdconv
	$(q)$< $(patsubst pdconv-%,%,$(filter-out pdconv,$*)) --man >$@

$(BUILD)/libpdconv.3: doc/library.md
$(BUILD)/libpdconv-structs.3: $(BUILD)/structs.md
$(BUILD)/structs.md: include/pdconv/structs.h doc/structs_page.awk
	$(q)mkdir -p $(@D)
	$(q)awk -f doc/structs_page.awk $< >$@
$(LIB_MAN_PAGES): doc/man.awk Makefile
	$(q)mkdir -p $(@D)
	$(q)awk -v page=$(basename $(@F)) -v version=$(VERSION) -v date=$(VERSION_DATE) -f doc/man.awk $(filter %.md,$^) >$@

# The header is in the repository, for people and editors. The kind `library` compares it with the tables.
.PHONY: structs
structs: ## write include/pdconv/structs.h, after a change of the tables that it is made from
	$(q)$(CC) -E -P -I. -Iinclude -x c doc/structs.h | awk -f doc/structs.awk >include/pdconv/structs.h

install: $(BUILD)/pdconv $(LIB) $(SHARED_LIB) $(MAN_PAGES) $(LIB_MAN_PAGES) ## install program, manual pages and library under PREFIX
	install -D -m 755 $(BUILD)/pdconv $(DESTDIR)$(PREFIX)/bin/pdconv
	ln -sf pdconv $(DESTDIR)$(PREFIX)/bin/perf_to_profile
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN_PAGES)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man3 $(LIB_MAN_PAGES)
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

uninstall: ## remove what make install installed
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,pdconv perf_to_profile) $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(MAN_PAGES)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/man3/,$(notdir $(LIB_MAN_PAGES)))
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
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
