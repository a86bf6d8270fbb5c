/*
 * Uses of the memory of a budget: U(NAME, "what takes the memory"), as in "call stacks take
 * 100 MiB".
 */
/* clang-format off */
#define PD_MEMORY_USES(U) \
	U(RECORDS, "records that wait for their order") \
	U(TEXTS, "names and other texts") \
	U(FRAMES, "frames") \
	U(STACKS, "call stacks") \
	U(SAMPLES, "distinct samples") \
	U(ROWS, "single samples") \
	U(ADDRESSES, "addresses of single samples") \
	U(FIELDS, "registers and raw data of single samples")
/* clang-format on */
