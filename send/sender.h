/**
 * @file Sending what waits in a spool, with retries.
 */
#ifndef PD_SEND_SENDER_H
#define PD_SEND_SENDER_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "send/http.h"
#include "send/spool.h"
#include "send/snd_target.h"

struct snd_sender_opts {
	/** Bytes that may wait; older profiles are dropped. */
	uint64_t most_bytes;
	/** For how long requests that fail are repeated, in seconds. */
	double seconds;
	/**
	 * Called before a pause of @p seconds because of @p why. May be NULL.
	 */
	void (*on_pause)(const char *why, double seconds);
};

/** Numbers of profiles of a spool, by outcome. */
struct snd_result {
	uint64_t n_sent;
	/** They wait for the next time. */
	uint64_t n_waiting;
	/** The server does not accept them. */
	uint64_t n_refused;
	/** They were sent without an answer, so it is unknown whether they arrived. */
	uint64_t n_unsure;
	/** They were dropped because too much waited. */
	uint64_t n_dropped;
	/** Profiles that the server has left out of requests that it accepted. */
	uint64_t n_rejected;
	/** Why the last one was not accepted; "": all were. May be untrusted. */
	char why[SND_WHY_BYTES];
};

/**
 * Send what waits in @p spool by @p http, the oldest first, until the server does not accept any
 * more. Errors: OS, NOMEM.
 */
struct pd_error *snd_spool_send(struct snd_spool *spool, const struct snd_target *target,
	struct snd_http *http, const struct snd_sender_opts *opts,
	struct snd_result *ret) pd_must_check;

#endif
