#include <stddef.h>

#include <pdconv/attr.h>
#include <pdconv/feature.h>

#include "base/integer.h"
#include "parse/layout_tables.h"

size_t pd_field_int_size(const struct pd_field *field)
{
	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
		return 1;
	case PD_KIND_u16:
		return 2;
	case PD_KIND_u32:
	case PD_KIND_attr_size:
		return 4;
	case PD_KIND_u64:
		return 8;
	default:
		return 0;
	}
}

uint64_t pd_field_uint(const struct pd_field *field, const void *body)
{
	const char *at = (const char *)body + field->offset;

	return base_load_uint(at, pd_field_int_size(field), false);
}

static uint64_t counted(const struct pd_field *field, const void *body)
{
	return pd_field_uint(field - field->back, body);
}

/* Decode text in a field of room bytes, which ends at the first NUL or with the field. */
static struct pd_str decode_chars(struct pd_cursor *c, uint64_t room)
{
	const uint8_t *bytes = pd_cursor_bytes(c, room);
	struct pd_str str = { .s = (const char *)bytes };

	if (bytes) {
		str.len = strnlen(str.s, room);
		str.room = (uint32_t)room;
	}
	return str;
}

/*
 * Size of the text in a field of bytes. perf ends EVENT_TYPE (until 3.10) and AUXTRACE_ERROR after
 * the text.
 */
static uint64_t chars_room(const struct pd_field *field, const struct pd_cursor *c)
{
	uint64_t left = pd_cursor_left(c);

	return left && left < field->size ? left : field->size;
}

static struct pd_build_id decode_build_id(struct pd_cursor *c)
{
	const uint8_t *p = pd_cursor_bytes(c, 4 + PD_BUILD_ID_MAX);
	struct pd_build_id id = { 0 };

	if (p) {
		id.len = p[0] < PD_BUILD_ID_MAX ? p[0] : PD_BUILD_ID_MAX;
		memcpy(id.bytes, p + 4, id.len);
	}
	return id;
}

/*
 * Size of a sized field: the value of the counting field minus field->size, because that size may
 * include other fields. 0 and overrun if it is smaller than that.
 */
static uint64_t sized_bytes(const struct pd_field *field, const void *body, struct pd_cursor *c)
{
	uint64_t size = counted(field, body);

	if (size < field->size) {
		c->overrun = true;
		return 0;
	}
	return size - field->size;
}

static bool decode_elem(
	const struct pd_layout *elem, struct pd_cursor *c, struct pd_layout_env *env)
{
	union pd_any_struct body;
	struct pd_layout_fault fault;

	return pd_layout_decode(elem, c, env, &body, &fault);
}

/*
 * Decode up to max structs. A list up to the end stops before a truncated struct, which is not an
 * error.
 */
static struct pd_list decode_list(
	const struct pd_field *field, struct pd_cursor *c, struct pd_layout_env *env, uint64_t max)
{
	struct pd_list list = { .data = c->pos, .swap = c->swap };
	bool to_the_end = field->kind == PD_KIND_all;

	/*
	 * Only determine the extent, and decode again when the list is iterated: max comes from the
	 * input, so nothing may be allocated for that many structs.
	 */
	while (list.n < max && (!to_the_end || pd_cursor_left(c))) {
		struct pd_cursor before = *c;

		if (!decode_elem(field->elem, c, env)) {
			if (!to_the_end)
				c->overrun = true;
			else
				*c = before;
			break;
		}
		list.n++;
	}
	list.size = (uint64_t)(c->pos - list.data);
	return list;
}

static uint64_t attr_bytes(struct pd_cursor c, const struct pd_layout_env *env)
{
	if (env->attr_size)
		return env->attr_size;
	pd_cursor_bytes(&c, 4);
	uint32_t size = pd_cursor_u32(&c);
	return size ? size : PD_ATTR_MIN_BYTES;
}

void parse_field_decode(
	const struct pd_field *field, struct pd_cursor *c, struct pd_layout_env *env, void *body)
{
	void *to = (char *)body + field->offset;
	size_t size;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
	case PD_KIND_u16:
	case PD_KIND_u32:
	case PD_KIND_u64:
		size = pd_field_int_size(field);
		base_store_uint(to, size, false, base_cursor_uint(c, size));
		break;
	case PD_KIND_attr_size:
		env->attr_size = *(uint32_t *)to = pd_cursor_u32(c);
		break;
	case PD_KIND_str: {
		struct pd_str *str = to;
		*str = (struct pd_str){ 0 };
		str->s = pd_cursor_str(c, &str->len);
		break;
	}
	case PD_KIND_text:
		*(struct pd_str *)to = decode_chars(c, pd_cursor_u32(c));
		break;
	case PD_KIND_chars:
		*(struct pd_str *)to = decode_chars(c, chars_room(field, c));
		break;
	case PD_KIND_sized_text:
		*(struct pd_str *)to = decode_chars(c, sized_bytes(field, body, c));
		break;
	case PD_KIND_raw:
		*(const uint8_t **)to = pd_cursor_bytes(c, field->size);
		break;
	case PD_KIND_build_id:
		*(struct pd_build_id *)to = decode_build_id(c);
		break;
	case PD_KIND_bytes:
		*(struct pd_view *)to = pd_view_take(c, 1, pd_cursor_left(c));
		break;
	case PD_KIND_sized:
		*(struct pd_view *)to = pd_view_take(c, 1, sized_bytes(field, body, c));
		break;
	case PD_KIND_array:
		*(struct pd_view *)to = pd_view_take(c, field->size, counted(field, body));
		break;
	case PD_KIND_bitmap: {
		uint64_t bits = counted(field, body);
		*(struct pd_view *)to = pd_view_take(c, 8, bits / 64 + !!(bits % 64));
		break;
	}
	case PD_KIND_all_array:
		*(struct pd_view *)to =
			pd_view_take(c, field->size, pd_cursor_left(c) / field->size);
		break;
	case PD_KIND_list:
		*(struct pd_list *)to = decode_list(field, c, env, counted(field, body));
		break;
	case PD_KIND_all:
		*(struct pd_list *)to = decode_list(field, c, env, UINT64_MAX);
		break;
	case PD_KIND_cpus: {
		/* Earlier versions of the feature end before the array, so it may be absent. */
		uint64_t fit = pd_cursor_left(c) / field->elem->struct_size;
		uint64_t n = env->n_cpus && pd_cursor_left(c) ? env->n_cpus : fit;
		*(struct pd_list *)to = decode_list(field, c, env, n);
		break;
	}
	case PD_KIND_attr:
		*(struct pd_view *)to = pd_view_take(c, 1, attr_bytes(*c, env));
		break;
	}
}

const char *parse_field_overrun_text(const struct pd_field *field)
{
	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_str:
		return "string is not terminated";
	case PD_KIND_text:
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_list:
	case PD_KIND_sized:
	case PD_KIND_sized_text:
		return "array is longer than the record";
	default:
		return "record is too short";
	}
}

bool pd_layout_decode(const struct pd_layout *layout, struct pd_cursor *c,
	struct pd_layout_env *env, void *ret, struct pd_layout_fault *fault)
{
	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];

		parse_field_decode(field, c, env, ret);
		if (c->overrun) {
			*fault = (struct pd_layout_fault){
				.field = field,
				.message = parse_field_overrun_text(field),
			};
			return false;
		}
	}
	return true;
}

bool pd_list_next(struct pd_list_iter *iter, const struct pd_layout *elem, void *ret)
{
	struct pd_layout_fault fault;

	if (!iter->left)
		return false;
	iter->left--;
	return pd_layout_decode(elem, &iter->c, &iter->env, ret, &fault);
}

/* Append text, padded with zeros to room bytes. */
static void encode_chars(const struct pd_str *str, size_t room, struct pd_bytes *out)
{
	size_t len = str->len < room ? str->len : room;

	pd_bytes_put(out, str->s, len);
	pd_bytes_zeros(out, room - len);
}

/* Size of the field of a text: as it was read, unless it is new. */
static size_t room_of(const struct pd_str *str, const struct pd_field *field)
{
	return str->room && str->room < field->size ? str->room : field->size;
}

enum { TEXT_ALIGN = 64 };

/* Append a text with its size. Without a given size it is padded to 64 bytes, as perf does. */
static void encode_text(const struct pd_str *str, struct pd_bytes *out)
{
	size_t room = str->room;

	if (!room)
		room = (str->len + 1 + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;
	pd_bytes_u32(out, (uint32_t)room);
	encode_chars(str, room, out);
}

static void encode_build_id(const struct pd_build_id *id, struct pd_bytes *out)
{
	pd_bytes_u8(out, id->len);
	pd_bytes_zeros(out, 3);
	pd_bytes_put(out, id->bytes, id->len);
	pd_bytes_zeros(out, PD_BUILD_ID_MAX - id->len);
}

static void encode_array(const struct pd_view *view, struct pd_bytes *out)
{
	struct pd_cursor c = pd_view_cursor(view);

	if (view->swap == out->swap || view->elem_size == 1) {
		pd_bytes_put(out, view->data, view->n * view->elem_size);
		return;
	}
	for (uint64_t i = 0; i < view->n; i++)
		pd_bytes_uint(out, base_cursor_uint(&c, view->elem_size), view->elem_size);
}

static void encode_list(const struct pd_field *field, const struct pd_list *list,
	const struct pd_layout_env *env, struct pd_bytes *out)
{
	struct pd_list_iter iter = pd_list_iter(list, env);
	union pd_any_struct body;

	while (pd_list_next(&iter, field->elem, &body))
		pd_layout_encode(field->elem, &body, env, out);
}

/*
 * Append bytes that have a layout, converted to the byte order of out. Bytes after the last field
 * are copied unchanged, and so are all of them if the layout does not fit.
 */
static void encode_as(const struct pd_field *field, const void *whole, const struct pd_view *view,
	const struct pd_layout_env *env, struct pd_bytes *out)
{
	const struct pd_layout *layout = field->select ? field->select(whole, *view) : NULL;
	struct pd_cursor c = pd_view_cursor(view);
	struct pd_layout_env inner = *env;
	struct pd_layout_fault fault;
	union pd_any_struct body;

	if (layout && view->swap != out->swap &&
		pd_layout_decode(layout, &c, &inner, &body, &fault)) {
		pd_layout_encode(layout, &body, &inner, out);
		pd_bytes_put(out, c.pos, pd_cursor_left(&c));
		return;
	}
	pd_bytes_put(out, view->data, view->n);
}

static void encode_field(const struct pd_field *field, const void *body, struct pd_layout_env *env,
	struct pd_bytes *out)
{
	const void *from = (const char *)body + field->offset;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_attr_size:
		env->attr_size = *(const uint32_t *)from;
		/* fallthrough */
	case PD_KIND_u8:
	case PD_KIND_u16:
	case PD_KIND_u32:
	case PD_KIND_u64:
		pd_bytes_uint(out, pd_field_uint(field, body), pd_field_int_size(field));
		break;
	case PD_KIND_str:
		pd_bytes_put(
			out, ((const struct pd_str *)from)->s, ((const struct pd_str *)from)->len);
		pd_bytes_u8(out, 0);
		break;
	case PD_KIND_text:
		encode_text(from, out);
		break;
	case PD_KIND_chars:
		encode_chars(from, room_of(from, field), out);
		break;
	case PD_KIND_sized_text:
		encode_chars(from, counted(field, body) - field->size, out);
		break;
	case PD_KIND_raw:
		pd_bytes_put(out, *(const uint8_t *const *)from, field->size);
		break;
	case PD_KIND_build_id:
		encode_build_id(from, out);
		break;
	case PD_KIND_bytes:
	case PD_KIND_sized:
		encode_as(field, body, from, env, out);
		break;
	case PD_KIND_array:
	case PD_KIND_bitmap:
	case PD_KIND_all_array:
		encode_array(from, out);
		break;
	case PD_KIND_list:
	case PD_KIND_all:
	case PD_KIND_cpus:
		encode_list(field, from, env, out);
		break;
	case PD_KIND_attr:
		pd_attr_transcode(from, out);
		break;
	}
}

void pd_layout_encode(const struct pd_layout *layout, const void *body,
	const struct pd_layout_env *env, struct pd_bytes *out)
{
	struct pd_layout_env inner = env ? *env : (struct pd_layout_env){ 0 };

	for (size_t i = 0; i < layout->n_fields; i++)
		encode_field(&layout->fields[i], body, &inner, out);
}

const struct pd_layout *parse_select_auxtrace_info(const void *body, struct pd_view bytes)
{
	const struct pd_auxtrace_info *info = body;
	enum { INTEL_PT = 1, INTEL_BTS = 2 };

	if (info->trace_type == INTEL_PT && bytes.n >= 16 * 8)
		return &pd_layout_intel_pt_info;
	if (info->trace_type == INTEL_BTS && bytes.n >= 6 * 8)
		return &pd_layout_intel_bts_info;
	return &pd_layout_auxtrace_words;
}

/* Select by fmt, if the record is long enough for that format. */
const struct pd_layout *parse_select_auxtrace_error(const void *body, struct pd_view bytes)
{
	const struct pd_auxtrace_error *error = body;

	if (error->fmt >= 2 && bytes.n >= 8 + 64 + 8)
		return &pd_layout_auxtrace_error_2;
	return error->fmt ? &pd_layout_auxtrace_error_1 : &pd_layout_auxtrace_error_0;
}

const struct pd_layout *parse_select_cpu_map(const void *body, struct pd_view bytes)
{
	const struct pd_cpu_map *map = body;
	struct pd_cursor c = pd_view_cursor(&bytes);
	enum { CPUS, MASK, RANGE };

	switch (map->map_type) {
	case CPUS:
		return &pd_layout_cpu_map_cpus;
	case MASK:
		pd_cursor_u16(&c); /* nr */
		return pd_cursor_u16(&c) == 4 ? &pd_layout_cpu_map_mask32
					      : &pd_layout_cpu_map_mask64;
	case RANGE:
		return &pd_layout_cpu_map_range;
	default:
		return NULL;
	}
}

const struct pd_layout *parse_select_event_update(const void *body, struct pd_view bytes)
{
	static const struct pd_layout *const by_type[] = {
		[PD_EVENT_UPDATE_UNIT] = &pd_layout_event_update_unit,
		[PD_EVENT_UPDATE_SCALE] = &pd_layout_event_update_scale,
		[PD_EVENT_UPDATE_NAME] = &pd_layout_event_update_name,
		[PD_EVENT_UPDATE_CPUS] = &pd_layout_cpu_map,
	};
	const struct pd_event_update *update = body;

	(void)bytes;
	return update->update_type <= PD_EVENT_UPDATE_CPUS ? by_type[update->update_type] : NULL;
}

const struct pd_layout *parse_select_schedstat_domain(const void *body, struct pd_view bytes)
{
	const struct pd_schedstat_domain *domain = body;

	(void)bytes;
	switch (domain->version) {
	case 15:
		return &pd_layout_schedstat_domain_v15;
	case 16:
		return &pd_layout_schedstat_domain_v16;
	case 17:
		return &pd_layout_schedstat_domain_v17;
	default:
		return NULL;
	}
}

/* An empty body marks the end of the features; its bit may be that of a feature in a later perf. */
const struct pd_layout *parse_select_feature(const void *body, struct pd_view bytes)
{
	const struct pd_header_feature *feature = body;

	if (bytes.data && !bytes.n)
		return NULL;
	return feature->feat_id < PD_N_FEATURE_BITS ? pd_feature_layout((unsigned)feature->feat_id)
						    : NULL;
}

/* simpleperf omits the count. Entries have two words, so a count makes the number of words odd. */
const struct pd_layout *parse_select_auxtrace_index(const void *body, struct pd_view bytes)
{
	(void)body;
	return bytes.n / 8 % 2 ? &pd_layout_auxtrace_index : &pd_layout_auxtrace_index_bare;
}

const struct pd_layout *parse_select_bpf_prog_info(const void *body, struct pd_view bytes)
{
	(void)body, (void)bytes;
	return &pd_layout_bpf_prog_info;
}

const struct pd_layout *parse_select_cpu_domains(const void *body, struct pd_view bytes)
{
	const struct pd_cpu_domain_info *info = body;
	enum { FIRST_WITH_NAMES = 17 };

	(void)bytes;
	return info->schedstat_version >= FIRST_WITH_NAMES ? &pd_layout_cpus_domains_v17
							   : &pd_layout_cpus_domains_v15;
}

const struct pd_layout *parse_select_simpleperf_file(const void *body, struct pd_view bytes)
{
	(void)body, (void)bytes;
	return &pd_layout_simpleperf_file;
}
