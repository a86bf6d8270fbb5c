/** @file Loading of memory ahead of its use, so that cache misses overlap. */
#ifndef PD_BASE_PREFETCH_H
#define PD_BASE_PREFETCH_H

/**
 * Start to load the cache line at @p address, which need not be valid. It only affects the time.
 *
 * gcc takes a function that does nothing but prefetch for one without an effect, and leaves its
 * calls out (seen with gcc 12). The empty statement keeps them.
 */
static inline void base_prefetch(const void *address)
{
	__builtin_prefetch(address);
	__asm__ volatile("");
}

#endif
