/**
 * @file Folded stacks as text become a profile: what a query or another tool has added up.
 *
 *     server;main;work;malloc 12
 */
#ifndef PD_RESOLVE_FOLDED_TEXT_H
#define PD_RESOLVE_FOLDED_TEXT_H

#include <stdio.h>

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Read lines of folded stacks from @p in into *@p ret, which has one event, "weight". The first
 * name of a line is that of its thread, and the others are functions of a binary called [folded].
 * A line is a sample whose period is its number. @p path is used in messages. Errors: FORMAT, a
 * line is not a stack; OS, NOMEM.
 */
struct pd_error *resolve_folded_text(
	FILE *in, const char *path, struct pd_budget *budget, struct profile **ret) pd_must_check;

#endif
