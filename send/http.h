/**
 * @file Requests by HTTP, with libcurl, which is loaded on first use.
 */
#ifndef PD_SEND_HTTP_H
#define PD_SEND_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

/** Outcome of a request. */
enum snd_outcome {
	/** The server has accepted it. */
	SND_ACCEPTED,
	/** It did not arrive, or the server asks to try again later. */
	SND_LATER,
	/** The server accepts nothing: it wants credentials, or does not have the page. */
	SND_DENIED,
	/** The server does not accept this one. */
	SND_REFUSED,
	/** It was sent without an answer, so it is unknown whether the server accepted it. */
	SND_UNSURE,
};

enum { SND_ANSWER_BYTES = 4096, SND_WHY_BYTES = 512 };

struct snd_answer {
	enum snd_outcome outcome;
	/** When the server wants the next request, in seconds from now; 0: it does not say. */
	double retry_after;
	/** Status of HTTP; 0: there is none. */
	long status;
	/** Beginning of the body of the answer, which is untrusted. */
	uint8_t body[SND_ANSWER_BYTES];
	size_t n_body;
	/** Why the outcome is not SND_ACCEPTED: "the server answered 503". May be untrusted. */
	char why[SND_WHY_BYTES];
};

/** A connection to one server, for one thread. */
struct snd_http;

/**
 * Prepare requests to @p url with the header lines @p headers, @p n_headers of them, in addition to
 * those that HTTP needs. Strings are copied. Errors: UNSUPPORTED, libcurl is not installed; NOMEM.
 */
struct pd_error *snd_http_create(const char *url, const char *const *headers, size_t n_headers,
	struct snd_http **ret) pd_must_check;
/** Free a connection. NULL is allowed. */
void snd_http_destroy(struct snd_http *http);

/**
 * Send the @p size bytes of @p body, from its beginning, and wait for the answer. The file does not
 * change meanwhile.
 */
void snd_http_post(struct snd_http *http, FILE *body, uint64_t size, struct snd_answer *ret);

#endif
