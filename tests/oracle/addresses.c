/*
 * Print the names of addresses of a binary like `addr2line -a -i -f`: linkage names, or demangled
 * ones with -C. Reads hexadecimal addresses in ascending order, one per line. With -t prints the
 * time for the first and the second lookup, and how much was read, on standard error.
 *
 * usage: addresses [-C] [-t] [-d DIR[:DIR]] BINARY
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "symbolize/binary_names.h"

struct run {
	struct sym_search search;
	bool demangles;
	bool is_timed;
	PD_VEC(uint64_t) addrs;
	struct sym_binary *binary;
	struct sym_names *names;
	struct base_arena arena;
};

static int fail(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}

static bool read_addrs(struct run *run)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);

		if (run->addrs.n && addr <= run->addrs.data[run->addrs.n - 1])
			return false;
		if (!pd_vec_push(&run->addrs, addr))
			return false;
	}
	return true;
}

static void print(const struct run *run)
{
	for (size_t i = 0; i < run->addrs.n; i++) {
		const struct sym_names *names = &run->names[i];

		printf("0x%016llx\n", (unsigned long long)run->addrs.data[i]);
		if (!names->n)
			puts("??\n??:0");
		for (uint32_t k = 0; k < names->n; k++) {
			const struct sym_name *name = &names->names[k];
			const char *text = run->demangles ? name->function : name->linkage;

			printf("%s\n%s:%u\n", text ? text : "??", name->file ? name->file : "??",
				name->line);
		}
	}
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static struct pd_error *name_all(struct run *run, const char *path)
{
	const struct sym_recorded recorded = { .name = path };
	const struct pd_name_opts opts = { 0 };
	double start = now();
	struct pd_error *err = sym_binary_open(&run->search, &recorded, &run->binary);

	for (int round = 0; round < (run->is_timed ? 2 : 1) && !err; round++) {
		err = sym_binary_names(
			run->binary, &opts, run->addrs.data, run->addrs.n, &run->arena, run->names);
		if (run->is_timed)
			fprintf(stderr, "%s %.4f s\n", round ? "again" : "first", now() - start);
		start = now();
	}
	if (run->is_timed && !err) {
		const struct sym_ranges *ranges = sym_binary_ranges(run->binary);

		fprintf(stderr,
			"%zu places, %zu symbols, %zu scopes, %zu functions, %zu KiB of text\n",
			ranges->locations.n, ranges->symbols.n, ranges->scopes.n,
			ranges->functions.n, ranges->strings.n / 1024);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	int option;

	while ((option = getopt(argc, argv, "Ctd:")) != -1) {
		if (option == 'C')
			run.demangles = true;
		else if (option == 't')
			run.is_timed = true;
		else if (option == 'd')
			run.search.debug_dirs = optarg;
		else
			return 2;
	}
	if (optind + 1 != argc || !read_addrs(&run))
		return 2;
	run.names = calloc(run.addrs.n + 1, sizeof(*run.names));
	struct pd_error *err = run.names ? name_all(&run, argv[optind]) : &pd_enomem;
	if (err)
		return fail(err);
	print(&run);
	sym_binary_destroy(run.binary);
	base_arena_deinit(&run.arena);
	pd_vec_deinit(&run.addrs);
	free(run.names);
	return 0;
}
