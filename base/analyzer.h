/**
 * @file Facts that gcc -fanalyzer and clang-tidy cannot see, with the reason in each use. They have
 * no effect on compilation.
 */
#ifndef PD_BASE_ANALYZER_H
#define PD_BASE_ANALYZER_H

#if defined(PD_GCC_ANALYZER) || defined(__clang_analyzer__)
/** @p condition is true whenever this is reached. */
#define PD_IS_TRUE(condition, reason) \
	do { \
		if (!(condition)) \
			__builtin_unreachable(); \
	} while (0)
#else
#define PD_IS_TRUE(condition, reason) ((void)0)
#endif

#ifdef PD_GCC_ANALYZER
/* The analyzer expects that a function which it does not know keeps the pointer. */
void base_analyzer_keep(void *p);

/**
 * The memory at @p p has an owner, which frees it. Without this, the analyzer reports it as lost if
 * the owner refers to it from an element of an array, or by a pointer to one of its members.
 */
#define PD_IS_OWNED(p, reason) base_analyzer_keep(p)
#else
#define PD_IS_OWNED(p, reason) ((void)0)
#endif

#endif
