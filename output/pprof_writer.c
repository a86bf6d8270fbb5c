#include "output/pprof_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"

int64_t pprof_text(struct pprof_writer *w, const char *s)
{
	/*
	 * The profile is const here, so strings that it lacks go to a second table that follows it.
	 */
	uint32_t known = pd_intern_find(&w->profile->strings, s, strlen(s));

	if (known != PD_INTERN_NONE)
		return known;
	uint32_t id = pd_intern_str(&w->extra, s);
	if (id == PD_INTERN_NONE)
		w->no_memory = true;
	return (int64_t)w->profile->strings.n + id;
}

int64_t pprof_printf(struct pprof_writer *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	_cleanup_free_ char *s = pd_vformat(fmt, args);
	va_end(args);
	w->no_memory |= !s;
	return s ? pprof_text(w, s) : 0;
}

void pprof_put(struct pprof_writer *w, const Pprof__Profile *piece)
{
	if (!pd_vec_reserve(&w->buffer, pprof__profile__get_packed_size(piece))) {
		w->no_memory = true;
		return;
	}
	size_t len = pprof__profile__pack(piece, w->buffer.data);
	out_gzip_write(w->gzip, w->buffer.data, len);
}
