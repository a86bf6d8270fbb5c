#include "cmd/options/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/system/libc.h"

FILE *cmd_begin(void)
{
	fputs(CMD_PREFIX, stderr);
	return stderr;
}

void cmd_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(cmd_begin(), format, args);
	va_end(args);
	fputc('\n', stderr);
}

struct pd_error *cmd_option_error(const char *name, struct pd_error *err)
{
	if (!err || err->code == PD_ERROR_NOMEM)
		return err;
	struct pd_error *ret = pd_error_create(err->code, NULL, "--%s: %s%s%s", name,
		err->path ? err->path : "", err->path ? ": " : "", err->message);
	pd_error_destroy(err);
	return ret;
}

struct pd_error *cmd_unknown(
	const char *what, const struct base_nearest *nearest, const char *otherwise)
{
	if (nearest->name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown %s '%.*s': did you mean '%s'?", what, (int)nearest->len,
			nearest->word, nearest->name);
	return pd_error_create(PD_ERROR_USAGE, NULL, "unknown %s '%.*s'%s%s", what,
		(int)nearest->len, nearest->word, otherwise ? ": " : "",
		otherwise ? otherwise : "");
}

enum { MAX_WIDTH = 1000 };

size_t cmd_terminal_width(void)
{
	const char *columns = getenv("COLUMNS"), *end;
	uint64_t n;

	if (columns && base_number_parse(columns, MAX_WIDTH, &end, &n) && !*end && n)
		return n;
	return base_terminal_columns(STDOUT_FILENO);
}

bool cmd_terminal_is_capable(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

bool cmd_terminal_has_color(void)
{
	const char *refused = getenv("NO_COLOR");

	return cmd_terminal_is_capable() && !(refused && *refused);
}
