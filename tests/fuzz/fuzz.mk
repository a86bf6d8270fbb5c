# Fuzzing, included by the Makefile. tests/fuzz/target_defs.h lists the targets.

# Time in seconds over all targets, and the directory for inputs that reach new code.
FUZZ_SECONDS ?= 60
FUZZ_CORPUS ?= $(BUILD)/corpus
FUZZ_CC ?= clang
# LIB_FUZZING_ENGINE is a variable of OSS-Fuzz.
LIB_FUZZING_ENGINE ?= -fsanitize=fuzzer
FUZZ_LD ?= $(CC)
FUZZ_TARGETS := $(shell awk -F '[^A-Za-z0-9_]+' '$$2 == "T" { print $$3 }' tests/fuzz/target_defs.h)
FUZZERS := $(FUZZ_TARGETS:%=$(BUILD)/fuzzers/%)
# A fuzzer and a plain program run the same targets. These are the objects of both, with the command line without its main().
FUZZ_OBJS := $(patsubst %,$(BUILD)/tests/fuzz/targets/%.o,$(FUZZ_TARGETS)) \
	$(patsubst %,$(BUILD)/tests/fuzz/%.o,fuzz elf recording profiles built_profile) $(filter-out $(BUILD)/cmd/main.o,$(CMD_OBJS))
SEED_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/seeds/*.c))

.PHONY: fuzz fuzz-build fuzzers

$(BUILD)/tests/fuzz/replay: $(BUILD)/tests/fuzz/replay.o $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS) $(PROGRAM_LDLIBS)

# The program that writes seeds, from which every run starts.
$(BUILD)/tests/fuzz/seeds/seeds: $(SEED_OBJS) $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LDLIBS) $(PROGRAM_LDLIBS)

# One program has all targets, and runs the one that it is named after.
$(BUILD)/tests/fuzz/fuzzer: $(BUILD)/tests/fuzz/engine.o $(FUZZ_OBJS) $(LIB)
	$(call msg,LD,$@)$(FUZZ_LD) $(LDFLAGS) $(LIB_FUZZING_ENGINE) -o $@ $^ $(ALL_LDLIBS) $(PROGRAM_LDLIBS)

$(FUZZERS): $(BUILD)/tests/fuzz/fuzzer
	$(q)mkdir -p $(@D)
	$(q)ln -f $< $@

fuzzers: $(FUZZERS) ## build the fuzz targets: CC=clang SAN=address,fuzzer-no-link

fuzz-build: ## build the fuzz targets with clang and sanitizers, without running them
	$(q)$(MAKE) --no-print-directory CC="$(FUZZ_CC)" BUILD=$(BUILD)/fuzz SAN=address,undefined,fuzzer-no-link \
		fuzzers $(BUILD)/fuzz/tests/fuzz/seeds/seeds

fuzz: fuzz-build ## run the fuzz targets for FUZZ_SECONDS (clang)
	$(q)BUILD=$(BUILD)/fuzz CORPUS=$(FUZZ_CORPUS) sh tests/fuzz/run.sh $(FUZZ_SECONDS)
