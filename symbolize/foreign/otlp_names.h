/**
 * @file Names for the addresses of a profile of OpenTelemetry (OTLP 1.10, v1development).
 *
 * A ProfilesData and an ExportProfilesServiceRequest have the same fields. Nothing is decoded but
 * mappings, their build ids, and locations. Locations without functions get lines, and functions
 * and strings that the dictionary lacks are added at its end: it has no duplicates, and each entry
 * is in use. Everything else is copied byte by byte: resources, samples, attributes, and fields
 * that are not known.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_OTLP_NAMES_H
#define PD_SYMBOLIZE_FOREIGN_OTLP_NAMES_H

#include <stdio.h>

#include "symbolize/foreign/asked.h"

struct sym_otlp;

/** Whether @p bytes are a profile of OpenTelemetry rather than one of pprof. */
bool sym_otlp_is_one(const uint8_t *bytes, size_t len);

/** Whether a text is a profile of OpenTelemetry in JSON, which is not supported. */
bool sym_otlp_is_json(const char *text, size_t len);

/**
 * Read the @p len decompressed bytes of the profile @p path, which are borrowed, and add to
 * @p asked its addresses without functions. Errors: FORMAT, NOMEM.
 */
struct pd_error *sym_otlp_read(const char *path, const uint8_t *bytes, size_t len,
	struct sym_asked *asked, struct sym_otlp **ret) pd_must_check;
void sym_otlp_destroy(struct sym_otlp *otlp);

/** Write the profile with the names of the set, which was named since. Errors: FORMAT, NOMEM. */
struct pd_error *sym_otlp_write(struct sym_otlp *otlp, FILE *out) pd_must_check;

#endif
