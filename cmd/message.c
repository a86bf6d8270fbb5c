#include "cmd/message.h"

#include <stdarg.h>

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
