// Convert any number of recordings, one after the other, and print the size of each output. At the
// end, print the largest amount of memory that was in use. usage: convert_all FORMAT PERF.DATA ...
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

#include <pdconv/pdconv.h>

static void check(pd_error *err)
{
	if (!err)
		return;
	char *text = pd_error_string(err);
	std::string message = text ? text : "out of memory";
	std::free(text);
	pd_error_destroy(err);
	throw std::runtime_error(message);
}

static pd_error *append(void *ctx, const void *bytes, size_t size)
{
	static_cast<std::string *>(ctx)->append(static_cast<const char *>(bytes), size);
	return nullptr;
}

static std::string convert(const char *path, const char *format)
{
	pd_file *opened = nullptr;
	std::string out;

	check(pd_file_open(path, nullptr, &opened));
	std::unique_ptr<pd_file, decltype(&pd_file_close)> file(opened, pd_file_close);
	check(pd_convert(file.get(), nullptr, format, append, &out, nullptr));
	return out;
}

int main(int argc, char **argv)
{
	int n_failed = 0;

	for (int i = 2; i < argc; i++) {
		try {
			std::printf("%s: %zu bytes\n", argv[i], convert(argv[i], argv[1]).size());
		} catch (const std::exception &e) {
			std::printf("%s: 0 %s\n", argv[i], e.what());
			n_failed++;
		}
	}
	rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	std::fprintf(stderr, "%ld KiB\n", usage.ru_maxrss);
	return n_failed > 0;
}
