#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "symbolize/file/access.h"
#include "symbolize/file/open_path.h"

/* A root directory, next to a file that must not be reached from it. */
static int make_root(void **state)
{
	if (make_dir(state))
		return -1;
	return sh(
		"mkdir -p root/usr/lib root/a/b && echo in >root/usr/lib/x && echo top >root/x &&"
		"echo out >x && mkdir out && echo out >out/x &&"
		"ln -s /usr/lib root/lib && ln -s usr/lib/x root/rel && ln -s /usr/lib/x root/abs &&"
		"ln -s ../../../../../../x root/climb && ln -s ../../../x root/usr/lib/climb &&"
		"ln -s .. root/up && ln -s / root/top && ln -s %s/x root/host &&"
		"ln -s loop root/loop && ln -s lib/../lib/x root/a/b/chain && ln -s /a/b root/b &&"
		"mkfifo root/fifo && ln -s /proc/self/fd/0 root/magic && ln -s /dev/null null &&"
		"ln -s /proc/self/exe exe && ln -s /proc/self/status status",
		dir);
}

static const char *in_dir(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Look at @p path in the root, with openat2() or without. Returns what is seen, or NULL. */
static struct sym_seen *see(const char *path, bool by_steps)
{
	static char all[5000];
	static struct sym_seen seen;
	size_t root_len = (size_t)snprintf(all, sizeof(all), "%s/root", dir);

	snprintf(all + root_len, sizeof(all) - root_len, "%s", path);
	bool ok = by_steps ? sym_see_by_steps(all, root_len, &seen)
			   : sym_see(all, root_len, false, &seen);
	return ok ? &seen : NULL;
}

/* Whether @p seen is the file @p name below the directory of the test. */
static bool is_file(const struct sym_seen *seen, const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_dir(name + 1), &st), 0);
	return st.st_dev == seen->st.st_dev && st.st_ino == seen->st.st_ino;
}

/* Both ways of opening agree on every path, and none of them leads out of the root. */
static void test_below(void **state)
{
	static const struct {
		const char *path;
		/** Path of the file that is opened; NULL: opening fails with the error. */
		const char *opened;
		int error;
	} cases[] = {
		{ "/usr/lib/x", "/root/usr/lib/x", 0 },
		{ "usr//lib/./x", "/root/usr/lib/x", 0 },
		{ "/lib/x", "/root/usr/lib/x", 0 },
		{ "/rel", "/root/usr/lib/x", 0 },
		{ "/abs", "/root/usr/lib/x", 0 },
		{ "/../x", "/root/x", 0 },
		{ "/../../../../../../../../x", "/root/x", 0 },
		{ "/usr/lib/../../../../x", "/root/x", 0 },
		{ "/lib/../x", NULL, ENOENT },
		{ "/lib/../lib/x", "/root/usr/lib/x", 0 },
		{ "/climb", "/root/x", 0 },
		{ "/usr/lib/climb", "/root/x", 0 },
		{ "/up/x", "/root/x", 0 },
		{ "/up/up/up/x", "/root/x", 0 },
		{ "/top/top/x", "/root/x", 0 },
		{ "/b/../x", NULL, ENOENT },
		{ "/b/../../x", "/root/x", 0 },
		{ "/", "/root", 0 },
		{ "/a/b/../..", "/root", 0 },
		{ "/..", "/root", 0 },
		{ "/host", NULL, ENOENT },
		{ "/magic", NULL, ENOENT },
		{ "/a/b/chain", NULL, ENOENT },
		{ "/x/", NULL, ENOTDIR },
		{ "/x/y", NULL, ENOTDIR },
		{ "/x/..", NULL, ENOTDIR },
		{ "/absent", NULL, ENOENT },
		{ "/absent/../x", NULL, ENOENT },
		{ "/loop", NULL, ELOOP },
	};

	(void)state;
	for (size_t i = 0; i < 2 * PD_ARRAY_LEN(cases); i++) {
		bool by_steps = i % 2;
		const char *path = cases[i / 2].path, *opened = cases[i / 2].opened;
		struct sym_seen *seen = see(path, by_steps);

		if (!seen != !opened || (!seen && errno != cases[i / 2].error) ||
			(seen && !is_file(seen, opened)))
			fail_msg("%s%s: %s", path, by_steps ? " by steps" : "",
				seen ? "another file" : strerror(errno));
		if (seen)
			sym_unsee(seen);
	}
}

/* A path with many components and links ends, one way or the other. */
static void test_bounds(void **state)
{
	static char path[4000];

	(void)state;
	for (size_t i = 0; i + 5 < sizeof(path); i += 4)
		memcpy(path + i, "/up/", 5);
	assert_null(see(path, true));
	assert_int_equal(errno, ELOOP);
	for (size_t i = 0; i + 6 < sizeof(path); i += 5)
		memcpy(path + i, "/a/..", 6);
	struct sym_seen *seen = see(path, true);
	assert_non_null(seen);
	assert_true(is_file(seen, "/root"));
	sym_unsee(seen);
	memset(path, 'a', sizeof(path) - 1);
	assert_null(see(path, true));
	assert_int_equal(errno, ENAMETOOLONG);
}

/* Assert that the file is opened, or that it is refused with the status @p want. */
static void expect(const char *path, struct sym_access access, enum sym_status want)
{
	struct sym_failure failure = { SYM_FOUND, "" };
	int fd = sym_open_regular(path, access, &failure);

	if ((fd >= 0) != (want == SYM_FOUND) || failure.status != want)
		fail_msg("%s: %s", path, failure.text);
	if (fd < 0)
		return;
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_false(fcntl(fd, F_GETFL) & (O_PATH | O_WRONLY | O_RDWR));
	close(fd);
}

static void test_regular(void **state)
{
	const struct sym_access any = { 0 };

	(void)state;
	expect(in_dir("x"), any, SYM_FOUND);
	expect(in_dir("root/rel"), any, SYM_FOUND);
	expect(in_dir("absent"), any, SYM_NO_FILE);
	expect(in_dir("x/y"), any, SYM_NO_FILE);
	expect(in_dir("root/loop"), any, SYM_UNREADABLE);
	expect(in_dir("root"), any, SYM_NOT_ELF);
	expect(in_dir("root/fifo"), any, SYM_NOT_ELF);
	expect(in_dir("null"), any, SYM_NOT_ELF);
	expect("/dev/tty", any, SYM_NOT_ELF);
	expect("", any, SYM_NO_FILE);
}

static void test_of_kernel(void **state)
{
	const struct sym_access any = { 0 }, of_kernel = { .is_kernel_expected = true };

	(void)state;
	needs_linux();
	/* Files of the kernel look regular. */
	expect("/proc/self/status", any, SYM_NOT_ELF);
	expect(in_dir("status"), any, SYM_NOT_ELF);
	expect(in_dir("status"), of_kernel, SYM_FOUND);
	expect("/sys/kernel/notes", any, SYM_NOT_ELF);
	/* Links to what a process has open are files of pdconv, not of the recording. */
	expect(in_dir("exe"), any, SYM_UNREADABLE);
	expect("//proc/self/exe", any, SYM_UNREADABLE);
	char self[300];
	snprintf(self, sizeof(self), "/proc/%d/root%s/x", (int)getpid(), dir);
	expect(self, any, SYM_FOUND);
}

/* A writer that waits for a reader of the FIFO goes on waiting. */
static void test_no_side_effects(void **state)
{
	pid_t writer = fork();

	(void)state;
	if (!writer)
		_exit(open(in_dir("root/fifo"), O_WRONLY) < 0);
	usleep(50000);
	expect(in_dir("root/fifo"), (struct sym_access){ 0 }, SYM_NOT_ELF);
	usleep(50000);
	assert_int_equal(waitpid(writer, NULL, WNOHANG), 0);
	assert_int_equal(kill(writer, SIGKILL), 0);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void test_symfs(void **state)
{
	static char root[300];

	(void)state;
	snprintf(root, sizeof(root), "%s/root/", dir);
	const struct sym_access access = { .symfs = root };
	expect(in_dir("root/lib/x"), access, SYM_FOUND);
	expect(in_dir("root/abs"), access, SYM_FOUND);
	expect(in_dir("root/climb"), access, SYM_FOUND);
	expect(in_dir("root/host"), access, SYM_NO_FILE);
	expect(in_dir("root/host"), (struct sym_access){ 0 }, SYM_FOUND);
	expect(in_dir("root/../out/x"), access, SYM_NO_FILE);
	expect(in_dir("root/../out/x"), (struct sym_access){ 0 }, SYM_FOUND);
	expect(in_dir("root/../../../../../bin/true"), access, SYM_NO_FILE);
	/* Another directory that only begins with the same name is not below the root. */
	assert_int_equal(sh("mkdir rooted && ln -s ../x rooted/x"), 0);
	expect(in_dir("rooted/x"), access, SYM_FOUND);
}

static void test_real_path(void **state)
{
	struct sym_path real;
	static char root[300], want[300];

	(void)state;
	snprintf(root, sizeof(root), "%s/root", dir);
	const struct sym_access access = { .symfs = root };
	snprintf(want, sizeof(want), "%s/root/usr/lib/x", dir);
	assert_true(sym_real_path(in_dir("root/lib/x"), access, &real));
	assert_string_equal(real.text, want);
	/* The name of the root stays as it was given. */
	assert_int_equal(sh("ln -s root link"), 0);
	snprintf(root, sizeof(root), "%s/link", dir);
	snprintf(want, sizeof(want), "%s/link/usr/lib/x", dir);
	assert_true(sym_real_path(in_dir("link/lib/x"), access, &real));
	assert_string_equal(real.text, want);
	assert_false(sym_real_path(in_dir("link/host"), access, &real));
}

/* Dependencies below a root are observed below it. */
static void test_deps(void **state)
{
	static char root[300];
	struct sym_deps *deps;
	struct stat st;
	uint8_t *bytes;
	size_t size;

	(void)state;
	snprintf(root, sizeof(root), "%s/root", dir);
	assert_int_equal(sh("ln -s /new root/hint && echo 1 >root/old"), 0);
	usleep(80000);
	assert_null(sym_deps_create(&deps));
	const struct sym_access access = { .symfs = root, .deps = deps };
	expect(in_dir("root/hint"), access, SYM_NO_FILE);
	expect(in_dir("root/old"), access, SYM_FOUND);
	assert_true(sym_stat_regular(in_dir("root/abs"), access, &st));
	assert_int_equal(st.st_size, strlen("in\n"));
	assert_null(sym_deps_encode(deps, &bytes, &size));
	assert_non_null(bytes);
	sym_deps_destroy(deps);
	assert_true(sym_deps_are_current(bytes, size));
	/* The file that the link means appears. */
	assert_int_equal(sh("echo new >root/new"), 0);
	assert_false(sym_deps_are_current(bytes, size));
	assert_int_equal(sh("rm root/new"), 0);
	assert_true(sym_deps_are_current(bytes, size));
	assert_int_equal(sh("echo 2 >root/usr/lib/x"), 0);
	assert_false(sym_deps_are_current(bytes, size));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_regular),
		cmocka_unit_test(test_of_kernel),
		cmocka_unit_test(test_no_side_effects),
		cmocka_unit_test(test_symfs),
		cmocka_unit_test(test_real_path),
		cmocka_unit_test(test_deps),
	};

	return cmocka_run_group_tests(tests, make_root, remove_dir);
}
