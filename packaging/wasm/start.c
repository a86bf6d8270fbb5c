/* Before main(): paths are relative to the directory of the host, which is in $PWD. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void go_to_directory(void)
{
	const char *dir = getenv("PWD");

	if (dir)
		(void)!chdir(dir);
}
