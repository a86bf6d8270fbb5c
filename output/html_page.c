/*
 * The page is made of web/ when pdconv is built. The assembler reads it: PD_WEB_DIR has the files.
 */
#include "output/html_page.h"

#define INCLUDE_BYTES(name, file) \
	__asm__(".section .rodata\n" #name ":\n" \
		".incbin \"" PD_WEB_DIR "/" file "\"\n" #name "_end:\n" \
		".previous\n"); \
	extern const char name[] __attribute__((visibility("hidden"))); \
	extern const char name##_end[] __attribute__((visibility("hidden")))

INCLUDE_BYTES(html_page_head, "page.head");
INCLUDE_BYTES(html_page_tail, "page.tail");

void html_page_write_head(FILE *out)
{
	fwrite(html_page_head, 1, (size_t)(html_page_head_end - html_page_head), out);
}

void html_page_write_tail(FILE *out)
{
	fwrite(html_page_tail, 1, (size_t)(html_page_tail_end - html_page_tail), out);
}
