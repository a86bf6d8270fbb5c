/*
 * Convert recordings at the same time, and print the size of each output. usage: batch PERF.DATA ...
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

/* A recording that one thread converts. */
struct job {
	const char *path;
	size_t size;
	struct pd_error *err;
	pthread_t thread;
};

static struct pd_error *count(void *ctx, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)ctx += size;
	return NULL;
}

static void *convert(void *arg)
{
	struct job *job = (struct job *)arg;
	struct pd_profile_opts opts = {};
	struct pd_file *file = NULL;

	opts.jobs = 1;
	job->err = pd_file_open(job->path, NULL, &file);
	if (!job->err)
		job->err = pd_convert(file, &opts, "folded", count, &job->size, NULL);
	pd_file_close(file);
	return NULL;
}

int main(int argc, char **argv)
{
	struct job *jobs = (struct job *)calloc((size_t)argc, sizeof(*jobs));
	int n = 0, n_failed = 0;

	for (; jobs && n < argc - 1; n++) {
		jobs[n].path = argv[n + 1];
		if (pthread_create(&jobs[n].thread, NULL, convert, &jobs[n]) != 0)
			break;
	}
	for (int i = 0; i < n; i++) {
		pthread_join(jobs[i].thread, NULL);
		char *text = jobs[i].err ? pd_error_string(jobs[i].err) : NULL;
		printf("%s: %zu %s\n", jobs[i].path, jobs[i].size, text ? text : "bytes");
		n_failed += jobs[i].err != NULL;
		free(text);
		pd_error_destroy(jobs[i].err);
	}
	free(jobs);
	return n_failed > 0 || n < argc - 1;
}
