/**
 * @file The output formats: a table, one row each.
 */
#ifndef PD_OUTPUT_FORMATS_H
#define PD_OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "profile/request.h"
#include "output/format_defs.h"
#include "profile/profile.h"
#include "output/script.h"

/** A label that every sample gets; borrowed. */
struct out_label {
	const char *key;
	const char *value;
};

/** Of pprof alone. */
struct out_pprof_opts {
	/** What becomes a label besides: a bit for each enum prof_tag. */
	unsigned tags;
	const struct out_label *labels;
	size_t n_labels;
};

/** Of folded alone. */
struct out_folded_opts {
	/** A line's weight is how many samples it stands for, not the sum of their periods. */
	bool counts_samples;
	/** Behind the name of the thread: its process; its process and its own. */
	bool pid;
	bool tid;
	/** "_[k]", "_[j]" and "_[i]" behind names of such functions. */
	bool mark_kernel;
	bool mark_jit;
	bool mark_inlined;
	/** Where there is no name, the address: in the file, if there is one. */
	bool addrs;
	/** ":file:line" behind names. */
	bool context;
	/** Callers of these functions are left out. */
	const char *const *skip_after;
	size_t n_skip_after;
};

/** What the format perfdata writes. Zeroed: everything that can be told without captured stacks. */
struct out_perfdata_opts {
	/** The recording, opened once more; nothing has been read of it. */
	struct pd_file *file;
	/** Told of what is left out; may be NULL. */
	struct pd_diag *diag;
	/** REGS_USER and STACK_USER stay, beside the call chain. */
	bool keep_stacks;
	bool strip_hostname;
	bool strip_cmdline;
	/** As resolve_opts has them: recorded call chains are without these parts. */
	bool no_kernel;
	bool no_user;
	/** Records are compressed with this level of zstd, 1 to 22; 0: they are not. */
	int level;
};

/** What to write, and how. Zero it; what is borrowed lives until the output is written. */
struct out_write_opts {
	/** What formats of one event show; the first event with samples if PROF_NONE. */
	struct prof_event_id event;
	/** They show all events that have samples, one behind the other. */
	bool has_all_events;
	/** The recording's name, for people. */
	const char *input;
	/** Threads; 0: one for each processor. */
	size_t jobs;
	struct out_pprof_opts pprof;
	struct out_folded_opts folded;
	struct out_perfdata_opts perfdata;
	struct out_script_opts script;
};

enum { OUT_N_SIDES = 2 };

/** What is compared: samples of a merged profile by their input, before and after. */
struct out_sides {
	/** Strings: prof_tags.input. */
	struct prof_string_id inputs[OUT_N_SIDES];
	/** Weights of the first side are scaled so that both weigh the same. */
	bool normalizes;
};

/** Which side @p sample is on; 0 if @p sides is NULL. */
static inline unsigned out_side(const struct profile *profile, const struct out_sides *sides,
	const struct prof_sample *sample)
{
	const struct prof_tags *tags = profile_tags(profile, sample->tags);

	return sides && tags && prof_same_string(tags->input, sides->inputs[1]);
}

/** The samples of event number @p event on each side. */
void out_side_totals(const struct profile *profile, const struct out_sides *sides,
	struct prof_event_id event, struct prof_value ret[static OUT_N_SIDES]);

struct out_format {
	const char *name;
	/** For a file named after the input. */
	const char *suffix;
	/** Not for a terminal. */
	bool is_binary;
	/** Cannot show several recordings as one. */
	bool takes_one;
	/** Shows one event only. */
	bool has_one_event;
	/** Says itself what was lost, cut or not found. */
	bool tells_quality;
	/** Reads the recording itself once more: wants opts.perfdata.file. */
	bool rereads_input;
	/** One line. */
	const char *help;
	/**
	 * Set what the format needs of a profile in @p request, which is zeroed; NULL: it needs nothing more.
	 * Errors: USAGE, @p opts are invalid.
	 */
	struct pd_error *(*prepare)(
		const struct out_write_opts *opts, struct prof_request *request);
	/**
	 * Write all of @p profile to @p out. Whether the bytes arrived is for the caller to ask. Errors:
	 * no memory, and what the format says.
	 */
	struct pd_error *(*write)(
		const struct profile *profile, const struct out_write_opts *opts, FILE *out);
	/** Write how the two sides differ; NULL: it cannot show that. */
	struct pd_error *(*write_diff)(const struct profile *profile,
		const struct out_write_opts *opts, const struct out_sides *sides, FILE *out);
};

#define OUT_DECLARE_FORMAT(name) extern const struct out_format out_format_##name;
OUT_FORMATS(OUT_DECLARE_FORMAT)
#undef OUT_DECLARE_FORMAT

/** All formats; the first is the default. */
const struct out_format *const *out_formats(size_t *n_ret);
/** The format of that name, or NULL. */
const struct out_format *out_format_find(const char *name);

/** Whether formats show event number @p event, by what @p opts say. */
bool out_shows_event(const struct profile *profile, const struct out_write_opts *opts,
	struct prof_event_id event);

/** The event that a format of one event shows; PROF_NONE if there is none. */
struct prof_event_id out_event(const struct profile *profile, const struct out_write_opts *opts);

/** Of the report. */
struct pd_error *out_report_write_diff(const struct profile *profile,
	const struct out_write_opts *opts, const struct out_sides *sides, FILE *out) pd_must_check;

#endif
