/*
 * A program of twenty functions for bench/diff.py. It does a fixed amount of work, whose parts vary
 * at random by a fifth: diff_program [ROUNDS [FUNCTION PERCENT]] lets a function do more.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N_FUNCTIONS = 20, TABLE_SIZE = 1 << 16 };

static uint64_t random_state;
static uint32_t table[TABLE_SIZE];
static double matrix[64][64];
static char text[1 << 14];
static volatile uint64_t sink;

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/*
 * Kinds of work. Each takes about as long for the same n. They are macros, because inlined functions
 * would be functions of their own in a profile.
 */

#define MIX(n, seed) \
	for (uint64_t i = 0; i < (n); i++) \
	(seed) = ((seed) ^ ((seed) >> 29)) * 0xbf58476d1ce4e5b9u + i

#define CHASE(n, seed) \
	(seed) %= TABLE_SIZE; \
	for (uint64_t i = 0; i < (n) / 2; i++) \
	(seed) = table[seed]

#define MULTIPLY(n, seed) \
	double product = (double)((seed)&1); \
	for (uint64_t i = 0; i < (n); i++) \
		product = product * 0.999 + matrix[i & 63][(i >> 6) & 63]; \
	(seed) = (uint64_t)product

#define SCAN(n, seed) \
	for (uint64_t i = 0; i < (n); i++) \
	(seed) = ((seed) << 5 | (seed) >> 59) ^ (uint8_t)text[((seed) + i) % sizeof(text)]

#define FUNCTIONS(F) \
	F(parse_header, SCAN, 30) \
	F(parse_body, SCAN, 100) \
	F(tokenize, SCAN, 60) \
	F(intern_name, CHASE, 80) \
	F(hash_key, MIX, 70) \
	F(find_entry, CHASE, 120) \
	F(insert_entry, CHASE, 50) \
	F(rotate_tree, CHASE, 25) \
	F(check_sum, MIX, 150) \
	F(encrypt_block, MIX, 90) \
	F(shuffle_bits, MIX, 20) \
	F(scale_row, MULTIPLY, 60) \
	F(transform, MULTIPLY, 110) \
	F(interpolate, MULTIPLY, 45) \
	F(smooth_edges, MULTIPLY, 35) \
	F(draw_line, MIX, 15) \
	F(fill_area, SCAN, 40) \
	F(compress_run, SCAN, 55) \
	F(copy_out, CHASE, 12) \
	F(log_event, MIX, 8)

#define DEFINE(name, work, weight) \
	static __attribute__((noinline)) uint64_t name(uint64_t n) \
	{ \
		uint64_t seed = draw(); \
		work(n, seed); \
		return seed; \
	}
FUNCTIONS(DEFINE)

struct function {
	const char *name;
	uint64_t (*run)(uint64_t n);
	uint64_t weight;
};

#define ROW(name, work, weight) { #name, name, weight },
static struct function functions[N_FUNCTIONS] = { FUNCTIONS(ROW) };

static __attribute__((noinline)) uint64_t run_one(const struct function *function)
{
	uint64_t n = function->weight * 20;

	return function->run(n * (80 + draw() % 41) / 100);
}

static __attribute__((noinline)) uint64_t read_request(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 8; i++)
		sum += run_one(&functions[i]);
	return sum;
}

static __attribute__((noinline)) uint64_t answer_request(void)
{
	uint64_t sum = 0;

	for (size_t i = 8; i < N_FUNCTIONS; i++)
		sum += run_one(&functions[i]);
	return sum;
}

static void prepare(void)
{
	random_state = ((uint64_t)time(NULL) << 32 ^ (uint64_t)getpid()) * 0x9e3779b97f4a7c15u | 1;
	/* A cycle through the whole table in random order. */
	for (uint32_t i = 0; i < TABLE_SIZE; i++)
		table[i] = i;
	for (uint32_t i = TABLE_SIZE - 1; i; i--) {
		uint32_t k = (uint32_t)(draw() % i);
		uint32_t swapped = table[i];

		table[i] = table[k];
		table[k] = swapped;
	}
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)draw();
	for (size_t i = 0; i < 64 * 64; i++)
		matrix[i / 64][i % 64] = (double)(draw() % 1000) / 1000;
}

int main(int argc, char **argv)
{
	unsigned long n_rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 50000;
	uint64_t sum = 0;

	for (size_t i = 0; argc > 3 && i < N_FUNCTIONS; i++) {
		if (strcmp(functions[i].name, argv[2]) == 0)
			functions[i].weight =
				(uint64_t)((double)functions[i].weight * (1 + atof(argv[3]) / 100));
	}
	prepare();
	for (unsigned long i = 0; i < n_rounds; i++)
		sum += read_request() + answer_request();
	sink = sum;
	return 0;
}
