/*
 * Servers that get profiles:
 *
 *	T(ID, "end of the path", "format", "content type", is_gzipped, most_bytes)
 *
 * The path of a URL decides. The first one is that of a URL without a path.
 *
 *   is_gzipped  the body is compressed, with the header Content-Encoding: gzip
 *   most_bytes  most bytes of a body before it is compressed; 0: not known. The collector of
 *               OpenTelemetry refuses more than 20 MiB.
 */
/* clang-format off */
#define SND_TARGETS(T) \
	T(OTLP, "/v1development/profiles", "otlp", "application/x-protobuf", true, 19 << 20) \
	T(PYROSCOPE, "/ingest", "pprof", "application/octet-stream", false, 0) \
	T(PARCA, "/api/profiles/writeraw", "pprof", "application/json", false, 0)
/* clang-format on */
