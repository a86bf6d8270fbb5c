/**
 * @file Limit for the memory that recordings take.
 *
 * Memory that grows with a recording is counted: records that wait for their order, call stacks,
 * texts and so on. Beyond the limit reading ends with PD_ERROR_NOMEM. Small things, binaries and
 * their names are not counted. One budget may serve several recordings, and several threads.
 */
#ifndef PDCONV_BUDGET_H
#define PDCONV_BUDGET_H

#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>

PD_DECLS_BEGIN

struct pd_budget;

/** Create a budget of @p limit bytes. NULL if out of memory. */
struct pd_budget *pd_budget_create(uint64_t limit) pd_must_check;
/** Free @p budget, which may be NULL. Nothing that it was given to exists any longer. */
void pd_budget_destroy(struct pd_budget *budget);

/** Limit in bytes; UINT64_MAX if @p budget is NULL. */
uint64_t pd_budget_limit(const struct pd_budget *budget);
/** Bytes that are counted now. */
uint64_t pd_budget_used(const struct pd_budget *budget);

/**
 * Create a PD_ERROR_NOMEM that says how much @p budget allows and what takes most of it. @p path
 * may be NULL. Never returns NULL.
 */
struct pd_error *pd_budget_error(const struct pd_budget *budget, const char *path) pd_must_check;

PD_DECLS_END

#endif
