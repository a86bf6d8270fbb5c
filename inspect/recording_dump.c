#include "inspect/recording_dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/header.h>
#include <pdconv/reader.h>
#include <pdconv/trace_value.h>
#include <pdconv/visitor.h>

#include "base/names/nearest.h"
#include "base/number.h"
#include "inspect/dump_printer.h"
#include "parse/open_file.h"

struct dump {
	struct pd_file *file;
	const struct inspect_dump_opts *opts;
	struct inspect_dump_printer printer;
	/** Record types to print; empty: all. */
	PD_VEC(uint32_t) types;
	uint64_t n_parts;
};

/* The file header is not a record. It has a type number here that no record can have. */
enum { TYPE_FILE_HEADER = 0 };

static const char file_header_name[] = "HEADER";

/*
 * Find the type of @p word's name, or of its number. Errors: USAGE, with the name that is nearest.
 */
static struct pd_error *parse_type(struct base_nearest *word, uint32_t *ret)
{
	size_t n;
	const struct pd_layout *const *layouts = pd_layouts(&n);
	const char *end;
	uint64_t number;

	/* The file header is not in the table of records: it is tried as one more name. */
	for (size_t i = 0; i <= n; i++) {
		const char *name = i < n ? layouts[i]->name : file_header_name;

		if (strlen(name) == word->len && !strncasecmp(name, word->word, word->len)) {
			*ret = i < n ? layouts[i]->type : TYPE_FILE_HEADER;
			return NULL;
		}
		base_nearest_try(word, name);
	}
	if (base_number_parse(word->word, UINT32_MAX, &end, &number) &&
		end == word->word + word->len) {
		*ret = (uint32_t)number;
		return NULL;
	}
	return pd_error_create(PD_ERROR_USAGE, NULL, "unknown record type '%.*s'%s%s%s",
		(int)word->len, word->word, word->name ? ": did you mean '" : "",
		word->name ? word->name : "", word->name ? "'?" : "");
}

static struct pd_error *parse_types(struct dump *d)
{
	const char *at = d->opts->types;

	while (at && *at) {
		const char *end = strchrnul(at, ',');
		struct base_nearest word;
		uint32_t type = 0;

		base_nearest_init(&word, at, (size_t)(end - at));
		struct pd_error *err = parse_type(&word, &type);
		if (err)
			return err;
		if (!pd_vec_push(&d->types, type))
			return &pd_enomem;
		at = *end ? end + 1 : end;
	}
	return NULL;
}

static bool is_wanted(const struct dump *d, uint32_t type, uint64_t offset)
{
	bool is_type = !d->types.n;

	for (size_t i = 0; i < d->types.n && !is_type; i++)
		is_type = d->types.data[i] == type;
	return is_type && offset >= d->opts->offset;
}

/* Whether the limit is reached, or the output cannot be written. */
static bool has_enough(const struct dump *d)
{
	return ferror_unlocked(d->printer.out) || (d->opts->limit && d->n_parts >= d->opts->limit);
}

/* The name of a record type, or its number, written to @p buf. */
static const char *type_name(uint32_t type, char buf[static 16])
{
	const char *name = pd_record_name(type);

	if (name)
		return name;
	snprintf(buf, 16, "%" PRIu32, type);
	return buf;
}

static void print_value(const struct dump *d, struct pd_value value)
{
	d->printer.visitor.value(d->printer.visitor.ctx, &value);
}

static void print_trace_value(const struct dump *d, const struct pd_trace_value *trace)
{
	struct pd_value value = {
		.name = trace->name,
		.format = trace->is_address ? PD_FMT_HEX : PD_FMT_DEC,
		.size = 8,
		.view = trace->data,
	};

	switch (trace->kind) {
	case PD_TRACE_SIGNED:
		value.format = PD_FMT_SIGNED;
		/* fallthrough */
	case PD_TRACE_UNSIGNED:
		value.type = PD_VALUE_UINT;
		value.number = trace->number.u;
		break;
	case PD_TRACE_STRING:
		value.type = PD_VALUE_TEXT;
		value.text = (struct pd_str){ (const char *)trace->data.data, trace->data.n, 0 };
		break;
	case PD_TRACE_ARRAY:
		value.type = PD_VALUE_UINTS;
		if (trace->is_signed)
			value.format = PD_FMT_SIGNED;
		break;
	case PD_TRACE_BYTES:
		value.type = PD_VALUE_BYTES;
		break;
	case PD_TRACE_OUTSIDE:
		return;
	}
	print_value(d, value);
}

/* Print the raw data of a tracepoint sample by field name. */
static void print_trace(
	const struct dump *d, const struct pd_record *rec, const struct pd_event *event)
{
	const struct pd_visitor *visitor = &d->printer.visitor;
	const struct pd_tracepoint *tracepoint = NULL;
	struct pd_trace_value value;
	struct pd_sample sample;
	const char *field;

	if (d->file->tracing && event->attr.type == PD_TYPE_TRACEPOINT)
		tracepoint = pd_tracing_find(d->file->tracing, event->attr.config);
	if (!tracepoint || pd_sample_decode(&event->plan, rec, &sample, &field) == PD_SAMPLE_SHORT)
		return;
	struct pd_trace_values it = pd_trace_values(d->file->tracing, tracepoint, &sample.raw);
	visitor->enter(visitor->ctx, "trace", false);
	while (pd_trace_next(&it, &value))
		print_trace_value(d, &value);
	visitor->leave(visitor->ctx);
}

static void dump_record(struct dump *d, const struct pd_record *rec)
{
	const struct pd_events *events = &d->file->events;
	const struct pd_event *event = pd_events_find(events, rec);
	char buf[16];

	struct inspect_dump_part part = {
		.type = type_name(rec->type, buf),
		.path = rec->part ? pd_file_part_path(d->file, rec->part) : NULL,
		.event = event ? event->name : NULL,
		.offset = rec->offset,
		.bytes = { .data = rec->bytes, .elem_size = 1, .swap = rec->swap, .n = rec->size },
		.misc = rec->misc,
		.has_misc = true,
		.is_compressed = rec->is_unpacked,
		.outside_size = rec->outside_size,
	};
	union pd_body body;
	const char *wrong;

	/* The name of the feature is printed first, but its number is in the body. */
	if (rec->type == PD_RECORD_FEATURE && pd_record_decode(rec, 0, &body, &wrong) &&
		body.header_feature.feat_id < PD_N_FEATURE_BITS)
		part.feature = pd_feature_name((unsigned)body.header_feature.feat_id);
	inspect_dump_begin(&d->printer, &part);
	pd_visit_record(rec, pd_events_plan(events, rec), &d->file->env, &d->printer.visitor);
	/*
	 * Tracing data describes the fields of raw data. Visiting follows the attr only, and shows
	 * bytes.
	 */
	if (rec->type == PD_RECORD_SAMPLE && event)
		print_trace(d, rec, event);
	inspect_dump_end(&d->printer);
	d->n_parts++;
}

static void dump_bytes(struct dump *d, const char *type, uint64_t offset,
	const struct pd_layout *layout, struct pd_view bytes)
{
	const struct inspect_dump_part part = {
		.type = type,
		.offset = offset,
		.bytes = bytes,
	};

	inspect_dump_begin(&d->printer, &part);
	pd_visit_layout(layout, bytes, bytes.data, &d->file->env, &d->printer.visitor);
	inspect_dump_end(&d->printer);
	d->n_parts++;
}

static void dump_file_header(struct dump *d)
{
	const struct pd_file *file = d->file;
	struct pd_view bytes = {
		.data = file->start, .elem_size = 1, .swap = file->swap, .n = file->header.size
	};
	bool is_short = bytes.n < PD_HEADER_BYTES;

	/* The header of a stream was consumed when it was opened. */
	if (!bytes.data || !is_wanted(d, TYPE_FILE_HEADER, 0))
		return;
	if (!file->is_pipe)
		bytes.n = is_short ? PD_HEADER_BYTES_WITHOUT_FEATURES : PD_HEADER_BYTES;
	dump_bytes(d, file_header_name, 0,
		file->is_pipe ? &pd_layout_pipe_header : &pd_layout_file_header, bytes);
}

/* Print the attrs in the table of the file header as if they were ATTR records, with their ids. */
static void dump_attrs(struct dump *d)
{
	const struct pd_file *file = d->file;
	const struct pd_visitor *visitor = &d->printer.visitor;
	char buf[16];

	/* A stream has ATTR records of its events, which dump_records() prints. */
	for (size_t i = 0; i < file->events.list.n && !file->is_pipe && !has_enough(d); i++) {
		const struct pd_event *event = &file->events.list.data[i];
		const struct inspect_dump_part part = {
			.type = type_name(PD_RECORD_ATTR, buf),
			.offset = event->offset,
			.bytes = event->wire,
			.event = event->name,
		};

		if (!is_wanted(d, PD_RECORD_ATTR, event->offset))
			continue;
		inspect_dump_begin(&d->printer, &part);
		visitor->enter(visitor->ctx, "attr", false);
		pd_visit_attr(event->wire, event->wire.data, visitor);
		visitor->leave(visitor->ctx);
		/*
		 * In an ATTR record the ids follow the attr. A file keeps them in another section.
		 */
		print_value(d, (struct pd_value){
				       .name = "ids",
				       .type = PD_VALUE_UINTS,
				       .format = PD_FMT_HEX,
				       .at = event->wire.n,
				       .view = { .data = (const uint8_t *)event->ids.data,
					       .elem_size = 8,
					       .n = event->ids.n },
			       });
		inspect_dump_end(&d->printer);
		d->n_parts++;
	}
}

static void dump_feature(struct dump *d, unsigned bit, const struct pd_feature *feature)
{
	const struct pd_file *file = d->file;
	const struct pd_visitor *visitor = &d->printer.visitor;
	/* perf writes an empty section for a feature that it could not read. */
	const struct pd_layout *layout = feature->size ? pd_feature_layout(bit) : NULL;
	struct pd_view bytes = pd_file_feature_bytes(file, bit);
	char buf[16];
	const struct inspect_dump_part part = {
		.type = type_name(PD_RECORD_FEATURE, buf),
		.offset = feature->offset,
		.bytes = bytes,
		.feature = pd_feature_name(bit),
	};

	inspect_dump_begin(&d->printer, &part);
	print_value(
		d, (struct pd_value){ .name = "feat_id", .type = PD_VALUE_UINT, .number = bit });
	visitor->enter(visitor->ctx, "data", false);
	if (bytes.n)
		pd_visit_layout(
			layout ? layout : &pd_layout_blob, bytes, bytes.data, &file->env, visitor);
	visitor->leave(visitor->ctx);
	inspect_dump_end(&d->printer);
	d->n_parts++;
}

/*
 * Print the feature sections of a file, which correspond to the HEADER_FEATURE records of a stream.
 */
static void dump_features(struct dump *d)
{
	const struct pd_file *file = d->file;

	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS && !file->is_pipe && !has_enough(d); bit++) {
		const struct pd_feature *feature = &file->feature[bit];

		if (feature->is_present && is_wanted(d, PD_RECORD_FEATURE, feature->offset))
			dump_feature(d, bit, feature);
	}
}

static struct pd_error *dump_records(struct dump *d)
{
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_error *err = pd_reader_create(d->file, PD_ORDER_FILE, &reader);

	if (err)
		return err;
	while (!has_enough(d)) {
		err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			break;
		if (is_wanted(d, rec.type, rec.offset))
			dump_record(d, &rec);
	}
	pd_reader_destroy(reader);
	return err;
}

static struct pd_error *dump_parts(struct dump *d)
{
	struct pd_error *err = parse_types(d);

	if (err)
		return err;
	dump_file_header(d);
	dump_attrs(d);
	err = dump_records(d);
	if (err)
		return err;
	dump_features(d);
	return NULL;
}

struct pd_error *inspect_dump(struct pd_file *file, const struct inspect_dump_opts *opts, FILE *out)
{
	struct dump d = { .file = file, .opts = opts };

	inspect_dump_printer_init(&d.printer, opts, out);
	struct pd_error *err = dump_parts(&d);
	inspect_dump_printer_deinit(&d.printer);
	pd_vec_deinit(&d.types);
	return err;
}
