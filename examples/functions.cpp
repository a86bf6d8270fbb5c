// List the functions in which a recording has samples, by the sum of their periods.
//
// usage: functions PERF.DATA [DIRECTORY WITH BINARIES]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include <pdconv/pdconv.h>

static void check(pd_error *err)
{
	if (pd_error_print(err, stderr))
		std::exit(1);
}

// Name of the innermost function at the leaf of a stack.
static std::string function_of(const pd_profile *profile, uint32_t stack)
{
	size_t n;
	const uint32_t *frames = pd_profile_get_stack(profile, stack, &n);

	if (!n || !pd_profile_get_frame(profile, frames[0]).n_functions)
		return "[unknown]";
	return pd_profile_get_function(profile, frames[0], 0).name;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 2 ? argv[2] : nullptr;
	pd_profile_opts opts = {};
	pd_file *file = nullptr;
	pd_profile *created = nullptr;

	opts.search.dirs = &dir;
	opts.search.n_dirs = dir ? 1 : 0;
	check(pd_file_open(argc > 1 ? argv[1] : "perf.data", nullptr, &file));
	std::unique_ptr<pd_file, decltype(&pd_file_close)> closer(file, pd_file_close);
	check(pd_profile_create(file, &opts, nullptr, &created));
	std::unique_ptr<pd_profile, decltype(&pd_profile_destroy)> profile(
		created, pd_profile_destroy);
	std::map<std::string, uint64_t> periods;
	for (uint32_t i = 0; i < pd_profile_n_samples(created); i++) {
		pd_profile_sample sample = pd_profile_get_sample(created, i);
		periods[function_of(created, sample.stack)] += sample.sum.period;
	}
	std::multimap<uint64_t, std::string> sorted;
	for (const auto &entry : periods)
		sorted.emplace(entry.second, entry.first);
	for (auto row = sorted.rbegin(); row != sorted.rend(); ++row)
		std::printf("%" PRIu64 " %s\n", row->first, row->second.c_str());
}
