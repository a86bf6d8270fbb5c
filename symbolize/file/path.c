#include "symbolize/file/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sym_path_format(struct sym_path *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(path->text, sizeof(path->text), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(path->text))
		path->text[0] = '\0';
	return path->text;
}

const char *sym_path_below(struct sym_path *path, const char *dir, const char *file)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return sym_path_format(path, "%.*s/%s", (int)len, dir, file + strspn(file, "/"));
}

const char *sym_path_dir(struct sym_path *path, const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return sym_path_format(path, ".");
	if (slash - file >= (ptrdiff_t)sizeof(path->text))
		slash = file;
	return sym_path_format(path, "%.*s", (int)(slash - file), file);
}

const char *sym_path_base(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

bool sym_path_next(const char *list, size_t *pos, struct sym_path *ret)
{
	if (!list)
		return false;
	*pos += strspn(list + *pos, ":");
	size_t len = strcspn(list + *pos, ":");
	if (!len)
		return false;
	sym_path_format(ret, "%.*s", len < sizeof(ret->text) ? (int)len : 0, list + *pos);
	*pos += len;
	return true;
}

const char *sym_path_of_id(const struct pd_build_id *id, char buf[static PD_BUILD_ID_HEX_MAX + 1])
{
	char hex[PD_BUILD_ID_HEX_MAX];

	pd_build_id_hex(id, hex);
	snprintf(buf, PD_BUILD_ID_HEX_MAX + 1, "%.2s/%s", hex, id->len ? hex + 2 : "");
	return buf;
}
