#include "capture/events/event_item.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/format.h"

/* The size that has all fields up to sig_data, which every perf since 5.13 reads. */
enum { ATTR_BYTES = 128 };

static bool take_number(struct cap_word word, int base, uint64_t *ret)
{
	char digits[32];
	char *end;

	if (!word.n || word.n >= sizeof(digits))
		return false;
	memcpy(digits, word.at, word.n);
	digits[word.n] = 0;
	errno = 0;
	uint64_t value = strtoull(digits, &end, base);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

bool cap_word_hex(struct cap_word word, uint64_t *ret)
{
	for (size_t i = 0; i < word.n; i++) {
		if (!isxdigit((unsigned char)word.at[i]))
			return false;
	}
	return take_number(word, 16, ret);
}

bool cap_word_number(struct cap_word word, uint64_t *ret)
{
	if (word.n > 2 && word.at[0] == '0' && (word.at[1] | 0x20) == 'x')
		return cap_word_hex((struct cap_word){ word.at + 2, word.n - 2 }, ret);
	return word.n && word.at[0] >= '0' && word.at[0] <= '9' && take_number(word, 10, ret);
}

struct pd_error *cap_item_bad(const struct cap_item *item, const char *fmt, ...)
{
	char message[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	return pd_error_create(PD_ERROR_USAGE, NULL, "event '%.*s': %s", (int)item->whole.n,
		item->whole.at, message);
}

struct pd_attr cap_attr(uint32_t type, uint64_t config)
{
	return (struct pd_attr){
		.type = type,
		.size = ATTR_BYTES,
		.config = config,
		.flags = CAP_FLAG(exclude_guest),
	};
}

struct pd_error *cap_item_add(
	const struct cap_item *item, const struct pd_attr *attr, struct cap_word name)
{
	struct cap_event event = {
		.attr = *attr,
		.leader = item->events->list.n,
		.is_tracepoint = attr->type == PD_TYPE_TRACEPOINT,
		.name = strndup(name.at, name.n),
	};

	if (!event.name || !pd_vec_push(&item->events->list, event)) {
		free(event.name);
		return &pd_enomem;
	}
	PD_IS_OWNED(event.name, "cap_event_deinit() frees it with the list");
	return NULL;
}

int cap_read_line(const char *path, char **ret)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!file)
		return errno;
	ssize_t n = getline(&line, &cap, file);
	if (n < 0)
		return ferror(file) ? EIO : ENODATA;
	line[strcspn(line, "\n")] = 0;
	*ret = take_ptr(line);
	return 0;
}

void cap_names_deinit(struct cap_names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->entries[i]);
	free(names->entries);
}

int cap_names_list(const char *dir, struct cap_names *ret)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);

	if (n < 0)
		return errno;
	*ret = (struct cap_names){ entries, n };
	return 0;
}
