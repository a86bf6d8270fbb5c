/* Text of `pdconv info`. */
#include "inspect/info_text.h"

#include <inttypes.h>
#include <string.h>

#include <pdconv/bytes.h>
#include <pdconv/names.h>

#include "base/plural.h"
#include "base/text.h"
#include "inspect/dump_printer.h"
#include "output/quality_text.h"
#include "parse/meta_info.h"
#include "parse/open_file.h"

static void write_text(FILE *out, const char *what, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(out, "%-14s ", what);
	base_text_write_message(out, text);
	fputc('\n', out);
}

static void write_container(const struct pd_file *file, FILE *out)
{
	const char *mode = file->is_pipe ? "stream (pipe mode)" : "file";

	if (!file->is_pipe && file->parts.n > 1)
		mode = "directory";
	write_text(out, "recording", file->path);
	fprintf(out, "%-14s %s, version %d, %s-endian, header of %" PRIu64 " bytes", "format", mode,
		file->version, pd_is_big_endian(file->swap) ? "big" : "little", file->header.size);
	if (!file->is_pipe)
		fprintf(out, ", attr entries of %" PRIu64, file->header.attr_size);
	if (file->is_unfinished)
		fputs(", unfinished", out);
	fputc('\n', out);
}

static void write_host(const struct pd_file *file, FILE *out)
{
	const char *key, *value;
	size_t at = 0;

	write_text(out, "host", file->text[PD_FEATURE_HOSTNAME]);
	write_text(out, "kernel", file->text[PD_FEATURE_OSRELEASE]);
	write_text(out, "arch", file->text[PD_FEATURE_ARCH]);
	write_text(out, "cpu", file->text[PD_FEATURE_CPUDESC]);
	write_text(out, "perf", file->text[PD_FEATURE_VERSION]);
	/* A recording is untrusted: nothing of it is written without base_text_write_message(). */
	if (file->cmdline.n) {
		fprintf(out, "%-14s", "command");
		for (size_t i = 0; i < file->cmdline.n; i++) {
			fputc(' ', out);
			base_text_write_message(out, file->cmdline.data[i]);
		}
		fputc('\n', out);
	}
	while (parse_meta_info_next_tag(file, &at, &key, &value)) {
		fprintf(out, "%-14s ", "tag");
		base_text_write_message(out, key);
		fputc('=', out);
		base_text_write_message(out, value);
		fputc('\n', out);
	}
}

static void write_feature(const struct pd_file *file, unsigned bit, FILE *out)
{
	const struct pd_feature *feature = &file->feature[bit];
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct pd_view bytes = pd_file_feature_bytes(file, bit);
	struct inspect_dump_opts opts = { 0 };
	struct inspect_dump_printer printer;

	if (pd_feature_name(bit))
		fprintf(out, "  %-16s", pd_feature_name(bit));
	else
		fprintf(out, "  feature %-8u", bit);
	if (!layout || inspect_info_is_bulk(bit)) {
		fprintf(out, " %" PRIu64 " bytes\n", feature->size);
		return;
	}
	/* The name is on this line already, so the first value needs a space before it. */
	inspect_dump_printer_init(&printer, &opts, out);
	printer.needs_space = true;
	if (feature->size)
		pd_visit_layout(layout, bytes, bytes.data, &file->env, &printer.visitor);
	inspect_dump_printer_deinit(&printer);
	fputc('\n', out);
}

static void write_features(const struct pd_file *file, FILE *out)
{
	fputs("features\n", out);
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (file->feature[bit].is_present)
			write_feature(file, bit, out);
	}
}

static void write_event(
	const struct pd_event *event, const struct inspect_info_event *count, FILE *out)
{
	const char *separator = " ";

	fputs("event          ", out);
	base_text_write_message(out, event->name);
	fprintf(out, ": %" PRIu64 " samples, %" PRIu64 " %s", count->samples, count->period_sum,
		pd_event_unit(event));
	/* In perf_event_attr sample_period and sample_freq are a union; the flag freq selects. */
	fprintf(out,
		pd_attr_has(&event->attr, PD_ATTR_freq) ? " (%" PRIu64 " Hz)\n"
							: " (every %" PRIu64 ")\n",
		event->attr.sample_period);
	fputs("  sample_type ", out);
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(event->attr.sample_type >> bit & 1))
			continue;
		if (bit < pd_names_sample_type.n && pd_names_sample_type.names[bit])
			fprintf(out, "%s%s", separator, pd_names_sample_type.names[bit]);
		else
			fprintf(out, "%sbit%u", separator, bit);
		separator = "|";
	}
	fprintf(out, ", type %" PRIu32 ", config 0x%" PRIx64 ", %zu ids\n", event->attr.type,
		event->attr.config, event->ids.n);
}

static void write_events(const struct inspect_info *info, FILE *out)
{
	const struct pd_events *events = &info->file->events;
	static const struct inspect_info_event none;

	for (size_t i = 0; i < events->list.n; i++)
		write_event(&events->list.data[i],
			i + 1 < info->events.n ? &info->events.data[i + 1] : &none, out);
	if (info->events.n && info->events.data[0].samples)
		fprintf(out, "no event       %" PRIu64 " samples\n", info->events.data[0].samples);
}

static void write_records(const struct inspect_info *info, FILE *out)
{
	fprintf(out, "records        %" PRIu64 "\n", info->n_records);
	for (size_t i = 0; i < info->records.n; i++) {
		const struct inspect_info_count *count = &info->records.data[i];
		const struct pd_layout *layout = pd_layout_find(count->type, 0);

		if (layout)
			fprintf(out, "  %-20s", layout->name);
		else
			fprintf(out, "  unknown type %-7" PRIu32, count->type);
		fprintf(out, " %10" PRIu64 "\n", count->n);
	}
}

static void write_time(const struct inspect_info *info, FILE *out)
{
	if (!info->first_ns)
		return;
	fprintf(out, "time           %.6f s to %.6f s: %.6f s\n", (double)info->first_ns / 1e9,
		(double)info->last_ns / 1e9, (double)(info->last_ns - info->first_ns) / 1e9);
}

static void write_modes(const struct inspect_info *info, FILE *out)
{
	const char *separator = "";

	fprintf(out, "samples        %" PRIu64 " of %zu process%s, %zu thread%s (", info->n_samples,
		info->pids.n, info->pids.n == 1 ? "" : "es", info->tids.n,
		base_plural(info->tids.n));
	for (size_t i = 0; i < INSPECT_INFO_N_CPUMODES; i++) {
		if (!info->samples_by_cpumode[i])
			continue;
		fputs(separator, out);
		if (pd_cpu_mode_name(i))
			fprintf(out, "%s %" PRIu64, pd_cpu_mode_name(i),
				info->samples_by_cpumode[i]);
		else
			fprintf(out, "mode %zu %" PRIu64, i, info->samples_by_cpumode[i]);
		separator = ", ";
	}
	fputs(")\n", out);
}

/* Write the number of samples that are included, and the number that each filter left out. */
static void write_filtered(const struct profile *profile, FILE *out)
{
	uint64_t n_filtered = profile ? prof_n_filtered(profile) : 0;
	const char *separator = ": ";

	if (!n_filtered)
		return;
	fprintf(out, "wanted         %" PRIu64 " samples of %" PRIu64,
		profile->stats.n_samples - n_filtered, profile->stats.n_samples);
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!profile->stats.filtered[i])
			continue;
		fprintf(out, "%s%s excluded %" PRIu64, separator,
			prof_filter_name((enum prof_filter_kind)i), profile->stats.filtered[i]);
		separator = ", ";
	}
	fputc('\n', out);
}

static void write_stacks(const struct inspect_info *info, FILE *out)
{
	if (info->n_callchains)
		fprintf(out, "call chains    %" PRIu64 " samples, %" PRIu64 " entries\n",
			info->n_callchains, info->callchain_entries);
	if (info->n_branch_stacks)
		fprintf(out, "branch stacks  %" PRIu64 " samples, %" PRIu64 " entries\n",
			info->n_branch_stacks, info->branch_entries);
	if (!info->n_user_stacks)
		return;
	fprintf(out,
		"user stacks    %" PRIu64 " samples, %" PRIu64 " bytes each on average, %.1f %% "
		"fill the reserved space\n",
		info->n_user_stacks, info->user_stack_bytes / info->n_user_stacks,
		100 * (double)info->n_full_stacks / (double)info->n_user_stacks);
	if (!info->profile)
		return;
	out_quality_write_stacks(info->profile, &info->quality, out);
	out_quality_write_hints(&info->quality.hints, out);
}

static void write_losses(const struct inspect_info *info, FILE *out)
{
	const struct pd_gaps *gaps = &info->file->gaps;

	fprintf(out,
		"lost           %" PRIu64 " records, %" PRIu64 " samples; throttled %" PRIu64
		" times\n",
		info->lost, info->lost_samples, info->n_throttled);
	if (gaps->n)
		fprintf(out,
			"damage         %" PRIu64 " byte%s passed over in %" PRIu64
			" place%s; samples after it: %" PRIu64 "\n",
			gaps->bytes, base_plural(gaps->bytes), gaps->n, base_plural(gaps->n),
			info->n_after_gaps);
	if (info->n_damaged)
		fprintf(out, "damaged        %" PRIu64 " samples\n", info->n_damaged);
	if (info->n_leftover)
		fprintf(out, "too long       %" PRIu64 " samples have bytes left over\n",
			info->n_leftover);
}

static void write_commands(const struct inspect_info *info, size_t limit, FILE *out)
{
	fprintf(out, "commands       %zu:", info->comms.n);
	for (uint32_t i = 0; i < info->comms.n && i < limit; i++) {
		fputc(' ', out);
		base_text_write_message(out, base_intern_bytes(&info->comms, i));
	}
	if (info->comms.n > limit)
		fprintf(out, " ... and %zu more", info->comms.n - limit);
	fputc('\n', out);
}

static void write_build_ids(const struct inspect_info *info, size_t limit, FILE *out)
{
	char hex[PD_BUILD_ID_HEX_MAX];

	fprintf(out, "build ids      %zu\n", info->build_ids.n);
	for (size_t i = 0; i < info->build_ids.n && i < limit; i++) {
		const struct inspect_info_build_id *entry = &info->build_ids.data[i];

		pd_build_id_hex(&entry->id, hex);
		fprintf(out, "  %s ", hex);
		base_text_write_message(out, base_intern_bytes(&info->names, entry->name));
		fputc('\n', out);
	}
	if (info->build_ids.n > limit)
		fprintf(out, "  ... and %zu more\n", info->build_ids.n - limit);
}

void inspect_info_text(const struct inspect_info *info, size_t limit, FILE *out)
{
	write_container(info->file, out);
	write_host(info->file, out);
	write_events(info, out);
	write_records(info, out);
	write_modes(info, out);
	write_time(info, out);
	write_filtered(info->profile, out);
	write_stacks(info, out);
	write_losses(info, out);
	write_commands(info, limit, out);
	write_build_ids(info, limit, out);
	write_features(info->file, out);
}
