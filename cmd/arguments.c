#include "cmd/arguments.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/pattern.h"
#include "cmd/words.h"
#include "profile/time_spans.h"

/* Numbers. */

static struct pd_error *take_number(const char *text, uint64_t max, uint64_t *ret)
{
	const char *end;

	if (pd_number_parse(text, max, &end, ret) && !*end)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL, "invalid number '%s'", text);
}

static struct pd_error *take_count(const char *text, size_t *to)
{
	uint64_t value;
	struct pd_error *err = take_number(text, SIZE_MAX, &value);

	if (err)
		return err;
	*to = value;
	return NULL;
}

static struct pd_error *take_uint(const char *text, unsigned *to)
{
	uint64_t value;
	struct pd_error *err = take_number(text, UINT_MAX, &value);

	if (err)
		return err;
	*to = (unsigned)value;
	return NULL;
}

static struct pd_error *take_decimal(const char *text, double max, const char *expected, double *to)
{
	const char *end;

	if (pd_decimal_parse(text, &end, to) && !*end && *to <= max)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid number '%s': expected %s", text, expected);
}

static struct pd_error *take_percent(const char *text, double *to)
{
	return take_decimal(text, 100, "a number from 0 to 100", to);
}

/* Take a percentage with or without its sign. */
static struct pd_error *take_growth(const char *text, double *to)
{
	const char *end;

	if (pd_decimal_parse(text, &end, to) && strcmp(end, "%") == 0)
		return NULL;
	return take_decimal(text, INFINITY, "a percentage", to);
}

static struct pd_error *take_seconds(const char *text, double *to)
{
	struct pd_error *err = take_decimal(text, 1e9, "a number of seconds", to);

	if (err || *to > 0)
		return err;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid number '%s': expected seconds above 0", text);
}

static struct pd_error *take_milliseconds(const char *text, double *to)
{
	struct pd_error *err = take_decimal(text, 1e12, "a number of milliseconds", to);

	*to /= 1000;
	return err;
}

static struct pd_error *take_rows(const char *text, size_t *to)
{
	struct pd_error *err = take_count(text, to);

	if (!err && !*to)
		*to = PD_REPORT_NO_ROWS;
	return err;
}

/* Make the result @p err of parsing *@p to that of an option whose default is 0. */
static struct pd_error *none_if_zero(struct pd_error *err, double *to)
{
	if (!err && *to <= 0)
		*to = -1;
	return err;
}

static struct pd_error *take_level(const char *text, int *to)
{
	enum { DEFAULT = 1, HIGHEST = 22 };
	uint64_t level = DEFAULT;
	const char *end = "";

	if (text && (!pd_number_parse(text, HIGHEST, &end, &level) || *end || !level))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid level '%s': expected a number from 1 to %d", text, HIGHEST);
	*to = (int)level;
	return NULL;
}

/* Parse "128", "512K" or "8M". *@p has_unit_ret: a unit follows the number, which counts bytes. */
static bool parse_size(const char *text, uint64_t *ret, bool *has_unit_ret)
{
	static const char units[] = "BKMGT";
	const char *end;

	if (!pd_number_parse(text, UINT32_MAX, &end, ret))
		return false;
	*has_unit_ret = *end;
	if (!*end)
		return true;
	const char *unit = strchr(units, *end);
	if (!unit || end[1])
		return false;
	unsigned shift = 10 * (unsigned)(unit - units);
	if (*ret > UINT64_MAX >> shift)
		return false;
	*ret <<= shift;
	return true;
}

static struct pd_error *take_memory(const char *text, uint64_t *to)
{
	enum { LEAST = 16 << 20 };
	bool has_unit = false;

	if (parse_size(text, to, &has_unit) && has_unit && *to >= LEAST)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid size '%s': expected a size like 512M or 4G, at least 16M", text);
}

/* The kernel wants a power of two. */
static struct pd_error *take_pages(const char *text, size_t *to)
{
	enum { MAX_PAGES = 1 << 24 };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n = 0;
	bool has_unit = false;
	bool is_valid = parse_size(text, &n, &has_unit);

	if (is_valid && has_unit)
		n = (n + page - 1) / page;
	if (!is_valid || !n || n > MAX_PAGES)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid ring size '%s': expected a number of pages or a size like 512K",
			text);
	for (*to = 1; *to < n; *to *= 2)
		;
	return NULL;
}

/* Paths. */

static struct pd_error *check_path(enum cmd_option_kind kind, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "cannot open '%s': %s", path, strerror(errno));
	if (kind == CMD_KIND_DIR && !S_ISDIR(st.st_mode))
		return pd_error_create(PD_ERROR_USAGE, NULL, "'%s' is not a directory", path);
	if (kind == CMD_KIND_FILE && S_ISDIR(st.st_mode))
		return pd_error_create(PD_ERROR_USAGE, NULL, "'%s' is a directory", path);
	return NULL;
}

static struct pd_error *take_path(enum cmd_option_kind kind, const char *text, const char **to)
{
	*to = text;
	return check_path(kind, text);
}

static struct pd_error *take_item(const char *text, struct cmd_list *to)
{
	return pd_vec_push(&to->items, text) ? NULL : &pd_enomem;
}

/* The list keeps "DIR:DIR" as it is, but all of them must exist. */
static struct pd_error *take_dirs(const char *text, struct cmd_list *to)
{
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ":");
		_cleanup_free_ char *dir = strndup(at, len);

		if (!dir)
			return &pd_enomem;
		struct pd_error *err = len ? check_path(CMD_KIND_PATH, dir) : NULL;
		if (err)
			return err;
		at += len + (at[len] == ':');
	}
	return take_item(text, to);
}

static struct pd_error *take_path_map(const char *text, struct cmd_path_maps *to)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid path map '%s': expected FROM=TO", text);
	char *from = strndup(text, (size_t)(equals - text));
	const struct pd_path_map map = { .from = from, .to = equals + 1 };
	if (!from || !pd_vec_push(&to->items, map)) {
		free(from);
		return &pd_enomem;
	}
	PD_IS_OWNED(from, "cmd_options_deinit() frees the path maps");
	return NULL;
}

/* Words from a list. */

static struct pd_error *take_word(enum cmd_option_kind kind, const char *text, int *to)
{
	struct pd_nearest wanted;

	pd_nearest_init(&wanted, text, strlen(text));
	return cmd_words_find(kind, &wanted, to);
}

/* Take a word whose value is false or true. */
static struct pd_error *take_choice(enum cmd_option_kind kind, const char *text, bool *to)
{
	int value = *to;
	struct pd_error *err = take_word(kind, text, &value);

	*to = value;
	return err;
}

static struct pd_error *take_color(const char *text, enum cmd_when *to)
{
	int value = (int)*to;
	struct pd_error *err = take_word(CMD_KIND_COLOR, text, &value);

	*to = (enum cmd_when)value;
	return err;
}

static struct pd_error *take_form(const char *text, enum pd_name_form *to)
{
	int value = (int)*to;
	struct pd_error *err = take_word(CMD_KIND_FORM, text, &value);

	*to = (enum pd_name_form)value;
	return err;
}

static struct pd_error *take_labels(const char *text, struct cmd_list *to)
{
	const struct cmd_words words = cmd_words_of(CMD_KIND_LABELS);

	for (;;) {
		size_t len = strcspn(text, ",");
		struct pd_nearest wanted;
		int tag = 0;

		pd_nearest_init(&wanted, text, len);
		struct pd_error *err = cmd_words_find(CMD_KIND_LABELS, &wanted, &tag);
		if (err)
			return err;
		if (!pd_vec_push(&to->items, words.rows[tag].name))
			return &pd_enomem;
		if (!text[len])
			return NULL;
		text += len + 1;
	}
}

static struct pd_error *take_clock(const char *text, int *to)
{
	const char *end;
	uint64_t number;

	if (!pd_number_parse(text, INT_MAX, &end, &number) || *end)
		return take_word(CMD_KIND_CLOCK, text, to);
	*to = (int)number;
	return NULL;
}

static struct pd_error *take_format(const char *name, const struct out_format **to)
{
	int unused;

	*to = out_format_find(name);
	return *to ? NULL : take_word(CMD_KIND_FORMAT, name, &unused);
}

static struct pd_error *take_tag(const char *text, struct cmd_labels *to)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid label '%s': expected KEY=VALUE", text);
	if (!pd_vec_push(&to->texts, text))
		return &pd_enomem;
	char *key = strndup(text, (size_t)(equals - text));
	const struct pd_tag label = { .key = key, .value = equals + 1 };
	if (!key || !pd_vec_push(&to->items, label)) {
		free(key);
		return &pd_enomem;
	}
	PD_IS_OWNED(key, "cmd_options_deinit() frees the labels");
	return NULL;
}

/* Filters. */

typedef char *end_fn(char *at);
typedef struct pd_error *piece_fn(const char *piece, void *to);

/* Where the name of an event ends: cpu/event=1,umask=2/ is one name. */
static char *event_end(char *at)
{
	bool is_within = false;

	for (; *at && (is_within || *at != ','); at++)
		is_within ^= *at == '/';
	return at;
}

/* Where any other piece ends: f<int, char>(int, char) is one name. */
static char *piece_end(char *at)
{
	int depth = 0;

	for (; *at && (depth > 0 || *at != ','); at++) {
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
	}
	return at;
}

/* Call @p take for the pieces of @p text between commas. They live as long as @p options. */
static struct pd_error *take_pieces(
	struct cmd_options *options, const char *text, end_fn *find_end, piece_fn *take, void *to)
{
	char *at = strdup(text);

	if (!at || !pd_vec_push(&options->texts, at)) {
		free(at);
		return &pd_enomem;
	}
	PD_IS_OWNED(at, "cmd_options_deinit() frees the texts");
	for (;;) {
		char *end = find_end(at);
		bool is_last = !*end;

		*end = '\0';
		struct pd_error *err = take(at, to);
		if (err || is_last)
			return err;
		at = end + 1;
	}
}

static struct pd_error *take_name(const char *piece, void *to)
{
	struct cmd_list *list = to;

	if (!piece[0])
		return pd_error_create(PD_ERROR_USAGE, NULL, "a name is empty");
	return pd_vec_push(&list->items, piece) ? NULL : &pd_enomem;
}

/* The library parses the text again: here it is only checked. */
static struct pd_error *take_pattern(const char *text, struct cmd_list *to)
{
	struct pd_pattern *pattern;
	struct pd_error *err = pd_pattern_create(text, &pattern);

	if (err)
		return err;
	pd_pattern_destroy(pattern);
	return take_item(text, to);
}

static struct pd_error *take_times(const char *text, struct cmd_list *to)
{
	struct prof_time_spans spans = { 0 };
	struct pd_error *err = prof_time_spans_parse(&spans, text);

	pd_vec_deinit(&spans.list);
	return err ? err : take_item(text, to);
}

/* "3" or "0-2". */
static struct pd_error *take_range(const char *piece, void *to)
{
	struct cmd_ranges *list = to;
	const char *end = "";
	uint64_t first = 0, last = 0;
	bool is_valid = pd_number_parse(piece, UINT32_MAX, &end, &first);

	last = first;
	if (is_valid && *end == '-')
		is_valid = pd_number_parse(end + 1, UINT32_MAX, &end, &last);
	if (!is_valid || *end || last < first)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid number '%s': expected a number or a range like 0-3", piece);
	const struct pd_number_range range = { (uint32_t)first, (uint32_t)last };
	return pd_vec_push(&list->items, range) ? NULL : &pd_enomem;
}

static struct pd_error *take_filter(
	const char *text, const struct cmd_options *options, struct cmd_event_filters *to)
{
	const struct cmd_event_filter filter = { text, options->record.events.items.n };

	if (!filter.n_events)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "must follow the --event that it is for");
	return pd_vec_push(&to->items, filter) ? NULL : &pd_enomem;
}

static struct pd_error *take_separator(const struct cmd_options *options, size_t *to)
{
	if (!options->inputs.items.n)
		return pd_error_create(PD_ERROR_USAGE, NULL, "must follow a recording");
	if (*to)
		return pd_error_create(PD_ERROR_USAGE, NULL, "cannot be given twice");
	*to = options->inputs.items.n;
	return NULL;
}

/* Without --call-graph. Either may come first. */
static void take_frame_pointers(struct cap_sampling *to)
{
	if (to->stacks == CAP_STACKS_NONE)
		to->stacks = CAP_STACKS_FP;
}

/* NOLINTNEXTLINE(readability-function-size): a line for each kind. */
struct pd_error *cmd_argument_take(
	struct cmd_options *options, const struct cmd_option_row *row, const char *text)
{
	void *to = (char *)options + row->offset;

	switch ((enum cmd_option_kind)row->kind) {
	case CMD_KIND_FLAG:
		*(bool *)to = true;
		return NULL;
	case CMD_KIND_OFF:
		*(bool *)to = false;
		return NULL;
	case CMD_KIND_TEXT:
		*(const char **)to = text;
		return NULL;
	case CMD_KIND_DIR:
	case CMD_KIND_FILE:
	case CMD_KIND_PATH:
		return take_path(row->kind, text, to);
	case CMD_KIND_OPTIONAL:
		*(const char **)to = text ? text : "";
		return NULL;
	case CMD_KIND_LIST:
		return take_item(text, to);
	case CMD_KIND_COUNT:
		return take_count(text, to);
	case CMD_KIND_UINT:
		return take_uint(text, to);
	case CMD_KIND_NUMBER:
		return take_number(text, UINT64_MAX, to);
	case CMD_KIND_PERCENT:
		return take_percent(text, to);
	case CMD_KIND_GROWTH:
		return take_growth(text, to);
	case CMD_KIND_SECONDS:
		return take_seconds(text, to);
	case CMD_KIND_MILLISECONDS:
		return take_milliseconds(text, to);
	case CMD_KIND_ROWS:
		return take_rows(text, to);
	case CMD_KIND_SHARE:
		return none_if_zero(take_percent(text, to), to);
	case CMD_KIND_STEP:
		return none_if_zero(take_milliseconds(text, to), to);
	case CMD_KIND_LEVEL:
		return take_level(text, to);
	case CMD_KIND_MEMORY:
		return take_memory(text, to);
	case CMD_KIND_PAGES:
		return take_pages(text, to);
	case CMD_KIND_EVENTS:
		return take_pieces(options, text, event_end, take_name, to);
	case CMD_KIND_NAMES:
		return take_pieces(options, text, piece_end, take_name, to);
	case CMD_KIND_RANGES:
		return take_pieces(options, text, piece_end, take_range, to);
	case CMD_KIND_TIMES:
		return take_times(text, to);
	case CMD_KIND_PATTERN:
		return take_pattern(text, to);
	case CMD_KIND_FORMAT:
		return take_format(text, to);
	case CMD_KIND_SHORT_FORMAT:
		return take_format(row->name, to);
	case CMD_KIND_JSON:
		*(enum pd_style *)to = PD_STYLE_JSON;
		return NULL;
	case CMD_KIND_MARKDOWN:
		*(enum pd_style *)to = PD_STYLE_MARKDOWN;
		return NULL;
	case CMD_KIND_UNWIND:
	case CMD_KIND_WEIGHT:
		return take_choice(row->kind, text, to);
	case CMD_KIND_COLOR:
		return take_color(text, to);
	case CMD_KIND_FORM:
		return take_form(text, to);
	case CMD_KIND_NO_FORM:
		return take_form("none", to);
	case CMD_KIND_LABELS:
		return take_labels(text, to);
	case CMD_KIND_CLOCK:
		return take_clock(text, to);
	case CMD_KIND_PATH_MAP:
		return take_path_map(text, to);
	case CMD_KIND_DIRS:
		return take_dirs(text, to);
	case CMD_KIND_TAG:
		return take_tag(text, to);
	case CMD_KIND_FREQUENCY:
		return cap_sampling_set_frequency(to, text);
	case CMD_KIND_CALL_GRAPH:
		return cap_sampling_set_stacks(to, text);
	case CMD_KIND_FRAME_POINTERS:
		take_frame_pointers(to);
		return NULL;
	case CMD_KIND_USER_REGS:
		return cap_sampling_use_regs(to, text);
	case CMD_KIND_FILTER:
		return take_filter(text, options, to);
	case CMD_KIND_SEPARATOR:
		return take_separator(options, to);
	case CMD_KIND_HELP:
		*(enum cmd_action *)to = CMD_HELP;
		return NULL;
	case CMD_KIND_MAN:
		*(enum cmd_action *)to = CMD_MAN;
		return NULL;
	case CMD_KIND_VERSION:
		*(enum cmd_action *)to = CMD_VERSION;
		return NULL;
	}
	return NULL;
}
