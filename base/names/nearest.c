#include "base/names/nearest.h"

#include <string.h>

/* Names are shorter than this, so longer words are not compared. */
enum { MAX_LEN = 64 };

/* Number of typing errors that are tolerated in a word of @p len bytes. */
static size_t max_errors(size_t len)
{
	return len < 3 || len > MAX_LEN ? 0 : len < 5 ? 1 : len < 8 ? 2 : 3;
}

void base_nearest_init(struct base_nearest *nearest, const char *word, size_t len)
{
	*nearest = (struct base_nearest){
		.word = word,
		.len = len,
		.distance = max_errors(len) + 1,
	};
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edit distance: insertions, deletions, replacements, and swaps of two neighbours count one each.
 * Rows i - 2, i - 1 and i of the usual table are enough, as a swap looks back two rows.
 */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t rows[3][MAX_LEN + 1];

	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i - 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = smaller(above[j], row[j - 1]) + 1;
			row[j] = smaller(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

void base_nearest_try(struct base_nearest *nearest, const char *name)
{
	size_t len = strlen(name);

	if (!max_errors(nearest->len) || !len || len > MAX_LEN)
		return;
	size_t distance = edit_distance(nearest->word, nearest->len, name, len);
	if (distance < nearest->distance) {
		nearest->name = name;
		nearest->distance = distance;
	}
}
