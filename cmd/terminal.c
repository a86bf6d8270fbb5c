#include "cmd/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"

enum { MAX_WIDTH = 1000 };

size_t cmd_terminal_width(void)
{
	const char *columns = getenv("COLUMNS"), *end;
	struct winsize size;
	uint64_t n;

	if (columns && pd_number_parse(columns, MAX_WIDTH, &end, &n) && !*end && n)
		return n;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 0;
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
