#include "parse/trace/c_text.h"

#include "base/array.h"

/* Find the word that ends text; empty if it ends with something else, such as a star. */
static struct base_span last_word(struct base_span text)
{
	while (text.end > text.at && (text.end[-1] == ' ' || text.end[-1] == '\t'))
		text.end--;
	const char *end = text.end;
	while (text.end > text.at && base_is_identifier(text.end[-1]))
		text.end--;
	return (struct base_span){ text.end, end };
}

/* Types by the word that ends them. char is signed as on x86, and unsigned char is not. */
static const struct {
	const char *word;
	struct parse_c_integer type;
} integers[] = {
	{ "char", { .size = 1, .is_signed = true } },
	{ "u8", { .size = 1 } },
	{ "s8", { .size = 1, .is_signed = true } },
	{ "__u8", { .size = 1 } },
	{ "__s8", { .size = 1, .is_signed = true } },
	{ "uint8_t", { .size = 1 } },
	{ "int8_t", { .size = 1, .is_signed = true } },
	{ "bool", { .size = 1, .is_bool = true } },
	{ "short", { .size = 2, .is_signed = true } },
	{ "u16", { .size = 2 } },
	{ "s16", { .size = 2, .is_signed = true } },
	{ "__u16", { .size = 2 } },
	{ "__s16", { .size = 2, .is_signed = true } },
	{ "uint16_t", { .size = 2 } },
	{ "int16_t", { .size = 2, .is_signed = true } },
	{ "__be16", { .size = 2 } },
	{ "int", { .size = 4, .is_signed = true } },
	{ "unsigned", { .size = 4 } },
	{ "uint", { .size = 4 } },
	{ "u32", { .size = 4 } },
	{ "s32", { .size = 4, .is_signed = true } },
	{ "__u32", { .size = 4 } },
	{ "__s32", { .size = 4, .is_signed = true } },
	{ "uint32_t", { .size = 4 } },
	{ "int32_t", { .size = 4, .is_signed = true } },
	{ "__be32", { .size = 4 } },
	{ "gfp_t", { .size = 4 } },
	{ "u64", { .size = 8 } },
	{ "s64", { .size = 8, .is_signed = true } },
	{ "__u64", { .size = 8 } },
	{ "__s64", { .size = 8, .is_signed = true } },
	{ "uint64_t", { .size = 8 } },
	{ "int64_t", { .size = 8, .is_signed = true } },
	{ "loff_t", { .size = 8, .is_signed = true } },
};

struct parse_c_integer parse_c_integer(struct base_span type, unsigned long_size)
{
	struct base_span word = last_word(type);
	bool is_unsigned = base_span_contains(type, "unsigned");

	if (base_span_is(word, "long"))
		return (struct parse_c_integer){
			.size = base_span_contains(type, "long long") ? 8 : long_size,
			.is_signed = !is_unsigned,
		};
	if (base_span_is(word, "size_t") || base_span_is(word, "uintptr_t"))
		return (struct parse_c_integer){ .size = long_size };
	for (size_t i = 0; i < PD_ARRAY_LEN(integers); i++) {
		if (!base_span_is(word, integers[i].word))
			continue;
		struct parse_c_integer ret = integers[i].type;
		ret.is_signed = ret.is_signed && !is_unsigned;
		return ret;
	}
	return (struct parse_c_integer){ 0 };
}
