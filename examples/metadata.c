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
	const struct pd_events *events = pd_file_events(file);
	size_t n_build_ids;
	const struct pd_build_id_entry *build_ids = pd_file_build_ids(file, &n_build_ids);
	char hex[PD_BUILD_ID_HEX_MAX];

	print_text(file, "host", PD_FEATURE_HOSTNAME);
	print_text(file, "kernel", PD_FEATURE_OSRELEASE);
	print_text(file, "architecture", PD_FEATURE_ARCH);
	print_command(file);
	if (pd_file_feature(file, PD_FEATURE_NRCPUS, &cpus))
		printf("CPUs: %" PRIu32 " of %" PRIu32 " online\n", cpus.nr_cpus_online,
			cpus.nr_cpus_available);
	for (size_t i = 0; i < events->list.n; i++)
		printf("event: %s, %zu instances\n", events->list.data[i].name,
			events->list.data[i].ids.n);
	for (size_t i = 0; i < n_build_ids; i++)
		printf("build id: %s %s\n", pd_build_id_hex(&build_ids[i].id, hex),
			build_ids[i].name);
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
