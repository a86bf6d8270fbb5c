#include <pdconv/vec.h>

#include <stdint.h>

bool pd_vec_grow(void **data, size_t *cap, size_t want, size_t size)
{
	size_t new_cap = *cap ? *cap : 8;

	while (new_cap < want) {
		if (new_cap > SIZE_MAX / 2)
			return false;
		new_cap *= 2;
	}
	void *grown = reallocarray(*data, new_cap, size);
	if (!grown)
		return false;
	*data = grown;
	*cap = new_cap;
	return true;
}
