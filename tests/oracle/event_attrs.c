/* Print the events of each argument of -e, one per line, with the fields of `perf evlist -v`. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "capture/events/event_list.h"

static void print_event(const struct cap_event *event)
{
	size_t n;
	const struct pd_attr_field *fields = pd_attr_fields(&n);
	static const enum pd_attr_flag flags[] = { PD_ATTR_exclude_user, PD_ATTR_exclude_kernel,
		PD_ATTR_exclude_hv, PD_ATTR_exclude_idle, PD_ATTR_exclude_host,
		PD_ATTR_exclude_guest, PD_ATTR_pinned, PD_ATTR_exclusive, PD_ATTR_freq };

	printf("%s", event->name);
	for (size_t i = 0; i < n; i++)
		printf("\t%s=%" PRIu64, fields[i].name,
			pd_attr_field_get(&fields[i], &event->attr));
	printf("\tprecise_ip=%u", pd_attr_precise_ip(&event->attr));
	static const char *const names[] = { "exclude_user", "exclude_kernel", "exclude_hv",
		"exclude_idle", "exclude_host", "exclude_guest", "pinned", "exclusive", "freq" };
	for (size_t i = 0; i < PD_ARRAY_LEN(flags); i++)
		printf("\t%s=%d", names[i], pd_attr_has(&event->attr, flags[i]));
	printf("\tleader=%zu\tfilter=%s\n", event->leader, event->filter ? event->filter : "");
}

int main(int argc, char **argv)
{
	struct cap_events events = { 0 };

	for (int i = 1; i < argc; i++) {
		struct pd_error *err = cap_events_parse(&events, argv[i]);

		if (!err)
			continue;
		char *text = pd_error_string(err);
		fprintf(stderr, "%s\n", text ? text : "no memory");
		free(text);
		pd_error_destroy(err);
		cap_events_deinit(&events);
		return 1;
	}
	for (size_t i = 0; i < events.list.n; i++)
		print_event(&events.list.data[i]);
	cap_events_deinit(&events);
	return 0;
}
