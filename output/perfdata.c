/*
 * The perfdata format: a copy of the recording in which call chains replace captured stacks.
 * Readers need neither the binaries nor their call frame information, and it contains no memory of
 * the program.
 *
 * The profile has the user part of each chain. Everything else is copied from the recording
 * unchanged (parse/write/rewrite.h). Samples that cannot be decoded are left out, because they may
 * contain a stack.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/sample.h>

#include "base/array.h"
#include "base/limit.h"
#include "base/containers/merge_sort.h"
#include "base/io/spill.h"
#include "output/formats.h"
#include "parse/callchain.h"
#include "parse/open_file.h"
#include "parse/write/rewrite.h"
#include "parse/write/splice.h"

struct entry {
	struct prof_key key;
	struct prof_pcs_id chain;
};

/* Unwound call chains by SAMPLE record, for the second pass over the recording. */
struct chains {
	/** Sorted by key. */
	PD_SPILL_VEC(struct entry) list;
	/** An entry was added after one with a larger key. */
	bool needs_sort;
	/** Index of the entry after the one that was found last: the next one in file order. */
	size_t next;
};

static int compare(const void *a, const void *b)
{
	const struct prof_key *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* The key is the first member, so an entry compares like its key. */
static bool is_before(const void *a, const void *b)
{
	return compare(a, b) < 0;
}

static const struct base_merge_order by_key = { sizeof(struct entry), is_before };

/* Add an entry. A record with the counters of a group has several rows, which share a chain. */
static struct pd_error *add(
	struct chains *chains, const struct prof_key *key, struct prof_pcs_id chain)
{
	const struct entry entry = { *key, chain };
	size_t n = chains->list.n;

	if (n && compare(&chains->list.data[n - 1].key, key) == 0)
		return NULL;
	chains->needs_sort |= n && compare(&chains->list.data[n - 1].key, key) > 0;
	return base_spill_push(&chains->list, entry);
}

static struct pd_error *add_all(struct chains *chains, const struct profile *profile)
{
	for (size_t i = 0; i < profile->origins.n; i++) {
		const struct prof_origin *origin = &profile->origins.data[i];
		struct pd_error *err = add(chains, &origin->key, origin->chain);

		if (err)
			return err;
		base_spill_pass(&profile->origins, i);
	}
	/* Samples whose counters had not changed have no row, but their records are kept. */
	for (size_t i = 0; i < profile->uncounted.n; i++) {
		struct pd_error *err = add(chains, &profile->uncounted.data[i], prof_no_pcs());

		if (err)
			return err;
		base_spill_pass(&profile->uncounted, i);
	}
	return NULL;
}

/*
 * Rows are in order of time. A recording without rounds, or of one CPU, is in the order of the file
 * then; others consist of ascending runs. Merging those reads and writes in order, which is what a
 * list in a file needs.
 */
static struct pd_error *sort(struct chains *chains)
{
	PD_SPILL_VEC(struct entry) scratch = { .spill.max_bytes = chains->list.spill.max_bytes };
	size_t n = chains->list.n;

	if (!chains->needs_sort)
		return NULL;
	struct pd_error *err = base_spill_reserve(&scratch, n);
	if (!err)
		base_merge_sort(chains->list.data, scratch.data, n, &by_key);
	base_spill_deinit(&scratch);
	return err;
}

static void destroy_chains(struct chains *chains)
{
	if (!chains)
		return;
	base_spill_deinit(&chains->list);
	free(chains);
}

/* Index the chains of the profile, which has rows and chains. */
static struct pd_error *create_chains(const struct profile *profile, struct chains **ret)
{
	struct chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &pd_enomem;
	chains->list.spill.max_bytes = profile->rows.spill.max_bytes;
	struct pd_error *err = add_all(chains, profile);
	if (!err)
		err = sort(chains);
	if (err) {
		destroy_chains(chains);
		return err;
	}
	*ret = chains;
	return NULL;
}

/*
 * Find an entry. Records come in file order, except for those of a directory, whose parts are
 * merged by time: usually the next entry is the right one, and the binary search is the exception.
 */
static const struct entry *find(struct chains *chains, const struct prof_key *key)
{
	const struct entry *list = chains->list.data;
	const struct entry *found = NULL;

	if (chains->next < chains->list.n && compare(key, &list[chains->next]) == 0)
		found = &list[chains->next];
	else if (chains->list.n)
		found = bsearch(key, list, chains->list.n, sizeof(*list), compare);
	if (found)
		chains->next = (size_t)(found - list) + 1;
	base_spill_pass(&chains->list, chains->next);
	return found;
}

/*
 * Find the chain of the sample @p rec; none if it was not unwound, or if none of its counters had
 * changed. Returns false if the profile does not contain the sample. Takes constant time for
 * records in file order.
 */
static bool find_chain(
	struct chains *chains, const struct pd_record *rec, struct prof_pcs_id *chain_ret)
{
	const struct prof_key key = { rec->offset, rec->part, rec->ordinal };
	const struct entry *found = find(chains, &key);

	if (!found)
		return false;
	*chain_ret = found->chain;
	return true;
}

struct resolver {
	const struct profile *profile;
	const struct pd_perfdata_opts *opts;
	const struct pd_unwind_opts *unwind;
	/** Name of the output in messages. */
	const char *name;
	/** See out_write_opts. */
	struct pd_diag *diag;
	struct pd_file *file;
	struct chains *chains;
	/** Call chain of the current sample. */
	struct parse_callchain_entries chain;
	/** Encoded BUILD_ID records for binaries whose build id the recording lacks. */
	struct pd_bytes build_ids;
	/** Numbers of samples that were left out, by reason. */
	uint64_t n_damaged;
	uint64_t n_too_large;
};

static bool has_captured_stacks(const struct pd_attr *attr)
{
	return attr->sample_type >> PD_SAMPLE_STACK_USER & 1;
}

static void edit_attr(void *ctx, struct pd_attr *attr)
{
	const struct resolver *r = ctx;

	if (!has_captured_stacks(attr))
		return;
	attr->sample_type |= (uint64_t)1 << PD_SAMPLE_CALLCHAIN;
	if (!r->unwind->no_user)
		attr->flags &= ~((uint64_t)1 << PD_ATTR_exclude_callchain_user);
	if (!r->opts->keep_stacks)
		parse_attr_splice(attr);
}

static struct pd_error *add_unwound(struct resolver *r, struct prof_pcs_id chain)
{
	uint32_t n;
	const uint64_t *entries = prof_pcs(r->profile, chain, &n);

	for (size_t i = 0; i < n; i++) {
		if (!pd_vec_push(&r->chain.list, entries[i]))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Make the chain of a sample: the recorded kernel part, followed by the unwound user part. Without
 * an unwound part the recorded user part is kept.
 */
static struct pd_error *make_chain(struct resolver *r, const struct pd_record *rec,
	const struct pd_sample *sample, struct prof_pcs_id unwound)
{
	uint16_t cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	unsigned parts = r->unwind->no_kernel ? 0 : PD_CALLCHAIN_PART_SYSTEM;

	if (prof_is_none(unwound) && !r->unwind->no_user)
		parts |= PD_CALLCHAIN_PART_USER;
	r->chain.list.n = 0;
	struct pd_error *err = parse_callchain_entries_add(&r->chain, sample, cpumode, parts);
	if (err || prof_is_none(unwound))
		return err;
	return add_unwound(r, unwound);
}

/* Encode the sample with the chain of the resolver. A record is limited to 64 KiB. */
static enum parse_edit replace(struct resolver *r, const struct pd_plan *plan,
	const struct pd_record *rec, const struct pd_sample *sample, struct pd_bytes *out)
{
	const struct parse_splice splice = {
		.chain = r->chain.list.data,
		.n = r->chain.list.n,
		.keep_stacks = r->opts->keep_stacks,
	};

	if (parse_sample_splice(plan, rec, sample, &splice, out))
		return PD_EDIT_REPLACE;
	r->n_too_large++;
	return PD_EDIT_LEAVE_OUT;
}

/* Decide on a sample that does not decode: leave it out if any event captures stacks. */
static enum parse_edit judge_damaged(struct resolver *r)
{
	for (size_t i = 0; i < r->file->events.list.n; i++) {
		if (!has_captured_stacks(&r->file->events.list.data[i].attr))
			continue;
		r->n_damaged++;
		return PD_EDIT_LEAVE_OUT;
	}
	return PD_EDIT_KEEP;
}

static struct pd_error *edit_sample(
	struct resolver *r, const struct pd_record *rec, struct pd_bytes *out, enum parse_edit *ret)
{
	const struct pd_event *event = pd_events_find(&r->file->events, rec);
	enum pd_sample_result result = PD_SAMPLE_SHORT;
	struct pd_sample sample;
	const char *field;
	struct prof_pcs_id unwound;

	if (event)
		result = pd_sample_decode(&event->plan, rec, &sample, &field);
	if (result == PD_SAMPLE_SHORT) {
		*ret = judge_damaged(r);
		return NULL;
	}
	/* Filtered samples have no row in the profile. */
	if (!find_chain(r->chains, rec, &unwound)) {
		*ret = PD_EDIT_LEAVE_OUT;
		return NULL;
	}
	if (!has_captured_stacks(&event->attr)) {
		/*
		 * Leftover bytes may be a stack, if the sample belongs to another event than its id
		 * says.
		 */
		*ret = result == PD_SAMPLE_LEFTOVER ? judge_damaged(r) : PD_EDIT_KEEP;
		return NULL;
	}
	struct pd_error *err = make_chain(r, rec, &sample, unwound);
	if (err)
		return err;
	*ret = replace(r, &event->plan, rec, &sample, out);
	return NULL;
}

/*
 * Edit a record. UNWINDING_RESULT of simpleperf is left out, because it may contain the captured
 * stack.
 */
static struct pd_error *edit_record(
	void *ctx, const struct pd_record *rec, struct pd_bytes *out, enum parse_edit *ret)
{
	struct resolver *r = ctx;

	*ret = PD_EDIT_KEEP;
	if (rec->type == PD_RECORD_SAMPLE)
		return edit_sample(r, rec, out, ret);
	if (rec->type == PD_RECORD_SIMPLEPERF_UNWINDING_RESULT && r->file->is_simpleperf &&
		!r->opts->keep_stacks)
		*ret = PD_EDIT_LEAVE_OUT;
	return NULL;
}

/*
 * Add a BUILD_ID record as perf writes it: 20 bytes of build id, followed by the number of valid
 * ones.
 */
static bool add_build_id(struct resolver *r, const struct prof_binary *binary)
{
	enum { LENGTH_AT = 20 };
	const char *name = prof_string(r->profile, binary->name);
	uint8_t id[24] = { [LENGTH_AT] = binary->build_id.len };
	const union pd_body body = { .header_build_id = {
					     .pid = UINT32_MAX,
					     .build_id = id,
					     .filename = { .s = name, .len = strlen(name) },
				     } };

	memcpy(id, binary->build_id.bytes, binary->build_id.len);
	/*
	 * A path that is too long for a record is skipped: readers find the binary by its path
	 * then.
	 */
	(void)!pd_record_encode(&pd_layout_header_build_id, PD_MISC_USER | PD_MISC_BUILD_ID_SIZE,
		&body, NULL, 0, &r->build_ids);
	return !r->build_ids.failed;
}

/* Whether @p binary needs a BUILD_ID record: its id comes from the file, not from the recording. */
static bool needs_build_id(const struct profile *profile, const struct prof_binary *binary)
{
	/* Names such as "[vdso]" are not files. */
	return binary->is_id_found && !binary->is_kernel && !binary->is_generated &&
	       prof_string(profile, binary->name)[0] == '/';
}

static struct pd_error *add_build_ids(struct resolver *r)
{
	for (size_t i = 0; i < r->profile->binaries.n; i++) {
		const struct prof_binary *binary = &r->profile->binaries.data[i];

		if (needs_build_id(r->profile, binary) && !add_build_id(r, binary))
			return &pd_enomem;
	}
	return NULL;
}

static void note_limit(const struct resolver *r, enum base_limit_id id)
{
	pd_diag_note(
		r->diag, r->file->path, PD_NO_OFFSET, base_limit_name(id), base_limit_text(id));
}

static void warn_about_result(const struct resolver *r, const struct pd_copy_result *result)
{
	const struct {
		uint64_t n;
		const char *what;
		const char *why;
	} rows[] = {
		{ r->n_damaged, "SAMPLE", "left out: damaged" },
		{ r->n_too_large, "SAMPLE", "left out: too large for a record with a call chain" },
		{ result->n_without_payload, "AUXTRACE",
			"left out: the data after the record is missing" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (rows[i].n)
			pd_diag_warn(r->diag, r->file->path, PD_NO_OFFSET, rows[i].what,
				"%" PRIu64 " records %s", rows[i].n, rows[i].why);
	}
	if (result->n_build_id_records)
		note_limit(r, PD_LIMIT_ID_EDIT_BUILD_ID_BYTES);
	if (result->n_event_types_left_out)
		note_limit(r, PD_LIMIT_ID_EDIT_EVENT_TYPE_BYTES);
	/*
	 * A feature may be too large for a record of a stream, or overlap another in a damaged
	 * file.
	 */
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (result->features_left_out[bit / 64] >> (bit % 64) & 1)
			pd_diag_warn(r->diag, r->file->path, PD_NO_OFFSET, pd_feature_name(bit),
				"left out: it cannot be rewritten");
	}
}

static void leave_out(struct parse_edits *edits, unsigned bit)
{
	edits->without[bit / 64] |= (uint64_t)1 << (bit % 64);
}

/*
 * Whether a file can be written to @p out, rather than a stream. The header of a file is completed
 * last, by seeking back to offset 0: impossible in a pipe, after other output, and if every write
 * is appended.
 */
static bool is_seekable(FILE *out)
{
	int fd = fileno(out);

	/* Streams without a descriptor, as those of base/io/fd_stream.h, know it themselves. */
	return ftello(out) == 0 && (fd < 0 || !(fcntl(fd, F_GETFL) & O_APPEND));
}

static struct pd_error *rewrite(struct resolver *r, FILE *out)
{
	const struct pd_copy_opts copy_opts = {
		.swap = r->file->swap,
		.is_pipe = !is_seekable(out),
	};
	struct pd_copy_result result;
	struct parse_edits edits = {
		.attr = edit_attr,
		.record = edit_record,
		.ctx = r,
		.build_ids = { .data = r->build_ids.buf.data,
			.elem_size = 1,
			.swap = r->build_ids.swap,
			.n = r->build_ids.buf.n },
		.level = r->opts->level,
	};

	/* The host name may identify a person, and a command line may contain secrets. */
	if (r->opts->strip_hostname)
		leave_out(&edits, PD_FEATURE_HOSTNAME);
	if (r->opts->strip_cmdline)
		leave_out(&edits, PD_FEATURE_CMDLINE);
	struct pd_error *err = parse_rewrite(r->file, out, r->name, &copy_opts, &edits, &result);
	if (err)
		return err;
	warn_about_result(r, &result);
	return NULL;
}

/* Write the recording. The caller releases what @p r holds, also after an error. */
static struct pd_error *resolve(struct resolver *r, FILE *out)
{
	struct pd_error *err = create_chains(r->profile, &r->chains);

	if (err)
		return err;
	err = add_build_ids(r);
	if (err)
		return err;
	return rewrite(r, out);
}

static struct pd_error *write_perfdata(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct resolver r = {
		.profile = profile,
		.opts = &opts->format.perfdata,
		.unwind = &opts->unwind,
		.name = opts->perfdata.name ? opts->perfdata.name : "output",
		.diag = opts->diag,
		.file = opts->perfdata.file,
		.build_ids = { .swap = opts->perfdata.file->swap },
	};
	struct pd_error *err = resolve(&r, out);

	destroy_chains(r.chains);
	pd_vec_deinit(&r.chain.list);
	pd_bytes_deinit(&r.build_ids);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->rows = request->origins = request->chains = true;
	request->no_names = true;
	return NULL;
}

const struct out_format out_format_perfdata = {
	.name = "perfdata",
	.suffix = ".resolved.data",
	.takes_one = true,
	.is_binary = true,
	.rereads_input = true,
	.help = "recording with call chains instead of captured stacks",
	.prepare = prepare,
	.write = write_perfdata,
};
