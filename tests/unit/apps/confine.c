/* SPDX-License-Identifier: MIT */
/* Confinement to one GPU: nodes of others cannot be opened, and everything else works as before. */

#include "apps/confine.h"
#include "harness/gpu_list.h"
#include "harness/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[32];

/* Paths below the folder of the test. */
static const char *at(const char *name)
{
	static char paths[4][128];
	static int n;
	char *path = paths[n++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	return path;
}

static void make_file(const char *name)
{
	int fd = open(at(name), O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static int setup(void **state)
{
	static const char *const folders[] = {"dev", "dev/dri", "dev/dri/by-path", "dev/shm",
		"dev/nvidia-caps", "other", "home", "home/a", "home/b"};
	static const char *const files[] = {"dev/null", "dev/hidraw0", "dev/kfd", "dev/nvidia0",
		"dev/nvidia1", "dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia-caps/cap1",
		"dev/dri/card0", "dev/dri/card1", "dev/dri/renderD128", "dev/dri/renderD129",
		"dev/dri/renderD12", "dev/shm/old", "home/a/file", "file"};
	(void)state;
	strcpy(top, "/tmp/causeway-confine-XXXXXX");
	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		assert_int_equal(mkdir(at(folders[i]), 0700), 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		make_file(files[i]);
	}
	assert_int_equal(symlink("../renderD128", at("dev/dri/by-path/own")), 0);
	assert_int_equal(symlink("../renderD129", at("dev/dri/by-path/other")), 0);
	assert_int_equal(symlink("../dev/dri/renderD129", at("other/renderD128")), 0);
	return 0;
}

static int teardown(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

/* Returns the exit code of a process that was confined and then ran the function. */
static int run_confined(const char *nodes, int (*function)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *error = NULL;
		if (confine_self(nodes, at("dev"), &error) < 0) {
			fprintf(stderr, "%s\n", error);
			free(error);
			_exit(200);
		}
		_exit(function());
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static bool opens(const char *name, int flags)
{
	int fd = open(at(name), flags | O_CLOEXEC, 0600);
	bool opened = fd >= 0;
	if (opened) {
		close(fd);
	} else if (errno != EACCES) {
		_exit(201);
	}
	return opened;
}

/* Returns whether exactly the named files can be opened, in each mode. */
static bool opens_only(const char *const *wanted)
{
	static const char *const all[] = {"dev/null", "dev/hidraw0", "dev/kfd", "dev/nvidia0",
		"dev/nvidia1", "dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia-caps/cap1",
		"dev/dri/card0", "dev/dri/card1", "dev/dri/renderD128", "dev/dri/renderD129",
		"dev/dri/renderD12", "dev/dri/by-path/own", "dev/dri/by-path/other",
		"other/renderD128"};
	static const int modes[] = {O_RDWR, O_RDONLY, O_WRONLY};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) * 3; i++) {
		const char *name = all[i / 3];
		bool expected = false;
		for (const char *const *entry = wanted; *entry; entry++) {
			expected = expected || strcmp(*entry, name) == 0;
		}
		if (opens(name, modes[i % 3]) != expected) {
			fprintf(stderr, "%s: %d, not %d\n", name, !expected, expected);
			return false;
		}
	}
	return true;
}

static int check_nodes(void)
{
	static const char *const wanted[] = {"dev/null", "dev/hidraw0", "dev/dri/card0",
		"dev/dri/renderD128", "dev/dri/by-path/own", NULL};
	return opens_only(wanted) ? 0 : 1;
}

static int check_amd_nodes(void)
{
	static const char *const wanted[] = {"dev/null", "dev/hidraw0", "dev/kfd",
		"dev/dri/renderD129", "dev/dri/by-path/other", "other/renderD128", NULL};
	return opens_only(wanted) ? 0 : 1;
}

static int check_no_nodes(void)
{
	static const char *const wanted[] = {"dev/null", "dev/hidraw0", NULL};
	return opens_only(wanted) ? 0 : 1;
}

static void only_own_nodes_can_be_opened(void **state)
{
	(void)state;
	assert_int_equal(run_confined("card0,renderD128", check_nodes), 0);
	assert_int_equal(run_confined("renderD129,kfd", check_amd_nodes), 0);
	assert_int_equal(run_confined("", check_no_nodes), 0);
	assert_int_equal(run_confined("renderD1280,ard0,card", check_no_nodes), 0);
}

static int check_children(void)
{
	return WEXITSTATUS(system("! cat /dev/null \"$CONFINED\" 2>/dev/null"));
}

static void child_processes_are_confined(void **state)
{
	(void)state;
	setenv("CONFINED", at("dev/dri/renderD129"), 1);
	assert_int_equal(run_confined("renderD128", check_children), 0);
	assert_int_not_equal(run_confined("renderD129", check_children), 0);
	assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0); /* of the test itself */
}

static int check_later_nodes(void)
{
	if (mknod(at("dev/dri/renderD130"), S_IFREG | 0600, 0) < 0 ||
		mknod(at("dev/nvidia2"), S_IFREG | 0600, 0) < 0) {
		return 2;
	}
	return opens("dev/dri/renderD130", O_RDWR) || opens("dev/nvidia2", O_RDWR);
}

static void nodes_of_later_gpus_cannot_be_opened(void **state)
{
	(void)state;
	assert_int_equal(run_confined("renderD128", check_later_nodes), 0);
}

/* Returns the number of a step that failed, or 0. */
static int check_other_access(void)
{
	int step = 0;
#define STEP(condition)                                                                            \
	do {                                                                                       \
		step++;                                                                            \
		if (!(condition)) {                                                                \
			fprintf(stderr, "step %d: %s\n", step, strerror(errno));                   \
			return step;                                                               \
		}                                                                                  \
	} while (0)
	char path[64];
	STEP(opens("home/new", O_RDWR | O_CREAT));
	STEP(opens("dev/shm/old", O_RDWR));
	STEP(opens("dev/shm/new", O_RDWR | O_CREAT));
	STEP(opens("file", O_RDWR | O_TRUNC));
	STEP(truncate(at("home/a/file"), 5) == 0);
	STEP(rename(at("home/a/file"), at("home/b/file")) == 0);
	STEP(link(at("home/b/file"), at("home/link")) == 0);
	STEP(rename(at("home/b"), at("home/a/b")) == 0);
	STEP(rename(at("home/link"), at("other/link")) == 0); /* under two rules */
	STEP(link(at("other/link"), at("home/a/link")) == 0);
	STEP(unlink(at("other/link")) == 0);
	STEP(mkdir(at("home/c"), 0700) == 0 && rmdir(at("home/c")) == 0);
	STEP(symlink("new", at("home/symlink")) == 0 && opens("home/symlink", O_RDONLY));
	STEP(mkfifo(at("home/fifo"), 0600) == 0 && opens("home/fifo", O_RDWR));
	STEP(system("exit 0") == 0);
	int fd = memfd_create("test", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, O_RDWR | O_CLOEXEC);
	STEP(fd >= 0 && again >= 0);
	int file = open(at("home"), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	STEP(file >= 0 || errno == EOPNOTSUPP);
	STEP(open("/proc/self/maps", O_RDONLY | O_CLOEXEC) >= 0);
	STEP(open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC) >= 0 ||
		errno == ENOENT);
	STEP(open("/dev/null", O_RDWR | O_CLOEXEC) >= 0);
	STEP(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	STEP(open(at("dev"), O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	STEP(open(at("dev/dri"), O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
	STEP(open(at("dev/dri/renderD129"), O_PATH | O_CLOEXEC) >= 0);
	STEP(access(at("dev/dri/renderD129"), R_OK | W_OK) == 0); /* as documented */
	return 0;
}

static void everything_else_works_as_before(void **state)
{
	(void)state;
	assert_int_equal(run_confined("renderD128", check_other_access), 0);
}

static int return_five(void)
{
	return 5;
}

static void missing_folder_of_gpus_is_no_error(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -r %s/dev/dri", top);
	assert_int_equal(system(command), 0);
	assert_int_equal(run_confined("renderD128", return_five), 5);
	/* Without a folder of devices, nothing is left. */
	snprintf(command, sizeof(command), "rm -r %s/dev", top);
	assert_int_equal(system(command), 0);
	assert_int_equal(run_confined("renderD128", return_five), 5);
}

static void nvidia_gpu_without_a_known_node_is_refused(void **state)
{
	(void)state;
	char *error = NULL;
	assert_int_equal(confine_self("nvidia=ffff:ff:1f.7,card0", at("dev"), &error), -ENODEV);
	assert_non_null(strstr(error, "NVIDIA"));
	free(error);
}

static void nodes_are_those_of_the_gpu_and_its_driver(void **state)
{
	struct gpu_list list;
	static struct gpu intel, amd, nvidia, nouveau, display;
	(void)state;
	wl_list_init(&list.gpus);
	gpu_list_append(&list, &intel, "i915", "pci-0000_00_02_0", 0x8086, 0x46a6, true,
		"/dev/dri/renderD128");
	intel.primary_path = (char *)"/dev/dri/card0";
	gpu_list_append(&list, &amd, "amdgpu", "pci-0000_03_00_0", 0x1002, 0x73bf, false,
		"/dev/dri/renderD129");
	amd.primary_path = (char *)"/dev/dri/card1";
	gpu_list_append(&list, &nvidia, "nvidia", "pci-0000_0a_00_1", 0x10de, 0x2684, false,
		"/dev/dri/renderD130");
	gpu_list_append(&list, &nouveau, "nouveau", "pci-0000_05_00_0", 0x10de, 0x2684, false,
		"/dev/dri/renderD131");
	gpu_list_append(&list, &display, "vc4", "platform-gpu", 0, 0, true, NULL);
	display.primary_path = (char *)"/dev/dri/card9";
	const struct {
		const struct gpu *gpu;
		const char *nodes;
	} table[] = {
		{&intel, "card0,renderD128,card9"},
		{&amd, "card1,renderD129,card9,kfd"},
		{&nvidia, "renderD130,card9,nvidia=0000:0a:00.1"},
		{&nouveau, "renderD131,card9"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *nodes = confine_nodes(&list, table[i].gpu);
		assert_string_equal(nodes, table[i].nodes);
		free(nodes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_own_nodes_can_be_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(child_processes_are_confined, setup, teardown),
		cmocka_unit_test_setup_teardown(
			nodes_of_later_gpus_cannot_be_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(everything_else_works_as_before, setup, teardown),
		cmocka_unit_test_setup_teardown(
			missing_folder_of_gpus_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(
			nvidia_gpu_without_a_known_node_is_refused, setup, teardown),
		cmocka_unit_test(nodes_are_those_of_the_gpu_and_its_driver),
	};
	char *problem = confine_problem();
	if (problem) {
		printf("skip: %s\n", problem);
		free(problem);
		return 77;
	}
	return cmocka_run_group_tests_name("confine", tests, NULL, NULL);
}
