/**
 * @file Accounts of a budget (pdconv/budget.h): what counts the memory that it takes has one.
 *
 * Memory is counted in blocks and tables, not for each object, so that counting costs nothing.
 * Functions accept NULL as an account, which has no limit. They are thread-safe.
 */
#ifndef PD_BASE_BUDGET_H
#define PD_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/budget.h>

#include "base/memory_use_defs.h"

enum base_memory_use {
#define PD_MEMORY_ENUM(name, what) PD_MEMORY_##name,
	PD_MEMORY_USES(PD_MEMORY_ENUM)
#undef PD_MEMORY_ENUM
		PD_N_MEMORY_USES,
};

/** Part of a budget that is used for one thing. */
struct base_account {
	struct pd_budget *budget;
	/** Bytes that are counted, and the most that were. */
	atomic_size_t used;
	atomic_size_t peak;
};

struct pd_budget {
	uint64_t limit;
	atomic_size_t used;
	/** Some memory was refused. */
	atomic_bool is_exceeded;
	struct base_account accounts[PD_N_MEMORY_USES];
};

/** Account of @p budget for @p use; NULL if @p budget is NULL. */
static inline struct base_account *base_budget_account(
	struct pd_budget *budget, enum base_memory_use use)
{
	return budget ? &budget->accounts[use] : NULL;
}

/** Part @p n of the limit, in bytes, but at most @p most. */
static inline uint64_t base_budget_share(const struct pd_budget *budget, unsigned n, uint64_t most)
{
	uint64_t share = pd_budget_limit(budget) / n;

	return share < most ? share : most;
}

/** Count @p bytes more. Returns false, and counts nothing, if they exceed the budget. */
bool base_account_charge(struct base_account *account, size_t bytes);

/** Count @p bytes more, even beyond the limit: the caller has a lower limit for what it counts. */
void base_account_note(struct base_account *account, size_t bytes);

/** Count @p bytes less. */
void base_account_release(struct base_account *account, size_t bytes);

#endif
