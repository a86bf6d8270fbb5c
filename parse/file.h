/**
 * @file A perf.data file: its header, events, features and where its records are.
 *
 * The file is mapped; everything here is a view into it or comes from its arena, and lives until
 * pd_file_close. File mode of both versions; the format is described in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef PD_PARSE_FILE_H
#define PD_PARSE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/build_id.h"
#include "base/error.h"
#include "base/vec.h"
#include "parse/events.h"
#include "parse/feature.h"
#include "parse/input.h"

/** A part of the file. */
struct pd_section {
	uint64_t offset;
	uint64_t size;
};

/** A feature of the header. Its body is borrowed from the file, or from its arena. */
struct pd_feature {
	bool is_present;
	/** Of the body in the file, bytes. */
	uint64_t offset;
	const uint8_t *bytes;
	/** May be 0. */
	uint64_t size;
};

/** An entry of HEADER_BUILD_ID. */
struct pd_build_id_entry {
	struct pd_build_id id;
	/** PD_MISC_KERNEL, PD_MISC_USER, ... */
	uint16_t cpumode;
	const char *name;
};

/** All members are for reading. */
struct pd_file {
	const char *path;
	const uint8_t *bytes;
	uint64_t size;
	/** The file is in the other byte order than this machine. */
	bool swap;
	/** The recorder was interrupted: the header does not say where the records end. */
	bool is_unfinished;

	struct pd_events events;
	/** Where the records are; within the file. */
	struct pd_section data;
	struct pd_feature feature[PD_N_FEATURE_BITS];

	/** Features of one string, by bit; NULL if absent. */
	const char *text[PD_N_FEATURE_BITS];
	/** For decoding features: see parse/layout.h. */
	struct pd_layout_env env;
	/** HEADER_CMDLINE: the recorder's arguments. */
	PD_VEC(const char *) cmdline;
	PD_VEC(struct pd_build_id_entry) build_ids;
	/** HEADER_SAMPLE_TIME, ns; 0 if unknown. */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;

	struct pd_diag *diag;
	struct pd_arena arena;
	struct pd_input *input;
};

/**
 * Open the recording @p path; "-" is standard input. One in file mode that comes through a pipe or
 * is compressed is copied to a temporary file. Damage that can be stepped over goes to @p diag,
 * which is borrowed until pd_file_close and may be NULL.
 */
struct pd_error *pd_file_open(
	const char *path, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/** The same from descriptor @p fd, which stays the caller's; @p name is for messages. */
struct pd_error *pd_file_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/** The same from memory, which is borrowed; @p path is for messages. */
struct pd_error *pd_file_open_memory(const char *path, const void *bytes, size_t size,
	struct pd_diag *diag, struct pd_file **ret) pd_must_check;
void pd_file_close(struct pd_file *file);

/** The build id that the header gives for @p name in @p cpumode; NULL if none. */
const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode);

#endif
