/* ELF files of testdata/, their sections, and text files with names. */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/fuzz/elf.h"
#include "tests/fuzz/section_defs.h"
#include "tests/fuzz/seeds/seeds.h"

static const char *const names[] = {
#define NAME(name, ...) name,
	FUZZ_SECTIONS(NAME)
#undef NAME
};

/* The other binaries of testdata/ are too large. */
static const char *const files[] = { "testdata/jit/jit", "testdata/deep/deep",
	"testdata/trampoline/trampoline" };

/* Where code begins in these files, and how much of it is of interest. */
enum { CODE_AT = 0x1140, CODE_SIZE = 512 };

/* Append section @p scn as the target `sections` takes it, if it is one of the table. */
static void put_section(Elf *elf, Elf_Scn *scn, struct pd_bytes *out)
{
	GElf_Shdr header;
	size_t strings;

	if (!gelf_getshdr(scn, &header) || elf_getshdrstrndx(elf, &strings))
		abort();
	const char *name = elf_strptr(elf, strings, header.sh_name);
	Elf_Data *data = elf_rawdata(scn, NULL);
	for (uint8_t i = 0; name && data && i < PD_ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) != 0 || out->buf.n + data->d_size > 8000)
			continue;
		pd_bytes_u8(out, header.sh_flags & SHF_COMPRESSED ? i | 0x80 : i);
		seeds_piece(out, data->d_buf, data->d_size);
	}
}

/* Code with its sections, for the target `listing`: samples at the start, and a little source. */
static void write_listing(
	const char *name, const struct pd_bytes *code, const struct pd_bytes *sections)
{
	enum { CHOICES = 64 };
	static const char source[] = "int work(int n)\n{\n\treturn n;\n}\n";
	struct pd_bytes seed = { 0 };

	for (uint8_t i = 0; i < CHOICES; i++)
		pd_bytes_u8(&seed, i);
	seeds_piece(&seed, source, sizeof(source) - 1);
	seeds_piece(&seed, code->buf.data + CODE_AT, CODE_SIZE);
	pd_bytes_put(&seed, sections->buf.data, sections->buf.n);
	seeds_put("listing", name, &seed);
}

static void write_sections(const char *name, struct pd_bytes *bytes)
{
	Elf *elf = elf_memory((char *)bytes->buf.data, bytes->buf.n);
	struct pd_bytes seed = { 0 };
	Elf_Scn *scn = NULL;

	if (!elf)
		abort();
	while ((scn = elf_nextscn(elf, scn)))
		put_section(elf, scn, &seed);
	elf_end(elf);
	if (bytes->buf.n > CODE_AT + CODE_SIZE)
		write_listing(name, bytes, &seed);
	seeds_put("sections", name, &seed);
}

/* Pieces of the code, for each architecture that might read it. */
static void write_code(const char *name, const struct pd_bytes *bytes)
{
	for (uint8_t arch = 0; arch < 8; arch++) {
		struct pd_bytes seed = { 0 };
		char full[256];

		pd_bytes_u8(&seed, arch);
		pd_bytes_u8(&seed, arch);
		pd_bytes_put(&seed, bytes->buf.data + CODE_AT, CODE_SIZE);
		snprintf(full, sizeof(full), "%s-%u", name, arch);
		seeds_put("code", full, &seed);
	}
}

/* A tarball with one binary, which has the build id that the target asks for. */
static void write_archive(void)
{
	enum { BLOCK = 512 };
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	struct fuzz_section section = { ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x100, NULL,
		{ 0 } };
	struct pd_bytes id = { 0 }, tar = { 0 };
	size_t size;
	char header[BLOCK] = ".build-id/ab/ab/elf";
	unsigned sum = 0;

	pd_bytes_put(&id, note, sizeof(note));
	for (size_t i = 0; i < 20; i++)
		pd_bytes_u8(&id, 0xab);
	section.bytes = (struct fuzz_input){ id.buf.data, id.buf.n };
	uint8_t *elf = fuzz_elf_make(&section, 1, &size);
	/* The header of ustar: mode, size, time, checksum, type and magic. */
	snprintf(header + 100, 8, "0000644");
	snprintf(header + 124, 12, "%011o", (unsigned)size);
	snprintf(header + 136, 12, "00000000000");
	memset(header + 148, ' ', 8);
	header[156] = '0';
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a field of 8 bytes. */
	memcpy(header + 257, "ustar\00000", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (uint8_t)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	pd_bytes_put(&tar, header, BLOCK);
	pd_bytes_put(&tar, elf, size);
	pd_bytes_zeros(&tar, -tar.buf.n % BLOCK + (size_t)2 * BLOCK);
	seeds_put("archive", "ustar", &tar);
	pd_bytes_deinit(&id);
	free(elf);
}

static void write_text(const char *corpus, const char *path)
{
	struct pd_bytes bytes = seeds_read(path, 4000);

	seeds_put(corpus, "testdata", &bytes);
}

void seeds_of_binary(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct pd_bytes bytes = seeds_read(path, 32768);

	elf_version(EV_CURRENT);
	write_sections(name, &bytes);
	if (bytes.buf.n > CODE_AT + CODE_SIZE)
		write_code(name, &bytes);
	seeds_put("elf", name, &bytes);
}

static void write_folded(void)
{
	static const char text[] =
		"server;main;work;malloc 12\nserver;main;[libc.so.6] 3\nidle 4\n";

	seeds_write("folded_text", "lines", text, sizeof(text) - 1);
}

static void write_foreign(void)
{
	/* A sample type, a mapping, a location with and one without a line, a function, strings. */
	static const char pprof[] =
		"\012\004\010\001\020\002\022\006\010\001\010\002\020\003\032\017\010\001"
		"\020\200 \030\200@ \200 (\0030\004\042\007\010\001\020\001\030\220 \042"
		"\015\010\002\020\001\030\221 \042\004\010\001\020\007*\006\010\001\020"
		"\001(\0072\0002\003cpu2\005count2\011/x/lib.so2\0200123456789abcdef";
	/* A sample, a mapping with a build id, and locations with and without a line. */
	static const char otlp[] =
		"\012\017\022\015\022\013\022\005\010\001\042\001\001\022\002\010\001"
		"\022h\012\000\012\015\010\200 \020\200@\030\000 \001*\001\001\022\000"
		"\022\005\010\001\020\201 \022\011\010\001\020\202 \032\002\010\001\032\000"
		"\032\002\010\001*\000*\002/x*\037process.executable.build_id.gnu2\0002\012\010\002"
		"\022\006\012\004abcd:\000:\004\012\002\001\002";
	static const char text[] =
		"comm;/x/lib.so+0x1234;[0123456789abcdef0123]+0x10;0123456789abcdef:0x5 3\n"
		"#1 0x5 (/x/lib.so+0x1234) (BuildId: 0123456789abcdef)\n"
		"/x/program(+0x1136) [0x55d0] /x/lib.so (deleted)+0x3 lib.so.1+0x9\n";
	static const char heap[] =
		"heap profile: 2: 4096 [ 3: 8192] @ heapprofile\n"
		"1: 4096 [ 1: 4096] @ 0x55d000001136 0x7f0000000010\n\nMAPPED_LIBRARIES:\n"
		"55d000001000-55d000100000 r-xp 00001000 08:02 173521      /x/program\n"
		"7f0000000000-7f0000100000 r-xp 00000000 08:02 173522      /x/lib.so (deleted)\n";

	seeds_write("foreign", "pprof", pprof, sizeof(pprof) - 1);
	seeds_write("foreign", "otlp", otlp, sizeof(otlp) - 1);
	seeds_write("foreign", "text", text, sizeof(text) - 1);
	seeds_write("foreign", "heap", heap, sizeof(heap) - 1);
}

void seeds_of_binaries(void)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(files); i++)
		seeds_of_binary(files[i]);
	write_archive();
	write_folded();
	write_foreign();
	write_text("kallsyms", "testdata/bpf/kallsyms");
	write_text("perf_map", "testdata/trampoline/perf-29737.map");
	write_text("jitdump", "testdata/jit/jit-21272.dump");
}
