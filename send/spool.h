/**
 * @file A folder of request bodies that wait to be sent to one server.
 *
 *	name            content
 *	NUMBER.body     waits; in the order of the numbers
 *	NUMBER.sending  a request with it has begun, so it is never sent again
 *	new-*           is being written
 *	lock            held by the process that sends
 *
 * Several processes may add to a folder at the same time, and one of them sends.
 */
#ifndef PD_SEND_SPOOL_H
#define PD_SEND_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

struct snd_spool {
	/** Path of the folder, and it as a descriptor. Owned. */
	char *dir;
	int fd;
	/** The lock; -1: it is not held. */
	int lock;
};

/** Names of the files that wait, in order. Owned. */
struct snd_names {
	PD_VEC(char *) items;
};

/**
 * Open the folder for @p url in the folder @p base, and create what is missing, for the user alone.
 * Deinit on success. Errors: OS, it cannot be opened, or others can write to it; USAGE, @p url is
 * too long; NOMEM.
 */
struct pd_error *snd_spool_open(
	const char *base, const char *url, struct snd_spool *ret) pd_must_check;
void snd_spool_deinit(struct snd_spool *spool);

/** Return the path of a new file in the folder. Allocated; NULL: no memory. */
char *snd_spool_new_path(const struct snd_spool *spool, const char *suffix);

/** Let the file @p path, one of snd_spool_new_path(), wait. Errors: OS, NOMEM. */
struct pd_error *snd_spool_add(struct snd_spool *spool, const char *path) pd_must_check;

/** Wait until no other process sends, and keep others from it. Errors: OS. */
struct pd_error *snd_spool_lock(struct snd_spool *spool) pd_must_check;
void snd_spool_unlock(struct snd_spool *spool);

/**
 * List the files that wait. With the lock held, *@p unsure_ret is the number of files whose sender
 * ended while it sent them, which are removed. Errors: OS, NOMEM.
 */
struct pd_error *snd_spool_list(
	struct snd_spool *spool, struct snd_names *ret, uint64_t *unsure_ret) pd_must_check;
void snd_names_deinit(struct snd_names *names);

/**
 * Remove the oldest of the files @p names until the others take at most @p most bytes. Returns the
 * number of files that were removed. The lock is held.
 */
uint64_t snd_spool_trim(struct snd_spool *spool, const struct snd_names *names, uint64_t most);

/**
 * Open the file @p name, mark it as being sent, and set its size. NULL, with errno, if it is not
 * there or cannot be read.
 */
FILE *snd_spool_begin(struct snd_spool *spool, const char *name, uint64_t *size_ret);
/** Let a file that was begun wait again: it was not sent. */
void snd_spool_return(struct snd_spool *spool, const char *name);
/** Remove a file that was begun. */
void snd_spool_remove(struct snd_spool *spool, const char *name);

#endif
