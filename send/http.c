#include "send/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/optional.h"

/* Seconds until a server counts as dead: without a connection, without a byte, without an end. */
enum { CONNECT_SECONDS = 10, SILENT_SECONDS = 30, MAX_SECONDS = 600 };

#define FUNCTIONS(F) \
	F(curl_easy_init) \
	F(curl_easy_cleanup) \
	F(curl_easy_setopt) \
	F(curl_easy_perform) \
	F(curl_easy_getinfo) \
	F(curl_easy_strerror) \
	F(curl_slist_append) \
	F(curl_slist_free_all)

/* The header has macros of these names, which check types. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

/* Functions of libcurl that are used. */
static struct {
#define MEMBER(name) __typeof__(&name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

struct snd_http {
	CURL *curl;
	struct curl_slist *headers;
	/** Answer that is being received. */
	struct snd_answer *answer;
	FILE *body;
	char error[CURL_ERROR_SIZE];
};

/* Debian has libcurl with OpenSSL and with GnuTLS under two names. */
static bool load(void)
{
	static const char *const sonames[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	static const char *const names[] = {
#define NAME(name) #name,
		FUNCTIONS(NAME)
#undef NAME
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(sonames); i++) {
		if (base_load_library(sonames[i], names, PD_ARRAY_LEN(names), (void **)&lib))
			return true;
	}
	return false;
}

static size_t give_body(char *to, size_t size, size_t n, void *ctx)
{
	struct snd_http *http = ctx;
	size_t got = fread(to, 1, size * n, http->body);

	return ferror(http->body) ? CURL_READFUNC_ABORT : got;
}

static int rewind_body(void *ctx, curl_off_t offset, int origin)
{
	struct snd_http *http = ctx;

	return fseeko(http->body, offset, origin) < 0 ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

/* Keep the beginning of the answer, and read the rest of it. */
static size_t take_answer(char *bytes, size_t size, size_t n, void *ctx)
{
	struct snd_answer *answer = ((struct snd_http *)ctx)->answer;
	size_t room = sizeof(answer->body) - answer->n_body;
	size_t taken = size * n < room ? size * n : room;

	memcpy(answer->body + answer->n_body, bytes, taken);
	answer->n_body += taken;
	return size * n;
}

/* Options of all requests. Those that an old libcurl does not know are not needed there. */
static void set_options(struct snd_http *http, const char *url)
{
	CURL *curl = http->curl;
	const char *certificates = getenv("SSL_CERT_FILE");

	lib.curl_easy_setopt(curl, CURLOPT_URL, url);
	lib.curl_easy_setopt(curl, CURLOPT_POST, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_USERAGENT, "pdconv/" PD_VERSION);
	lib.curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	lib.curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)MAX_SECONDS);
	lib.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	lib.curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_SECONDS);
	lib.curl_easy_setopt(curl, CURLOPT_HTTPHEADER, http->headers);
	lib.curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
	lib.curl_easy_setopt(curl, CURLOPT_READDATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, rewind_body);
	lib.curl_easy_setopt(curl, CURLOPT_SEEKDATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	lib.curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	lib.curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
	/* A reused connection that the server has just closed would make an answer unsure. */
	lib.curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	if (certificates && *certificates)
		lib.curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
}

static bool add_header(struct snd_http *http, const char *line)
{
	struct curl_slist *list = lib.curl_slist_append(http->headers, line);

	if (list)
		http->headers = list;
	return list;
}

struct pd_error *snd_http_create(
	const char *url, const char *const *headers, size_t n_headers, struct snd_http **ret)
{
	if (!load())
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, NULL, "cannot send: libcurl " PD_NO_LIBRARY);
	struct snd_http *http = calloc(1, sizeof(*http));
	if (!http)
		return &pd_enomem;
	http->curl = lib.curl_easy_init();
	/* Without this, libcurl would wait for the server's consent before it sends the body. */
	bool ok = http->curl && add_header(http, "Expect:");
	for (size_t i = 0; i < n_headers; i++)
		ok = ok && add_header(http, headers[i]);
	if (!ok) {
		snd_http_destroy(http);
		return &pd_enomem;
	}
	set_options(http, url);
	*ret = http;
	return NULL;
}

void snd_http_destroy(struct snd_http *http)
{
	if (!http)
		return;
	if (http->curl)
		lib.curl_easy_cleanup(http->curl);
	lib.curl_slist_free_all(http->headers);
	free(http);
}

static enum snd_outcome outcome_of(long status)
{
	if (status >= 200 && status < 300)
		return SND_ACCEPTED;
	switch (status) {
	case 408:
	case 429:
	case 502:
	case 503:
	case 504:
		return SND_LATER;
	case 401:
	case 403:
	case 404:
	case 405:
	case 407:
		return SND_DENIED;
	default:
		return status >= 300 && status < 400 ? SND_DENIED : SND_REFUSED;
	}
}

/* A status was received, perhaps without the rest of the answer. */
static void judge_status(struct snd_http *http, struct snd_answer *ret)
{
	curl_off_t seconds = 0;
	int n_text = 0;

	ret->outcome = outcome_of(ret->status);
	if (lib.curl_easy_getinfo(http->curl, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
		ret->retry_after = (double)seconds;
	/* Servers explain themselves in the first line. */
	while ((size_t)n_text < ret->n_body && n_text < SND_WHY_BYTES / 2 &&
		ret->body[n_text] >= ' ')
		n_text++;
	snprintf(ret->why, sizeof(ret->why), "the server answered %ld%s%.*s", ret->status,
		n_text ? ": " : "", n_text, (const char *)ret->body);
}

void snd_http_post(struct snd_http *http, FILE *body, uint64_t size, struct snd_answer *ret)
{
	curl_off_t sent = 0;

	*ret = (struct snd_answer){ 0 };
	http->answer = ret;
	http->body = body;
	http->error[0] = '\0';
	rewind(body);
	lib.curl_easy_setopt(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	CURLcode code = lib.curl_easy_perform(http->curl);
	lib.curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &ret->status);
	lib.curl_easy_getinfo(http->curl, CURLINFO_SIZE_UPLOAD_T, &sent);
	if (ret->status >= 200) {
		judge_status(http, ret);
		return;
	}
	/* Servers cannot take a part of a body for the whole. */
	ret->outcome = (uint64_t)sent < size ? SND_LATER : SND_UNSURE;
	/* Certificates stay as they are. */
	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
		ret->outcome = SND_DENIED;
	snprintf(ret->why, sizeof(ret->why), "%s",
		http->error[0] ? http->error : lib.curl_easy_strerror(code));
}
