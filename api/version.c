#include <pdconv/version.h>

const char *pd_version(void)
{
	return PD_VERSION;
}
