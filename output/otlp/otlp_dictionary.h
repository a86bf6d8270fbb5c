/**
 * @file The dictionary of a file for OpenTelemetry: mappings, locations, functions, strings,
 * attributes and stacks.
 *
 * An entry is added when it is first asked for, so each one is in use. Entries are interned as
 * encoded messages, so no two are equal. Entry 0 of each table is empty.
 */
#ifndef PD_OUTPUT_OTLP_OTLP_DICTIONARY_H
#define PD_OUTPUT_OTLP_OTLP_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "output/otlp/otlp_out.h"
#include "profile/profile.h"

/** Tables, in the order of their fields. */
enum otlp_table {
	OTLP_MAPPINGS,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_STACKS,
	OTLP_N_TABLES,
};

struct otlp_dictionary {
	const struct profile *profile;
	struct base_intern tables[OTLP_N_TABLES];
	/** Indexes of what has entries, plus 1, by ids of the profile; 0: it has none. */
	uint32_t *binaries;
	uint32_t *functions;
	uint32_t *frames;
	uint32_t *stacks;
	/** A location or an attribute, and a stack, that are being encoded. */
	PD_VEC(uint8_t) buffer;
	PD_VEC(uint8_t) stack;
	/** Type of the frames of generated code; NULL: not known. */
	const char *generated;
	/** Set once an allocation failed; indexes are not valid then. */
	bool no_memory;
};

/** Prepare the dictionary of @p profile. Sets no_memory on failure; deinit in any case. */
void otlp_dictionary_init(struct otlp_dictionary *d, const struct profile *profile);
void otlp_dictionary_deinit(struct otlp_dictionary *d);

/*
 * Each function returns the index of an entry, which it adds if it is new. Bytes of texts that are
 * not UTF-8 are stored as base/utf8.h describes.
 */

uint32_t otlp_string(struct otlp_dictionary *d, const char *text);
uint32_t otlp_text_attribute(struct otlp_dictionary *d, const char *key, const char *value);
uint32_t otlp_number_attribute(struct otlp_dictionary *d, const char *key, uint64_t value);
uint32_t otlp_stack(struct otlp_dictionary *d, struct prof_stack_id id);

/** Return how many bytes the dictionary takes, without its tag and size. */
uint64_t otlp_dictionary_size(const struct otlp_dictionary *d);
/** Write the dictionary. */
void otlp_dictionary_put(const struct otlp_dictionary *d, struct otlp_out *out);

#endif
