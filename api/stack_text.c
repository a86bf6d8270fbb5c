/* Stacks as text. */
#include <pdconv/unwinder.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static void write_name(FILE *stream, const char *name)
{
	size_t len;
	_cleanup_free_ char *text = pd_text_dup(name, strlen(name), &len);

	if (!text)
		return;
	len = pd_text_copy_folded(text, text, len, ' ');
	if (len)
		fwrite(text, 1, len, stream);
	else
		fputs("[unknown]", stream);
}

static void write_frame(FILE *stream, const struct pd_frame *frame)
{
	for (size_t i = frame->n_names; i-- > 0;) {
		fputc(';', stream);
		write_name(stream, frame->names[i].function ? frame->names[i].function : "");
	}
	if (frame->n_names)
		return;
	fputs(";[", stream);
	write_name(stream, frame->binary ? pd_base_name(frame->binary->path) : "unknown");
	fputc(']', stream);
}

void pd_stack_frames_write(const struct pd_stack_frames *stack, FILE *stream)
{
	write_name(stream, stack->comm ? stack->comm : "");
	for (size_t i = stack->n; i-- > 0;)
		write_frame(stream, &stack->frames[i]);
}
