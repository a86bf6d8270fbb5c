/**
 * @file A session: the recordings that are open, and profiles of them that are kept for the next
 * question.
 *
 * How recordings are read is up to the caller. A session is not thread-safe.
 */
#ifndef PD_QUERY_SESSION_H
#define PD_QUERY_SESSION_H

#include <sys/stat.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "analyze/symbols.h"
#include "api/profile_read.h"
#include "query/numbering.h"
#include "query/question_defs.h"

/** Questions that a recording may not answer. */
enum qry_question {
#define QRY_QUESTION_ENUM(name, ...) QRY_QUESTION_##name,
	QRY_QUESTIONS(QRY_QUESTION_ENUM)
#undef QRY_QUESTION_ENUM
		QRY_N_QUESTIONS,
};

/** A profile to read. All is borrowed. */
struct qry_load {
	/** One recording, or two that are compared. */
	const char *const *paths;
	size_t n_paths;
	/** Name of the recording for people; NULL: its path. */
	const char *title;
	const struct out_format *format;
	enum api_profile_parts parts;
	struct pd_filter_opts filter;
	/** pd_report_opts.critical_path */
	const char *critical_path;
};

/** How recordings are read. */
struct qry_loader {
	void *ctx;
	/**
	 * Read a profile, which the session destroys, and note damage in @p diag. If there are two
	 * recordings, prof_tags.input are their paths. Errors: reading, USAGE, NOTHING.
	 */
	struct pd_error *(*load)(void *ctx, const struct qry_load *load, struct pd_diag *diag,
		struct pd_profile **ret);
	/** Finds the commands that do what hints suggest; may be NULL. */
	out_find_command *find_command;
	/**
	 * Writes lines on what to do about a question that the recording of @p profile does not
	 * answer, or on the command that answers it if @p is_answered; may be NULL.
	 */
	void (*write_remedy)(const struct profile *profile, enum qry_question question,
		bool is_answered, FILE *out);
};

/** A recording that was opened. */
struct qry_recording {
	/** Path as it was given, and without symbolic links. Owned. */
	char *path;
	char *real_path;
	/** The file when it was read. */
	struct stat st;
	/** Ids of functions and threads. */
	struct qry_numbering numbering;
	bool is_numbered;
};

/** A profile that is kept, and its symbols. */
struct qry_view {
	/** Text that identifies what was read. Owned. */
	char *key;
	struct pd_profile *profile;
	/** Damage, and files that were not found, when it was read. Owned. */
	struct pd_diag *diag;
	struct ana_symbols symbols;
	/** Lines about quality, made when they are needed first. Owned; NULL: not yet. */
	char *quality;
	/** Counts the uses of views: the one that was not used for longest is dropped. */
	uint64_t used;
};

/** Stands in for a format: what most tools need, and ids. */
extern const struct out_format qry_format_ledger;

/** Most recordings that are open, and most profiles that are kept. */
enum { QRY_MAX_RECORDINGS = 64, QRY_MAX_VIEWS = 6 };

struct qry_session {
	const struct qry_loader *loader;
	/** Real paths of directories below which recordings may be; none: everywhere. Owned. */
	PD_VEC(char *) dirs;
	PD_VEC(struct qry_recording) recordings;
	/** Index of the recording that was opened last. */
	size_t current;
	struct qry_view views[QRY_MAX_VIEWS];
	uint64_t n_uses;
};

/** Begin a session. @p loader is borrowed. Free with qry_session_deinit(). */
void qry_session_init(struct qry_session *session, const struct qry_loader *loader);
void qry_session_deinit(struct qry_session *session);

/** Allow recordings below the directory @p path. Errors: OS, NOMEM. */
struct pd_error *qry_session_allow(struct qry_session *session, const char *path) pd_must_check;

/** Whether a path without symbolic links is below one of the directories. */
bool qry_session_allows(const struct qry_session *session, const char *path);

/**
 * Find the recording that @p text stands for, an id or a path, which is opened if it is not yet;
 * NULL: the one opened last. *@p ret is its index. Errors: USAGE, the id is unknown, it is
 * outside of the directories, or too many are open; OS.
 */
struct pd_error *qry_session_find(
	struct qry_session *session, const char *text, size_t *ret) pd_must_check;

/**
 * Read a profile, or find it among those that are kept. *@p ret is valid until the next call.
 * Errors: reading, NOMEM.
 */
struct pd_error *qry_session_view(struct qry_session *session, const struct qry_load *load,
	struct qry_view **ret) pd_must_check;

/** Like qry_session_view(), for everything in the recording @p index. */
struct pd_error *qry_session_whole(
	struct qry_session *session, size_t index, struct qry_view **ret) pd_must_check;

/**
 * Return the ids of the recording @p index, which are made when they are needed first: that reads
 * its profile, so views from before are no longer valid. Errors: reading, NOMEM.
 */
struct pd_error *qry_session_number(
	struct qry_session *session, size_t index, const struct qry_numbering **ret) pd_must_check;

/** Return the lines about the quality of @p view, which live as long. Errors: NOMEM. */
struct pd_error *qry_view_quality(struct qry_view *view, const char **ret) pd_must_check;

#endif
