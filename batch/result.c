#include "batch/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/memstream.h"
#include "base/text.h"

/* Longest time that is believed. */
enum { MAX_SECONDS = 1000000000 };

#define END(text) (text)[sizeof(text) - 1] = '\0'

void bat_result_secure(struct bat_result *result)
{
	END(result->id);
	END(result->content);
	END(result->error);
	for (size_t i = 0; i < BAT_N_VARIABLES; i++)
		END(result->facts[i]);
	/* It becomes a part of paths. */
	if (result->id[strspn(result->id, "0123456789abcdef")])
		result->id[0] = '\0';
	if (result->content[strspn(result->content, "0123456789abcdef")])
		result->content[0] = '\0';
	if (!(result->seconds >= 0 && result->seconds < MAX_SECONDS))
		result->seconds = 0;
	if (result->outcome == BAT_CONVERTED && strlen(result->id) != BAT_DIGEST_SIZE - 1)
		result->outcome = BAT_CRASHED;
}

struct bat_facts bat_result_facts(const struct bat_result *result, const char *input)
{
	struct bat_facts facts = { .path = input };

	for (size_t i = 0; i < BAT_N_VARIABLES; i++)
		facts.values[i] = result->facts[i];
	facts.values[BAT_FILE] = base_file_name(input);
	return facts;
}

static void write_labels(
	struct base_json *json, const struct bat_labels *labels, const struct bat_facts *facts)
{
	base_json_object(json, "labels");
	for (size_t i = 0; i < labels->items.n; i++) {
		_cleanup_free_ char *text = NULL;
		size_t len;
		FILE *out = base_memstream_open(&text, &len);

		if (out)
			bat_label_write(&labels->items.data[i], facts, out);
		if (!out || !base_memstream_close(out, &text))
			base_stream_fail(json->out);
		else
			base_json_text(json, labels->items.data[i].name, text, len);
	}
	base_json_end(json, '}');
}

static void write_numbers(struct base_json *json, const struct bat_result *result)
{
	base_json_uint(json, "start_ns", result->start_ns);
	base_json_uint(json, "length_ns", result->length_ns);
	base_json_uint(json, "events", result->n_events);
	base_json_uint(json, "samples", result->n_samples);
	base_json_uint(json, "left_out", result->n_left_out);
	base_json_uint(json, "lost", result->n_lost);
	base_json_uint(json, "stacks", result->n_stacks);
	base_json_uint(json, "rooted_stacks", result->n_rooted);
	base_json_uint(json, "frames", result->n_frames);
	base_json_uint(json, "unnamed_frames", result->n_unnamed);
	base_json_uint(json, "warnings", result->n_warnings);
}

static void write_text(struct base_json *json, const char *key, const char *text)
{
	base_json_str(json, key, *text ? text : NULL);
}

void bat_result_write(const struct bat_result *result, const char *input, const char *output,
	const struct bat_labels *labels, FILE *out)
{
	const struct bat_facts facts = bat_result_facts(result, input);
	struct base_json json = { .out = out };

	base_json_object(&json, NULL);
	base_json_str(&json, "input", input);
	write_text(&json, "recording", result->id);
	base_json_uint(&json, "input_bytes", result->input_bytes);
	if (result->outcome == BAT_CONVERTED) {
		write_text(&json, "host", result->facts[BAT_HOST]);
		write_labels(&json, labels, &facts);
		write_numbers(&json, result);
	}
	base_json_str(&json, "output", output);
	base_json_uint(&json, "output_bytes", result->output_bytes);
	base_json_decimal(&json, "seconds", (uint64_t)(result->seconds * 1000), 3);
	base_json_uint(&json, "memory_bytes", result->memory_bytes);
	write_text(&json, "error", result->error);
	base_json_end(&json, '}');
	fputc('\n', out);
}
