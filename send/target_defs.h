/*
 * Servers that get profiles: T(ID, "end of the path", "format", "content type", is_gzipped).
 * The path of a URL decides. The first one is that of a URL without a path.
 *
 *   is_gzipped  the body is compressed, with the header Content-Encoding: gzip
 */
/* clang-format off */
#define SND_TARGETS(T) \
	T(OTLP, "/v1development/profiles", "otlp", "application/x-protobuf", true) \
	T(PYROSCOPE, "/ingest", "pprof", "application/octet-stream", false) \
	T(PARCA, "/api/profiles/writeraw", "pprof", "application/json", false)
/* clang-format on */
