#include "inspect/dump_printer.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/integer.h"
#include "base/memstream.h"
#include "base/text.h"
#include "base/utf8.h"

/*
 * Number of bytes of a field that are shown within a line, and on each line of a hex dump. Longer
 * fields are truncated, and their length follows.
 */
enum { SHORT_BYTES = 24, VIEW_BYTES = 16 };

/* Number of bytes of a string that are shown. No path is longer. */
enum { TEXT_BYTES = PATH_MAX };

static double as_double(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint64_t element(const struct pd_value *value, uint64_t i)
{
	const struct pd_view *view = &value->view;

	return base_load_uint(view->data + i * view->elem_size, view->elem_size, view->swap);
}

static const char *bit_name(const struct pd_value *value, size_t bit)
{
	return bit < value->n_names ? value->names[bit] : NULL;
}

/* Text with one line for each part. */

static void text_number(FILE *out, enum pd_field_format format, uint64_t v, uint64_t size)
{
	switch (format) {
	case PD_FMT_HEX:
		fprintf(out, "0x%" PRIx64, v);
		break;
	case PD_FMT_SIGNED:
		fprintf(out, "%" PRId64, base_sign_extend(v, size));
		break;
	case PD_FMT_DOUBLE:
		fprintf(out, "%g", as_double(v));
		break;
	default:
		fprintf(out, "%" PRIu64, v);
		break;
	}
}

static void text_mask(FILE *out, const struct pd_value *value)
{
	const char *separator = "";

	fprintf(out, "0x%" PRIx64, value->number);
	if (!value->number)
		return;
	putc_unlocked('(', out);
	for (size_t bit = 0; bit < 64; bit++) {
		if (!(value->number >> bit & 1))
			continue;
		if (bit_name(value, bit))
			fprintf(out, "%s%s", separator, bit_name(value, bit));
		else
			fprintf(out, "%sbit%zu", separator, bit);
		separator = "|";
	}
	putc_unlocked(')', out);
}

static void text_enum(FILE *out, const struct pd_value *value)
{
	const char *name = value->number < value->n_names ? value->names[value->number] : NULL;

	fprintf(out, "%" PRIu64, value->number);
	if (name)
		fprintf(out, "(%s)", name);
}

/* Number of bytes to show: a character that crosses the limit is left out. */
static size_t text_length(const struct pd_str *str)
{
	size_t len = TEXT_BYTES;

	if (str->len <= TEXT_BYTES)
		return str->len;
	while (len > TEXT_BYTES - PD_UTF8_MAX && (str->s[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void text_str(FILE *out, const struct pd_str *str)
{
	size_t len = text_length(str);

	putc_unlocked('"', out);
	for (size_t at = 0; at < len;) {
		size_t n = 0;

		while (at + n < len && str->s[at + n] != '"' && str->s[at + n] != '\\')
			n++;
		base_text_write_n(out, str->s + at, n);
		at += n;
		if (at == len)
			break;
		putc_unlocked('\\', out);
		putc_unlocked(str->s[at++], out);
	}
	putc_unlocked('"', out);
	if (len < str->len)
		fprintf(out, "...(%zu bytes)", str->len);
}

static void text_bytes(FILE *out, const struct pd_view *view)
{
	uint64_t n = view->n < SHORT_BYTES ? view->n : SHORT_BYTES;

	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "%02x", view->data[i]);
	if (n < view->n)
		fprintf(out, "...(%" PRIu64 " bytes)", view->n);
	if (!view->n)
		putc_unlocked('-', out);
}

static void text_numbers(FILE *out, const struct pd_value *value)
{
	putc_unlocked('[', out);
	for (uint64_t i = 0; i < value->view.n; i++) {
		if (i)
			putc_unlocked(' ', out);
		text_number(out, value->format, element(value, i), value->view.elem_size);
	}
	putc_unlocked(']', out);
}

static void text_value(FILE *out, const struct pd_value *value)
{
	switch (value->type) {
	case PD_VALUE_UINT:
		text_number(out, value->format, value->number, value->size);
		break;
	case PD_VALUE_MASK:
		text_mask(out, value);
		break;
	case PD_VALUE_ENUM:
		text_enum(out, value);
		break;
	case PD_VALUE_TEXT:
		text_str(out, &value->text);
		break;
	case PD_VALUE_BYTES:
		text_bytes(out, &value->view);
		break;
	case PD_VALUE_UINTS:
		text_numbers(out, value);
		break;
	}
}

/* Names of fields of tracepoints come from the recording. */
static void text_name(FILE *out, const char *name)
{
	base_text_write_message(out, name);
}

static void text_space(struct inspect_dump_printer *p)
{
	if (p->needs_space)
		putc_unlocked(' ', p->out);
	p->needs_space = true;
}

/* Unexplained bytes always get a hex dump below the line, other bytes only if requested. */
static void remember_view(struct inspect_dump_printer *p, const struct pd_value *value)
{
	bool is_opaque = !strcmp(value->name, "rest") || !strcmp(value->name, "unknown");

	if (value->type == PD_VALUE_BYTES && value->view.n && (p->opts->hex || is_opaque))
		(void)!pd_vec_push(&p->views, *value);
}

static void remember_damage(struct inspect_dump_printer *p, const char *field, const char *message)
{
	struct inspect_dump_damage damage = { .field = field, .message = message };

	(void)!pd_vec_push(&p->damages, damage);
}

static void line_value(void *ctx, const struct pd_value *value)
{
	struct inspect_dump_printer *p = ctx;

	text_space(p);
	text_name(p->out, value->name);
	putc_unlocked('=', p->out);
	text_value(p->out, value);
	remember_view(p, value);
}

static void line_enter(void *ctx, const char *name, bool is_list)
{
	struct inspect_dump_printer *p = ctx;
	struct inspect_dump_step step = { .name = name, .is_list = is_list };

	text_space(p);
	if (name) {
		text_name(p->out, name);
		putc_unlocked('=', p->out);
	}
	putc_unlocked(is_list ? '[' : '{', p->out);
	p->needs_space = false;
	if (!pd_vec_push(&p->steps, step))
		base_stream_fail(p->out);
}

static void line_leave(void *ctx)
{
	struct inspect_dump_printer *p = ctx;

	if (p->steps.n)
		putc_unlocked(p->steps.data[--p->steps.n].is_list ? ']' : '}', p->out);
	p->needs_space = true;
}

static void line_damage(void *ctx, const char *name, const char *message)
{
	struct inspect_dump_printer *p = ctx;

	text_space(p);
	fprintf(p->out, "DAMAGED(%s%s%s)", name ? name : "", name ? ": " : "", message);
	remember_damage(p, name, message);
}

/* Write the file of a recording in a directory. */
static void write_path(FILE *out, const char *path)
{
	if (!path)
		return;
	base_text_write(out, path);
	putc_unlocked(':', out);
}

/* Text with one line for each field. */

static void field_start(struct inspect_dump_printer *p, uint64_t at, const char *name)
{
	const struct inspect_dump_part *part = p->part;

	write_path(p->out, part->path);
	/*
	 * A compressed record has no offset in the file, so that of the record around it is shown.
	 */
	if (part->is_compressed)
		fprintf(p->out, "0x%" PRIx64 "z+0x%" PRIx64 " ", part->offset, at);
	else
		fprintf(p->out, "0x%" PRIx64 " ", part->offset + at);
	fputs(part->type, p->out);
	if (part->feature)
		fprintf(p->out, ".%s", part->feature);
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct inspect_dump_step *step = &p->steps.data[i];

		if (step->name) {
			putc_unlocked('.', p->out);
			text_name(p->out, step->name);
		}
		/*
		 * Elements of lists have no names. field_enter() has counted this one in its list.
		 */
		else if (i)
			fprintf(p->out, "[%" PRIu64 "]", p->steps.data[i - 1].n - 1);
	}
	putc_unlocked('.', p->out);
	text_name(p->out, name);
	putc_unlocked(' ', p->out);
}

static void field_value(void *ctx, const struct pd_value *value)
{
	struct inspect_dump_printer *p = ctx;

	field_start(p, value->at, value->name);
	text_value(p->out, value);
	putc_unlocked('\n', p->out);
	remember_view(p, value);
}

static void field_enter(void *ctx, const char *name, bool is_list)
{
	struct inspect_dump_printer *p = ctx;
	struct inspect_dump_step step = { .name = name, .is_list = is_list };

	if (p->steps.n && !name)
		p->steps.data[p->steps.n - 1].n++;
	if (!pd_vec_push(&p->steps, step))
		base_stream_fail(p->out);
}

static void field_leave(void *ctx)
{
	struct inspect_dump_printer *p = ctx;

	if (p->steps.n)
		p->steps.n--;
}

static void field_damage(void *ctx, const char *name, const char *message)
{
	struct inspect_dump_printer *p = ctx;

	field_start(p, 0, name ? name : "*");
	fprintf(p->out, "DAMAGED %s\n", message);
	remember_damage(p, name, message);
}

/* Write lines of offset, bytes and ASCII characters. */
static void hex_view(FILE *out, uint64_t offset, const struct pd_view *view)
{
	for (uint64_t at = 0; at < view->n; at += VIEW_BYTES) {
		uint64_t n = view->n - at < VIEW_BYTES ? view->n - at : VIEW_BYTES;

		fprintf(out, "  0x%08" PRIx64 " ", offset + at);
		for (uint64_t i = 0; i < VIEW_BYTES; i++) {
			if (i < n)
				fprintf(out, " %02x", view->data[at + i]);
			else
				fputs("   ", out);
		}
		fputs("  ", out);
		for (uint64_t i = 0; i < n; i++) {
			uint8_t c = view->data[at + i];
			putc_unlocked(c >= 0x20 && c < 0x7f ? c : '.', out);
		}
		putc_unlocked('\n', out);
	}
}

/* Compressed records have no file offset of their own: count from their first byte. */
static void write_views(const struct inspect_dump_printer *p)
{
	uint64_t start = p->part->is_compressed ? 0 : p->part->offset;

	if (p->damages.n) {
		hex_view(p->out, start, &p->part->bytes);
		return;
	}
	for (size_t i = 0; i < p->views.n; i++)
		hex_view(p->out, start + p->views.data[i].at, &p->views.data[i].view);
}

static void begin_line(struct inspect_dump_printer *p)
{
	const struct inspect_dump_part *part = p->part;

	write_path(p->out, part->path);
	fprintf(p->out, "0x%" PRIx64 "%s %s", part->offset, part->is_compressed ? "z" : "",
		part->type);
	if (part->feature)
		fprintf(p->out, ".%s", part->feature);
	fprintf(p->out, " size=%" PRIu64, part->bytes.n);
	/*
	 * The size in the header of AUXTRACE and TRACING_DATA does not include the data after them.
	 */
	if (part->outside_size)
		fprintf(p->out, "+%" PRIu64, part->outside_size);
	if (part->has_misc)
		fprintf(p->out, " misc=0x%" PRIx16, part->misc);
	if (part->event) {
		fputs(" event=", p->out);
		text_str(p->out, &(struct pd_str){ .s = part->event, .len = strlen(part->event) });
	}
	putc_unlocked(':', p->out);
	p->needs_space = true;
}

/* JSON. */

static void json_number(
	struct base_json *json, const char *key, const struct pd_value *value, uint64_t v)
{
	if (value->format == PD_FMT_SIGNED)
		base_json_int(json, key, base_sign_extend(v, value->size));
	else if (value->format == PD_FMT_DOUBLE)
		base_json_double(json, key, as_double(v));
	else
		base_json_uint(json, key, v);
}

static void json_value(void *ctx, const struct pd_value *value)
{
	struct inspect_dump_printer *p = ctx;

	switch (value->type) {
	case PD_VALUE_UINT:
	case PD_VALUE_MASK:
	case PD_VALUE_ENUM:
		json_number(&p->json, value->name, value, value->number);
		break;
	case PD_VALUE_TEXT:
		base_json_text(&p->json, value->name, value->text.s, value->text.len);
		break;
	case PD_VALUE_BYTES:
		base_json_hex(&p->json, value->name, value->view.data, value->view.n);
		break;
	case PD_VALUE_UINTS:
		base_json_array(&p->json, value->name);
		for (uint64_t i = 0; i < value->view.n; i++)
			json_number(&p->json, NULL, value, element(value, i));
		base_json_end(&p->json, ']');
		break;
	}
}

static void json_enter(void *ctx, const char *name, bool is_list)
{
	struct inspect_dump_printer *p = ctx;
	struct inspect_dump_step step = { .name = name, .is_list = is_list };

	if (is_list)
		base_json_array(&p->json, name);
	else
		base_json_object(&p->json, name);
	if (!pd_vec_push(&p->steps, step))
		base_stream_fail(p->out);
}

static void json_leave(void *ctx)
{
	struct inspect_dump_printer *p = ctx;

	if (p->steps.n)
		base_json_end(&p->json, p->steps.data[--p->steps.n].is_list ? ']' : '}');
}

static void json_damage(void *ctx, const char *name, const char *message)
{
	remember_damage(ctx, name, message);
}

/* Close the body. If it is damaged, append the reasons and all bytes of the part. */
static void end_json(struct inspect_dump_printer *p)
{
	base_json_end(&p->json, '}');
	if (p->damages.n) {
		base_json_array(&p->json, "damage");
		for (size_t i = 0; i < p->damages.n; i++) {
			base_json_object(&p->json, NULL);
			base_json_str(&p->json, "field", p->damages.data[i].field);
			base_json_str(&p->json, "message", p->damages.data[i].message);
			base_json_end(&p->json, '}');
		}
		base_json_end(&p->json, ']');
		base_json_hex(&p->json, "bytes", p->part->bytes.data, p->part->bytes.n);
	}
	base_json_end(&p->json, '}');
}

static void begin_json(struct inspect_dump_printer *p)
{
	const struct inspect_dump_part *part = p->part;

	p->json = (struct base_json){ .out = p->out };
	base_json_object(&p->json, NULL);
	if (part->path)
		base_json_str(&p->json, "file", part->path);
	base_json_uint(&p->json, "offset", part->offset);
	if (part->is_compressed)
		base_json_bool(&p->json, "compressed", true);
	base_json_str(&p->json, "type", part->type);
	if (part->feature)
		base_json_str(&p->json, "feature", part->feature);
	base_json_uint(&p->json, "size", part->bytes.n);
	if (part->outside_size)
		base_json_uint(&p->json, "outside_size", part->outside_size);
	if (part->has_misc)
		base_json_uint(&p->json, "misc", part->misc);
	if (part->event)
		base_json_str(&p->json, "event", part->event);
	base_json_object(&p->json, "body");
}

void inspect_dump_printer_init(
	struct inspect_dump_printer *p, const struct inspect_dump_opts *opts, FILE *out)
{
	*p = (struct inspect_dump_printer){ .opts = opts, .out = out };
	if (opts->json)
		p->visitor =
			(struct pd_visitor){ p, json_value, json_enter, json_leave, json_damage };
	else if (opts->by_field)
		p->visitor = (struct pd_visitor){ p, field_value, field_enter, field_leave,
			field_damage };
	else
		p->visitor =
			(struct pd_visitor){ p, line_value, line_enter, line_leave, line_damage };
}

void inspect_dump_printer_deinit(struct inspect_dump_printer *p)
{
	pd_vec_deinit(&p->steps);
	pd_vec_deinit(&p->views);
	pd_vec_deinit(&p->damages);
}

void inspect_dump_begin(struct inspect_dump_printer *p, const struct inspect_dump_part *part)
{
	p->part = part;
	p->steps.n = 0;
	p->views.n = 0;
	p->damages.n = 0;
	p->needs_space = false;
	if (p->opts->json)
		begin_json(p);
	else if (!p->opts->by_field)
		begin_line(p);
}

void inspect_dump_end(struct inspect_dump_printer *p)
{
	if (p->opts->json)
		end_json(p);
	if (p->opts->json || !p->opts->by_field)
		putc_unlocked('\n', p->out);
	if (!p->opts->json)
		write_views(p);
}
