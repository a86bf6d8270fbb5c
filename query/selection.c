#include "query/selection.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/names/nearest.h"
#include "base/number.h"

static bool add_range(struct qry_selection *s, enum qry_param param, uint32_t first, uint32_t last)
{
	const struct pd_number_range range = { first, last };

	switch (param) {
	case QRY_PARAM_THREAD:
		return pd_vec_push(&s->tids, range);
	case QRY_PARAM_PROCESS:
		return pd_vec_push(&s->pids, range);
	default:
		return pd_vec_push(&s->cpus, range);
	}
}

/* Whether all of @p text is a number. */
static bool is_number(const char *text, uint32_t *ret)
{
	const char *end;
	uint64_t number;

	if (!base_number_parse(text, UINT32_MAX, &end, &number) || *end)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static struct pd_error *no_name(const char *what, const struct base_nearest *nearest)
{
	if (nearest->name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no %s is called '%s': did you mean '%s'? The tool threads lists all", what,
			nearest->word, nearest->name);
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"no %s is called '%s': the tool threads lists all", what, nearest->word);
}

static struct pd_error *select_thread(struct qry_selection *s, const char *text,
	const struct profile *profile, const struct qry_numbering *numbering)
{
	uint32_t number = qry_id_parse(text, 't');
	struct base_nearest nearest;

	if (number > numbering->tasks.n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown thread '%s': ids are t-1 to t-%zu", text, numbering->tasks.n);
	if (number) {
		const struct qry_task *task = base_intern_bytes(&numbering->tasks, number - 1);

		return add_range(s, QRY_PARAM_THREAD, task->tid, task->tid) ? NULL : &pd_enomem;
	}
	if (is_number(text, &number))
		return add_range(s, QRY_PARAM_THREAD, number, number) ? NULL : &pd_enomem;
	base_nearest_init(&nearest, text, strlen(text));
	for (struct prof_thread_id id = { 0 }; id.i < profile->threads.n; id.i++) {
		const char *comm = prof_string(profile, prof_thread(profile, id)->comm);

		if (strcmp(comm, text) == 0) {
			s->comm = text;
			return NULL;
		}
		base_nearest_try(&nearest, comm);
	}
	return no_name("thread", &nearest);
}

static struct pd_error *select_process(
	struct qry_selection *s, const char *text, const struct profile *profile)
{
	struct base_nearest nearest;
	uint32_t number;

	if (is_number(text, &number))
		return add_range(s, QRY_PARAM_PROCESS, number, number) ? NULL : &pd_enomem;
	base_nearest_init(&nearest, text, strlen(text));
	for (size_t i = 0; i < profile->processes.n; i++) {
		const struct prof_process *process = &profile->processes.data[i];
		const char *name = prof_string(profile, process->name);

		base_nearest_try(&nearest, name);
		if (strcmp(name, text) == 0 &&
			!add_range(s, QRY_PARAM_PROCESS, process->pid, process->pid))
			return &pd_enomem;
	}
	return s->pids.n ? NULL : no_name("process", &nearest);
}

/* "0-3,7" */
static struct pd_error *select_cpus(struct qry_selection *s, const char *text)
{
	const char *at = text;
	uint64_t first, last;

	for (;;) {
		if (!base_number_parse(at, UINT32_MAX, &at, &first))
			break;
		last = first;
		if (*at == '-' && !base_number_parse(at + 1, UINT32_MAX, &at, &last))
			break;
		if (last < first)
			break;
		if (!add_range(s, QRY_PARAM_CPU, (uint32_t)first, (uint32_t)last))
			return &pd_enomem;
		if (!*at)
			return NULL;
		if (*at++ != ',')
			break;
	}
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid cpu '%s': expected numbers such as 0-3,7", text);
}

/* Let the filter borrow the lists. */
static void settle(struct qry_selection *s)
{
	struct pd_filter_opts *filter = &s->filter;

	filter->pids = s->pids.data;
	filter->n_pids = s->pids.n;
	filter->tids = s->tids.data;
	filter->n_tids = s->tids.n;
	filter->cpus = s->cpus.data;
	filter->n_cpus = s->cpus.n;
	filter->comms = &s->comm;
	filter->n_comms = s->comm != NULL;
	filter->times = &s->time;
	filter->n_times = s->time != NULL;
	filter->focus = &s->focus;
	filter->n_focus = s->focus != NULL;
}

struct pd_error *qry_selection_make(const struct qry_args *args, const struct profile *profile,
	const struct qry_numbering *numbering, struct qry_selection *ret)
{
	const char *thread = args->values[QRY_PARAM_THREAD];
	const char *process = args->values[QRY_PARAM_PROCESS];
	const char *cpu = args->values[QRY_PARAM_CPU];
	struct pd_error *err = NULL;

	ret->time = args->values[QRY_PARAM_TIME];
	ret->focus = args->values[QRY_PARAM_FOCUS];
	if (thread)
		err = select_thread(ret, thread, profile, numbering);
	if (!err && process)
		err = select_process(ret, process, profile);
	if (!err && cpu)
		err = select_cpus(ret, cpu);
	settle(ret);
	return err;
}

void qry_selection_deinit(struct qry_selection *selection)
{
	pd_vec_deinit(&selection->pids);
	pd_vec_deinit(&selection->tids);
	pd_vec_deinit(&selection->cpus);
}

void qry_selection_write(const struct qry_args *args, FILE *out)
{
	static const enum qry_param params[] = { QRY_PARAM_THREAD, QRY_PARAM_PROCESS, QRY_PARAM_CPU,
		QRY_PARAM_TIME, QRY_PARAM_FOCUS };
	const char *separator = "; only ";

	for (size_t i = 0; i < PD_ARRAY_LEN(params); i++) {
		if (!args->values[params[i]])
			continue;
		fprintf(out, "%s%s=%s", separator, qry_param_rows[params[i]].name,
			args->values[params[i]]);
		separator = ", ";
	}
}
