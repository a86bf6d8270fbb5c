#include "cmd/filtering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

/* Takes one piece of a list, which lives as long as the filter; @p to is the filter's own list. */
typedef struct pd_error *take_fn(const char *option, const char *piece, void *to);

/* Where the name of an event ends: cpu/event=1,umask=2/ is one. */
static char *event_end(char *at)
{
	bool is_within = false;

	for (; *at && (is_within || *at != ','); at++)
		is_within ^= *at == '/';
	return at;
}

/* Where any other piece ends: f<int, char>(int, char) is one. */
static char *piece_end(char *at)
{
	int depth = 0;

	for (; *at && (depth > 0 || *at != ','); at++) {
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
	}
	return at;
}

typedef char *end_fn(char *at);

static struct pd_error *take_pieces(struct cmd_filter *filter, const char *option, const char *text,
	end_fn *find_end, take_fn *take, void *to)
{
	char *at = strdup(text);
	struct pd_error *err = NULL;

	if (!at || !pd_vec_push(&filter->texts, at)) {
		free(at);
		return &pd_enomem;
	}
	while (!err) {
		char *end = find_end(at);
		bool is_last = !*end;

		*end = '\0';
		err = take(option, at, to);
		if (is_last)
			break;
		at = end + 1;
	}
	return err;
}

static struct pd_error *take_lists(struct cmd_filter *filter, const char *option,
	const struct cmd_list *list, end_fn *find_end, take_fn *take, void *to)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < list->items.n && !err; i++)
		err = take_pieces(filter, option, list->items.data[i], find_end, take, to);
	return err;
}

static struct pd_error *take_name(const char *option, const char *piece, void *to)
{
	struct prof_name_list *list = to;

	if (!piece[0])
		return pd_error_create(PD_ERROR_USAGE, NULL, "--%s: a name is empty", option);
	return pd_vec_push(&list->items, piece) ? NULL : &pd_enomem;
}

static bool parse_number(const char *text, char **end_ret, uint32_t *ret)
{
	errno = 0;
	unsigned long value = strtoul(text, end_ret, 10);
	*ret = (uint32_t)value;
	return *end_ret != text && !errno && text[0] >= '0' && text[0] <= '9' &&
	       value <= UINT32_MAX;
}

/* "3" or "0-2". */
static struct pd_error *take_range(const char *option, const char *piece, void *to)
{
	struct prof_number_list *list = to;
	struct prof_number_range range;
	char *end;
	bool is_number = parse_number(piece, &end, &range.first);

	range.last = range.first;
	if (is_number && *end == '-')
		is_number = parse_number(end + 1, &end, &range.last);
	if (!is_number || *end || range.last < range.first)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--%s: \"%s\" is no number, nor a range like 0-3", option, piece);
	return pd_vec_push(&list->items, range) ? NULL : &pd_enomem;
}

struct pd_error *cmd_filter_init(struct cmd_filter *filter, const struct cmd_options *options)
{
	struct prof_filter *to = &filter->filter;
	const struct {
		const char *option;
		const struct cmd_list *list;
		end_fn *find_end;
		take_fn *take;
		void *to;
	} rows[] = {
		{ "event", &options->events, event_end, take_name, &to->events },
		{ "cpu", &options->cpus, piece_end, take_range, &to->cpus },
		{ "pid", &options->pids, piece_end, take_range, &to->pids },
		{ "tid", &options->tids, piece_end, take_range, &to->tids },
		{ "comms", &options->comms, piece_end, take_name, &to->comms },
		{ "dsos", &options->dsos, piece_end, take_name, &to->dsos },
		{ "symbols", &options->symbols, piece_end, take_name, &to->symbols },
	};
	struct pd_error *err = NULL;

	*filter = (struct cmd_filter){ 0 };
	for (size_t i = 0; i < PD_ARRAY_LEN(rows) && !err; i++)
		err = take_lists(filter, rows[i].option, rows[i].list, rows[i].find_end,
			rows[i].take, rows[i].to);
	for (size_t i = 0; i < options->times.items.n && !err; i++)
		err = prof_time_spans_parse(&to->times, options->times.items.data[i]);
	if (err)
		cmd_filter_deinit(filter);
	return err;
}

void cmd_filter_deinit(struct cmd_filter *filter)
{
	prof_filter_deinit(&filter->filter);
	for (size_t i = 0; i < filter->texts.n; i++)
		free(filter->texts.data[i]);
	pd_vec_deinit(&filter->texts);
}
