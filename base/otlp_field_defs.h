/*
 * Messages of OpenTelemetry's profiles (opentelemetry/proto/profiles/v1development, common/v1 and
 * resource/v1, version 1.10), as far as pdconv reads and writes them.
 *
 * M(MESSAGE)
 * F(MESSAGE, FIELD, number, "name in JSON", kind, message)
 *
 *   kind     NUMBER, a JSON number; LONG, 64 bits, in JSON a string; FIXED, 8 bytes, in JSON a
 *            string; TEXT; MESSAGE; NUMBERS, LONGS, FIXEDS, TEXTS, MESSAGES: repeated ones. Numbers
 *            are packed.
 *   message  of a field of the kind MESSAGE or MESSAGES, else NONE
 */
/* clang-format off */
#define OTLP_MESSAGES(M) \
	M(DATA) \
	M(RESOURCE_PROFILES) \
	M(RESOURCE) \
	M(SCOPE_PROFILES) \
	M(SCOPE) \
	M(PROFILE) \
	M(VALUE_TYPE) \
	M(SAMPLE) \
	M(DICTIONARY) \
	M(MAPPING) \
	M(LOCATION) \
	M(LINE) \
	M(FUNCTION) \
	M(LINK) \
	M(ATTRIBUTE) \
	M(STACK) \
	M(KEY_VALUE) \
	M(ANY_VALUE)

#define OTLP_FIELDS(F) \
	F(DATA, RESOURCE_PROFILES, 1, "resourceProfiles", MESSAGES, RESOURCE_PROFILES) \
	F(DATA, DICTIONARY, 2, "dictionary", MESSAGE, DICTIONARY) \
	F(RESOURCE_PROFILES, RESOURCE, 1, "resource", MESSAGE, RESOURCE) \
	F(RESOURCE_PROFILES, SCOPE_PROFILES, 2, "scopeProfiles", MESSAGES, SCOPE_PROFILES) \
	F(RESOURCE, ATTRIBUTES, 1, "attributes", MESSAGES, KEY_VALUE) \
	F(SCOPE_PROFILES, SCOPE, 1, "scope", MESSAGE, SCOPE) \
	F(SCOPE_PROFILES, PROFILES, 2, "profiles", MESSAGES, PROFILE) \
	F(SCOPE, NAME, 1, "name", TEXT, NONE) \
	F(SCOPE, VERSION, 2, "version", TEXT, NONE) \
	F(PROFILE, SAMPLE_TYPE, 1, "sampleType", MESSAGE, VALUE_TYPE) \
	F(PROFILE, SAMPLES, 2, "samples", MESSAGES, SAMPLE) \
	F(PROFILE, TIME, 3, "timeUnixNano", FIXED, NONE) \
	F(PROFILE, DURATION, 4, "durationNano", LONG, NONE) \
	F(PROFILE, PERIOD_TYPE, 5, "periodType", MESSAGE, VALUE_TYPE) \
	F(PROFILE, PERIOD, 6, "period", LONG, NONE) \
	F(PROFILE, ATTRIBUTES, 11, "attributeIndices", NUMBERS, NONE) \
	F(VALUE_TYPE, TYPE, 1, "typeStrindex", NUMBER, NONE) \
	F(VALUE_TYPE, UNIT, 2, "unitStrindex", NUMBER, NONE) \
	F(SAMPLE, STACK, 1, "stackIndex", NUMBER, NONE) \
	F(SAMPLE, ATTRIBUTES, 2, "attributeIndices", NUMBERS, NONE) \
	F(SAMPLE, VALUES, 4, "values", LONGS, NONE) \
	F(SAMPLE, TIMES, 5, "timestampsUnixNano", FIXEDS, NONE) \
	F(DICTIONARY, MAPPINGS, 1, "mappingTable", MESSAGES, MAPPING) \
	F(DICTIONARY, LOCATIONS, 2, "locationTable", MESSAGES, LOCATION) \
	F(DICTIONARY, FUNCTIONS, 3, "functionTable", MESSAGES, FUNCTION) \
	F(DICTIONARY, LINKS, 4, "linkTable", MESSAGES, LINK) \
	F(DICTIONARY, STRINGS, 5, "stringTable", TEXTS, NONE) \
	F(DICTIONARY, ATTRIBUTES, 6, "attributeTable", MESSAGES, ATTRIBUTE) \
	F(DICTIONARY, STACKS, 7, "stackTable", MESSAGES, STACK) \
	F(MAPPING, START, 1, "memoryStart", LONG, NONE) \
	F(MAPPING, LIMIT, 2, "memoryLimit", LONG, NONE) \
	F(MAPPING, OFFSET, 3, "fileOffset", LONG, NONE) \
	F(MAPPING, FILENAME, 4, "filenameStrindex", NUMBER, NONE) \
	F(MAPPING, ATTRIBUTES, 5, "attributeIndices", NUMBERS, NONE) \
	F(STACK, LOCATIONS, 1, "locationIndices", NUMBERS, NONE) \
	F(LOCATION, MAPPING, 1, "mappingIndex", NUMBER, NONE) \
	F(LOCATION, ADDRESS, 2, "address", LONG, NONE) \
	F(LOCATION, LINES, 3, "lines", MESSAGES, LINE) \
	F(LOCATION, ATTRIBUTES, 4, "attributeIndices", NUMBERS, NONE) \
	F(LINE, FUNCTION, 1, "functionIndex", NUMBER, NONE) \
	F(LINE, LINE, 2, "line", LONG, NONE) \
	F(FUNCTION, NAME, 1, "nameStrindex", NUMBER, NONE) \
	F(FUNCTION, SYSTEM_NAME, 2, "systemNameStrindex", NUMBER, NONE) \
	F(FUNCTION, FILENAME, 3, "filenameStrindex", NUMBER, NONE) \
	F(FUNCTION, START_LINE, 4, "startLine", LONG, NONE) \
	F(ATTRIBUTE, KEY, 1, "keyStrindex", NUMBER, NONE) \
	F(ATTRIBUTE, VALUE, 2, "value", MESSAGE, ANY_VALUE) \
	F(KEY_VALUE, KEY, 1, "key", TEXT, NONE) \
	F(KEY_VALUE, VALUE, 2, "value", MESSAGE, ANY_VALUE) \
	F(ANY_VALUE, STRING, 1, "stringValue", TEXT, NONE) \
	F(ANY_VALUE, INT, 3, "intValue", LONG, NONE) \
	F(ANY_VALUE, STRING_INDEX, 8, "stringValueStrindex", NUMBER, NONE)
/* clang-format on */
