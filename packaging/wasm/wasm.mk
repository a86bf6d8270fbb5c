# pdconv as WebAssembly: one file that runs wherever there is WASI (preview 1), with the libraries that it needs inside;
# included by the Makefile. It is the plain build (PLAIN=1), compiled by clang with wasi-libc, both of Debian.

WASM := $(BUILD)/wasm
WASM_SOURCES := elfutils zlib libzstd xz-utils xxhash protobuf-c libdeflate libiberty libarchive bzip2
WASM_PACKAGES := clang lld llvm binaryen wasi-libc libclang-rt-dev-wasm32 protobuf-c-compiler dpkg-dev
WASM_DIR := packaging/wasm

# wasi-libc has parts of these interfaces in libraries of their own.
WASM_EMULATED := SIGNAL PROCESS_CLOCKS GETPID
WASM_FLAGS := --target=wasm32-wasi -nostdlibinc -isystem /usr/include/wasm32-wasi -O2 -g0 \
	$(WASM_EMULATED:%=-D_WASI_EMULATED_%) -idirafter $(WASM_DIR)/include
WASM_CC := $(BPF_CLANG) $(WASM_FLAGS)

.PHONY: wasm wasm-deps wasm-sources

wasm: $(WASM)/pdconv.wasm ## build pdconv for WebAssembly: build/wasm/pdconv.wasm (first: make wasm-deps)

wasm-deps: ## install what `make wasm` needs
	$(q)PKGS= sh packaging/deps.sh install $(WASM_PACKAGES)

wasm-sources: $(WASM)/src/.got

# The lists of sources below are read from their folders. make fetches them first, as it makes all that it includes, and
# starts again.
ifneq ($(filter wasm npm page,$(MAKECMDGOALS)),)
include $(WASM)/src/.got
endif

$(WASM)/src/.got: $(WASM_DIR)/sources.sh $(WASM_DIR)/wasm.mk
	$(call msg,GET,$(WASM)/src)sh $(WASM_DIR)/sources.sh $(WASM)/src $(WASM_SOURCES)
	$(q)touch $@

# Sources of each library below its package, and the options to compile them. Libraries that take little time are compiled for size.
WASM_LIBS := libelf libz libzstd liblzma libbz2 libxxhash libprotobuf-c libdeflate libiberty libarchive

WASM_libelf = $(addprefix libelf/,$(notdir $(filter-out %/dl-hash.c,$(wildcard $(WASM)/src/elfutils/libelf/*.c)))) \
	lib/crc32.c lib/crc32_file.c lib/next_prime.c
WASM_DIR_libelf := elfutils
WASM_FLAGS_libelf = -std=gnu11 -D_WASI_EMULATED_MMAN -DHAVE_CONFIG_H -I$(WASM_DIR)/config/libelf -I$(WASM)/src/elfutils/libelf \
	-I$(WASM)/src/elfutils/lib -I$(WASM)/src/zlib

WASM_libz := adler32.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c \
	gzclose.c gzlib.c gzread.c gzwrite.c
WASM_DIR_libz := zlib
WASM_FLAGS_libz := -DHAVE_UNISTD_H -DHAVE_STDARG_H

WASM_libzstd = $(foreach d,common compress decompress,$(addprefix lib/$(d)/,$(notdir $(wildcard $(WASM)/src/libzstd/lib/$(d)/*.c))))
WASM_DIR_libzstd := libzstd
WASM_FLAGS_libzstd := -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_

WASM_XZ := $(addprefix src/liblzma/,check/check.c check/crc32_fast.c check/crc32_table.c check/crc64_fast.c check/crc64_table.c \
	check/sha256.c lz/lz_decoder.c lzma/lzma_decoder.c lzma/lzma2_decoder.c delta/delta_common.c delta/delta_decoder.c \
	$(addprefix simple/,simple_coder.c simple_decoder.c x86.c arm.c arm64.c armthumb.c powerpc.c)) src/common/tuklib_physmem.c
WASM_liblzma = $(WASM_XZ) $(addprefix src/liblzma/common/,$(filter-out %_mt.c outqueue.c hardware_cputhreads.c %_encode.c easy_% \
	,$(notdir $(foreach f,$(wildcard $(WASM)/src/xz-utils/src/liblzma/common/*.c),$(if $(findstring encoder,$(f)),,$(f))))))
WASM_DIR_liblzma := xz-utils
WASM_FLAGS_liblzma = -std=gnu11 -include signal.h -D__NEED_sigset_t -DHAVE_CONFIG_H -I$(WASM_DIR)/config/liblzma -I$(WASM)/src/xz-utils/src/common \
	$(addprefix -I$(WASM)/src/xz-utils/src/liblzma/,api common check lz rangecoder lzma delta simple)

WASM_libbz2 := bzlib.c blocksort.c compress.c crctable.c decompress.c huffman.c randtable.c
WASM_DIR_libbz2 := bzip2

WASM_libxxhash := xxhash.c
WASM_DIR_libxxhash := xxhash

WASM_libprotobuf-c := protobuf-c/protobuf-c.c
WASM_DIR_libprotobuf-c := protobuf-c
WASM_FLAGS_libprotobuf-c = -I$(WASM)/src/protobuf-c

WASM_libdeflate := $(addprefix lib/,adler32.c crc32.c deflate_compress.c deflate_decompress.c gzip_compress.c gzip_decompress.c \
	utils.c zlib_compress.c zlib_decompress.c)
WASM_DIR_libdeflate := libdeflate
WASM_FLAGS_libdeflate = -I$(WASM)/src/libdeflate

WASM_libiberty := $(addprefix libiberty/,cp-demangle.c cplus-dem.c d-demangle.c rust-demangle.c safe-ctype.c xmalloc.c xexit.c \
	xstrdup.c xmemdup.c)
WASM_DIR_libiberty := libiberty
WASM_FLAGS_libiberty = -DHAVE_CONFIG_H -I$(WASM_DIR)/config/libiberty -I$(WASM)/src/libiberty/include

WASM_libarchive := $(patsubst %,libarchive/archive_%.c,acl check_magic cmdline cryptor digest entry entry_link_resolver entry_sparse \
	entry_stat entry_strmode entry_xattr hmac options pack_dev rb read read_add_passphrase read_open_fd read_set_options \
	read_support_filter_bzip2 read_support_filter_gzip read_support_filter_xz read_support_filter_zstd read_support_format_tar \
	string string_sprintf util virtual write write_add_filter_none write_add_filter_zstd write_set_format write_set_format_gnutar \
	write_set_options write_set_passphrase)
WASM_DIR_libarchive := libarchive
WASM_FLAGS_libarchive = -std=gnu11 -DHAVE_CONFIG_H -I$(WASM_DIR)/config/libarchive -I$(WASM)/src/libarchive/libarchive \
	-I$(WASM)/src/zlib -I$(WASM)/src/bzip2 -I$(WASM)/src/libzstd/lib -I$(WASM)/src/xz-utils/src/liblzma/api

$(WASM)/libarchive/libarchive_programs.o: $(WASM_DIR)/libarchive_programs.c $(WASM_DIR)/wasm.mk
	$(q)mkdir -p $(@D)
	$(call msg,WASM,$<)$(WASM_CC) $(WASM_FLAGS_libarchive) -w -c -o $@ $<

# What pdconv includes of them.
WASM_INCLUDES = $(addprefix -isystem $(WASM)/src/,elfutils/libelf elfutils/libdw zlib libzstd/lib xz-utils/src/liblzma/api xxhash \
	protobuf-c libdeflate libiberty/include libarchive/libarchive) -isystem $(WASM)/include

# $(call wasm_library,NAME): its objects, and the archive of them.
WASM_SMALL := libelf liblzma libbz2 libprotobuf-c libiberty libarchive
$(WASM)/libzstd/lib/compress/%.o: WASM_CC += -Oz

define wasm_library
$(WASM)/$(1)/%.o: $(WASM)/src/$(WASM_DIR_$(1))/%.c $(WASM_DIR)/wasm.mk $(wildcard $(WASM_DIR)/config/$(1)/*.h)
	$$(q)mkdir -p $$(@D)
	$$(call msg,WASM,$$<)$$(WASM_CC) $(if $(filter $(1),$(WASM_SMALL)),-Oz) $(WASM_FLAGS_$(1)) -w -c -o $$@ $$<

$(WASM)/$(1).a: $(patsubst %.c,$(WASM)/$(1)/%.o,$(WASM_$(1))) $(if $(filter libarchive,$(1)),$(WASM)/libarchive/libarchive_programs.o)
	$$(call msg,AR,$$@)rm -f $$@; llvm-ar rcs $$@ $$^
endef

$(foreach l,$(WASM_LIBS),$(eval $(call wasm_library,$(l))))

WASM_PD_SRCS := $(WASM_DIR)/start.c $(filter-out %_linux.c $(LINUX_ONLY),$(wildcard $(foreach d,$(LIB_DIRS) cmd,$(d)/*.c $(d)/*/*.c)))
WASM_PD_OBJS := $(WASM_PD_SRCS:%.c=$(WASM)/pd/%.o) $(patsubst %.proto,$(WASM)/pd/%.pb-c.o,$(wildcard output/*/*.proto))
WASM_PD_FLAGS = -std=gnu11 -D_GNU_SOURCE -DPD_VERSION='"$(VERSION)"' -DPD_VERSION_DATE='"$(VERSION_DATE)"' \
	-DPD_INLINE='static inline' -DPD_STATIC -DPD_LLVM_SONAME='""' -DPD_NAMES_CODE='"$(NAMES_CODE_HASH)"' \
	-DPD_ROWS_CODE='"$(ROWS_CODE_HASH)"' -Iinclude -I. -I$(BUILD)/gen $(WARN) $(WASM_INCLUDES)

$(WASM)/include/libiberty: $(WASM)/src/.got
	$(q)mkdir -p $(@D) && ln -sfn ../src/libiberty/include $@

# libiberty writes all of a name, however long it is. The changed source asks whether to stop.
WASM_STOP := extern int base_attempt_is_over;
$(WASM)/src/libiberty/.stops: $(WASM)/src/.got
	$(q)sed -i '1i $(WASM_STOP)' $(WASM)/src/libiberty/libiberty/cp-demangle.c $(WASM)/src/libiberty/libiberty/rust-demangle.c
	$(q)sed -i 's/^  dpi->callback (.*;$$/& if (base_attempt_is_over) d_print_error (dpi);/' $(WASM)/src/libiberty/libiberty/cp-demangle.c
	$(q)sed -i 's/^    rdm->callback (.*;$$/{ & if (base_attempt_is_over) rdm->errored = 1; }/' $(WASM)/src/libiberty/libiberty/rust-demangle.c
	$(q)touch $@

$(WASM)/libiberty/libiberty/cp-demangle.o $(WASM)/libiberty/libiberty/rust-demangle.o: $(WASM)/src/libiberty/.stops

# Most of the time is spent elsewhere, and the program must stay small.
WASM_PD_SMALL := $(foreach d,advice analyze annotate api batch cmd index inspect ledger output/doc output/report parquet parse/write \
	pgo query symbolize/find symbolize/foreign symbolize/kernel tables,$(d)/%) output/annotate% output/callgrind% output/otlp% \
	output/perfetto% output/pgo% output/quality% output/script/script_header% output/speedscope% parse/feature% parse/jitdump% \
	parse/names% parse/trace/% parse/visit% profile/merge% profile/scaffolding% profile/store%
$(WASM_PD_SMALL:%=$(WASM)/pd/%.o): WASM_CC += -Oz

$(WASM)/pd/%.o: %.c Makefile $(WASM_DIR)/wasm.mk | $(PROTO_HDRS) $(WASM)/include/libiberty $(PAGE_PARTS)
	$(q)mkdir -p $(@D)
	$(call msg,WASM,$<)$(WASM_CC) $(WASM_PD_FLAGS) -MMD -MP -c -o $@ $<

$(WASM)/pd/%.pb-c.o: $(BUILD)/gen/%.pb-c.c $(WASM_DIR)/wasm.mk
	$(q)mkdir -p $(@D)
	$(call msg,WASM,$<)$(WASM_CC) $(WASM_PD_FLAGS) -w -c -o $@ $<

# The stack is at the lowest addresses, so that an overflow traps. clang runs binaryen's wasm-opt, which makes a tenth less of it.
$(WASM)/pdconv.wasm: $(WASM_PD_OBJS) $(WASM_LIBS:%=$(WASM)/%.a)
	$(call msg,LD,$@)$(BPF_CLANG) --target=wasm32-wasi -O2 -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=1048576 \
		-o $@ $(WASM_PD_OBJS) $(WASM_LIBS:%=$(WASM)/%.a) -lwasi-emulated-signal -lwasi-emulated-process-clocks \
		-lwasi-emulated-getpid -lwasi-emulated-mman

# The npm package: the program, its host and the page without the program in it, which `--page` completes.
NPM := $(BUILD)/npm
NPM_MODULES := $(wildcard npm/*.js npm/*.d.ts)

.PHONY: npm

npm: $(BUILD)/pdconv.tgz ## build the npm package: build/npm and build/pdconv.tgz (first: make wasm-deps)

$(NPM)/LICENSES: $(WASM_DIR)/licenses.sh $(WASM)/src/.got
	$(q)mkdir -p $(@D)
	$(q)sh $(WASM_DIR)/licenses.sh $(WASM)/src $(WASM_SOURCES) >$@

$(NPM)/package.json: $(NPM_MODULES) npm/package.json npm/README.md LICENSE include/pdconv/version.h $(WASM)/pdconv.wasm $(NPM)/LICENSES $(OPEN)/page.part
	$(q)cp $(NPM_MODULES) npm/README.md LICENSE $(WASM)/pdconv.wasm $(OPEN)/page.part $(@D) && chmod 644 $(@D)/pdconv.wasm
	$(q)sed '1a\  "version": "$(VERSION)",' npm/package.json >$@

$(BUILD)/pdconv.tgz: $(NPM)/package.json
	$(call msg,NPM,$@)npm pack --silent --pack-destination $(BUILD) $(abspath $(NPM)) >/dev/null && mv $(BUILD)/pdconv-$(VERSION).tgz $@

# The page that opens recordings, as one file.
.PHONY: page

page: $(BUILD)/pdconv.html ## build the page that opens recordings in a browser: build/pdconv.html (first: make wasm-deps)

$(BUILD)/pdconv.html: $(NPM)/package.json
	$(call msg,GEN,$@)node $(NPM)/bin.js --page >$@

-include $(wildcard $(foreach d,* */* */*/*,$(WASM)/pd/$(d)/*.d))
