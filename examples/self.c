/* Record what this program does itself, as a pprof profile in memory. usage: self [OUTPUT] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char **argv)
{
	struct buffer profile = { NULL, 0 };
	struct pd_profiler_result result;
	struct pd_profiler_opts opts = PD_DEFAULTS;
	struct pd_profiler *profiler;

	opts.pid = getpid();
	struct pd_error *err = pd_profiler_start(&opts, &profiler);
	if (!err) {
		printf("fibonacci(38) = %u\n", fibonacci(38));
		err = pd_profiler_stop(profiler, append, &profile, &result);
		pd_profiler_destroy(profiler);
	}
	if (err)
		return pd_error_print(err, stderr);
	printf("%zu bytes of a profile with %llu samples\n", profile.n,
		(unsigned long long)result.n_samples);
	FILE *out = argc > 1 ? fopen(argv[1], "wb") : NULL;
	if (out)
		fwrite(profile.data, 1, profile.n, out);
	free(profile.data);
	return out && fclose(out) != 0;
}
