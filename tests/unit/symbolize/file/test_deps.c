#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbolize/file/deps.h"
#include "symbolize/file/local_processes.h"

/* Longer than the age up to which a file counts as just changed. */
static void wait_until_old(void)
{
	usleep(80000);
}

/* Encode a list of one dependency. Returns NULL if it cannot be relied on. */
static uint8_t *encode(enum sym_dep_kind kind, const char *path, size_t *size_ret)
{
	struct sym_deps *deps;
	uint8_t *bytes;

	assert_null(sym_deps_create(&deps));
	sym_deps_add(deps, kind, path);
	sym_deps_add(deps, kind, path);
	assert_null(sym_deps_encode(deps, &bytes, size_ret));
	sym_deps_destroy(deps);
	return bytes;
}

/* Assert that @p command changes the state of the dependency @p path. */
static void expect_change(enum sym_dep_kind kind, const char *path, const char *command)
{
	size_t size;

	wait_until_old();
	uint8_t *bytes = encode(kind, path, &size);
	assert_non_null(bytes);
	assert_true(sym_deps_are_current(bytes, size));
	assert_int_equal(sh("%s", command), 0);
	assert_false(sym_deps_are_current(bytes, size));
	free(bytes);
}

static void test_files(void **state)
{
	char path[300], link[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	expect_change(SYM_DEP_FILE, path, "echo text >file");
	expect_change(SYM_DEP_FILE, path, "touch file");
	/* The times of the contents can be set back, but not that of the last change. */
	expect_change(SYM_DEP_FILE, path,
		"touch -r file times && echo more >file && touch -r times file");
	expect_change(SYM_DEP_FILE, path, "cp -p file copy && mv copy file");
	expect_change(SYM_DEP_FILE, path, "chmod 400 file");
	expect_change(SYM_DEP_FILE, link, "ln -s file link");
	expect_change(SYM_DEP_FILE, link, "cp file other && ln -sf other link");
	expect_change(SYM_DEP_LINK, link, "ln -sf file link");
	expect_change(SYM_DEP_REAL_PATH, link, "ln -sf other link");
	expect_change(SYM_DEP_FILE, path, "rm file && mkdir file");
	expect_change(SYM_DEP_FILE, path, "rmdir file");
}

/* Entries of a directory do not matter, only that it is not a file. */
static void test_directory(void **state)
{
	size_t size;

	(void)state;
	assert_int_equal(sh("mkdir -p folder"), 0);
	char path[300];
	snprintf(path, sizeof(path), "%s/folder", dir);
	uint8_t *bytes = encode(SYM_DEP_FILE, path, &size);
	assert_non_null(bytes);
	assert_int_equal(sh("touch folder/more"), 0);
	assert_true(sym_deps_are_current(bytes, size));
	free(bytes);
}

static void test_virtual(void **state)
{
	size_t size;

	(void)state;
	needs_linux();
	/* The size is 0 and the times are those of now, so the contents are compared. */
	assert_int_equal(prctl(PR_SET_NAME, "before"), 0);
	uint8_t *bytes = encode(SYM_DEP_FILE, "/proc/self/comm", &size);
	assert_non_null(bytes);
	assert_true(sym_deps_are_current(bytes, size));
	assert_int_equal(prctl(PR_SET_NAME, "after"), 0);
	assert_false(sym_deps_are_current(bytes, size));
	free(bytes);
}

static void test_process(void **state)
{
	struct sym_deps *deps;
	uint8_t *bytes;
	size_t size;
	struct sym_process process;

	(void)state;
	needs_linux();
	pid_t pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_null(sym_process_read((uint32_t)pid, 0, &process));
	assert_true(process.is_alive);
	assert_int_equal(process.own_pid, pid);
	assert_int_equal(process.uid, getuid());
	assert_null(sym_process_read((uint32_t)pid, 1000, &process));
	assert_false(process.is_alive);
	assert_null(sym_deps_create(&deps));
	sym_deps_add_process(deps, (uint32_t)pid, 0);
	assert_null(sym_deps_encode(deps, &bytes, &size));
	assert_non_null(bytes);
	assert_true(sym_deps_are_current(bytes, size));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(sym_deps_are_current(bytes, size));
	free(bytes);
	sym_deps_destroy(deps);
}

static void test_unreliable(void **state)
{
	struct sym_deps *deps;
	uint8_t *bytes;
	size_t size;
	char path[300];

	(void)state;
	snprintf(path, sizeof(path), "%s/new", dir);
	/* A file that was changed just now may change again within the same tick of the clock. */
	assert_int_equal(sh("echo text >new"), 0);
	int fd = open(path, O_WRONLY);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_null(encode(SYM_DEP_FILE, path, &size));
	wait_until_old();
	/* It changes while it is used. */
	assert_null(sym_deps_create(&deps));
	sym_deps_add(deps, SYM_DEP_FILE, path);
	assert_int_equal(sh("echo more >new"), 0);
	assert_null(sym_deps_encode(deps, &bytes, &size));
	assert_null(bytes);
	sym_deps_destroy(deps);
	assert_null(sym_deps_create(&deps));
	sym_deps_spoil(deps);
	assert_null(sym_deps_encode(deps, &bytes, &size));
	assert_null(bytes);
	sym_deps_destroy(deps);
	/* No list is wanted. */
	sym_deps_add(NULL, SYM_DEP_FILE, path);
	sym_deps_spoil(NULL);
}

static void test_damaged(void **state)
{
	size_t size;
	uint8_t *bytes;

	(void)state;
	assert_true(sym_deps_are_current(NULL, 0));
	bytes = encode(SYM_DEP_FILE, "/nonexistent/file", &size);
	assert_true(sym_deps_are_current(bytes, size));
	for (size_t cut = 1; cut < size; cut++) {
		uint8_t *part = malloc(cut);
		memcpy(part, bytes, cut);
		assert_false(sym_deps_are_current(part, cut));
		free(part);
	}
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 0x81;
		/* At worst another file that does not exist is looked for. */
		(void)sym_deps_are_current(bytes, size);
		bytes[i] ^= 0x81;
	}
	free(bytes);
}

/* A file of the index may have any number, also one that no process can have. */
static void test_numbers_of_processes(void **state)
{
	static const char none[] = "4000000000 0", too_large[] = "9999999999 0";
	size_t size;
	uint8_t *bytes = encode(SYM_DEP_PROCESS, none, &size);

	(void)state;
	assert_non_null(bytes);
	assert_true(sym_deps_are_current(bytes, size));
	uint8_t *at = memmem(bytes, size, none, sizeof(none));
	assert_non_null(at);
	memcpy(at, too_large, sizeof(too_large));
	assert_false(sym_deps_are_current(bytes, size));
	free(bytes);
}

/* A container that begins is a change. Others may begin and end meanwhile. */
static void test_roots(void **state)
{
	int ends[2];
	char has_namespace = 0;
	size_t size;

	(void)state;
	needs_linux();
	uint8_t *bytes = encode(SYM_DEP_ROOTS, "", &size);
	assert_non_null(bytes);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		has_namespace = unshare(CLONE_NEWNS) == 0;
		(void)!write(ends[1], &has_namespace, 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &has_namespace, 1), 1);
	bool is_current = sym_deps_are_current(bytes, size);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	free(bytes);
	if (!has_namespace)
		skip();
	assert_false(is_current);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_virtual),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_unreliable),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_numbers_of_processes),
		cmocka_unit_test(test_roots),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
