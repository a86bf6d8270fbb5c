#include "send/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/protobuf.h"
#include "base/system/libc.h"

/* Longest pause between two requests, in seconds, unless the server asks for a longer one. */
static const double MAX_PAUSE = 30;

/* Pauses of the time for retries: the first is 1/64 of it, and each is twice as long. */
static const double PAUSES = 64;

struct sender {
	struct snd_spool *spool;
	const struct snd_target *target;
	struct snd_http *http;
	const struct snd_sender_opts *opts;
	struct snd_result *result;
	double deadline;
	double pause;
};

static void wait_for(double seconds)
{
	struct timespec left = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/*
 * Wait before the next request. Returns false if the time is over. Senders that failed at the same
 * time must not come back at the same time, so a part of the pause is random.
 */
static bool pause_before_retry(struct sender *s, const struct snd_answer *answer)
{
	double pause = s->pause * (0.5 + (double)random() / RAND_MAX / 2);

	if (pause < answer->retry_after)
		pause = answer->retry_after;
	if (base_clock_now() + pause > s->deadline)
		return false;
	if (s->opts->on_pause)
		s->opts->on_pause(answer->why, pause);
	wait_for(pause);
	s->pause = s->pause * 2 < MAX_PAUSE ? s->pause * 2 : MAX_PAUSE;
	return true;
}

/* Send a file once. It is marked as being sent for no longer than that. */
static void post(struct sender *s, const char *name, struct snd_answer *answer)
{
	uint64_t size;
	_cleanup_fclose_ FILE *body = snd_spool_begin(s->spool, name, &size);

	if (!body) {
		*answer = (struct snd_answer){ .outcome = SND_DENIED };
		snprintf(answer->why, sizeof(answer->why), "cannot read a profile: %s",
			strerror(errno));
		return;
	}
	snd_http_post(s->http, body, size, answer);
	if (answer->outcome == SND_LATER || answer->outcome == SND_DENIED)
		snd_spool_return(s->spool, name);
}

/*
 * Read ExportProfilesPartialSuccess, which has the number of profiles that were left out, or
 * Status, which has a code. Returns the number. Field 2 of both is a message, which is appended to
 * @p why.
 */
static uint64_t read_status(struct base_proto proto, char why[SND_WHY_BYTES])
{
	struct base_proto_field field;
	uint64_t n = 0;

	while (base_proto_next(&proto, &field)) {
		size_t len = strlen(why);

		if (field.number == 1 && field.type == BASE_PROTO_VARINT)
			n = field.value;
		if (field.number == 2 && field.type == BASE_PROTO_LEN)
			snprintf(why + len, SND_WHY_BYTES - len, "%s%.*s", len ? ": " : "",
				(int)(field.len < SND_WHY_BYTES ? field.len : SND_WHY_BYTES),
				(const char *)field.bytes);
	}
	return n;
}

static struct base_proto body_of(const struct snd_answer *answer)
{
	return (struct base_proto){ .at = answer->body, .end = answer->body + answer->n_body };
}

/* Return the number of profiles that an ExportProfilesServiceResponse says were left out. */
static uint64_t find_rejected(const struct snd_answer *answer, char why[SND_WHY_BYTES])
{
	struct base_proto proto = body_of(answer);
	struct base_proto_field field;
	uint64_t n = 0;

	while (base_proto_next(&proto, &field)) {
		if (field.number == 1 && field.type == BASE_PROTO_LEN)
			n += read_status(base_proto_of(&field), why);
	}
	return n;
}

static void note_accepted(struct sender *s, const struct snd_answer *answer)
{
	s->result->n_sent++;
	if (s->target->kind == SND_KIND_OTLP)
		s->result->n_rejected += find_rejected(answer, s->result->why);
}

/* Send one file, if needed several times. Returns false if the others have to wait. */
static bool send_file(struct sender *s, const char *name)
{
	struct snd_result *result = s->result;
	struct snd_answer answer;

	do
		post(s, name, &answer);
	while (answer.outcome == SND_LATER && pause_before_retry(s, &answer));
	/* Errors of OTLP are a Status, those of a proxy are text. */
	if (answer.outcome != SND_ACCEPTED && s->target->kind == SND_KIND_OTLP && answer.n_body &&
		answer.body[0] < ' ')
		read_status(body_of(&answer), answer.why);
	if (answer.outcome != SND_ACCEPTED)
		memcpy(result->why, answer.why, sizeof(result->why));
	switch (answer.outcome) {
	case SND_ACCEPTED:
		note_accepted(s, &answer);
		break;
	case SND_REFUSED:
		result->n_refused++;
		break;
	case SND_UNSURE:
		result->n_unsure++;
		break;
	case SND_LATER:
	case SND_DENIED:
		result->n_waiting++;
		return false;
	}
	snd_spool_remove(s->spool, name);
	/* After an answer was lost, that to the next one would be lost as well. */
	return answer.outcome != SND_UNSURE;
}

static struct pd_error *send_all(struct sender *s)
{
	struct snd_names names;
	uint64_t n_unsure;
	struct pd_error *err = snd_spool_list(s->spool, &names, &n_unsure);

	if (err)
		return err;
	s->result->n_unsure += n_unsure;
	s->result->n_dropped = snd_spool_trim(s->spool, &names, s->opts->most_bytes);
	size_t i = s->result->n_dropped;
	while (i < names.items.n && send_file(s, names.items.data[i++]))
		;
	/* Other processes may have added files, which they send. */
	s->result->n_waiting += names.items.n - i;
	snd_names_deinit(&names);
	return NULL;
}

/* A seed that differs from those of senders of other machines that begin in the same second. */
static unsigned random_seed(void)
{
	unsigned seed;

	return base_random(&seed, sizeof(seed)) ? seed : (unsigned)time(NULL);
}

struct pd_error *snd_spool_send(struct snd_spool *spool, const struct snd_target *target,
	struct snd_http *http, const struct snd_sender_opts *opts, struct snd_result *ret)
{
	struct sender s = {
		.spool = spool,
		.target = target,
		.http = http,
		.opts = opts,
		.result = ret,
		.deadline = base_clock_now() + opts->seconds,
		.pause = opts->seconds / PAUSES,
	};

	*ret = (struct snd_result){ 0 };
	struct pd_error *err = snd_spool_lock(spool);
	if (err)
		return err;
	srandom(random_seed());
	err = send_all(&s);
	snd_spool_unlock(spool);
	return err;
}
