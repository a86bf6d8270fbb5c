/*
 * Table of what a profile lacks: L(text, number), of the const struct prof_stats *stats of the
 * const struct profile *profile.
 */
#define OUT_LOSSES(L) \
	L("lost records", stats->n_lost_records) \
	L("lost samples", stats->n_lost_samples) \
	L("times throttled", stats->n_throttled) \
	L("bytes of damage, passed over", stats->gap_bytes) \
	L("samples after damage", stats->n_after_gaps) \
	L("damaged samples, left out", stats->skipped[PROF_SKIP_DAMAGED]) \
	L("samples of unknown events, left out", stats->skipped[PROF_SKIP_UNKNOWN_EVENT]) \
	L("samples that were not asked for, left out", prof_n_filtered(profile))

/* A row of the table, for an array of structs of both. */
#define OUT_LOSS_ROW(text, n) { text, n },
