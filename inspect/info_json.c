/* JSON of `pdconv info`: one object. Keys use the names of perf and of the kernel. */
#include "inspect/info_json.h"

#include <inttypes.h>

#include <pdconv/bytes.h>

#include "base/array.h"
#include "base/json.h"
#include "inspect/dump_printer.h"
#include "parse/meta_info.h"
#include "parse/open_file.h"

static const char *mode(const struct pd_file *file)
{
	if (file->is_pipe)
		return "pipe";
	return file->parts.n > 1 ? "dir" : "file";
}

static void write_bits(
	struct base_json *json, const char *key, uint64_t bits, const struct pd_bit_names *names)
{
	char number[16];

	base_json_array(json, key);
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = bit < names->n ? names->names[bit] : NULL;

		if (!(bits >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "bit%u", bit);
		base_json_str(json, NULL, name ? name : number);
	}
	base_json_end(json, ']');
}

static void write_tags(struct base_json *json, const struct pd_file *file)
{
	const char *key, *value;
	size_t at = 0;

	base_json_object(json, "tags");
	while (parse_meta_info_next_tag(file, &at, &key, &value))
		base_json_str(json, key, value);
	base_json_end(json, '}');
}

static void write_header(struct base_json *json, const struct pd_file *file)
{
	char number[16];

	base_json_str(json, "path", file->path);
	base_json_str(json, "mode", mode(file));
	base_json_str(json, "endian", pd_is_big_endian(file->swap) ? "big" : "little");
	base_json_uint(json, "header_version", (uint64_t)file->version);
	base_json_uint(json, "header_size", file->header.size);
	/* The header of a stream holds only magic and size (struct perf_pipe_file_header). */
	if (!file->is_pipe)
		base_json_uint(json, "attr_size", file->header.attr_size);
	base_json_bool(json, "is_unfinished", file->is_unfinished);
	base_json_array(json, "features");
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (!file->feature[bit].is_present)
			continue;
		snprintf(number, sizeof(number), "%u", bit);
		base_json_str(json, NULL, pd_feature_name(bit) ? pd_feature_name(bit) : number);
	}
	base_json_end(json, ']');
	base_json_str(json, "hostname", file->text[PD_FEATURE_HOSTNAME]);
	base_json_str(json, "os_release", file->text[PD_FEATURE_OSRELEASE]);
	base_json_str(json, "arch", file->text[PD_FEATURE_ARCH]);
	base_json_str(json, "perf_version", file->text[PD_FEATURE_VERSION]);
	base_json_str(json, "cpudesc", file->text[PD_FEATURE_CPUDESC]);
	base_json_str(json, "cpuid", file->text[PD_FEATURE_CPUID]);
	base_json_array(json, "cmdline");
	for (size_t i = 0; i < file->cmdline.n; i++)
		base_json_str(json, NULL, file->cmdline.data[i]);
	base_json_end(json, ']');
	write_tags(json, file);
}

static void write_event(struct base_json *json, const struct pd_event *event,
	const struct inspect_info_event *count)
{
	base_json_object(json, NULL);
	base_json_str(json, "name", event->name);
	base_json_uint(json, "type", event->attr.type);
	base_json_uint(json, "config", event->attr.config);
	base_json_uint(json, "attr_size", event->attr.size);
	/* In perf_event_attr sample_period and sample_freq are a union; the flag freq selects. */
	base_json_uint(json,
		pd_attr_has(&event->attr, PD_ATTR_freq) ? "sample_freq" : "sample_period",
		event->attr.sample_period);
	write_bits(json, "sample_type", event->attr.sample_type, &pd_names_sample_type);
	write_bits(json, "read_format", event->attr.read_format, &pd_names_read_format);
	base_json_array(json, "ids");
	for (size_t i = 0; i < event->ids.n; i++)
		base_json_uint(json, NULL, event->ids.data[i]);
	base_json_end(json, ']');
	base_json_uint(json, "samples", count->samples);
	base_json_uint(json, "period_sum", count->period_sum);
	base_json_end(json, '}');
}

static void write_events(struct base_json *json, const struct inspect_info *info)
{
	const struct pd_events *events = &info->file->events;
	static const struct inspect_info_event none;

	base_json_array(json, "events");
	for (size_t i = 0; i < events->list.n; i++)
		write_event(json, &events->list.data[i],
			i + 1 < info->events.n ? &info->events.data[i + 1] : &none);
	base_json_end(json, ']');
	base_json_uint(
		json, "unattributed_samples", info->events.n ? info->events.data[0].samples : 0);
}

static void write_records(struct base_json *json, const struct inspect_info *info)
{
	char number[16];

	base_json_object(json, "records");
	for (size_t i = 0; i < info->records.n; i++) {
		const struct inspect_info_count *count = &info->records.data[i];
		const struct pd_layout *layout = pd_layout_find(count->type, 0);

		snprintf(number, sizeof(number), "%" PRIu32, count->type);
		base_json_uint(json, layout ? layout->name : number, count->n);
	}
	base_json_end(json, '}');
}

static void write_samples(struct base_json *json, const struct inspect_info *info)
{
	char number[4];

	base_json_uint(json, "samples", info->n_samples);
	base_json_uint(json, "damaged_samples", info->n_damaged);
	base_json_uint(json, "period_sum", info->period_sum);
	base_json_uint(json, "distinct_pids", info->pids.n);
	base_json_uint(json, "distinct_tids", info->tids.n);
	base_json_object(json, "samples_by_cpumode");
	for (unsigned i = 0; i < INSPECT_INFO_N_CPUMODES; i++) {
		if (!info->samples_by_cpumode[i])
			continue;
		snprintf(number, sizeof(number), "%u", i);
		base_json_uint(json, number, info->samples_by_cpumode[i]);
	}
	base_json_end(json, '}');
	base_json_uint(json, "first_sample_time_ns", info->first_ns);
	base_json_uint(json, "last_sample_time_ns", info->last_ns);
	base_json_uint(json, "callchain_samples", info->n_callchains);
	base_json_uint(json, "callchain_entries", info->callchain_entries);
	base_json_uint(json, "branch_samples", info->n_branch_stacks);
	base_json_uint(json, "branch_entries", info->branch_entries);
	base_json_uint(json, "user_regs_samples", info->n_user_regs);
	base_json_uint(json, "user_stack_samples", info->n_user_stacks);
	base_json_uint(json, "user_stack_bytes", info->user_stack_bytes);
	base_json_uint(json, "full_user_stacks", info->n_full_stacks);
}

/*
 * Write the number of samples that each filter left out, by the name of the filter. Filters without
 * effect are not listed.
 */
static void write_filtered(struct base_json *json, const struct profile *profile)
{
	uint64_t n_filtered = profile ? prof_n_filtered(profile) : 0;

	if (!n_filtered)
		return;
	base_json_uint(json, "wanted_samples", profile->stats.n_samples - n_filtered);
	base_json_object(json, "filtered_samples");
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (profile->stats.filtered[i])
			base_json_uint(json, prof_filter_name((enum prof_filter_kind)i),
				profile->stats.filtered[i]);
	}
	base_json_end(json, '}');
}

static void write_names(struct base_json *json, const struct inspect_info *info, size_t limit)
{
	char hex[PD_BUILD_ID_HEX_MAX];

	base_json_array(json, "comms");
	for (uint32_t i = 0; i < info->comms.n && i < limit; i++)
		base_json_text(json, NULL, base_intern_bytes(&info->comms, i),
			base_intern_len(&info->comms, i));
	base_json_end(json, ']');
	base_json_array(json, "build_ids");
	for (size_t i = 0; i < info->build_ids.n && i < limit; i++) {
		const struct inspect_info_build_id *entry = &info->build_ids.data[i];

		pd_build_id_hex(&entry->id, hex);
		base_json_object(json, NULL);
		base_json_str(json, "build_id", hex);
		base_json_str(json, "filename", base_intern_bytes(&info->names, entry->name));
		base_json_str(json, "source", entry->is_listed ? "header" : "mmap2");
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void write_feature(struct base_json *json, const struct pd_file *file, unsigned bit)
{
	const struct pd_feature *feature = &file->feature[bit];
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct pd_view bytes = pd_file_feature_bytes(file, bit);
	struct inspect_dump_opts opts = { .json = true };
	struct inspect_dump_printer printer;
	char number[16];

	snprintf(number, sizeof(number), "%u", bit);
	base_json_object(json, pd_feature_name(bit) ? pd_feature_name(bit) : number);
	base_json_uint(json, "size", feature->size);
	if (feature->size && layout && !inspect_info_is_bulk(bit)) {
		/*
		 * The printer continues the object that was begun above, so it takes over the state
		 * of the writer and returns it.
		 */
		inspect_dump_printer_init(&printer, &opts, json->out);
		printer.json = *json;
		pd_visit_layout(layout, bytes, bytes.data, &file->env, &printer.visitor);
		*json = printer.json;
		inspect_dump_printer_deinit(&printer);
	}
	base_json_end(json, '}');
}

/* Write the bodies of the features, except for those that are long or shown elsewhere. */
static void write_features(struct base_json *json, const struct pd_file *file)
{
	base_json_object(json, "header");
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (file->feature[bit].is_present)
			write_feature(json, file, bit);
	}
	base_json_end(json, '}');
}

static void write_value(struct base_json *json, const char *key, const struct prof_value *value)
{
	base_json_object(json, key);
	base_json_uint(json, "samples", value->samples);
	base_json_uint(json, "period", value->period);
	base_json_end(json, '}');
}

static void write_ends(
	struct base_json *json, const struct prof_value ends[static PD_N_UNWIND_ENDS])
{
	base_json_object(json, "ends");
	for (size_t end = 0; end < PD_N_UNWIND_ENDS; end++) {
		if (ends[end].samples)
			write_value(json, pd_unwind_end_name(end), &ends[end]);
	}
	base_json_end(json, '}');
}

static void write_account(struct base_json *json, const struct advice_unwind_stats *account)
{
	write_value(json, "walked", &account->walked);
	write_ends(json, account->ends);
}

static void write_event_walks(struct base_json *json, const struct inspect_info *info)
{
	const struct profile *profile = info->profile;

	base_json_array(json, "events");
	for (size_t i = 0; i < profile->events.n; i++) {
		base_json_object(json, NULL);
		base_json_str(json, "event", prof_string(profile, profile->events.data[i].name));
		base_json_uint(json, "stack_bytes", profile->events.data[i].stack_bytes);
		write_account(json, &info->quality.unwinds.events.data[i]);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/* Number of threads with unwinds. */
static size_t count_walked_threads(const struct inspect_info *info)
{
	size_t n = 0;

	for (size_t i = 0; info->profile && i < info->profile->threads.n; i++)
		n += info->quality.unwinds.threads.data[i].walked.samples != 0;
	return n;
}

static void write_thread_walks(
	struct base_json *json, const struct inspect_info *info, size_t limit)
{
	const struct profile *profile = info->profile;
	size_t n = 0;

	base_json_array(json, "threads");
	for (struct prof_thread_id id = { 0 }; id.i < profile->threads.n; id.i++) {
		const struct prof_thread *thread = prof_thread(profile, id);

		if (!info->quality.unwinds.threads.data[id.i].walked.samples || n++ >= limit)
			continue;
		base_json_object(json, NULL);
		base_json_int(json, "pid", (int32_t)thread->pid);
		base_json_int(json, "tid", (int32_t)thread->tid);
		base_json_str(json, "comm", prof_string(profile, thread->comm));
		write_account(json, &info->quality.unwinds.threads.data[id.i]);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/* Write the binaries, and why unwinds ended in them. */
static void write_binary_walks(struct base_json *json, const struct profile *profile, size_t limit)
{
	base_json_array(json, "binaries");
	for (size_t i = 0; i < profile->binaries.n && i < limit; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];
		const char *why = prof_string(profile, binary->why);

		base_json_object(json, NULL);
		base_json_str(json, "filename", prof_string(profile, binary->name));
		if (why[0])
			base_json_str(json, "why", why);
		write_ends(json, binary->ends);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/* Write how the unwinds of the recording ended. */
static void write_walks(struct base_json *json, const struct inspect_info *info, size_t limit)
{
	if (!info->profile)
		return;
	base_json_object(json, "walks");
	base_json_uint(json, "frames", info->profile->stats.n_frames);
	base_json_uint(json, "frames_by_fp", info->profile->stats.n_fp_frames);
	write_account(json, &info->quality.unwinds.all);
	write_event_walks(json, info);
	write_thread_walks(json, info, limit);
	write_binary_walks(json, info->profile, limit);
	base_json_end(json, '}');
}

/* Write how many elements the limit left out of each list. */
static void write_left_out(struct base_json *json, const struct inspect_info *info, size_t limit)
{
	const struct {
		const char *key;
		size_t n;
	} lists[] = {
		{ "comms", info->comms.n },
		{ "build_ids", info->build_ids.n },
		{ "threads", count_walked_threads(info) },
		{ "binaries", info->profile ? info->profile->binaries.n : 0 },
	};

	base_json_object(json, "left_out");
	for (size_t i = 0; i < PD_ARRAY_LEN(lists); i++)
		base_json_uint(json, lists[i].key, lists[i].n > limit ? lists[i].n - limit : 0);
	base_json_end(json, '}');
}

void inspect_info_json(const struct inspect_info *info, size_t limit, FILE *out)
{
	struct base_json json = { .out = out, .indent = 2 };

	base_json_object(&json, NULL);
	write_header(&json, info->file);
	write_events(&json, info);
	write_records(&json, info);
	write_samples(&json, info);
	write_filtered(&json, info->profile);
	base_json_uint(&json, "lost", info->lost);
	base_json_uint(&json, "lost_samples", info->lost_samples);
	base_json_uint(&json, "throttled", info->n_throttled);
	base_json_uint(&json, "gaps", info->file->gaps.n);
	base_json_uint(&json, "gap_bytes", info->file->gaps.bytes);
	base_json_uint(&json, "samples_after_gaps", info->n_after_gaps);
	write_walks(&json, info, limit);
	write_names(&json, info, limit);
	write_left_out(&json, info, limit);
	write_features(&json, info->file);
	base_json_end(&json, '}');
	putc_unlocked('\n', out);
}
