// Convert recordings on four threads, and print the size of each output.
// usage: convert_threads PERF.DATA ...
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <pdconv/pdconv.h>

static pd_error *count(void *ctx, const void *, size_t size)
{
	*static_cast<size_t *>(ctx) += size;
	return nullptr;
}

// Convert a recording. The result is what is printed of it.
static std::string convert(const std::string &path)
{
	pd_profile_opts opts{};
	pd_file *file = nullptr;
	size_t size = 0;

	opts.jobs = 1;
	pd_error *err = pd_file_open(path.c_str(), nullptr, &file);
	if (!err)
		err = pd_convert(file, &opts, "folded", count, &size, nullptr);
	pd_file_close(file);
	char *text = err ? pd_error_string(err) : nullptr;
	std::string what = err ? (text ? text : "out of memory") : "bytes";
	std::free(text);
	pd_error_destroy(err);
	return path + ": " + std::to_string(size) + " " + what;
}

int main(int argc, char **argv)
{
	std::vector<std::string> paths(argv + (argc > 0), argv + argc), lines(paths.size());
	std::vector<std::thread> threads;
	std::atomic<size_t> next(0);

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			for (size_t k; (k = next++) < paths.size();)
				lines[k] = convert(paths[k]);
		});
	for (auto &thread : threads)
		thread.join();
	for (const auto &line : lines)
		std::printf("%s\n", line.c_str());
}
