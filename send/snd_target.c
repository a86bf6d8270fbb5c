#include "send/snd_target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/json.h"
#include "base/memstream.h"
#include "output/gzip.h"

/* Name of profiles without a name of a service, as in OpenTelemetry. */
static const char UNKNOWN_SERVICE[] = "unknown_service";

static const struct row {
	const char *path;
	const char *format;
	const char *content_type;
	bool is_gzipped;
	uint64_t most_bytes;
} rows[] = {
#define ROW(id, path, format, type, is_gzipped, most) { path, format, type, is_gzipped, most },
	SND_TARGETS(ROW)
#undef ROW
};

static struct pd_error *check_scheme(const char *url, const char **host_ret)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t i = 0; i < PD_ARRAY_LEN(schemes); i++) {
		size_t len = strlen(schemes[i]);

		*host_ret = url + len;
		if (strncasecmp(url, schemes[i], len) == 0 && strcspn(*host_ret, "/?#"))
			return NULL;
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid URL '%s': expected http://HOST or https://HOST", url);
}

static bool ends_in(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* Find the target of a path of @p len characters; SND_N_KINDS: there is none. */
static enum snd_kind find_kind(const char *path, size_t len)
{
	enum snd_kind kind = 0;

	if (len <= 1)
		return kind;
	while (kind < SND_N_KINDS && !ends_in(path, len, rows[kind].path))
		kind++;
	return kind;
}

static struct pd_error *unknown_path(const char *url)
{
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"unknown server '%s': the path of the URL has to end in %s, %s or %s", url,
		rows[SND_KIND_OTLP].path, rows[SND_KIND_PYROSCOPE].path, rows[SND_KIND_PARCA].path);
}

static const char *service_name(const struct pd_tag *tags, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(tags[i].key, "service.name") == 0 ||
			strcmp(tags[i].key, "service_name") == 0)
			return tags[i].value;
	}
	return UNKNOWN_SERVICE;
}

/* Whether a character stands for itself in URLs and in names of labels. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Write a text in a URL, in which most characters have to be encoded. */
static void write_encoded(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (is_plain(*text))
			fputc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
	}
}

/* Write "name=NAME{KEY=VALUE,...}&format=pprof", as far as the user has not given it. */
static void write_query(const char *query, const struct pd_tag *tags, size_t n, FILE *out)
{
	const char *name = service_name(tags, n);

	if (!strstr(query, "name=")) {
		fputs("&name=", out);
		write_encoded(name, out);
		fputs("%7B", out);
		for (size_t i = 0, is_next = 0; i < n; i++) {
			if (tags[i].value == name)
				continue;
			fputs(is_next ? "%2C" : "", out);
			is_next = 1;
			write_encoded(tags[i].key, out);
			fputs("%3D", out);
			write_encoded(tags[i].value, out);
		}
		fputs("%7D", out);
	}
	if (!strstr(query, "format="))
		fputs("&format=pprof", out);
}

/* Return the complete URL; NULL: no memory. */
static char *complete(const struct snd_target *target, const char *url, size_t path_end,
	const struct pd_tag *tags, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);
	const char *query = url + path_end;

	if (!out)
		return NULL;
	while (path_end && url[path_end - 1] == '/')
		path_end--;
	fwrite(url, 1, path_end, out);
	if (!ends_in(url, path_end, rows[target->kind].path))
		fputs(rows[target->kind].path, out);
	/* The part after # is not sent to servers. */
	fprintf(out, "%.*s", (int)strcspn(query, "#"), query);
	if (target->kind == SND_KIND_PYROSCOPE) {
		if (*query != '?')
			fputs("?spyName=pdconv", out);
		write_query(query, tags, n, out);
	}
	return base_memstream_close(out, &text) ? text : NULL;
}

struct pd_error *snd_target_init(
	struct snd_target *target, const char *url, const struct pd_tag *tags, size_t n)
{
	const char *host;
	struct pd_error *err = check_scheme(url, &host);

	if (err)
		return err;
	size_t host_len = strcspn(host, "/?#");
	if (memchr(host, '@', host_len))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"passwords in URLs can be seen by others: use a header");
	const char *path = host + host_len;
	size_t path_len = strcspn(path, "?#");
	*target = (struct snd_target){ .kind = find_kind(path, path_len) };
	if (target->kind == SND_N_KINDS)
		return unknown_path(url);
	target->format = rows[target->kind].format;
	target->content_type = rows[target->kind].content_type;
	target->is_gzipped = rows[target->kind].is_gzipped;
	target->most_bytes = rows[target->kind].most_bytes;
	target->url = complete(target, url, (size_t)(path + path_len - url), tags, n);
	return target->url ? NULL : &pd_enomem;
}

void snd_target_deinit(struct snd_target *target)
{
	free(target->url);
	target->url = NULL;
}

/* Copy @p size bytes; UINT64_MAX: all. */
static bool copy(
	FILE *from, uint64_t size, void (*put)(void *to, const void *bytes, size_t n), void *to)
{
	char buffer[16384];
	size_t n;

	while ((n = fread(buffer, 1, size < sizeof(buffer) ? size : sizeof(buffer), from)) > 0) {
		put(to, buffer, n);
		size -= size == UINT64_MAX ? 0 : n;
	}
	return !ferror(from) && (!size || size == UINT64_MAX);
}

static void put_plain(void *to, const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, to);
}

static void put_gzip(void *to, const void *bytes, size_t n)
{
	out_gzip_write(to, bytes, n);
}

static struct pd_error *write_gzipped(FILE *from, uint64_t size, FILE *to)
{
	/* Compression is cheaper than the network, and one thread is enough for it. */
	const struct out_gzip_opts opts = { .jobs = 1 };
	struct out_gzip *gzip;
	struct pd_error *err = out_gzip_create(to, &opts, &gzip);

	if (err)
		return err;
	bool ok = copy(from, size, put_gzip, gzip);
	out_gzip_finish(gzip);
	out_gzip_destroy(gzip);
	return ok ? NULL : pd_error_os(NULL, "cannot read the profile");
}

static void write_label(struct base_json *json, const char *name, const char *value)
{
	base_json_object(json, NULL);
	base_json_str(json, "name", name);
	base_json_str(json, "value", value);
	base_json_end(json, '}');
}

/* Parca's names of labels are those of Prometheus. Allocated; NULL: no memory. */
static char *label_name(const char *key)
{
	char *name = strdup(key);

	for (char *at = name; at && *at; at++)
		*at = is_plain(*at) ? *at : '_';
	return name;
}

static struct pd_error *write_labels(struct base_json *json, const struct pd_tag *tags, size_t n)
{
	bool has_job = false;

	/* Profiles of one name are one source of data. */
	write_label(json, "__name__", "perf");
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = label_name(tags[i].key);

		if (!name)
			return &pd_enomem;
		has_job = has_job || strcmp(name, "job") == 0;
		write_label(json, name, tags[i].value);
	}
	if (!has_job)
		write_label(json, "job", service_name(tags, n));
	return NULL;
}

/* A WriteRawRequest as JSON. Values of the type bytes are base64. */
static struct pd_error *write_parca(
	FILE *from, uint64_t size, const struct pd_tag *tags, size_t n, FILE *to)
{
	struct base_json json = { .out = to, .is_compact = true };

	base_json_object(&json, NULL);
	base_json_array(&json, "series");
	base_json_object(&json, NULL);
	base_json_object(&json, "labels");
	base_json_array(&json, "labels");
	struct pd_error *err = write_labels(&json, tags, n);
	if (err)
		return err;
	base_json_end(&json, ']');
	base_json_end(&json, '}');
	base_json_array(&json, "samples");
	base_json_object(&json, NULL);
	fputs("\"rawProfile\":\"", to);
	FILE *base64 = base_base64_open(to);
	bool ok = base64 && copy(from, size, put_plain, base64);
	if (!base64 || fclose(base64))
		return &pd_enomem;
	fputc('"', to);
	base_json_end(&json, '}');
	base_json_end(&json, ']');
	base_json_end(&json, '}');
	base_json_end(&json, ']');
	base_json_end(&json, '}');
	return ok ? NULL : pd_error_os(NULL, "cannot read the profile");
}

struct pd_error *snd_target_write(const struct snd_target *target, FILE *from, uint64_t size,
	const struct pd_tag *tags, size_t n, FILE *to)
{
	if (target->is_gzipped)
		return write_gzipped(from, size, to);
	if (target->kind == SND_KIND_PARCA)
		return write_parca(from, size, tags, n, to);
	return copy(from, size, put_plain, to) ? NULL
					       : pd_error_os(NULL, "cannot read the profile");
}
