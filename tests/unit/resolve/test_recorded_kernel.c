/* Recordings of a kernel that is built here, with a module and code that it generated. */
#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test_recording.h"

#include <inttypes.h>

#include "pgo/autofdo.h"
#include "pgo/bolt.h"
#include "pgo/locate.h"
#include "resolve/resolve.h"

static const char VMLINUX[] = "volatile int sink;\n"
			      "static inline __attribute__((always_inline)) void inner(int x)\n"
			      "{\n"
			      "	sink = x;\n"
			      "}\n"
			      "void do_work(int x)\n"
			      "{\n"
			      "	inner(x);\n"
			      "}\n";

static const char MODULE[] = "volatile int mod_sink;\n"
			     "void mod_work(int x)\n"
			     "{\n"
			     "	mod_sink = x;\n"
			     "}\n";

static const uint64_t LINKED = 0xffffffff81000000, MOVED = 0xffffffff9f400000;
static const uint64_t MODULE_AT = 0xffffffffc0400000;

static struct pd_build_id kernel_id, module_id;

static struct pd_build_id id_of(const char *name)
{
	struct sym_binary *binary = open_here(name);
	struct pd_build_id id = *sym_binary_build_id(binary);

	sym_binary_destroy(binary);
	return id;
}

static int build(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("kernel.c", VMLINUX);
	write_text("mod.c", MODULE);
	if (sh("gcc -g -O2 -fno-pic -no-pie -static -nostdlib -ffreestanding -fcf-protection=none "
	       "-Wl,--build-id=sha1,-Ttext=0xffffffff81000000,-e0 -mcmodel=kernel "
	       "-Wl,--defsym=_text=0xffffffff81000000 -o vmlinux kernel.c && nm vmlinux >symbols && "
	       "gcc -g -O2 -fno-pic -fcf-protection=none -c mod.c && "
	       "ld -r --build-id=sha1 -o mod.ko mod.o && xz mod.ko"))
		return -1;
	kernel_id = id_of("vmlinux");
	assert_int_equal(sh("xz -dk mod.ko.xz && cp mod.ko plain"), 0);
	module_id = id_of("plain");
	return kernel_id.len && module_id.len ? 0 : -1;
}

/* Where do_work() was when the kernel ran. */
static uint64_t work_addr(void)
{
	size_t size;
	_cleanup_free_ char *symbols = read_all("symbols", &size);
	const char *at = strstr(symbols, " T do_work\n");

	assert_non_null(at);
	return strtoull(at - 16, NULL, 16) - LINKED + MOVED;
}

/* Add an MMAP2 record of a kernel binary with a build id. Records are 1 ns apart. */
static void add_mmap2(struct bytes *b, uint64_t addr, uint64_t len, uint64_t pgoff,
	const char *name, const struct pd_build_id *id, uint64_t time)
{
	size_t start = record_begin(b, PD_RECORD_MMAP2, PD_MISC_KERNEL | PD_MISC_MMAP_BUILD_ID);
	uint8_t bytes[20] = { 0 };

	u32(b, UINT32_MAX);
	u32(b, 0);
	u64(b, addr);
	u64(b, len);
	u64(b, pgoff);
	put(b, id->len, 1);
	put(b, 0, 3);
	memcpy(bytes, id->bytes, id->len);
	bytes_add(b, bytes, sizeof(bytes));
	u32(b, 5); /* readable and executable */
	u32(b, 0);
	padded(b, name);
	tid_time(b, 0, 0, time);
	record_end(b, start);
}

static void add_ksymbol(struct bytes *b, uint64_t addr, uint32_t len, uint16_t type, uint16_t flags,
	const char *name, uint64_t time)
{
	size_t start = record_begin(b, PD_RECORD_KSYMBOL, 0);

	u64(b, addr);
	u32(b, len);
	put(b, type, 2);
	put(b, flags, 2);
	padded(b, name);
	tid_time(b, 0, 0, time);
	record_end(b, start);
}

static void add_kernel_sample(struct bytes *b, uint64_t ip, uint64_t time)
{
	size_t start = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_KERNEL);

	u64(b, ip);
	tid_time(b, 1, 1, time);
	record_end(b, start);
}

/* A recording whose samples have an address. */
static void begin(struct bytes *b)
{
	recording_begin(b);
	patch64(b, FILE_HEADER_BYTES + 24,
		1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME);
}

static void add_kernel(struct bytes *b)
{
	add_mmap2(b, MOVED, 0x40000000, MOVED, "[kernel.kallsyms]_text", &kernel_id, 1);
	add_mmap2(b, MODULE_AT, 0x4000, 0, "/lib/modules/6.6.6/kernel/mod.ko.xz", &module_id, 2);
}

static void print_frame(
	char *text, size_t size, const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);
	size_t len = strlen(text);

	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, size - len, "%s:%u ",
			prof_string(profile, prof_function(profile, lines[i].function)->name),
			lines[i].line);
	snprintf(text + len, size - len, "(%s)\n",
		prof_is_none(frame->binary)
			? "none"
			: prof_string(profile, prof_binary(profile, frame->binary)->name));
}

/* Every frame in the order of samples: "FUNCTION:LINE ... (BINARY)". */
static void expect(struct bytes *b, const struct resolve_opts *opts, const char *expected)
{
	struct profile *profile;
	char text[2048] = "";

	recording_end(b);
	struct pd_file *file = recording_open(b, NULL);
	assert_ok(resolve_profile(file, opts, &profile));
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++)
		print_frame(text, sizeof(text), profile, id);
	assert_string_equal(text, expected);
	prof_destroy(profile);
	pd_file_close(file);
	bytes_free(b);
}

static void kernel_and_module(void **state)
{
	const struct resolve_opts opts = { .search = {
						   .symfs = "/nonexistent", .debug_dirs = dir } };
	struct bytes b = { 0 };

	(void)state;
	begin(&b);
	add_kernel(&b);
	add_kernel_sample(&b, work_addr(), 3);
	add_kernel_sample(&b, MODULE_AT, 4);
	add_kernel_sample(&b, MODULE_AT + 0x2000, 5);
	add_kernel_sample(&b, MOVED + 0x10000000, 6);
	expect(&b, &opts,
		"inner:4 do_work:8 ([kernel.kallsyms])\n"
		"mod_work:4 (/lib/modules/6.6.6/kernel/mod.ko.xz)\n"
		"(/lib/modules/6.6.6/kernel/mod.ko.xz)\n"
		"([kernel.kallsyms])\n");
}

/* Append the profiles of an image for both optimizers. */
static void print_image(FILE *out, const struct pgo_flow *flow, size_t i)
{
	struct pgo_counts counts = { 0 };

	pgo_bolt_write(&flow->images.data[i], "cycles", out);
	assert_ok(pgo_locate(flow, i, PGO_CODING_LLVM, &counts));
	assert_ok(pgo_autofdo_write(&counts, out));
	pgo_counts_deinit(&counts);
}

/* Optimizers of kernels take the addresses of vmlinux, and lines. */
static void optimizers(void **state)
{
	const struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent", .debug_dirs = dir },
		.request = { .code = true, .edges = true, .frame_offsets = true },
	};
	struct profile *profile;
	struct pgo_flow flow;
	struct bytes b = { 0 };
	char expected[512], *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	begin(&b);
	add_kernel(&b);
	add_kernel_sample(&b, work_addr(), 3);
	add_kernel_sample(&b, MODULE_AT, 4);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_ok(pgo_flow_create(profile, (struct prof_event_id){ 0 }, &flow));
	assert_int_equal(flow.images.n, 2);
	for (size_t i = 0; i < flow.images.n; i++)
		print_image(out, &flow, i);
	fclose(out);
	snprintf(expected, sizeof(expected),
		"E cycles\nS %" PRIx64 " 1\ndo_work:1:0\n 3: 0\n 2: inner:1\n  2: 1\n"
		"E cycles\nS 0 1\nmod_work:1:0\n 2: 1\n 3: 0\n",
		work_addr() - MOVED + LINKED);
	assert_string_equal(text, expected);
	free(text);
	pgo_flow_deinit(&flow);
	prof_destroy(profile);
	pd_file_close(file);
	bytes_free(&b);
}

/* Without the file of the module, kallsyms of the same boot names its frames. */
static void module_by_kallsyms(void **state)
{
	struct bytes b = { 0 };
	char path[300];

	(void)state;
	write_text("kallsyms", "ffffffff9f400000 T _text\n"
			       "ffffffffc0400000 t mod_first\t[mod]\n"
			       "ffffffffc0400010 t mod_last\t[mod]\n"
			       "ffffffffc0400020 d mod_data\t[mod]\n");
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	const struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent" },
		.kernel = { .kallsyms = path },
	};
	begin(&b);
	add_kernel(&b);
	add_kernel_sample(&b, MODULE_AT + 0x10, 3);
	add_kernel_sample(&b, MODULE_AT + 0x20, 4);
	expect(&b, &opts,
		"mod_last:0 (/lib/modules/6.6.6/kernel/mod.ko.xz)\n"
		"(/lib/modules/6.6.6/kernel/mod.ko.xz)\n");
}

/* A module that was loaded after the recording began has no mapping. */
static void late_module(void **state)
{
	struct bytes b = { 0 };
	char path[300];

	(void)state;
	write_text("kallsyms", "ffffffff9f400000 T _text\n"
			       "ffffffff9f500000 D data\n"
			       "ffffffffc0900000 t late_work\t[late]\n"
			       "ffffffffc0900020 d late_data\t[late]\n");
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	const struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent" },
		.kernel = { .kallsyms = path },
	};
	begin(&b);
	add_kernel(&b);
	add_kernel_sample(&b, 0xffffffffc0900010, 3);
	add_kernel_sample(&b, 0xffffffffc0900030, 4);
	add_kernel_sample(&b, 0x1234, 5);
	expect(&b, &opts,
		"late_work:0 ([kernel.kallsyms])\n"
		"([kernel.kallsyms])\n"
		"(none)\n");
}

/* On some machines, such as s390x, the kernel has low addresses, like programs elsewhere. */
static void low_addresses(void **state)
{
	struct bytes b = { 0 };
	char path[300];

	(void)state;
	write_text("kallsyms", "0000000000100000 T _text\n"
			       "0000000000100400 T low\n"
			       "0000000000100800 T last\n");
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	const struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent" },
		.kernel = { .kallsyms = path },
	};
	begin(&b);
	add_mmap2(&b, 0x100000, 0x900000, 0x100000, "[kernel.kallsyms]_text", &kernel_id, 1);
	add_kernel_sample(&b, 0x100410, 2);
	expect(&b, &opts, "low:0 ([kernel.kallsyms])\n");
}

/* The kernel's mapping includes its modules, whose addresses are in a list. */
static void modules_by_list(void **state)
{
	struct bytes b = { 0 };
	char kallsyms[300], modules[300];

	(void)state;
	write_text("kallsyms", "ffffffff9f400000 T _text\n"
			       "ffffffff9f400100 T last\n"
			       "ffffffff9f500000 D data\n"
			       "ffffffffc0400000 t mod_first\t[mod]\n"
			       "ffffffffc0400020 d mod_data\t[mod]\n");
	write_text("modules", "mod 16384 1 other, Live 0xffffffffc0400000 (O)\n"
			      "other 4096 0 - Live 0xffffffffc0500000\n"
			      "hidden 4096 0 - Live 0x0000000000000000\n"
			      "garbage\n");
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	snprintf(modules, sizeof(modules), "%s/modules", dir);
	const struct resolve_opts opts = {
		.search = { .symfs = "/nonexistent" },
		.kernel = { .kallsyms = kallsyms },
		.modules = modules,
	};
	begin(&b);
	add_mmap2(&b, MOVED, ~MOVED, MOVED, "[kernel.kallsyms]_text", &kernel_id, 1);
	add_kernel_sample(&b, MODULE_AT + 0x10, 3);
	add_kernel_sample(&b, 0xffffffffc0500010, 4);
	add_kernel_sample(&b, 0xffffffffc0501010, 5);
	add_kernel_sample(&b, MOVED + 0x110, 6);
	expect(&b, &opts,
		"mod_first:0 ([mod])\n"
		"([other])\n"
		"([kernel.kallsyms])\n"
		"last:0 ([kernel.kallsyms])\n");
}

/* A list without addresses is refused. */
static void useless_lists(void **state)
{
	static const char *const texts[] = { "", "mod 16384 0 - Live 0x0000000000000000\n" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct profile *profile;
		struct bytes b = { 0 };
		char path[300];

		write_text("modules", texts[i]);
		snprintf(path, sizeof(path), "%s/modules", dir);
		const struct resolve_opts opts = { .modules = path };
		begin(&b);
		recording_end(&b);
		struct pd_file *file = recording_open(&b, NULL);
		struct pd_error *err = resolve_profile(file, &opts, &profile);
		assert_non_null(err);
		assert_int_equal(err->code, PD_ERROR_FORMAT);
		pd_error_destroy(err);
		pd_file_close(file);
		bytes_free(&b);
	}
}

/* Addresses are reused by other code with another name. */
static void generated_code(void **state)
{
	const struct resolve_opts opts = { .search = { .symfs = "/nonexistent" } };
	const uint64_t at = 0xffffffffc0800000;
	struct bytes b = { 0 };

	(void)state;
	begin(&b);
	add_kernel(&b);
	add_ksymbol(&b, at, 0x100, 1, 0, "bpf_prog_0123456789abcdef_one", 3);
	add_kernel_sample(&b, at + 0x10, 4);
	add_ksymbol(&b, at, 0x100, 1, 1, "bpf_prog_0123456789abcdef_one", 5);
	add_ksymbol(&b, at, 0x80, 1, 0, "bpf_prog_fedcba9876543210_two", 6);
	add_kernel_sample(&b, at + 0x10, 7);
	add_ksymbol(&b, at + 0x1000, 0x80, 1, 0, "bpf_trampoline_12", 8);
	add_ksymbol(&b, at + 0x2000, 0x80, 2, 0, "ftrace_trampoline", 9);
	add_kernel_sample(&b, at + 0x1010, 10);
	add_kernel_sample(&b, at + 0x2010, 11);
	expect(&b, &opts,
		"bpf_prog_0123456789abcdef_one:0 (bpf_prog_0123456789abcdef_one)\n"
		"bpf_prog_fedcba9876543210_two:0 (bpf_prog_fedcba9876543210_two)\n"
		"bpf_trampoline_12:0 (bpf_trampoline_12)\n"
		"ftrace_trampoline:0 (ftrace_trampoline)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_and_module),
		cmocka_unit_test(optimizers),
		cmocka_unit_test(module_by_kallsyms),
		cmocka_unit_test(late_module),
		cmocka_unit_test(low_addresses),
		cmocka_unit_test(modules_by_list),
		cmocka_unit_test(useless_lists),
		cmocka_unit_test(generated_code),
	};

#ifndef __x86_64__
	return 0; /* The kernel is built for x86-64. */
#endif
	return cmocka_run_group_tests(tests, build, remove_dir);
}
