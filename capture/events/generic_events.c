#include "capture/events/generic_events.h"

#include <pdconv/name_defs.h>

#include "base/array.h"
#include "capture/events/event_word_defs.h"

static const struct {
	uint32_t type;
	uint32_t config;
	struct cap_symbol_names all;
} symbols[] = {
#define HARDWARE_ROW(config, name, other) { PD_TYPE_HARDWARE, config, { { name, other } } },
#define SOFTWARE_ROW(config, name, other) { PD_TYPE_SOFTWARE, config, { { name, other } } },
	PD_HARDWARE_EVENTS(HARDWARE_ROW) PD_SOFTWARE_EVENTS(SOFTWARE_ROW)
};

static const struct {
	uint8_t id;
	unsigned ops;
	const char *names[4];
} caches[] = {
#define CACHE_ROW(id, ops, ...) { id, ops, { __VA_ARGS__ } },
	PD_CACHES(CACHE_ROW)
};

enum cache_part { OP, RESULT, N_CACHE_PARTS };

static const struct {
	enum cache_part part;
	uint8_t value;
	const char *word;
} cache_words[] = {
#define CACHE_WORD_ROW(part, value, word) { part, value, word },
	CAP_CACHE_WORDS(CACHE_WORD_ROW)
};

/* Return the index of the symbol, or -1. */
static int find_symbol(struct cap_word word)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(symbols); i++) {
		const char *const *names = symbols[i].all.names;

		if (cap_word_is(word, names[0]) || (names[1] && cap_word_is(word, names[1])))
			return (int)i;
	}
	return -1;
}

struct cap_symbol_names cap_hardware_names(struct cap_word word)
{
	int i = find_symbol(word);

	return i >= 0 && symbols[i].type == PD_TYPE_HARDWARE ? symbols[i].all
							     : (struct cap_symbol_names){ 0 };
}

/*
 * Remove @p text, and a '-' after it, from the front of @p word. False unless it ends there or at a
 * '-'.
 */
static bool take_part(struct cap_word *word, const char *text)
{
	size_t n = strlen(text);

	if (word->n < n || memcmp(word->at, text, n) != 0 || (word->n > n && word->at[n] != '-'))
		return false;
	n += word->n > n;
	word->at += n;
	word->n -= n;
	return true;
}

/* Remove the cache that @p word begins with, and return its index, or -1. */
static int take_cache(struct cap_word *word)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(caches); i++) {
		for (size_t j = 0; j < PD_ARRAY_LEN(caches[i].names) && caches[i].names[j]; j++) {
			if (take_part(word, caches[i].names[j]))
				return (int)i;
		}
	}
	return -1;
}

static int take_cache_word(struct cap_word *word)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(cache_words); i++) {
		if (take_part(word, cache_words[i].word))
			return (int)i;
	}
	return -1;
}

/* Parse CACHE[-OP][-RESULT], the latter two in either order. */
static bool parse_cache(struct cap_word word, struct pd_attr *ret)
{
	uint8_t values[N_CACHE_PARTS] = { 0 };
	bool seen[N_CACHE_PARTS] = { false };
	bool ends_open = word.n && word.at[word.n - 1] == '-';
	int cache = take_cache(&word);

	if (cache < 0 || ends_open)
		return false;
	while (word.n) {
		int i = take_cache_word(&word);

		if (i < 0 || seen[cache_words[i].part])
			return false;
		seen[cache_words[i].part] = true;
		values[cache_words[i].part] = cache_words[i].value;
	}
	/*
	 * perf also rejects operations that a cache cannot have, such as writes to the L1
	 * instruction cache (evsel__is_cache_op_valid()).
	 */
	if (!(caches[cache].ops >> values[OP] & 1))
		return false;
	*ret = cap_attr(PD_TYPE_HW_CACHE,
		caches[cache].id | (uint64_t)values[OP] << 8 | (uint64_t)values[RESULT] << 16);
	return true;
}

bool cap_generic_parse(struct cap_word word, struct pd_attr *ret)
{
	int i = find_symbol(word);
	uint64_t config;

	if (i >= 0) {
		*ret = cap_attr(symbols[i].type, symbols[i].config);
		/* bpf-output */
		ret->sample_period = symbols[i].type == PD_TYPE_SOFTWARE && symbols[i].config == 10;
		return true;
	}
	if (word.n > 1 && word.n <= 17 && word.at[0] == 'r' &&
		cap_word_hex((struct cap_word){ word.at + 1, word.n - 1 }, &config)) {
		*ret = cap_attr(PD_TYPE_RAW, config);
		return true;
	}
	return parse_cache(word, ret);
}
