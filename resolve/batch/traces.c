#include "resolve/batch/traces.h"

#include <inttypes.h>
#include <stdio.h>

#include <pdconv/trace_value.h>

#include "base/cleanup.h"
#include "base/line.h"
#include "base/memstream.h"
#include "parse/open_file.h"
#include "parse/trace/trace_print.h"

/* A text that is being made. */
struct making {
	struct resolve_traces *traces;
	const struct resolve_trace *trace;
	struct pd_error *err;
};

void resolve_traces_deinit(struct resolve_traces *traces)
{
	pd_vec_deinit(&traces->buf);
	pd_vec_deinit(&traces->addresses);
	pd_vec_deinit(&traces->texts);
	base_map_deinit(&traces->named);
}

/* Write the address of a kernel function, and note that its name belongs there. */
static bool put_symbol(void *ctx, uint64_t addr, bool with_offset, struct base_line *out)
{
	struct making *m = ctx;
	const struct parse_callchain_link link = { .pc = addr, .context = PD_CALLCHAIN_KERNEL };
	struct resolve_trace_address address = { .at = (uint32_t)out->n,
		.with_offset = with_offset };

	if (m->err || !m->trace->kernel_maps)
		return false;
	m->err = resolve_frames_at(
		m->trace->frames, m->trace->kernel_maps, &link, 0, &address.frame);
	if (m->err)
		return false;
	base_line_printf(out, "0x%" PRIx64, addr);
	address.len = (uint32_t)out->n - address.at;
	if (!pd_vec_push(&m->traces->addresses, address))
		m->err = &pd_enomem;
	return true;
}

/* Print the text into the buffer, which grows until there is room. False: it has no format. */
static bool print(struct making *m, const struct pd_trace_values *values, size_t *len_ret)
{
	enum { FIRST_BYTES = 1 << 10, MOST_BYTES = 1 << 24 };
	struct resolve_traces *traces = m->traces;
	size_t first = traces->addresses.n, bytes = traces->buf.cap ? traces->buf.cap : FIRST_BYTES;

	for (;; bytes *= 2) {
		if (!pd_vec_reserve(&traces->buf, bytes)) {
			m->err = &pd_enomem;
			return true;
		}
		struct base_line line = { .bytes = traces->buf.data, .cap = traces->buf.cap };
		traces->addresses.n = first;
		if (!parse_trace_print(m->trace->file->tracing, values, put_symbol, m, &line))
			return false;
		*len_ret = line.n;
		if (m->err || !line.is_full || bytes >= MOST_BYTES)
			return true;
	}
}

/* Note the addresses of a text from number @p first on, unless the text is known. */
static struct pd_error *note_addresses(
	struct resolve_traces *traces, struct prof_trace_text_id text, size_t first)
{
	const struct resolve_trace_text entry = {
		.text = text, .first = (uint32_t)first, .n = (uint32_t)(traces->addresses.n - first)
	};
	bool is_new;

	if (!entry.n)
		return NULL;
	uint64_t *named = base_map_add(&traces->named, text.i, &is_new);
	if (!named)
		return &pd_enomem;
	if (!is_new) {
		traces->addresses.n = first;
		return NULL;
	}
	*named = text.i;
	return pd_vec_push(&traces->texts, entry) ? NULL : &pd_enomem;
}

static struct pd_error *add(
	struct profile *profile, const char *text, size_t len, struct prof_trace_text_id *ret)
{
	*ret = prof_add_trace_text(profile, text, len);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct pd_error *add_fields(const struct pd_trace_values *values, struct profile *profile,
	struct prof_trace_text_id *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	pd_trace_write(values, out);
	return base_memstream_close(out, &text) ? add(profile, text, len, ret) : &pd_enomem;
}

struct pd_error *resolve_traces_add(struct resolve_traces *traces,
	const struct resolve_trace *trace, struct profile *profile, struct prof_trace_text_id *ret)
{
	const struct pd_tracing *tracing = trace->file->tracing;
	const struct pd_tracepoint *tracepoint = NULL;
	struct making m = { .traces = traces, .trace = trace };
	size_t len = 0, first = traces->addresses.n;

	/* Text 0 of a profile is "". */
	*ret = (struct prof_trace_text_id){ 0 };
	if (tracing && trace->event->attr.type == PD_TYPE_TRACEPOINT)
		tracepoint = pd_tracing_find(tracing, trace->event->attr.config);
	if (!tracepoint)
		return NULL;
	const struct pd_trace_values values = pd_trace_values(tracing, tracepoint, trace->raw);
	if (!trace->is_printed || !print(&m, &values, &len))
		return add_fields(&values, profile, ret);
	if (!m.err)
		m.err = add(profile, traces->buf.data, len, ret);
	return m.err ? m.err : note_addresses(traces, *ret, first);
}

/* The name of the function at a frame; NULL: it has none. */
static const char *name_of(const struct profile *profile, struct prof_frame_id frame)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n);

	return lines ? prof_string(profile, prof_function(profile, lines[n - 1].function)->name)
		     : NULL;
}

static void write_name(const struct profile *profile, const struct resolve_trace_address *address,
	const char *text, FILE *out)
{
	const char *name = name_of(profile, address->frame);
	const struct prof_frame_offset *offset =
		address->frame.i < profile->frame_offsets.n
			? &profile->frame_offsets.data[address->frame.i]
			: NULL;

	if (!name) {
		fwrite(text + address->at, 1, address->len, out);
		return;
	}
	fputs(name, out);
	if (address->with_offset && offset && offset->has_symbol)
		fprintf(out, "+0x%" PRIx64, offset->in_symbol);
}

/* Replace the addresses of a text by names. */
static struct pd_error *name_text(const struct resolve_traces *traces,
	const struct resolve_trace_text *entry, struct profile *profile,
	struct prof_trace_text_id *ret)
{
	_cleanup_free_ char *named = NULL;
	const char *text = prof_trace_text(profile, entry->text);
	size_t len, at = 0;
	FILE *out = base_memstream_open(&named, &len);

	if (!out)
		return &pd_enomem;
	for (uint32_t i = 0; i < entry->n; i++) {
		const struct resolve_trace_address *address =
			&traces->addresses.data[entry->first + i];

		fwrite(text + at, 1, address->at - at, out);
		write_name(profile, address, text, out);
		at = address->at + address->len;
	}
	fputs(text + at, out);
	return base_memstream_close(out, &named) ? add(profile, named, len, ret) : &pd_enomem;
}

struct pd_error *resolve_traces_name(struct resolve_traces *traces, struct profile *profile)
{
	for (size_t i = 0; i < traces->texts.n; i++) {
		struct prof_trace_text_id named;
		struct pd_error *err = name_text(traces, &traces->texts.data[i], profile, &named);

		if (err)
			return err;
		*base_map_find(&traces->named, traces->texts.data[i].text.i) = named.i;
	}
	for (size_t i = 0; traces->texts.n && i < profile->rows.n; i++) {
		struct prof_row *row = &profile->rows.data[i];
		const uint64_t *named = base_map_find(&traces->named, row->trace.i);

		base_spill_pass(&profile->rows, i);
		if (named)
			row->trace = (struct prof_trace_text_id){ (uint32_t)*named };
	}
	return NULL;
}
