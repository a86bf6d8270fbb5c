#include "symbolize/symbols/elf_symbols.h"

#include <lzma.h>
#include <stdlib.h>

#include "base/limit.h"
#include "symbolize/file/image_sections.h"

bool sym_elf_symbols_open(const struct sym_image *image, unsigned type, struct sym_elf_symbols *ret)
{
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		Elf_Data *symbols = elf_getdata(scn, NULL);
		Elf_Data *strings = elf_getdata(elf_getscn(image->elf, shdr.sh_link), NULL);
		if (!symbols || !symbols->d_buf || !strings || !strings->d_buf ||
			!strings->d_size || !entry ||
			((const char *)strings->d_buf)[strings->d_size - 1])
			return false;
		*ret = (struct sym_elf_symbols){
			.symbols = symbols,
			.n = symbols->d_size / entry,
			.strings = strings->d_buf,
			.strings_size = strings->d_size,
		};
		return true;
	}
	return false;
}

/*
 * Upper limits of the output: in bytes, and beyond ANY_RATIO_BYTES by the size of the input. Symbol
 * tables compress by a factor of 3 to 10, zeros by 7000.
 */
static const size_t MAX_UNPACKED = PD_LIMIT_MINIDEBUG_BYTES;
static const size_t ANY_RATIO_BYTES = PD_LIMIT_MINIDEBUG_ANY_RATIO;
static const size_t MAX_RATIO = PD_LIMIT_MINIDEBUG_RATIO;
/* Memory limit of the decoder in bytes, enough for the dictionary of `xz -9`. */
static const uint64_t MAX_DECODER_MEMORY = PD_LIMIT_MINIDEBUG_DECODER_BYTES;

struct output {
	uint8_t *data;
	size_t size;
	size_t cap;
};

static bool make_room(struct output *out)
{
	size_t cap = out->cap ? 2 * out->cap : 256 * 1024;
	uint8_t *grown = realloc(out->data, cap);

	if (!grown)
		return false;
	out->data = grown;
	out->cap = cap;
	return true;
}

/* Upper limit for what @p packed bytes become. */
static size_t max_unpacked(size_t packed)
{
	if (packed >= MAX_UNPACKED / MAX_RATIO)
		return MAX_UNPACKED;
	return packed * MAX_RATIO > ANY_RATIO_BYTES ? packed * MAX_RATIO : ANY_RATIO_BYTES;
}

/* Decompress everything, up to @p limit bytes or more. Returns LZMA_STREAM_END on success. */
static lzma_ret unpack(lzma_stream *stream, size_t limit, struct output *out)
{
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK) {
		if (out->size == out->cap) {
			if (out->cap >= limit) {
				base_limit_reach(limit == MAX_UNPACKED
							 ? PD_LIMIT_ID_MINIDEBUG_BYTES
							 : PD_LIMIT_ID_MINIDEBUG_RATIO);
				return LZMA_DATA_ERROR;
			}
			if (!make_room(out))
				return LZMA_MEM_ERROR;
		}
		stream->next_out = out->data + out->size;
		stream->avail_out = out->cap - out->size;
		ret = lzma_code(stream, LZMA_FINISH);
		out->size = out->cap - stream->avail_out;
	}
	return ret;
}

bool sym_minidebug_open(const struct sym_image *main, struct sym_image **ret)
{
	struct sym_section packed;
	struct output out = { 0 };
	struct sym_failure failure;
	lzma_stream stream = LZMA_STREAM_INIT;

	*ret = NULL;
	if (!sym_image_section(main, ".gnu_debugdata", &packed))
		return true;
	lzma_ret status = lzma_stream_decoder(&stream, MAX_DECODER_MEMORY, 0);
	if (status == LZMA_OK) {
		stream.next_in = packed.data;
		stream.avail_in = packed.size;
		status = unpack(&stream, max_unpacked(packed.size), &out);
	}
	lzma_end(&stream);
	if (status == LZMA_MEMLIMIT_ERROR)
		base_limit_reach(PD_LIMIT_ID_MINIDEBUG_DECODER_BYTES);
	if (status != LZMA_STREAM_END) {
		free(out.data);
		return status != LZMA_MEM_ERROR;
	}
	/* The image takes ownership of the bytes, also on failure. */
	struct pd_error *err = sym_image_open_memory(out.data, out.size, ret, &failure);
	pd_error_destroy(err);
	return !err;
}
