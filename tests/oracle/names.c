/* Print the names of a recording's events, one per line, in the order of its attrs. */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/file.h>

#include "parse/open_file.h"

int main(int argc, char **argv)
{
	struct pd_file *file;

	if (argc != 2)
		return 2;
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (err) {
		char *text = pd_error_string(err);

		fprintf(stderr, "%s\n", text ? text : "no memory");
		free(text);
		pd_error_destroy(err);
		return 1;
	}
	for (size_t i = 0; i < file->events.list.n; i++)
		puts(file->events.list.data[i].name);
	pd_file_close(file);
	return 0;
}
