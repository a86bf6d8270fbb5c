# Tarballs and packages, made from the last commit.

DIST := pdconv-$(VERSION)
PACKAGING_PACKAGES = build-essential debhelper fakeroot git \
	$(shell sed -n '/^Build-Depends:/,/^[^ ]*: ./s/^ \([^ ,]*\).*/\1/p' debian/control | grep -v debhelper)

# Libraries of a static program.
STATIC_PACKAGES := libc6-dev libdw-dev libelf-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libprotobuf-c-dev libxxhash-dev \
	libiberty-dev libarchive-dev libdebuginfod-dev libdeflate-dev libseccomp-dev libsqlite3-dev libjansson-dev libcurl4-openssl-dev

.PHONY: dist deb static static-arm64 abi

dist: $(BUILD)/$(DIST).tar.xz ## make a tarball of the last commit; the same commit gives the same bytes

.PHONY: $(BUILD)/$(DIST).tar.xz
$(BUILD)/$(DIST).tar.xz:
	$(q)PKGS= sh packaging/deps.sh install git xz-utils
	$(q)mkdir -p $(@D)
	$(q)git archive --format=tar --prefix=$(DIST)/ HEAD -- . ':(exclude)debian' | xz -9 -T1 >$@
	$(q)echo $@

deb: $(BUILD)/$(DIST).tar.xz ## build Debian packages of the last commit in build/deb (Debian, Ubuntu)
	$(q)PKGS= sh packaging/deps.sh install $(PACKAGING_PACKAGES)
	$(q)rm -rf $(BUILD)/deb
	$(q)mkdir -p $(BUILD)/deb
	$(q)cp $< $(BUILD)/deb/pdconv_$(VERSION).orig.tar.xz
	$(q)tar -xf $< -C $(BUILD)/deb
	$(q)git archive HEAD debian | tar -x -C $(BUILD)/deb/$(DIST)
	$(q)cd $(BUILD)/deb/$(DIST) && dpkg-buildpackage -us -uc $(DEB_OPTIONS)
	$(q)ls -l $(BUILD)/deb/*.deb

# glibc is the libc whose allocator and string functions are fast, and for which distributions have all libraries. Four
# things are left out of the program, because they would have to be loaded: debuginfod, the disassembler, sending, and names of
# users that are not in /etc/passwd.
STATIC_BUILD = $(BUILD)/static
STATIC_NAME = pdconv-$(VERSION)-linux-$(1)

# Debian 13 has a static libelf that refers to functions which no library has.
define TRY_STATIC_LIBELF
	$(q)mkdir -p $(BUILD)
	$(q)echo 'int elf_end(void *elf); int main(void) { return elf_end(0); }' | $(CC) -static -x c - -o $(BUILD)/try_static -lelf -lz -lzstd || { \
		echo "pdconv: static programs cannot use the libelf of this system: build on Debian 12" >&2; exit 1; }
endef

static: ## build one program that needs no libraries: build/pdconv-VERSION-linux-MACHINE
	$(q)PKGS="$(PKGS) $(PROGRAM_PKGS)" sh packaging/deps.sh install $(PACKAGES) libbz2-dev
	$(TRY_STATIC_LIBELF)
	$(q)$(MAKE) --no-print-directory $(JOBS) STATIC=1 BUILD=$(STATIC_BUILD) $(STATIC_BUILD)/pdconv
	$(q)strip -o $(BUILD)/$(call STATIC_NAME,$(MACHINE)) $(STATIC_BUILD)/pdconv
	$(q)ls -l $(BUILD)/$(call STATIC_NAME,$(MACHINE))

ARM64_BUILD = $(BUILD)/static-arm64
ARM64_ROOT = $(abspath $(ARM64_BUILD))/root

$(ARM64_ROOT): packaging/sysroot.sh packaging/packages.mk
	$(q)mkdir -p $(@D)
	$(q)sh packaging/sysroot.sh arm64 $@ $(STATIC_PACKAGES)
	$(q)touch $@

static-arm64: $(ARM64_ROOT) ## the same for aarch64 (Debian, with a cross compiler)
	$(q)PKGS= sh packaging/deps.sh install $(PACKAGES) gcc-aarch64-linux-gnu
	$(q)PKG_CONFIG_LIBDIR=$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(ARM64_ROOT) \
		$(MAKE) --no-print-directory $(JOBS) STATIC=1 BUILD=$(ARM64_BUILD) CC="aarch64-linux-gnu-gcc --sysroot=$(ARM64_ROOT)" \
		$(ARM64_BUILD)/pdconv
	$(q)aarch64-linux-gnu-strip -o $(BUILD)/$(call STATIC_NAME,aarch64) $(ARM64_BUILD)/pdconv
	$(q)ls -l $(BUILD)/$(call STATIC_NAME,aarch64)

# What later versions of the library are compared with (tests/run_library.sh). Locations of types are left out: they change.
abi: $(SHARED_LIB) ## describe the library's interface in tests/library/abi.xml.xz, for a release
	$(q)PKGS= sh packaging/deps.sh install abigail-tools xz-utils
	$(q)abidw --headers-dir include/pdconv --no-corpus-path --no-comp-dir-path --no-show-locs --drop-private-types $< | xz -9e >tests/library/abi.xml.xz
