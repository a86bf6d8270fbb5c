/*
 * Convert a recording in memory, write the result to standard output, and print what became of its
 * samples. usage: convert PERF.DATA FORMAT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/pdconv.h>

struct buffer {
	char *data;
	size_t n;
};

static struct pd_error *append(void *ctx, const void *bytes, size_t size)
{
	struct buffer *buffer = (struct buffer *)ctx;
	char *data = (char *)realloc(buffer->data, buffer->n + size);

	if (!data)
		return &pd_enomem;
	memcpy(data + buffer->n, bytes, size);
	buffer->data = data;
	buffer->n += size;
	return NULL;
}

int main(int argc, char **argv)
{
	struct buffer out = { NULL, 0 };
	struct pd_profile_stats stats;
	struct pd_file *file = NULL;
	struct pd_error *err = pd_file_open(argc > 1 ? argv[1] : "perf.data", NULL, &file);

	if (!err)
		err = pd_convert(file, NULL, argc > 2 ? argv[2] : "pprof", append, &out, &stats);
	pd_file_close(file);
	if (err)
		return pd_error_print(err, stderr);
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " samples\n", stats.out.samples,
		stats.in.samples);
	for (int i = 0; i < PD_N_LEFT_OUT; i++) {
		if (stats.left_out[i].samples)
			fprintf(stderr, "left out: %" PRIu64 " (%s)\n", stats.left_out[i].samples,
				pd_left_out_name((enum pd_left_out)i));
	}
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " stacks are complete\n", stats.n_complete,
		stats.n_stacks);
	size_t written = fwrite(out.data, 1, out.n, stdout);
	free(out.data);
	return written != out.n;
}
