# Programs of the tests, and the targets that run tests; included by the Makefile.
#
# Variables: KINDS="unit cli" and QUICK=1 for check-run; see tests/README.md

# One has registers of x86-64, one needs libbpf.
TESTS := $(patsubst %.c,$(BUILD)/%,$(filter-out $(if $(PLAIN),$(LINUX_TESTS:%=tests/unit/%.c)) \
	$(if $(BPF),,tests/unit/capture/bpf/test_bpf_files.c) \
	$(if $(filter-out x86_64,$(MACHINE)),tests/unit/unwind/test_live.c),\
	$(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)))
# Unit tests that are requested by name: KINDS=unit/api/test_profile.
NAMED_TESTS := $(filter $(TESTS),$(patsubst %,$(BUILD)/tests/%,$(filter unit/%,$(KINDS))))
ORACLES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/oracle/*.c))
# The recorder of true call chains (tests/unwind), and the programs that print ours.
UNWIND_SRCS := $(filter-out tests/unwind/chains.c tests/unwind/tables.c,$(wildcard tests/unwind/*.c))
UNWIND := $(addprefix $(BUILD)/tests/unwind/,stepper chains tables)
# A recorder of branch stacks.
STEPPER := $(BUILD)/tests/pgo/branch_stepper
# A library that attempts what the sandbox refuses.
PROBE := $(BUILD)/tests/sandbox/probe.so
FAILURES := $(addprefix $(BUILD)/tests/failures/,allocations.so short_calls library)
# The program with low limits: sources that use one of them are compiled again.
LOW := $(BUILD)/tests/low
LOW_NAMES := $(shell sed -n 's/^.define PD_LOW_\([A-Z_]*\) .*/PD_LIMIT_\1/p' tests/cli/low_limits.h)
LOW_OBJS := $(patsubst %.c,$(LOW)/%.o,$(shell grep -lwF $(addprefix -e ,$(LOW_NAMES)) $(LIB_SRCS) $(CMD_SRCS)))
LOW_OTHERS := $(filter-out $(LOW_OBJS:$(LOW)/%=$(BUILD)/%),$(CMD_OBJS))

# Programs that read files through windows of 64 bytes and of 1 MiB, as those do that cannot map files.
WINDOWS := $(patsubst %,$(BUILD)/tests/window-%/pdconv,64 1048576)
WINDOW_SRCS := base/io/window.c base/system/file_map_linux.c

.PHONY: check check-all check-build check-run golden format format-check

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(ALL_LDLIBS)

$(BUILD)/tests/oracle/%: $(BUILD)/tests/oracle/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

$(PROBE): $(BUILD)/tests/sandbox/probe.o
	$(call msg,LD,$@)$(CC) $(LDFLAGS) -shared -o $@ $<

$(BUILD)/tests/unwind/stepper: $(UNWIND_SRCS:%.c=$(BUILD)/%.o) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(STEPPER): $(patsubst %,$(BUILD)/tests/%.o,pgo/branch_stepper pgo/branch_decode unwind/image unwind/mappings) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/tests/unwind/chains $(BUILD)/tests/unwind/tables: $(BUILD)/tests/unwind/%: $(BUILD)/tests/unwind/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

# Sanitizers do not instrument these programs, which replace the functions that sanitizers replace.
$(BUILD)/tests/failures/%.so: tests/failures/%.c tests/tests.mk
	$(q)mkdir -p $(@D)
	$(call msg,LD,$@)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -fPIC -shared -o $@ $<

$(BUILD)/tests/failures/library: $(BUILD)/tests/failures/library.o $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/tests/failures/%: tests/failures/%.c tests/tests.mk
	$(q)mkdir -p $(@D)
	$(call msg,LD,$@)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -o $@ $<

$(LOW)/%.o: %.c Makefile | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CC,$@)$(CC) $(ALL_CFLAGS) -DPD_LOW_LIMITS='"tests/cli/low_limits.h"' -MMD -MP -c -o $@ $<

$(LOW)/symbolize/cache.o: $(NAMES_CODE)
$(LOW)/resolve/binaries/unwind_tables.o: $(ROWS_CODE)

$(LOW)/pdconv: $(LOW_OBJS) $(LOW_OTHERS) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $(LOW_OBJS) $(LOW_OTHERS) $(LIB) $(PROGRAM_LDLIBS) $(ALL_LDLIBS)

# $(call window_program,BYTES)
define window_program
$(BUILD)/tests/window-$(1)/%.o: %.c Makefile
	$$(q)mkdir -p $$(@D)
	$$(call msg,CC,$$@)$$(CC) $$(ALL_CFLAGS) -UPD_TEST_WINDOW -DPD_TEST_WINDOW=$(1) -MMD -MP -c -o $$@ $$<

$(BUILD)/tests/window-$(1)/pdconv: $(WINDOW_SRCS:%.c=$(BUILD)/tests/window-$(1)/%.o) $(CMD_OBJS) $(LIB)
	$$(call msg,LD,$$@)$$(CC) $$(PROGRAM_LDFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(PROGRAM_LDLIBS) $$(ALL_LDLIBS)
endef

$(foreach n,64 1048576,$(eval $(call window_program,$(n))))

# The BPF programs for AArch64 are compiled in tests on other machines, too.
$(BUILD)/tests/bpf/%.aarch64.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h) Makefile bpf/bpf.mk
	$(q)mkdir -p $(@D)
	$(call msg,BPF,$@)$(BPF_CLANG) $(BPF_FLAGS) $(BPF_FLAGS_aarch64) -Werror -idirafter /usr/aarch64-linux-gnu/include -c -o $@ $<

BPF_OF_AARCH64 := $(patsubst %,$(BUILD)/tests/bpf/%.aarch64.bpf.o,sample registers)

# What the kinds of tests need, by the words in the column `needs` of tests/kinds.txt. The headers of AArch64 are optional.
BUILT_program := $(BUILD)/pdconv $(SHARED_LIB) $(MAN_PAGES) $(LIB_MAN_PAGES) $(FUNCTION_PAGES)
BUILT_unit := $(TESTS)
BUILT_cli := $(PROBE) $(LOW)/pdconv $(if $(PLAIN),,$(WINDOWS))
BUILT_replay := $(BUILD)/tests/fuzz/replay $(BUILD)/tests/fuzz/seeds/seeds
BUILT_failures := $(FAILURES)
BUILT_oracles := $(ORACLES) $(UNWIND) $(BUILD)/bench/walks \
	$(if $(and $(BPF),$(wildcard /usr/aarch64-linux-gnu/include/asm/ptrace.h)),$(BPF_OF_AARCH64))
# It reads registers and code of x86-64.
BUILT_stepper := $(if $(filter x86_64,$(MACHINE)),$(STEPPER))
# KINDS=unit/NAME builds one unit test, not all of them.
KIND_NAMES := $(foreach k,$(filter-out unit/%,$(KINDS)),$(firstword $(subst /, ,$k)))
NEEDED := $(shell . tests/kinds.sh; kinds needs $(if $(KINDS),name "$(KIND_NAMES)",runs "check live")) $(if $(NAMED_TESTS),program)
CHECK_BUILT := $(foreach n,$(sort $(NEEDED)),$(BUILT_$n)) $(NAMED_TESTS)

check: check-deps ## build, and run a short form of the tests: five minutes in all (first: make deps)
	$(q)$(MAKE) --no-print-directory $(JOBS) check-build
	$(q)$(MAKE) --no-print-directory check-run QUICK=1

check-all: check-deps ## build, and run the tests in full
	$(q)$(MAKE) --no-print-directory $(JOBS) check-build
	$(q)$(MAKE) --no-print-directory check-run

check-build: $(CHECK_BUILT) ## build what check-run needs

check-run: check-build ## build and test some kinds: KINDS="unit cli", or one test: KINDS=cli/info/binaries
	$(q)MAKEFLAGS= BUILD=$(BUILD) CC="$(CC)" SAN=$(SAN) PLAIN=$(PLAIN) QUICK=$(QUICK) V=$(V) sh tests/run.sh $(KINDS)

golden: $(BUILD)/pdconv $(PROBE) $(LOW)/pdconv ## rewrite the expected output of the command line tests
	$(q)BUILD=$(BUILD) GOLDEN=1 sh tests/run.sh cli

FORMATTED := $(wildcard $(foreach d,include/pdconv $(LIB_DIRS) bpf cmd examples tests/unit tests/sandbox tests/oracle tests/unwind tests/pgo \
	tests/fuzz tests/failures bench,$(foreach f,*.c *.h *.cpp,$(d)/$(f) $(d)/*/$(f) $(d)/*/*/$(f))))

format: ## apply .clang-format
	$(q)clang-format -i $(FORMATTED)

format-check: ## list what differs from .clang-format
	$(q)clang-format --dry-run -Werror $(FORMATTED)
