#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/search.h"
#include "base/utf8.h"

/*
 * Characters beyond ASCII that are not shown as they are, in order:
 * - controls (Cc) and separators of lines and paragraphs (Zl, Zp),
 * - Default_Ignorable_Code_Point of Unicode: what has no visible form, among it everything that
 *   changes the direction of text (Bidi_Control), joiners, fillers, variation selectors and tags,
 * - annotation marks (U+FFF9 to U+FFFB), between which text is hidden.
 */
static const struct range {
	uint32_t first, last;
} ranges[] = {
	{ 0x80, 0x9f },
	{ 0xad, 0xad },
	{ 0x34f, 0x34f },
	{ 0x61c, 0x61c },
	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2060, 0x206f },
	{ 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0f },
	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

/* XML, and so the SVG of flame graphs, does not allow U+FFFE and U+FFFF. */
static bool is_noncharacter(uint32_t character)
{
	return (character & 0xfffe) == 0xfffe || (character >= 0xfdd0 && character <= 0xfdef);
}

bool pd_is_printable(uint32_t character)
{
	if (character < 0x80)
		return character >= 0x20 && character != 0x7f;
	size_t i = pd_lower_bound(PD_ARRAY_LEN(ranges), k, ranges[k].last < character);
	return (i == PD_ARRAY_LEN(ranges) || character < ranges[i].first) &&
	       !is_noncharacter(character);
}

size_t pd_printable_run(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

size_t pd_printable_next(const char *text, size_t len, char escape[static PD_ESCAPE_SIZE])
{
	uint32_t character;
	size_t n = pd_utf8_decode(text, len, &character);

	*escape = '\0';
	if (!n)
		character = (unsigned char)*text;
	else if (pd_is_printable(character))
		return n;
	if (!n || character < 0x80)
		snprintf(escape, PD_ESCAPE_SIZE, "\\x%02" PRIx32, character);
	else
		snprintf(escape, PD_ESCAPE_SIZE,
			character > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, character);
	return n ? n : 1;
}
