/*
 * Records and samples of any layout. Input: a byte with the byte order and the format; the attrs of
 * two events, without their types and sizes; then records: a type, the misc bits, and a piece with
 * the body. So sizes are always valid, and every change is one of contents.
 */
#include <stdlib.h>

#include <pdconv/writer.h>

#include "base/array.h"
#include "tests/fuzz/recording.h"

static struct pd_attr take_attr(struct fuzz_input *in)
{
	/* Types beyond the hardware ones lead to the same code, except for tracepoints. */
	return (struct pd_attr){
		.type = (uint32_t)fuzz_choice(in, 8),
		.size = PD_ATTR_KNOWN_BYTES,
		.config = fuzz_byte(in),
		.sample_period = fuzz_byte(in),
		.sample_type = fuzz_number(in, 4),
		.read_format = fuzz_byte(in),
		.flags = fuzz_number(in, 8),
		.branch_sample_type = fuzz_number(in, 4),
		.sample_regs_user = fuzz_number(in, 8),
		.sample_stack_user = (uint32_t)fuzz_number(in, 2),
		.sample_regs_intr = fuzz_number(in, 2),
	};
}

static struct pd_error *add_record(struct fuzz_input *in, bool swap, struct pd_writer *writer)
{
	struct pd_bytes out = { .swap = swap };
	uint32_t type = (uint32_t)fuzz_number(in, 1);
	uint16_t misc = (uint16_t)fuzz_number(in, 2);
	struct fuzz_input body = fuzz_piece(in);
	size_t start = pd_record_begin(type, misc, &out);
	struct pd_error *err = NULL;

	pd_bytes_put(&out, body.bytes, body.size);
	if (pd_record_end(start, &out))
		err = pd_writer_add_records(writer, out.buf.data, out.buf.n);
	pd_bytes_deinit(&out);
	return err;
}

/* Records that need a payload, or cannot be in the middle, are refused: go on without them. */
static void add_records(struct fuzz_input *in, bool swap, struct pd_writer *writer)
{
	while (in->size)
		pd_error_destroy(add_record(in, swap, writer));
}

static struct pd_error *write_recording(struct fuzz_input *in, FILE *out)
{
	uint8_t kind = fuzz_byte(in);
	const struct pd_writer_opts opts = { .swap = kind & 1, .is_pipe = kind & 2 };
	struct pd_writer *writer;
	struct pd_error *err = pd_writer_create(out, "fuzz", &opts, &writer);

	if (err)
		return err;
	for (uint64_t id = 1; !err && id <= 2; id++) {
		const struct pd_attr attr = take_attr(in);

		err = pd_writer_add_event(writer, &attr, &id, 1);
	}
	if (!err) {
		add_records(in, opts.swap, writer);
		err = pd_writer_finish(writer);
	}
	pd_writer_destroy(writer);
	return err;
}

void fuzz_target_records(struct fuzz_input *in)
{
	struct fuzz_input recording;

	fuzz_make_recording(write_recording, in, &recording);
	if (!recording.bytes)
		return;
	fuzz_dump_and_convert(&recording, "script");
	free((void *)recording.bytes);
}
