# Debian packages that the build and the tests need, included by the Makefile.

# Packages to build and run.
PACKAGES := gcc libc6-dev make pkg-config libdw-dev libelf-dev zlib1g-dev libzstd-dev liblzma-dev \
	libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libxxhash-dev libiberty-dev \
	libarchive-dev libdebuginfod-dev libdeflate-dev llvm-dev libseccomp-dev libsqlite3-dev libjansson-dev libcurl4-openssl-dev \
	$(if $(filter x86_64 aarch64,$(MACHINE)),libisal-dev clang libbpf-dev)
# Packages to test.
CHECK_PACKAGES := libcmocka-dev libbz2-dev g++ libc6-dbg binutils xz-utils bzip2 zstd python3 less
# Compilers for other machines, and qemu to run their programs.
UNWIND_PACKAGES := lld libboost-context-dev fp-compiler golang-go rustc musl-tools qemu-user \
	gcc-i686-linux-gnu libc6-dev-i386-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf \
	libc6-dev-armhf-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
	gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
# Tools of optimizers.
PGO_PACKAGES := $(if $(filter x86_64,$(MACHINE)),bolt-19 llvm-19 autofdo)
# Additional packages for .ci/run. Some packages of nodejs bring npm, and conflict with Debian's.
CI_PACKAGES = abigail-tools util-linux-extra clang-format clang-tidy cppcheck libclang-rt-dev valgrind strace linux-perf \
	nodejs $(if $(shell command -v npm),,npm) chromium firefox-esr python3 python3-jsonschema python3-yaml python3-venv mandoc bash-completion zsh fish \
	debootstrap lintian dpkg-dev rpm rpmlint cpio debuginfod llvm dwz $(PGO_PACKAGES) $(UNWIND_PACKAGES) $(WASM_PACKAGES)

INSTALL_DEPS = $(q)PKGS="$(PKGS) $(PROGRAM_PKGS)" sh packaging/deps.sh install

.PHONY: deps ci-deps check-deps

deps ci-deps check-deps: PKGS += cmocka

deps: ## install missing packages for building and testing (Debian, Ubuntu)
	$(INSTALL_DEPS) $(PACKAGES) $(CHECK_PACKAGES)

ci-deps: ## install missing packages for every kind of test
	$(INSTALL_DEPS) $(PACKAGES) $(CHECK_PACKAGES) $(CI_PACKAGES)

# Install nothing: print what is missing, and fail if the build needs it.
check-deps:
	$(q)PKGS="$(PKGS) $(PROGRAM_PKGS)" OPTIONAL="$(CI_PACKAGES)" sh packaging/deps.sh check $(PACKAGES) $(CHECK_PACKAGES)
