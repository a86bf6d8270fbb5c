// Record what a scope of this program does, as a pprof profile in memory. usage: scope [OUTPUT]
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <pdconv/pdconv.h>

static void check(pd_error *err)
{
	if (!err)
		return;
	std::string message = err->message;
	pd_error_destroy(err);
	throw std::runtime_error(message);
}

static pd_error *append(void *ctx, const void *bytes, size_t size)
{
	static_cast<std::string *>(ctx)->append(static_cast<const char *>(bytes), size);
	return nullptr;
}

// Records this process as long as it exists.
struct Profiler {
	pd_profiler *profiler;

	Profiler()
	{
		pd_profiler_opts opts{};
		opts.pid = getpid();
		check(pd_profiler_start(&opts, &profiler));
	}
	~Profiler()
	{
		pd_profiler_destroy(profiler);
	}
};

static unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char **argv)
try {
	Profiler scope;
	std::string profile;
	printf("fibonacci(38) = %u\n", fibonacci(38));
	check(pd_profiler_snapshot(scope.profiler, "pprof", append, &profile, nullptr));
	printf("%zu bytes of a profile\n", profile.size());
	if (argc > 1)
		std::ofstream(argv[1], std::ios::binary) << profile;
} catch (const std::exception &e) {
	fprintf(stderr, "%s\n", e.what());
	return 1;
}
