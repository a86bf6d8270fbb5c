/*
 * Write a Parquet file, for tests/oracle/parquet.py and for timings.
 *
 * usage: parquet_table OUT [GROUP_ROWS [GROUP_BYTES [JOBS]]] <TEXT
 *        parquet_table OUT --samples ROWS [JOBS]
 *
 * TEXT has a row in each line, and fields that are separated by tabs. The first line has the columns as TYPE:NAME, where
 * NAME is in hexadecimal, and ? after the type says that the column is optional. Values are decimal numbers, bits of
 * doubles and bytes of strings in hexadecimal, or - for null.
 *
 * --samples writes columns like those of samples, and prints their sums.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "parquet/cells.h"
#include "parquet/parquet.h"

enum { MAX_COLUMNS = 64 };

static void die(const char *what)
{
	fprintf(stderr, "parquet_table: %s\n", what);
	exit(1);
}

static void check(struct pd_error *err)
{
	if (pd_error_print(err, stderr))
		exit(1);
}

static unsigned digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	if (!at)
		die("not a hexadecimal number");
	return (unsigned)(at - digits);
}

/* Decode hexadecimal digits in place. Returns the number of bytes. */
static size_t decode_hex(char *text)
{
	size_t n = strlen(text) / 2;

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	text[n] = 0;
	return n;
}

static struct pq_column parse_column(char *text)
{
	char *name = strchr(text, ':');

	if (!name)
		die("a column has no name");
	*name++ = 0;
	decode_hex(name);
	struct pq_column column = { .name = strdup(name), .is_optional = name[-2] == '?' };
	if (column.is_optional)
		name[-2] = 0;
	for (size_t i = 0; i < PQ_N_TYPES; i++) {
		if (strcmp(pq_type_infos[i].name, text) == 0)
			column.type = (enum pq_type)i;
	}
	return column;
}

static struct pd_error *put(
	struct pq_writer *writer, size_t i, const struct pq_column *column, char *text)
{
	uint64_t bits;
	double number;

	if (strcmp(text, "-") == 0)
		return pq_put_null(writer, i);
	switch (pq_type_infos[column->type].kind) {
	case PQ_KIND_BOOLEAN:
		return pq_put_boolean(writer, i, *text == '1');
	case PQ_KIND_INT:
		return pq_put_int(writer, i, strtoll(text, NULL, 10));
	case PQ_KIND_UINT:
		return pq_put_uint(writer, i, strtoull(text, NULL, 10));
	case PQ_KIND_DOUBLE:
		bits = strtoull(text, NULL, 16);
		memcpy(&number, &bits, sizeof(number));
		return pq_put_double(writer, i, number);
	default:
		return pq_put_bytes(writer, i, text, decode_hex(text));
	}
}

/* Take the next field of a line. */
static char *next_field(char **rest)
{
	char *field = strsep(rest, "\t\n");

	if (!field)
		die("a field is missing");
	return field;
}

static void write_text(FILE *out, const struct pq_opts *given)
{
	static struct pq_column columns[MAX_COLUMNS];
	static const struct pq_note notes[] = { { "made by", "a test" }, { "é", "" } };
	struct pq_opts opts = *given;
	struct pq_writer *writer;
	char *line = NULL;
	size_t cap = 0;

	if (getline(&line, &cap, stdin) < 0)
		die("no columns");
	for (char *rest = line; *rest && opts.n_columns < MAX_COLUMNS;)
		columns[opts.n_columns++] = parse_column(next_field(&rest));
	opts.columns = columns;
	opts.notes = notes;
	opts.n_notes = PD_ARRAY_LEN(notes);
	opts.created_by = "parquet_table version 1.0";
	check(pq_writer_create(out, &opts, &writer));
	while (getline(&line, &cap, stdin) > 0) {
		char *rest = line;

		for (size_t i = 0; i < opts.n_columns; i++)
			check(put(writer, i, &columns[i], next_field(&rest)));
		check(pq_writer_end_rows(writer, 1));
	}
	check(pq_writer_finish(writer));
	pq_writer_destroy(writer);
	for (size_t i = 0; i < opts.n_columns; i++)
		free((char *)columns[i].name);
	free(line);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const struct pq_column sample_columns[] = {
	{ "time", PQ_INT64, false },
	{ "pid", PQ_INT32, false },
	{ "tid", PQ_INT32, false },
	{ "cpu", PQ_INT32, true },
	{ "period", PQ_INT64, false },
	{ "weight", PQ_INT64, true },
	{ "stack", PQ_UINT32, false },
	{ "addr", PQ_UINT64, true },
	{ "comm", PQ_STRING, false },
};

enum { N_SAMPLE_COLUMNS = PD_ARRAY_LEN(sample_columns) };

/* Fill the numbers of a sample. A null is UINT64_MAX. */
static void make_sample(uint64_t *state, uint64_t i, uint64_t fields[N_SAMPLE_COLUMNS])
{
	uint64_t random = next_random(state);
	/* A thread runs for some samples. Few stacks are frequent. */
	uint64_t thread = (i / 50 * 0x9e3779b97f4a7c15) >> 58;
	uint64_t stack = (random & 0xffff) >> (random >> 16 & 15);

	fields[0] = (i ? fields[0] : UINT64_C(5000000000000)) + 250000 + random % 4096;
	fields[1] = 1000 + thread / 8;
	fields[2] = 1000 + thread;
	fields[3] = random >> 20 & 7;
	fields[4] = 250000;
	fields[5] = random >> 24 & 63 ? UINT64_MAX : random >> 32 & 1023;
	fields[6] = stack;
	fields[7] = random >> 30 & 3 ? UINT64_MAX : 0xffff888000000000 + (random >> 34 << 3);
	fields[8] = thread;
}

static void write_samples(FILE *out, struct pq_opts *opts, uint64_t n_rows)
{
	uint64_t fields[N_SAMPLE_COLUMNS] = { 0 };
	uint64_t sums[N_SAMPLE_COLUMNS] = { 0 };
	uint64_t state = 88172645463325252;
	struct pq_writer *writer;

	opts->columns = sample_columns;
	opts->n_columns = N_SAMPLE_COLUMNS;
	check(pq_writer_create(out, opts, &writer));
	for (uint64_t row = 0; row < n_rows; row++) {
		make_sample(&state, row, fields);
		for (size_t i = 0; i < N_SAMPLE_COLUMNS; i++) {
			enum pq_kind kind = pq_type_infos[sample_columns[i].type].kind;
			char comm[32];

			if (fields[i] == UINT64_MAX) {
				check(pq_put_null(writer, i));
				continue;
			}
			sums[i] += fields[i];
			if (kind == PQ_KIND_INT)
				check(pq_put_int(writer, i, (int64_t)fields[i]));
			else if (kind == PQ_KIND_UINT)
				check(pq_put_uint(writer, i, fields[i]));
			else
				check(pq_put_bytes(writer, i, comm,
					(size_t)snprintf(
						comm, sizeof(comm), "worker-%" PRIu64, fields[i])));
		}
		check(pq_writer_end_rows(writer, 1));
	}
	check(pq_writer_finish(writer));
	pq_writer_destroy(writer);
	for (size_t i = 0; i < N_SAMPLE_COLUMNS; i++)
		printf("%s\t%" PRIu64 "\n", sample_columns[i].name, sums[i]);
}

int main(int argc, char **argv)
{
	bool makes_samples = argc > 3 && strcmp(argv[2], "--samples") == 0;
	struct pq_opts opts = { .jobs = 1 };
	FILE *out = argc > 1 ? fopen(argv[1], "wb") : NULL;

	if (!out)
		die("cannot write");
	if (makes_samples) {
		opts.jobs = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
		write_samples(out, &opts, strtoull(argv[3], NULL, 10));
	} else {
		opts.group_rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
		opts.group_bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
		opts.jobs = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
		write_text(out, &opts);
	}
	if (fclose(out) != 0)
		die("cannot write");
	return 0;
}
