/*
 * Record on all CPUs: record_all OUTPUT SECONDS MAPPINGS_SECONDS fp|dwarf
 * Prints the number of processes whose mappings were read later because they had samples, and the
 * number of those whose mappings were not read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/run/recording.h"

static int report(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}

static struct pd_error *record(struct cap_recording *recording, FILE *out, char **argv)
{
	recording->session.target.is_system_wide = true;
	recording->session.sampling.frequency = 1999;
	recording->session.sampling.with_cpu = true;
	recording->session.sampling.with_build_ids = true;
	recording->session.sampling.user_regs = cap_general_regs(pd_arch_of_machine());
	recording->opts.name = argv[1];
	recording->opts.duration = atof(argv[2]);
	recording->opts.mappings_seconds = atof(argv[3]);
	struct pd_error *err = cap_target_use_online_cpus(&recording->session.target);
	if (!err)
		err = cap_sampling_set_stacks(&recording->session.sampling, argv[4]);
	if (!err)
		err = cap_session_add_events(&recording->session, "cpu-clock");
	return err ? err : cap_recording_run(recording, out);
}

int main(int argc, char **argv)
{
	struct cap_recording recording;
	FILE *out = argc == 5 ? fopen(argv[1], "we") : NULL;

	if (!out)
		return 2;
	cap_recording_init(&recording);
	struct pd_error *err = record(&recording, out, argv);
	printf("%zu %zu\n", recording.postponed.seen.n,
		cap_postponed_n_unseen(&recording.postponed));
	cap_recording_deinit(&recording);
	fclose(out);
	return err ? report(err) : 0;
}
