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
	size_t root = strlen(dir), n;

	while (root && dir[root - 1] == '/')
		root--;
	if (root >= sizeof(path->text))
		return sym_path_format(path, "%s", "");
	memcpy(path->text, dir, root);
	size_t len = root;
	for (const char *p = file; *(p += strspn(p, "/")); p += n) {
		n = strcspn(p, "/");
		if (n == 1 && p[0] == '.')
			continue;
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (len > root && path->text[--len] != '/')
				;
			continue;
		}
		if (len + 1 + n >= sizeof(path->text))
			return sym_path_format(path, "%s", "");
		path->text[len] = '/';
		memcpy(path->text + len + 1, p, n);
		len += 1 + n;
	}
	path->text[len] = '\0';
	return path->text;
}

const char *sym_path_after(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return strncmp(path, dir, len) == 0 && path[len] == '/' ? path + len : NULL;
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
