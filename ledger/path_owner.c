#include "ledger/path_owner.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Length of the name of a thread in Linux, without the NUL. */
enum { COMM_LENGTH = 15 };

/* Tasks among which the owner is. */
enum among { BY_NUMBER, BY_NAME, OF_COMMAND, MAIN_THREADS };

static const char *name_of(const struct led_owner_search *s, const struct led_task *task)
{
	return task->name == LED_NONE ? "" : base_intern_bytes(s->names, task->name);
}

/* Whether a name is that of a file in the command line of the recorder, but not the recorder. */
static bool is_command(const struct led_owner_search *s, const char *name)
{
	for (size_t i = 1; i < s->n_cmdline; i++) {
		const char *file = base_file_name(s->cmdline[i]);

		if (*name && strncmp(name, file, COMM_LENGTH) == 0 && strlen(name) <= COMM_LENGTH &&
			!base_has_prefix(s->cmdline[i], "-"))
			return true;
	}
	return false;
}

static bool is_main(const struct led_task *task)
{
	return task->pid == task->tid;
}

static bool is_among(const struct led_owner_search *s, const struct led_task *task,
	enum among among, const char *text)
{
	switch (among) {
	case BY_NUMBER:
		return strtoul(text, NULL, 10) == task->tid;
	case BY_NAME:
		return strcmp(name_of(s, task), text) == 0;
	case OF_COMMAND:
		return is_main(task) && is_command(s, name_of(s, task));
	default:
		return is_main(task);
	}
}

static bool is_better(const struct ledger *l, const struct led_task *a, const struct led_task *b)
{
	uint64_t x = led_life_ns(l, a), y = led_life_ns(l, b);

	return x != y ? x > y : a->ns[LED_RUNNING] > b->ns[LED_RUNNING];
}

static uint32_t find_best(const struct led_owner_search *s, enum among among, const char *text)
{
	const struct ledger *l = s->ledger;
	uint32_t best = LED_NONE;

	for (uint32_t i = 0; i < l->tasks.n; i++) {
		const struct led_task *task = &l->tasks.data[i];

		if (!led_is_recorded(l, task) || !is_among(s, task, among, text))
			continue;
		if (best == LED_NONE || is_better(l, task, &l->tasks.data[best]))
			best = i;
	}
	return best;
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

uint32_t led_path_owner(const struct led_owner_search *search, const char *text)
{
	uint32_t found = LED_NONE;

	if (!*text) {
		found = find_best(search, OF_COMMAND, text);
		return found == LED_NONE ? find_best(search, MAIN_THREADS, text) : found;
	}
	if (is_number(text))
		found = find_best(search, BY_NUMBER, text);
	return found == LED_NONE ? find_best(search, BY_NAME, text) : found;
}
