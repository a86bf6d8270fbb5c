#include "analyze/keys/sample_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pdconv/bitfield.h>

#include "base/array.h"

/* Words indexed by bit number or by value; NULL if perf prints nothing for it. */
static const char *const ops[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const levels[] = { "N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM",
	"Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
	"Remote Cache (2 hops)", "I/O", "Uncached" };
static const char *const level_numbers[] = { NULL, "L1", "L2", "L3", "L4", "L2 MHB",
	"Memory-side Cache", "L0", "Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM",
	NULL };
/* Number of a level that is not available; 0 is used as well. */
enum { NO_LEVEL = 15 };
static const char *const hops[] = { NULL, "core, same node", "node, same socket",
	"socket, same board", "board" };
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
static const char *const more_snoops[] = { "Fwd", "Peer" };
static const char *const tlbs[] = { NULL, NULL, NULL, "L1", "L2", "Walker", "Fault" };

/* Text that is appended to a fixed buffer, truncated when the buffer is full. */
struct text {
	char *buf;
	size_t size;
	size_t len;
	/** Number of words written in the current part. */
	size_t n_words;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int len = vsnprintf(text->buf + text->len, text->size - text->len, format, args);
	va_end(args);
	/* vsnprintf returns the length of the full text, even if it was truncated. */
	text->len += (size_t)len;
	if (text->len >= text->size)
		text->len = text->size - 1;
}

static void add_word(struct text *text, const char *word)
{
	if (word)
		add(text, "%s%s", text->n_words++ ? " or " : "", word);
}

static void add_bits(struct text *text, const char *const *words, size_t n, uint64_t bits)
{
	for (size_t i = 0; i < n; i++) {
		if (bits >> i & 1)
			add_word(text, words[i]);
	}
}

#define ADD_BITS(text, words, bits) add_bits(text, words, PD_ARRAY_LEN(words), bits)

static uint64_t part(uint64_t data_src, enum pd_data_src_bitfield which)
{
	return pd_bitfield_get(&pd_bitfields_data_src.fields[which], data_src);
}

/* Append the level that has a number. */
static void add_level_number(struct text *text, uint64_t data_src, uint64_t number)
{
	uint64_t n_hops = part(data_src, PD_DATA_SRC_mem_hops);

	if (part(data_src, PD_DATA_SRC_mem_remote))
		add(text, "Remote ");
	if (n_hops && n_hops < PD_ARRAY_LEN(hops))
		add(text, "%s ", hops[n_hops]);
	add(text, "%s", level_numbers[number]);
}

/*
 * Like perf since 6.12 at the latest: a level by its number, or else by its bits, of which 1 and 2
 * say whether the access hit or missed. perf 6.1 wrote both, "L1 or L1 hit".
 */
static void add_level(struct text *text, uint64_t data_src)
{
	uint64_t bits = part(data_src, PD_DATA_SRC_mem_lvl);
	uint64_t number = part(data_src, PD_DATA_SRC_mem_lvl_num);

	if (number && number != NO_LEVEL)
		add_level_number(text, data_src, number);
	else
		ADD_BITS(text, levels, bits & ~(uint64_t)1);
	if (!text->len)
		add(text, "N/A");
	else
		add(text, "%s", bits >> 1 & 1 ? " hit" : bits >> 2 & 1 ? " miss" : "");
}

static void add_snoop(struct text *text, uint64_t data_src)
{
	ADD_BITS(text, snoops, part(data_src, PD_DATA_SRC_mem_snoop));
	/* snoopx extends snoop, which had no bits left. */
	ADD_BITS(text, more_snoops, part(data_src, PD_DATA_SRC_mem_snoopx));
	if (!text->n_words)
		add(text, "N/A");
}

static void add_tlb(struct text *text, uint64_t data_src)
{
	uint64_t bits = part(data_src, PD_DATA_SRC_mem_dtlb);

	ADD_BITS(text, tlbs, bits);
	if (!text->n_words)
		add(text, "N/A");
	add(text, "%s%s", bits >> 1 & 1 ? " hit" : "", bits >> 2 & 1 ? " miss" : "");
}

static void add_op(struct text *text, uint64_t data_src)
{
	ADD_BITS(text, ops, part(data_src, PD_DATA_SRC_mem_op));
	if (!text->n_words)
		add(text, "N/A");
}

static void add_lock(struct text *text, uint64_t data_src)
{
	uint64_t lock = part(data_src, PD_DATA_SRC_mem_lock);

	add(text, "%s", lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No");
}

static void add_block(struct text *text, uint64_t data_src)
{
	uint64_t blocked = part(data_src, PD_DATA_SRC_mem_blk);

	if (!blocked || blocked & 1)
		add(text, " N/A");
	else
		add(text, "%s%s", blocked & 2 ? " Data" : "", blocked & 4 ? " Addr" : "");
}

const char *ana_data_src_text(
	uint64_t data_src, enum ana_data_src_part which, char *buf, size_t size)
{
	static void (*const writers[ANA_N_DATA_SRC_PARTS])(struct text *, uint64_t) = {
		[ANA_DATA_SRC_OP] = add_op,
		[ANA_DATA_SRC_LEVEL] = add_level,
		[ANA_DATA_SRC_SNOOP] = add_snoop,
		[ANA_DATA_SRC_TLB] = add_tlb,
		[ANA_DATA_SRC_LOCK] = add_lock,
		[ANA_DATA_SRC_BLOCK] = add_block,
	};
	struct text text = { .buf = buf, .size = size };

	buf[0] = '\0';
	writers[which](&text, data_src);
	return buf;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Return the length of the name in "name=" at @p text, or 0 if that is something else. */
static size_t name_len(const char *text)
{
	size_t n = 0;

	while (is_name_char(text[n]))
		n++;
	return text[n] == '=' ? n : 0;
}

/* Return the end of the value at @p text: the end of the text, or the space before a name. */
static const char *value_end(const char *text)
{
	while (*text && !(*text == ' ' && name_len(text + 1)))
		text++;
	return text;
}

bool ana_trace_next(const char **at, struct ana_trace_field *ret)
{
	size_t n = name_len(*at);

	if (!n)
		return false;
	ret->name = *at;
	ret->name_len = n;
	ret->value = *at + n + 1;
	const char *end = value_end(ret->value);
	ret->value_len = (size_t)(end - ret->value);
	*at = *end ? end + 1 : end;
	return true;
}

bool ana_trace_find(
	const char *text, const char *name, size_t name_len, struct ana_trace_field *ret)
{
	while (ana_trace_next(&text, ret)) {
		if (ret->name_len == name_len && memcmp(ret->name, name, name_len) == 0)
			return true;
	}
	return false;
}
