/**
 * @file Servers that get profiles, as the path of a URL says which one it is, and the bodies of
 * requests to them.
 */
#ifndef PD_SEND_TARGET_H
#define PD_SEND_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/profile_opts.h>

#include "send/target_defs.h"

enum snd_kind {
#define SND_KIND_ENUM(id, ...) SND_KIND_##id,
	SND_TARGETS(SND_KIND_ENUM)
#undef SND_KIND_ENUM
		SND_N_KINDS,
};

struct snd_target {
	enum snd_kind kind;
	/** Complete URL of requests. Owned. */
	char *url;
	/** Name of the output format of profiles, and type of the bodies. Static storage. */
	const char *format;
	const char *content_type;
	bool is_gzipped;
	/** Most bytes of a body before it is compressed; 0: not known. */
	uint64_t most_bytes;
};

/**
 * Find out which server @p url is of. @p tags, @p n of them, describe the profiles: service.name is
 * the name under which Pyroscope keeps them. Deinit on success. Errors: USAGE, @p url is not of a
 * known server, or has a password, which other users of the machine would see; NOMEM.
 */
struct pd_error *snd_target_init(struct snd_target *target, const char *url,
	const struct pd_tag *tags, size_t n) pd_must_check;
void snd_target_deinit(struct snd_target *target);

/**
 * Write the body of a request for the profile in the next @p size bytes of @p from to @p to;
 * UINT64_MAX: in all bytes. @p tags, @p n of them, are labels of the profile. The caller checks
 * @p to for write errors. Errors: NOMEM; OS, @p from cannot be read.
 */
struct pd_error *snd_target_write(const struct snd_target *target, FILE *from, uint64_t size,
	const struct pd_tag *tags, size_t n, FILE *to) pd_must_check;

#endif
