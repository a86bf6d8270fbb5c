#include "capture/events/event_item.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <pdconv/name_defs.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/event_word_defs.h"

/* The size that has all fields up to sig_data, which every perf since 5.13 reads. */
enum { ATTR_BYTES = 128 };

static bool take_number(struct cap_word word, int base, uint64_t *ret)
{
	char digits[32];
	char *end;

	if (!word.n || word.n >= sizeof(digits))
		return false;
	memcpy(digits, word.at, word.n);
	digits[word.n] = 0;
	errno = 0;
	uint64_t value = strtoull(digits, &end, base);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

bool cap_word_hex(struct cap_word word, uint64_t *ret)
{
	for (size_t i = 0; i < word.n; i++) {
		if (!isxdigit((unsigned char)word.at[i]))
			return false;
	}
	return take_number(word, 16, ret);
}

bool cap_word_number(struct cap_word word, uint64_t *ret)
{
	if (word.n > 2 && word.at[0] == '0' && (word.at[1] | 0x20) == 'x')
		return cap_word_hex((struct cap_word){ word.at + 2, word.n - 2 }, ret);
	return word.n && word.at[0] >= '0' && word.at[0] <= '9' && take_number(word, 10, ret);
}

struct pd_error *cap_item_bad(const struct cap_item *item, const char *fmt, ...)
{
	char message[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	return pd_error_create(PD_ERROR_USAGE, NULL, "event '%.*s': %s", (int)item->whole.n,
		item->whole.at, message);
}

struct pd_attr cap_attr(uint32_t type, uint64_t config)
{
	return (struct pd_attr){
		.type = type,
		.size = ATTR_BYTES,
		.config = config,
		.flags = CAP_FLAG(exclude_guest),
	};
}

struct pd_error *cap_item_add(
	const struct cap_item *item, const struct pd_attr *attr, struct cap_word name)
{
	struct cap_event event = {
		.attr = *attr,
		.leader = item->events->list.n,
		.is_tracepoint = attr->type == PD_TYPE_TRACEPOINT,
		.name = strndup(name.at, name.n),
	};

	if (!event.name || !pd_vec_push(&item->events->list, event)) {
		free(event.name);
		return &pd_enomem;
	}
	PD_IS_OWNED(event.name, "cap_event_deinit() frees it with the list");
	return NULL;
}

int cap_read_line(const char *path, char **ret)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!file)
		return errno;
	ssize_t n = getline(&line, &cap, file);
	if (n < 0)
		return ferror(file) ? EIO : ENODATA;
	line[strcspn(line, "\n")] = 0;
	*ret = take_ptr(line);
	return 0;
}

void cap_names_deinit(struct cap_names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->entries[i]);
	free(names->entries);
}

int cap_names_list(const char *dir, struct cap_names *ret)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);

	if (n < 0)
		return errno;
	*ret = (struct cap_names){ entries, n };
	return 0;
}

/* Events that need no PMU: hardware, software, cache and raw events. */

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
