/*
 * Features of the header. Input: any number of times the number of a feature, and a piece with its
 * body. BPF programs and their source lines are among them.
 */
#include <stdlib.h>

#include <pdconv/writer.h>

#include "parse/bpf_programs.h"
#include "tests/fuzz/recording.h"

static struct pd_error *write_recording(struct fuzz_input *in, FILE *out)
{
	static const struct pd_attr attr = { .type = PD_TYPE_SOFTWARE, .size = 112 };
	const struct pd_writer_opts opts = { .swap = fuzz_bool(in) };
	struct pd_writer *writer;
	struct pd_error *err = pd_writer_create(out, "fuzz", &opts, &writer);

	if (err)
		return err;
	err = pd_writer_add_event(writer, &attr, NULL, 0);
	while (!err && in->size) {
		unsigned bit = (unsigned)fuzz_choice(in, PD_N_FEATURE_BITS);
		struct fuzz_input body = fuzz_piece(in);

		/* A second body for a feature is refused. */
		pd_error_destroy(pd_writer_add_feature(writer, bit, body.bytes, body.size));
	}
	if (!err)
		err = pd_writer_finish(writer);
	pd_writer_destroy(writer);
	return err;
}

static void find_bpf_lines(const struct fuzz_input *recording)
{
	struct pd_file *file = fuzz_open(recording);
	struct parse_bpf_line line;
	struct parse_bpf *bpf;

	if (!file)
		return;
	struct pd_error *err = parse_bpf_create(file, &bpf);
	if (!err) {
		(void)!parse_bpf_find(
			bpf, "bpf_prog_722a51c06667bfab_spin", 0xffffffffc0022183, &line);
		parse_bpf_destroy(bpf);
	}
	pd_error_destroy(err);
	pd_file_close(file);
}

void fuzz_target_features(struct fuzz_input *in)
{
	struct fuzz_input recording;

	fuzz_make_recording(write_recording, in, &recording);
	if (!recording.bytes)
		return;
	find_bpf_lines(&recording);
	fuzz_dump_and_convert(&recording, "report");
	free((void *)recording.bytes);
}
