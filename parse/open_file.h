/**
 * @file The inside of an open recording, and functions that read its header and features.
 */
#ifndef PD_PARSE_OPEN_FILE_H
#define PD_PARSE_OPEN_FILE_H

#include <pdconv/cursor.h>
#include <pdconv/file.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "parse/event_index.h"
#include "parse/input.h"

struct parse_stream;

/**
 * Source of records: the recording itself, or the data file of a recording thread in a directory.
 */
struct parse_part {
	const char *path;
	/** Location of the records. The size is UINT64_MAX if the input is a stream. */
	struct pd_section data;
	struct parse_input *input;
	/** The input is a stream that a reader consumes. */
	bool is_used_up;
	/** Offset of the first gap in the part; PD_NO_OFFSET: none was found yet. */
	uint64_t first_gap;
	/** Time of the last record before that gap; 0: none of them has a time. */
	uint64_t first_gap_time;
	/** Gaps up to this offset were counted. */
	uint64_t gaps_end;
};

struct pd_file {
	const char *path;
	/** Path given to pd_file_open(); NULL: the recording was opened otherwise. */
	const char *opened_path;
	/** Bytes of the header; NULL if the input is a stream, i.e. a pipe or compressed. */
	const uint8_t *start;
	/** Size of the input; UINT64_MAX if it is a stream. */
	uint64_t size;
	/** Size of the sections that parse_section_keep() has copied. */
	uint64_t n_kept;
	/** The recording is in the opposite of the host byte order. */
	bool swap;
	/** The recorder was interrupted before it wrote the size of the data section. */
	bool is_unfinished;
	/** In a stream, only magic and size are set. */
	struct pd_file_header header;
	/** From the magic: 1 or 2. */
	int version;
	/** Reading records may add events and features. */
	bool is_pipe;
	bool is_simpleperf;

	struct pd_events events;
	/**
	 * The recording itself; for a directory, its main file and then the data files of the
	 * threads.
	 */
	PD_VEC(struct parse_part) parts;
	/** First stream, with the records that were read ahead. The first reader takes it. */
	struct parse_stream *stream;
	/** Number of records that parse/meta.c applied. */
	uint64_t n_meta;
	/** Reading ahead ended at the limit @p ahead_limit. */
	bool is_ahead_limited;
	enum base_limit_id ahead_limit;

	struct pd_feature feature[PD_N_FEATURE_BITS];
	uint64_t max_feature_bit;
	/** Values of features that are one string, indexed by bit; NULL if absent. */
	const char *text[PD_N_FEATURE_BITS];
	struct pd_layout_env env;
	/** HEADER_CMDLINE: arguments of the recorder. */
	PD_VEC(const char *) cmdline;
	PD_VEC(struct pd_build_id_entry) build_ids;
	/**
	 * Map from the hash of cpumode and name to an index in build_ids, of which n_indexed are in
	 * it.
	 */
	struct base_map build_id_index;
	size_t n_indexed;
	/** See parse_file_has_namesakes(). */
	bool has_namesakes;
	/** Map from attr.config to name, from event types. */
	struct base_map event_types;
	/** HEADER_SAMPLE_TIME, ns; 0 if unknown. */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/** HEADER_TRACING_DATA; NULL if absent or invalid. */
	struct pd_tracing *tracing;

	/** Damage so far that was skipped or that ended reading. Never NULL. */
	struct pd_diag *diag;
	/** The diag, if the recording owns it; otherwise NULL. */
	struct pd_diag *own_diag;
	/** Each place is counted once, however often it is read. */
	struct pd_gaps gaps;
	/** Limit for the memory of its readers; NULL: none. */
	struct pd_budget *budget;
	struct base_arena arena;
};

/**
 * Open the recording of @p file a second time, with no record read. The result borrows the bytes of
 * @p file, which outlives it, and owns its diag. Errors: UNSUPPORTED if @p file is a stream, i.e. a
 * pipe or compressed; those of pd_file_open().
 */
struct pd_error *parse_file_reopen(const struct pd_file *file, struct pd_file **ret) pd_must_check;

/** Take what was read of @p file out of memory, when few of its records are read again. */
void parse_file_drop(const struct pd_file *file);

/**
 * Wait until a recording that comes through a pipe has been made. What was not read yet is in a
 * temporary file meanwhile. Errors: OS, NOMEM.
 */
struct pd_error *parse_file_await(const struct pd_file *file) pd_must_check;

/**
 * Count @p n bytes from @p offset on in a part of @p file as damaged, unless another reader of the
 * file has counted them. @p time is that of the last record before them; 0 if it is unknown.
 */
void parse_gaps_count(
	struct pd_file *file, uint32_t part, uint64_t offset, uint64_t n, uint64_t time);

/** Like parse_gaps_precede(), for a recording that has gaps. */
bool parse_gaps_precede_record(const struct pd_file *file, const struct pd_record *rec);

/**
 * Whether @p rec follows a gap in its part, or is later than one in another part: what it needs,
 * such as a mapping, may have been among the bytes that were skipped.
 */
static inline bool parse_gaps_precede(const struct pd_file *file, const struct pd_record *rec)
{
	return file->gaps.n && parse_gaps_precede_record(file, rec);
}

/** Number of bytes that parse_header_recognise() needs. */
enum { PD_HEADER_LOOK_BYTES = 24 };

/** Set byte order and mode of @p file, whose first @p len bytes are @p start. Errors: FORMAT. */
struct pd_error *parse_header_recognise(
	struct pd_file *file, const uint8_t *start, size_t len) pd_must_check;

/**
 * Read header and sections of a file, and set the data section of its first part. Errors: FORMAT,
 * NOMEM.
 */
struct pd_error *parse_header_read(struct pd_file *file) pd_must_check;

/**
 * Replace @p err, which may be NULL, if a file of the recording has shrunk (see
 * pdconv/file_guard.h): what was read of it is then wrong. Takes ownership of @p err.
 */
struct pd_error *parse_file_or_shrunk(
	const struct pd_file *file, struct pd_error *err) pd_must_check;

/** Note in the diag of @p file that it has reached the limit @p id. */
static inline void parse_file_note_limit(const struct pd_file *file, enum base_limit_id id)
{
	pd_diag_note(
		file->diag, file->path, PD_NO_OFFSET, base_limit_name(id), base_limit_text(id));
}

/** Bytes of a section until parse_section_unload(). */
struct parse_section {
	const uint8_t *bytes;
	size_t size;
	/** Copy of the bytes, if the file is not mapped. */
	uint8_t *copy;
};

/**
 * Get the bytes of @p section, which must be within the file. What is larger than
 * PD_LIMIT_RECORD_BYTES is not copied: it has no bytes, which is noted in the diag of @p file.
 * Errors: OS, NOMEM.
 */
struct pd_error *parse_section_load(const struct pd_file *file, struct pd_section section,
	struct parse_section *ret) pd_must_check;
void parse_section_unload(struct parse_section *section);

/**
 * Like parse_section_load(), for bytes that live as long as @p file. *@p ret is NULL if all copies
 * together would be larger than PD_LIMIT_RECORD_BYTES.
 */
struct pd_error *parse_section_keep(
	struct pd_file *file, struct pd_section section, const uint8_t **ret) pd_must_check;

/**
 * Decode the body of feature @p bit, which is present, if pdconv needs it. Damage is noted, and
 * values before the damage are used. A later body of the same feature replaces an earlier one.
 * Errors: NOMEM.
 */
struct pd_error *parse_feature_decode(struct pd_file *file, unsigned bit) pd_must_check;

/**
 * Add the HEADER_BUILD_ID entries at @p c to the build ids. c->overrun is set on damage. Errors:
 * NOMEM.
 */
struct pd_error *parse_build_ids_decode(struct pd_file *file, struct pd_cursor *c) pd_must_check;

/** Add new build ids to the index of pd_file_build_id(). Errors: NOMEM. */
struct pd_error *parse_file_index_build_ids(struct pd_file *file) pd_must_check;

/**
 * Whether a path has several build ids. perf writes one for each inode, and all of them are that of
 * the file that was at the path when the recording ended.
 */
bool parse_file_has_namesakes(const struct pd_file *file);

/**
 * Events of a recording. perf has an event for each word of -e and PMU, so a few thousand at most.
 * Formats with a value of each event in each row take time for their product.
 */
enum { PD_MAX_EVENTS = PD_LIMIT_EVENTS };

/** Decode the event type at @p c. c->overrun is set on damage. Errors: NOMEM. */
struct pd_error *parse_event_type_decode(struct pd_file *file, struct pd_cursor *c) pd_must_check;

/** Name events without a name, from index @p first on. Errors: NOMEM. */
struct pd_error *parse_file_name_events(struct pd_file *file, size_t first) pd_must_check;

/**
 * Name events of tracepoints from index @p first on, after events and tracing data were read.
 * Errors: NOMEM.
 */
struct pd_error *parse_tracepoints_name(struct pd_file *file, size_t first) pd_must_check;

#endif
