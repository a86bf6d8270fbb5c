/* Print the metadata of a recording: machine, command, events, build ids. */
#include <inttypes.h>
#include <stdio.h>

#include <pdconv/pdconv.h>

static void print_text(const struct pd_file *file, const char *label, unsigned bit)
{
	struct pd_string text;

	if (pd_file_feature(file, bit, &text))
		printf("%s: %.*s\n", label, (int)text.value.len, text.value.s);
}

static void print_command(const struct pd_file *file)
{
	struct pd_strings args;
	struct pd_string arg;

	if (!pd_file_feature(file, PD_FEATURE_CMDLINE, &args))
		return;
	printf("command:");
	struct pd_list_iter it = pd_list_iter(&args.strings, pd_file_env(file));
	while (pd_list_next(&it, &pd_layout_string, &arg))
		printf(" %.*s", (int)arg.value.len, arg.value.s);
	printf("\n");
}

static void print_metadata(const struct pd_file *file)
{
	struct pd_nrcpus cpus;
	const struct pd_event *event = pd_file_events(file)->list.data;
	size_t n;
	char hex[PD_BUILD_ID_HEX_MAX];

	print_text(file, "host", PD_FEATURE_HOSTNAME);
	print_text(file, "kernel", PD_FEATURE_OSRELEASE);
	print_text(file, "architecture", PD_FEATURE_ARCH);
	print_command(file);
	if (pd_file_feature(file, PD_FEATURE_NRCPUS, &cpus))
		printf("CPUs: %" PRIu32 " of %" PRIu32 " online\n", cpus.nr_cpus_online,
			cpus.nr_cpus_available);
	for (n = pd_file_events(file)->list.n; n > 0; n--, event++)
		printf("event: %s, %zu instances\n", event->name, event->ids.n);
	const struct pd_build_id_entry *build_id = pd_file_build_ids(file, &n);
	for (; n > 0; n--, build_id++)
		printf("build id: %s %s\n", pd_build_id_hex(&build_id->id, hex), build_id->name);
}

int main(int argc, char **argv)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open(argc > 1 ? argv[1] : "perf.data", NULL, &file);

	if (err)
		return pd_error_print(err, stderr);
	print_metadata(file);
	pd_file_close(file);
	return 0;
}
