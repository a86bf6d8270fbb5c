#include "base/budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct pd_budget *pd_budget_create(uint64_t limit)
{
	struct pd_budget *budget = calloc(1, sizeof(*budget));

	if (!budget)
		return NULL;
	budget->limit = limit;
	for (size_t i = 0; i < PD_N_MEMORY_USES; i++)
		budget->accounts[i].budget = budget;
	return budget;
}

void pd_budget_destroy(struct pd_budget *budget)
{
	free(budget);
}

uint64_t pd_budget_limit(const struct pd_budget *budget)
{
	return budget ? budget->limit : UINT64_MAX;
}

uint64_t pd_budget_used(const struct pd_budget *budget)
{
	return budget ? budget->used : 0;
}

static void count(struct base_account *account, size_t bytes)
{
	size_t used = atomic_fetch_add(&account->used, bytes) + bytes;
	size_t peak = account->peak;

	while (used > peak && !atomic_compare_exchange_weak(&account->peak, &peak, used))
		;
}

bool base_account_charge(struct base_account *account, size_t bytes)
{
	if (!account)
		return true;
	struct pd_budget *budget = account->budget;
	if (atomic_fetch_add(&budget->used, bytes) + bytes > budget->limit) {
		atomic_fetch_sub(&budget->used, bytes);
		budget->is_exceeded = true;
		return false;
	}
	count(account, bytes);
	return true;
}

void base_account_note(struct base_account *account, size_t bytes)
{
	if (!account)
		return;
	atomic_fetch_add(&account->budget->used, bytes);
	count(account, bytes);
}

void base_account_release(struct base_account *account, size_t bytes)
{
	if (!account)
		return;
	atomic_fetch_sub(&account->budget->used, bytes);
	atomic_fetch_sub(&account->used, bytes);
}

enum { SIZE_TEXT_BYTES = 32 };

/* Write a number of bytes with a unit: "512 KiB", "1.5 GiB". */
static const char *size_text(uint64_t bytes, char buf[static SIZE_TEXT_BYTES])
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes / 1024;
	size_t unit = 0;

	for (; value >= 1024 && units[unit + 1]; unit++)
		value /= 1024;
	snprintf(buf, SIZE_TEXT_BYTES, "%.*f %ciB", value < 10 && value != (int)value, value,
		units[unit]);
	return buf;
}

struct pd_error *pd_budget_error(const struct pd_budget *budget, const char *path)
{
	static const char *const names[] = {
#define NAME(name, what) what,
		PD_MEMORY_USES(NAME)
#undef NAME
	};
	char limit[SIZE_TEXT_BYTES], peak[SIZE_TEXT_BYTES];
	size_t most = 0;

	if (!budget)
		return &pd_enomem;
	size_text(budget->limit, limit);
	/* Memory that is not counted ran out, or that of the machine. */
	if (!budget->is_exceeded)
		return pd_error_create(
			PD_ERROR_NOMEM, path, "out of memory: %s are allowed", limit);
	/* Memory was given back by now, so the most that was in use is what counts. */
	for (size_t i = 1; i < PD_N_MEMORY_USES; i++) {
		if (budget->accounts[i].peak > budget->accounts[most].peak)
			most = i;
	}
	return pd_error_create(PD_ERROR_NOMEM, path,
		"out of memory: %s take %s of the %s that are allowed", names[most],
		size_text(budget->accounts[most].peak, peak), limit);
}
