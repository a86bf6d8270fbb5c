/*
 * Tracing data, and the fields of samples by it. Input: a piece with the raw data of a sample, then
 * the tracing data.
 */
#include <stdlib.h>

#include <pdconv/trace_value.h>

#include "parse/trace/trace_print.h"
#include "tests/fuzz/fuzz.h"

static bool put_symbol(void *ctx, uint64_t addr, bool with_offset, struct base_line *out)
{
	(void)ctx;
	(void)out;
	return with_offset && addr & 1;
}

static void print_text(const struct pd_tracing *tracing, const struct pd_trace_values *values)
{
	char buf[256];
	struct base_line line = { .out = fuzz_nowhere(), .bytes = buf, .cap = sizeof(buf) };

	(void)!parse_trace_print(tracing, values, put_symbol, NULL, &line);
	base_line_flush(&line);
}

static void print_values(const struct pd_tracing *tracing, const struct pd_view *raw)
{
	size_t n;
	const struct pd_tracepoint *list = pd_tracing_list(tracing, &n);

	for (size_t i = 0; i < n; i++) {
		struct pd_trace_values values = pd_trace_values(tracing, &list[i], raw);
		struct pd_trace_value value;

		if (!pd_tracing_find(tracing, list[i].format.id))
			__builtin_trap();
		pd_trace_write(&values, fuzz_nowhere());
		print_text(tracing, &values);
		while (pd_trace_next(&values, &value)) {
			for (uint64_t k = 0; value.kind == PD_TRACE_ARRAY && k < value.data.n; k++)
				pd_trace_number(&value, k);
		}
		(void)!pd_trace_find(&values, "common_pid", &value);
	}
	pd_tracing_comm(tracing, 1);
}

void fuzz_target_tracing(struct fuzz_input *in)
{
	struct fuzz_input piece = fuzz_piece(in);
	uint8_t *sample = fuzz_copy(&piece);
	uint8_t *bytes = fuzz_copy(in);
	const struct pd_view raw = { .data = sample, .elem_size = 1, .n = piece.size };
	struct pd_tracing *tracing;
	const char *wrong;
	struct pd_error *err = pd_tracing_create(bytes, in->size, &tracing, &wrong);

	if (!err) {
		print_values(tracing, &raw);
		pd_tracing_destroy(tracing);
	}
	pd_error_destroy(err);
	free(bytes);
	free(sample);
}
