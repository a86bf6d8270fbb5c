/*
 * Compare the lengths of x86 instructions with those by objdump. Reads what
 * `objdump -dw -z --insn-width=16` prints, and prints each instruction with another length, and
 * those that are not known.
 *
 * usage: lengths 32|64
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "unwind/machines/x86_insn.h"

enum { MAX_SHOWN = 20 };

struct line {
	uint64_t addr;
	size_t offset;
	uint8_t len;
	char text[32];
};

struct listing {
	PD_VEC(struct line) lines;
	PD_VEC(uint8_t) bytes;
};

/** Append the instruction that @p text describes: "address:\tbytes\tmnemonic operands". */
static bool add_line(struct listing *listing, const char *text)
{
	struct line line = { .offset = listing->bytes.n };
	unsigned int byte;
	char *at;
	int n;

	line.addr = strtoull(text, &at, 16);
	if (at == text || at[0] != ':' || at[1] != '\t')
		return true;
	at += 2;
	while (sscanf(at, "%2x%n", &byte, &n) == 1 && n == 2 && at[2] == ' ') {
		if (!pd_vec_push(&listing->bytes, (uint8_t)byte))
			return false;
		line.len++;
		at += n + 1;
	}
	at += strspn(at, " \t");
	snprintf(line.text, sizeof(line.text), "%s", at);
	line.text[strcspn(line.text, "\n")] = '\0';
	return !line.len || pd_vec_push(&listing->lines, line);
}

/** Whether @p len bytes are several lines: objdump prints some prefixes on lines of their own. */
static bool is_join_of(const struct listing *listing, size_t i, uint8_t len)
{
	const struct line *line = &listing->lines.data[i];
	size_t sum = line->len;

	for (size_t k = i + 1; sum < len && k < listing->lines.n && k < i + 4; k++)
		sum += listing->lines.data[k].len;
	return sum == len;
}

/** Whether the bytes are data between functions instead of an instruction. */
static bool is_data(const struct line *line)
{
	static const char *const words[] = { "(bad)", ".byte", "rex" };

	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++) {
		if (strstr(line->text, words[i]))
			return true;
	}
	return strncmp(line->text, "jmpw", 4) == 0;
}

static bool is_same(const struct listing *listing, size_t i, bool is_64, uint8_t *len_ret)
{
	const struct line *line = &listing->lines.data[i];
	const uint8_t *bytes = listing->bytes.data + line->offset;
	struct unw_x86_insn insn;

	*len_ret = 0;
	if (!unw_x86_insn_read(bytes, listing->bytes.n - line->offset, is_64, &insn))
		return is_data(line);
	*len_ret = insn.len;
	/* objdump joins fwait with the instruction after it. */
	bool is_wait = bytes[0] == 0x9b && insn.len == 1;
	return insn.len == line->len || is_wait || is_data(line) ||
	       is_join_of(listing, i, insn.len);
}

int main(int argc, char **argv)
{
	struct listing listing = { 0 };
	bool is_64 = argc == 2 && strcmp(argv[1], "64") == 0;
	size_t n_wrong = 0;
	char text[512];
	uint8_t len;

	while (fgets(text, sizeof(text), stdin)) {
		if (!add_line(&listing, text))
			return 2;
	}
	for (size_t i = 0; i < listing.lines.n; i++) {
		const struct line *line = &listing.lines.data[i];

		if (is_same(&listing, i, is_64, &len))
			continue;
		if (n_wrong++ < MAX_SHOWN)
			printf("%llx: %u bytes instead of %u: %s\n", (unsigned long long)line->addr,
				len, line->len, line->text);
	}
	printf("%zu instructions, %zu differ\n", listing.lines.n, n_wrong);
	bool is_good = listing.lines.n && !n_wrong;
	pd_vec_deinit(&listing.lines);
	pd_vec_deinit(&listing.bytes);
	return !is_good;
}
