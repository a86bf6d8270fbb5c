/* `pdconv info --binaries`: the files that were tried for each binary, as text and as JSON. */
#include "inspect/info_binaries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/system/libc.h"
#include "base/text.h"

/* Binaries in the order of output, with the number of samples that have frames in each. */
struct listing {
	const struct profile *profile;
	uint64_t *samples;
	struct prof_binary_id *order;
};

static void count_stack(const struct listing *l, uint32_t *last, struct prof_sample_id id)
{
	const struct profile *profile = l->profile;
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, id)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct prof_binary_id binary = prof_frame(profile, frames[i])->binary;

		if (prof_is_none(binary) || last[binary.i] == id.i + 1)
			continue;
		last[binary.i] = id.i + 1;
		l->samples[binary.i] += prof_value(profile, id)->samples;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const uint64_t *samples = ctx;
	const struct prof_binary_id *x = a, *y = b;

	if (samples[x->i] != samples[y->i])
		return samples[x->i] > samples[y->i] ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static void listing_deinit(struct listing *l)
{
	free(l->samples);
	free(l->order);
}

static struct pd_error *listing_init(struct listing *l, const struct profile *profile)
{
	size_t n = profile->binaries.n;
	_cleanup_free_ uint32_t *last = base_calloc_n(n, sizeof(*last));

	*l = (struct listing){
		.profile = profile,
		.samples = base_calloc_n(n, sizeof(*l->samples)),
		.order = base_calloc_n(n, sizeof(*l->order)),
	};
	if (!last || !l->samples || !l->order) {
		listing_deinit(l);
		return &pd_enomem;
	}
	/*
	 * A stack with several frames in a binary counts once for it: last holds the last sample
	 * counted, plus 1.
	 */
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++)
		count_stack(l, last, id);
	for (struct prof_binary_id id = { 0 }; id.i < n; id.i++)
		l->order[id.i] = id;
	base_sort_with(l->order, n, sizeof(*l->order), compare, l->samples);
	return NULL;
}

/* Path of the file that was used; NULL if none was. */
static const char *taken(const struct profile *profile, struct prof_binary_id binary, bool is_debug)
{
	for (size_t i = 0; i < profile->attempts.n; i++) {
		const struct prof_attempt *a = &profile->attempts.data[i];

		if (prof_same_binary(a->binary, binary) && a->is_debug == is_debug && a->is_taken)
			return prof_string(profile, a->path);
	}
	return NULL;
}

static void write_attempt(const struct profile *profile, const struct prof_attempt *a, FILE *out)
{
	fprintf(out, "    %-11s [%s] ", a->is_debug ? "debug file" : "file",
		prof_string(profile, a->search_path));
	base_text_write_message(out, prof_string(profile, a->path));
	fputs(": ", out);
	base_text_write_message(out, prof_string(profile, a->why));
	fputc('\n', out);
}

static const char *state_of(const struct prof_binary *binary)
{
	if (!binary->has_image)
		return "no file";
	if (binary->is_mismatched)
		return "another build is used";
	if (binary->is_debug_only)
		return "only its debug file was found";
	return binary->is_found ? "found" : "not found";
}

static void write_binary(const struct listing *l, struct prof_binary_id id, FILE *out)
{
	const struct profile *profile = l->profile;
	const struct prof_binary *binary = prof_binary(profile, id);
	char hex[PD_BUILD_ID_HEX_MAX];

	base_text_write_message(out, prof_string(profile, binary->name));
	fprintf(out, ": %s, %" PRIu64 " samples, build id %s\n", state_of(binary), l->samples[id.i],
		binary->build_id.len ? pd_build_id_hex(&binary->build_id, hex) : "not known");
	if (binary->has_unusable_debug_frame)
		fputs("    .debug_frame is not usable: no FDE covers code, so its "
		      "instructions are followed\n",
			out);
	for (size_t i = 0; i < profile->attempts.n; i++) {
		if (prof_same_binary(profile->attempts.data[i].binary, id))
			write_attempt(profile, &profile->attempts.data[i], out);
	}
}

struct pd_error *inspect_info_binaries_text(const struct profile *profile, FILE *out)
{
	struct listing l;
	struct pd_error *err = listing_init(&l, profile);

	if (err)
		return err;
	for (size_t i = 0; i < profile->binaries.n; i++)
		write_binary(&l, l.order[i], out);
	for (size_t i = 0; i < profile->unused.n; i++) {
		base_text_write_message(out, prof_string(profile, profile->unused.data[i].name));
		fputs(": mapped, no samples\n", out);
	}
	listing_deinit(&l);
	return NULL;
}

static void json_attempts(
	struct base_json *json, const struct profile *profile, struct prof_binary_id id)
{
	base_json_array(json, "tried");
	for (size_t i = 0; i < profile->attempts.n; i++) {
		const struct prof_attempt *a = &profile->attempts.data[i];

		if (!prof_same_binary(a->binary, id))
			continue;
		base_json_object(json, NULL);
		base_json_str(json, "for", a->is_debug ? "debug file" : "file");
		base_json_str(json, "place", prof_string(profile, a->search_path));
		base_json_str(json, "path", prof_string(profile, a->path));
		base_json_bool(json, "taken", a->is_taken);
		base_json_str(json, "why", prof_string(profile, a->why));
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void json_binary(struct base_json *json, const struct listing *l, struct prof_binary_id id)
{
	const struct profile *profile = l->profile;
	const struct prof_binary *binary = prof_binary(profile, id);
	const char *file = taken(profile, id, false), *debug = taken(profile, id, true);
	char hex[PD_BUILD_ID_HEX_MAX];

	base_json_object(json, NULL);
	base_json_str(json, "filename", prof_string(profile, binary->name));
	base_json_str(json, "state", state_of(binary));
	base_json_uint(json, "samples", l->samples[id.i]);
	if (binary->build_id.len)
		base_json_str(json, "build_id", pd_build_id_hex(&binary->build_id, hex));
	if (file)
		base_json_str(json, "file", file);
	if (debug)
		base_json_str(json, "debug_file", debug);
	if (binary->has_unusable_debug_frame)
		base_json_bool(json, "unusable_debug_frame", true);
	json_attempts(json, profile, id);
	base_json_end(json, '}');
}

static void json_unused(struct base_json *json, const struct profile *profile)
{
	char hex[PD_BUILD_ID_HEX_MAX];

	base_json_array(json, "unused");
	for (size_t i = 0; i < profile->unused.n; i++) {
		const struct prof_unused *unused = &profile->unused.data[i];

		base_json_object(json, NULL);
		base_json_str(json, "filename", prof_string(profile, unused->name));
		if (unused->build_id.len)
			base_json_str(json, "build_id", pd_build_id_hex(&unused->build_id, hex));
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

struct pd_error *inspect_info_binaries_json(const struct profile *profile, FILE *out)
{
	struct base_json json = { .out = out, .indent = 2 };
	struct listing l;
	struct pd_error *err = listing_init(&l, profile);

	if (err)
		return err;
	base_json_object(&json, NULL);
	base_json_array(&json, "binaries");
	for (size_t i = 0; i < profile->binaries.n; i++)
		json_binary(&json, &l, l.order[i]);
	base_json_end(&json, ']');
	json_unused(&json, profile);
	base_json_end(&json, '}');
	putc_unlocked('\n', out);
	listing_deinit(&l);
	return NULL;
}
