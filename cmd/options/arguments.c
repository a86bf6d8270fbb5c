#include "cmd/options/arguments.h"

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
#include "base/names/pattern.h"
#include "cmd/options/option_tables.h"
#include "profile/time_spans.h"

/** An argument, and the option that it was given to. */
struct argument {
	struct cmd_options *options;
	const struct cmd_option_row *row;
	/** NULL: there is none. */
	const char *text;
};

/* Simple ones. */

static struct pd_error *take_true(const struct argument *a, bool *to)
{
	(void)a;
	*to = true;
	return NULL;
}

static struct pd_error *take_false(const struct argument *a, bool *to)
{
	(void)a;
	*to = false;
	return NULL;
}

static struct pd_error *take_text(const struct argument *a, const char **to)
{
	*to = a->text;
	return NULL;
}

static struct pd_error *take_optional(const struct argument *a, const char **to)
{
	*to = a->text ? a->text : "";
	return NULL;
}

static struct pd_error *take_item(const struct argument *a, struct cmd_list *to)
{
	return pd_vec_push(&to->items, a->text) ? NULL : &pd_enomem;
}

/* Numbers. */

static struct pd_error *parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	const char *end;

	if (base_number_parse(text, max, &end, ret) && !*end)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL, "invalid number '%s'", text);
}

static struct pd_error *take_number(const struct argument *a, uint64_t *to)
{
	return parse_number(a->text, UINT64_MAX, to);
}

static struct pd_error *take_count(const struct argument *a, size_t *to)
{
	uint64_t value;
	struct pd_error *err = parse_number(a->text, SIZE_MAX, &value);

	if (err)
		return err;
	*to = value;
	return NULL;
}

static struct pd_error *take_uint(const struct argument *a, unsigned *to)
{
	uint64_t value;
	struct pd_error *err = parse_number(a->text, UINT_MAX, &value);

	if (err)
		return err;
	*to = (unsigned)value;
	return NULL;
}

static struct pd_error *parse_decimal(
	const char *text, double max, const char *expected, double *to)
{
	const char *end;

	if (base_decimal_parse(text, &end, to) && !*end && *to <= max)
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid number '%s': expected %s", text, expected);
}

static struct pd_error *take_percent(const struct argument *a, double *to)
{
	return parse_decimal(a->text, 100, "a number from 0 to 100", to);
}

/* Take a percentage with or without its sign. */
static struct pd_error *take_growth(const struct argument *a, double *to)
{
	const char *end;

	if (base_decimal_parse(a->text, &end, to) && strcmp(end, "%") == 0)
		return NULL;
	return parse_decimal(a->text, INFINITY, "a percentage", to);
}

static struct pd_error *take_seconds(const struct argument *a, double *to)
{
	struct pd_error *err = parse_decimal(a->text, 1e9, "a number of seconds", to);

	if (err || *to > 0)
		return err;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid number '%s': expected seconds above 0", a->text);
}

static struct pd_error *take_milliseconds(const struct argument *a, double *to)
{
	struct pd_error *err = parse_decimal(a->text, 1e12, "a number of milliseconds", to);

	*to /= 1000;
	return err;
}

static struct pd_error *take_rows(const struct argument *a, size_t *to)
{
	struct pd_error *err = take_count(a, to);

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

static struct pd_error *take_share(const struct argument *a, double *to)
{
	return none_if_zero(take_percent(a, to), to);
}

static struct pd_error *take_step(const struct argument *a, double *to)
{
	return none_if_zero(take_milliseconds(a, to), to);
}

static struct pd_error *take_level(const struct argument *a, int *to)
{
	enum { DEFAULT = 1, HIGHEST = 22 };
	const char *text = a->text;
	uint64_t level = DEFAULT;
	const char *end = "";

	if (text && (!base_number_parse(text, HIGHEST, &end, &level) || *end || !level))
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

	if (!base_number_parse(text, UINT32_MAX, &end, ret))
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

static struct pd_error *take_memory(const struct argument *a, uint64_t *to)
{
	enum { LEAST = 16 << 20 };
	bool has_unit = false;

	if (parse_size(a->text, to, &has_unit) && has_unit && *to >= LEAST)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid size '%s': expected a size like 512M or 4G, at least 16M", a->text);
}

/* The kernel wants a power of two. */
static struct pd_error *take_pages(const struct argument *a, size_t *to)
{
	enum { MAX_PAGES = 1 << 24 };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), n = 0;
	bool has_unit = false;
	bool is_valid = parse_size(a->text, &n, &has_unit);

	if (is_valid && has_unit)
		n = (n + page - 1) / page;
	if (!is_valid || !n || n > MAX_PAGES)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid ring size '%s': expected a number of pages or a size like 512K",
			a->text);
	for (*to = 1; *to < n; *to *= 2)
		;
	return NULL;
}

/* Paths. */

static struct pd_error *find_path(const char *path, struct stat *ret)
{
	if (stat(path, ret) == 0)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL, "cannot open '%s': %s", path, strerror(errno));
}

static struct pd_error *take_path(const struct argument *a, const char **to)
{
	struct stat st;

	*to = a->text;
	return find_path(a->text, &st);
}

static struct pd_error *take_dir(const struct argument *a, const char **to)
{
	struct stat st;
	struct pd_error *err = find_path(a->text, &st);

	*to = a->text;
	if (err || S_ISDIR(st.st_mode))
		return err;
	return pd_error_create(PD_ERROR_USAGE, NULL, "'%s' is not a directory", a->text);
}

static struct pd_error *take_file(const struct argument *a, const char **to)
{
	struct stat st;
	struct pd_error *err = find_path(a->text, &st);

	*to = a->text;
	if (err || !S_ISDIR(st.st_mode))
		return err;
	return pd_error_create(PD_ERROR_USAGE, NULL, "'%s' is a directory", a->text);
}

/* The list keeps "DIR:DIR" as it is, but all of them must exist. */
static struct pd_error *take_dirs(const struct argument *a, struct cmd_list *to)
{
	for (const char *at = a->text; *at;) {
		size_t len = strcspn(at, ":");
		struct stat st;
		_cleanup_free_ char *dir = strndup(at, len);

		if (!dir)
			return &pd_enomem;
		struct pd_error *err = len ? find_path(dir, &st) : NULL;
		if (err)
			return err;
		at += len + (at[len] == ':');
	}
	return take_item(a, to);
}

static struct pd_error *take_path_map(const struct argument *a, struct cmd_path_maps *to)
{
	const char *text = a->text, *equals = strchr(text, '=');

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

static struct pd_error *find_word(enum cmd_option_kind kind, const char *text, int *ret)
{
	struct base_nearest wanted;

	base_nearest_init(&wanted, text, strlen(text));
	return cmd_words_find(kind, &wanted, ret);
}

/* Take a word whose value is false or true. */
static struct pd_error *take_choice(const struct argument *a, bool *to)
{
	int value = *to;
	struct pd_error *err = find_word(a->row->kind, a->text, &value);

	*to = value;
	return err;
}

static struct pd_error *take_color(const struct argument *a, enum cmd_when *to)
{
	int value = (int)*to;
	struct pd_error *err = find_word(CMD_KIND_COLOR, a->text, &value);

	*to = (enum cmd_when)value;
	return err;
}

static struct pd_error *take_form(const struct argument *a, enum pd_name_form *to)
{
	int value = (int)*to;
	struct pd_error *err = find_word(CMD_KIND_FORM, a->text, &value);

	*to = (enum pd_name_form)value;
	return err;
}

static struct pd_error *take_offsets(const struct argument *a, enum sym_text_offsets *to)
{
	int value = (int)*to;
	struct pd_error *err = find_word(CMD_KIND_OFFSETS, a->text, &value);

	*to = (enum sym_text_offsets)value;
	return err;
}

static struct pd_error *take_no_form(const struct argument *a, enum pd_name_form *to)
{
	(void)a;
	*to = PD_NAME_FORM_MANGLED;
	return NULL;
}

static struct pd_error *take_json(const struct argument *a, enum pd_style *to)
{
	(void)a;
	*to = PD_STYLE_JSON;
	return NULL;
}

static struct pd_error *take_markdown(const struct argument *a, enum pd_style *to)
{
	(void)a;
	*to = PD_STYLE_MARKDOWN;
	return NULL;
}

static struct pd_error *take_errorformat(const struct argument *a, enum pd_line_notes *to)
{
	(void)a;
	*to = PD_LINE_NOTES_ERRORFORMAT;
	return NULL;
}

static struct pd_error *take_github(const struct argument *a, enum pd_line_notes *to)
{
	(void)a;
	*to = PD_LINE_NOTES_GITHUB;
	return NULL;
}

static struct pd_error *take_sarif(const struct argument *a, enum pd_line_notes *to)
{
	(void)a;
	*to = PD_LINE_NOTES_SARIF;
	return NULL;
}

static struct pd_error *take_labels(const struct argument *a, struct cmd_list *to)
{
	const struct cmd_words words = cmd_words_of(CMD_KIND_LABELS);
	const char *text = a->text;

	for (;;) {
		size_t len = strcspn(text, ",");
		struct base_nearest wanted;
		int tag = 0;

		base_nearest_init(&wanted, text, len);
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

/* perf and clock_gettime(2) write clocks in other ways: CLOCK_MONOTONIC is monotonic. */
static struct pd_error *find_clock(const char *text, int *ret)
{
	static const char prefix[] = "CLOCK_";
	const struct cmd_words words = cmd_words_of(CMD_KIND_CLOCK);
	bool has_prefix = strncasecmp(text, prefix, strlen(prefix)) == 0;
	const char *name = has_prefix ? text + strlen(prefix) : text;

	for (size_t i = 0; i < words.n; i++) {
		if (strcasecmp(words.rows[i].name, name) == 0) {
			*ret = words.rows[i].value;
			return NULL;
		}
	}
	return find_word(CMD_KIND_CLOCK, text, ret);
}

static struct pd_error *take_clock(const struct argument *a, int *to)
{
	const char *end;
	uint64_t number;

	if (!base_number_parse(a->text, INT_MAX, &end, &number) || *end)
		return find_clock(a->text, to);
	*to = (int)number;
	return NULL;
}

static struct pd_error *take_format(const struct argument *a, const struct out_format **to)
{
	int unused;

	*to = out_format_find(a->text);
	return *to ? NULL : find_word(CMD_KIND_FORMAT, a->text, &unused);
}

static struct pd_error *take_short_format(const struct argument *a, const struct out_format **to)
{
	*to = out_format_find(a->row->name);
	return NULL;
}

static struct pd_error *take_tag(const struct argument *a, struct cmd_labels *to)
{
	const char *text = a->text, *equals = strchr(text, '=');

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

/* Copy the argument, to be cut into pieces. The copy lives as long as the options. */
static char *copy_text(const struct argument *a)
{
	char *copy = strdup(a->text);

	if (copy && pd_vec_push(&a->options->texts, copy)) {
		PD_IS_OWNED(copy, "cmd_options_deinit() frees the texts");
		return copy;
	}
	free(copy);
	return NULL;
}

/* Cut the next piece off *@p at, which becomes NULL after the last one. */
static const char *next_piece(char **at, end_fn *find_end)
{
	const char *piece = *at;
	char *end = find_end(*at);

	*at = *end ? end + 1 : NULL;
	*end = '\0';
	return piece;
}

static struct pd_error *take_names_until(
	const struct argument *a, end_fn *find_end, struct cmd_list *to)
{
	char *at = copy_text(a);

	if (!at)
		return &pd_enomem;
	while (at) {
		const char *name = next_piece(&at, find_end);

		if (!name[0])
			return pd_error_create(PD_ERROR_USAGE, NULL, "a name is empty");
		if (!pd_vec_push(&to->items, name))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *take_events(const struct argument *a, struct cmd_list *to)
{
	return take_names_until(a, event_end, to);
}

static struct pd_error *take_names(const struct argument *a, struct cmd_list *to)
{
	return take_names_until(a, piece_end, to);
}

/* The library parses the text again: here it is only checked. */
static struct pd_error *take_pattern(const struct argument *a, struct cmd_list *to)
{
	struct base_pattern *pattern;
	struct pd_error *err = base_pattern_create(a->text, &pattern);

	if (err)
		return err;
	base_pattern_destroy(pattern);
	return take_item(a, to);
}

static struct pd_error *take_times(const struct argument *a, struct cmd_list *to)
{
	struct prof_time_spans spans = { 0 };
	struct pd_error *err = prof_time_spans_parse(&spans, a->text);

	pd_vec_deinit(&spans.list);
	return err ? err : take_item(a, to);
}

/* "3" or "0-2". */
static struct pd_error *take_range(const char *piece, struct cmd_ranges *to)
{
	const char *end = "";
	uint64_t first = 0, last = 0;
	bool is_valid = base_number_parse(piece, UINT32_MAX, &end, &first);

	last = first;
	if (is_valid && *end == '-')
		is_valid = base_number_parse(end + 1, UINT32_MAX, &end, &last);
	if (!is_valid || *end || last < first)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid number '%s': expected a number or a range like 0-3", piece);
	const struct pd_number_range range = { (uint32_t)first, (uint32_t)last };
	return pd_vec_push(&to->items, range) ? NULL : &pd_enomem;
}

static struct pd_error *take_ranges(const struct argument *a, struct cmd_ranges *to)
{
	char *at = copy_text(a);
	struct pd_error *err = at ? NULL : &pd_enomem;

	while (!err && at)
		err = take_range(next_piece(&at, piece_end), to);
	return err;
}

static struct pd_error *take_filter(const struct argument *a, struct cmd_event_filters *to)
{
	const struct cmd_event_filter filter = { a->text, a->options->record.events.items.n };

	if (!filter.n_events)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "must follow the --event that it is for");
	return pd_vec_push(&to->items, filter) ? NULL : &pd_enomem;
}

static struct pd_error *take_separator(const struct argument *a, size_t *to)
{
	size_t n_inputs = a->options->inputs.items.n;

	if (!n_inputs)
		return pd_error_create(PD_ERROR_USAGE, NULL, "must follow a recording");
	if (*to)
		return pd_error_create(PD_ERROR_USAGE, NULL, "cannot be given twice");
	*to = n_inputs;
	return NULL;
}

/* Recording. */

static struct pd_error *take_frequency(const struct argument *a, struct cap_sampling *to)
{
	return cap_sampling_set_frequency(to, a->text);
}

static struct pd_error *take_call_graph(const struct argument *a, struct cap_sampling *to)
{
	return cap_sampling_set_stacks(to, a->text);
}

/* Without --call-graph. Either may come first. */
static struct pd_error *take_frame_pointers(const struct argument *a, struct cap_sampling *to)
{
	(void)a;
	if (to->stacks == CAP_STACKS_NONE)
		to->stacks = CAP_STACKS_FP;
	return NULL;
}

static struct pd_error *take_user_regs(const struct argument *a, struct cap_sampling *to)
{
	return cap_sampling_use_regs(to, a->text);
}

/* Actions that replace the command. */

static struct pd_error *take_help(const struct argument *a, enum cmd_action *to)
{
	(void)a;
	*to = CMD_HELP;
	return NULL;
}

static struct pd_error *take_man(const struct argument *a, enum cmd_action *to)
{
	(void)a;
	*to = CMD_MAN;
	return NULL;
}

static struct pd_error *take_version(const struct argument *a, enum cmd_action *to)
{
	(void)a;
	*to = CMD_VERSION;
	return NULL;
}

/*
 * The functions above for members of any type, whose types cmd/options/option_tables.c compares
 * with the kinds.
 */
#define TAKE_ANY(kind, type, take) \
	static struct pd_error *take_any_##kind(const struct argument *a, void *to) \
	{ \
		return take(a, (type *)to); \
	}
CMD_KINDS(TAKE_ANY)
#undef TAKE_ANY

struct pd_error *cmd_argument_take(
	struct cmd_options *options, const struct cmd_option_row *row, const char *text)
{
#define ROW(kind, type, take) take_any_##kind,
	static struct pd_error *(*const takes[])(
		const struct argument *, void *) = { CMD_KINDS(ROW) };
#undef ROW
	const struct argument argument = { .options = options, .row = row, .text = text };

	return takes[row->kind](&argument, (char *)options + row->offset);
}
