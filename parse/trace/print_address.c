#include "parse/trace/print_address.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"

/* Values of sockaddr.sa_family on Linux, whichever system this runs on. */
enum { FAMILY_INET = 2, FAMILY_INET6 = 10, INET_BYTES = 8, INET6_BYTES = 24 };

static unsigned word_of(const uint8_t *bytes)
{
	return (unsigned)bytes[0] << 8 | bytes[1];
}

/* Append "1.2.3.4", with zeros before small numbers if @p has_zeros. */
static char *put_ip4(char *to, const uint8_t *bytes, bool has_zeros)
{
	return to + sprintf(to, has_zeros ? "%03u.%03u.%03u.%03u" : "%u.%u.%u.%u", bytes[0],
			    bytes[1], bytes[2], bytes[3]);
}

/* Append eight groups of four digits, with or without colons. */
static char *put_ip6_long(char *to, const uint8_t *bytes, bool has_colons)
{
	for (int i = 0; i < 8; i++)
		to += sprintf(to, "%s%04x", i && has_colons ? ":" : "", word_of(bytes + 2 * i));
	return to;
}

/* Whether the last four bytes are an IPv4 address: mapped (RFC 4291), or of ISATAP (RFC 5214). */
static bool ends_with_ip4(const uint8_t *bytes)
{
	static const uint8_t zeros[10];
	bool is_mapped = memcmp(bytes, zeros, 10) == 0 && word_of(bytes + 10) == 0xffff;

	return is_mapped || ((bytes[8] | 2) == 2 && !bytes[9] && word_of(bytes + 10) == 0x5efe);
}

/* Find the longest run of groups that are 0, of at least two. */
static int find_zeros(const uint8_t *bytes, int n, int *len_ret)
{
	int found = -1;

	*len_ret = 1;
	for (int i = 0, end; i < n; i = end + 1) {
		for (end = i; end < n && !word_of(bytes + 2 * end);)
			end++;
		if (end - i > *len_ret) {
			*len_ret = end - i;
			found = i;
		}
	}
	return found;
}

/* Append the groups from number @p i up to @p end, with colons between them. */
static char *put_groups(char *to, const uint8_t *bytes, int i, int end)
{
	for (int first = i; i < end; i++)
		to += sprintf(to, "%s%x", i > first ? ":" : "", word_of(bytes + 2 * i));
	return to;
}

/* Append an address in the form of RFC 5952, such as "fe80::1". */
static char *put_ip6_short(char *to, const uint8_t *bytes)
{
	bool has_ip4 = ends_with_ip4(bytes);
	int n = has_ip4 ? 6 : 8, n_zeros, zeros = find_zeros(bytes, n, &n_zeros), from = 0;

	if (zeros >= 0) {
		to = put_groups(to, bytes, 0, zeros);
		to += sprintf(to, "::");
		from = zeros + n_zeros;
	}
	to = put_groups(to, bytes, from, n);
	if (!has_ip4)
		return to;
	if (from < n)
		to += sprintf(to, ":");
	return put_ip4(to, bytes + 12, false);
}

/* Append the address and, with 'p' in @p kind, the port of a struct sockaddr. */
static bool put_socket(char *to, const char *kind, const struct pd_view *bytes)
{
	const uint8_t *at = bytes->data;
	bool has_port = strchr(kind, 'p'), is_short = strchr(kind, 'c');
	unsigned family = bytes->n >= 2 ? (unsigned)base_load_uint(at, 2, bytes->swap) : 0;

	if (family == FAMILY_INET && bytes->n >= INET_BYTES) {
		to = put_ip4(to, at + 4, kind[0] == 'i');
	} else if (family == FAMILY_INET6 && bytes->n >= INET6_BYTES) {
		to += sprintf(to, has_port ? "[" : "");
		to = is_short ? put_ip6_short(to, at + 8)
			      : put_ip6_long(to, at + 8, kind[0] == 'I');
		to += sprintf(to, has_port ? "]" : "");
	} else {
		return false;
	}
	if (has_port)
		sprintf(to, ":%u", word_of(at + 2));
	return true;
}

/* Write a UUID. @p order: 'l' or 'L' for its first three numbers in little endian; or 'b', 'B'. */
static void put_uuid(char *to, char order, const uint8_t *bytes)
{
	static const uint8_t big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *positions = order == 'l' || order == 'L' ? little : big;
	bool is_upper = order == 'L' || order == 'B';

	for (int i = 0; i < 16; i++) {
		bool has_dash = i == 4 || i == 6 || i == 8 || i == 10;

		to += sprintf(to, is_upper ? "%s%02X" : "%s%02x", has_dash ? "-" : "",
			bytes[positions[i]]);
	}
}

static void put_hardware(char *to, bool has_colons, const uint8_t *bytes)
{
	for (int i = 0; i < 6; i++)
		to += sprintf(to, "%s%02x", i && has_colons ? ":" : "", bytes[i]);
}

bool parse_print_address(
	const char *kind, const struct pd_view *bytes, char text[static PD_ADDRESS_TEXT_SIZE])
{
	size_t n = bytes->data ? bytes->n * bytes->elem_size : 0;
	bool is_internet = kind[0] == 'I' || kind[0] == 'i';
	struct pd_view flat = *bytes;

	flat.n = n;
	if (is_internet && kind[1] == 'S')
		return put_socket(text, kind, &flat);
	if (is_internet && kind[1] == '4' && n >= 4)
		put_ip4(text, bytes->data, kind[0] == 'i');
	else if (is_internet && kind[1] == '6' && n >= 16 && kind[2] == 'c')
		put_ip6_short(text, bytes->data);
	else if (is_internet && kind[1] == '6' && n >= 16)
		put_ip6_long(text, bytes->data, kind[0] == 'I');
	else if ((kind[0] == 'M' || kind[0] == 'm') && n >= 6)
		put_hardware(text, kind[0] == 'M', bytes->data);
	else if (kind[0] == 'U' && n >= 16)
		put_uuid(text, kind[1], bytes->data);
	else
		return false;
	return true;
}
