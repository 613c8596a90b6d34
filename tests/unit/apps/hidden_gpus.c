/* SPDX-License-Identifier: MIT */
/* Drivers hidden from programs: variables of the Vulkan and EGL loaders, by the machine's GPUs. */

#include "apps/launch.h"
#include "gpu/environment.h"
#include "harness/gpu_list.h"
#include "harness/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VULKAN "VK_LOADER_DRIVERS_DISABLE"
#define EGL "__EGL_VENDOR_LIBRARY_FILENAMES"
#define AMD "radeon_*,amd_*"
#define INTEL "intel_*"
#define NVIDIA "nvidia_*,nouveau_*"
#define GPUS_MAX 3

#define RULES                                                                                      \
	"[app a]\nexe = */cat\ngpu = discrete\n"                                                   \
	"[app b]\nexe = */tac\ngpu = integrated\nenv = VK_DRIVER_FILES=/mine.json\n"               \
	"[app c]\nexe = */head\ngpu = integrated\nenv = " EGL "=/mine.json\n"                      \
	"[app d]\nexe = */tail\ngpu = integrated\n"                                                \
	"[app e]\nexe = */wc\nenv = MARK=1\n"                                                      \
	"[app f]\nexe = */od\ngpu = pci-0000_09_00_0\n"                                            \
	"[app g]\nexe = */bash\ngpu = integrated\n"

struct gpus_world {
	struct gpu_list list;
	struct gpu gpus[GPUS_MAX];
	struct launch_context context;
	struct config *config;
	char folder[32], path[64], mesa[64];
	bool asleep[GPUS_MAX]; /* the GPU can sleep */
};

static struct gpus_world world;

bool __wrap_gpu_can_sleep(const struct gpu *gpu);
bool __wrap_gpu_can_sleep(const struct gpu *gpu)
{
	return world.asleep[gpu - world.gpus];
}

static void write_file(const char *name, const char *text)
{
	snprintf(world.path, sizeof(world.path), "%s/%s", world.folder, name);
	FILE *file = fopen(world.path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
	snprintf(world.path, sizeof(world.path), "%s/%s", world.folder, name);
	assert_int_equal(unlink(world.path), 0);
}

static void configure(const char *text)
{
	char *error = NULL;
	write_file("config", text);
	config_destroy(world.config);
	world.config = config_load(world.path, &error);
	assert_non_null(world.config);
	world.context.config = world.config;
}

static void unset_all(void)
{
	static const char *const names[] = {VULKAN, EGL, "VK_LOADER_DRIVERS_SELECT",
		"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "CAUSEWAY_HIDES_VULKAN",
		"CAUSEWAY_HIDES_EGL"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		unsetenv(names[i]);
	}
}

static int setup(void **state)
{
	world = (struct gpus_world){.folder = "/tmp/causeway-hidden-XXXXXX"};
	assert_non_null(mkdtemp(world.folder));
	write_file("10_nvidia.json", "{}");
	write_file("50_mesa.json", "{}");
	snprintf(world.mesa, sizeof(world.mesa), "%s", world.path);
	unset_all();
	setenv("__EGL_VENDOR_LIBRARY_DIRS", world.folder, 1);
	configure(RULES);
	wl_list_init(&world.list.gpus);
	world.context.gpus = &world.list;
	*state = &world;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unset_all();
	unsetenv("__EGL_VENDOR_LIBRARY_DIRS");
	config_destroy(world.config);
	remove_file("config");
	remove_file("10_nvidia.json");
	remove_file("50_mesa.json");
	return rmdir(world.folder);
}

/* Adds a GPU that can sleep if it is discrete, as on laptops; the first one composes. */
static void add_gpu(const char *driver, bool integrated)
{
	static const char *const nodes[GPUS_MAX] = {
		"/dev/dri/renderD128", "/dev/dri/renderD129", "/dev/dri/renderD130"};
	static const char *const buses[GPUS_MAX] = {
		"pci-0000_00_02_0", "pci-0000_01_00_0", "pci-0000_02_00_0"};
	int i = wl_list_length(&world.list.gpus);
	gpu_list_append(&world.list, &world.gpus[i], driver, buses[i], 0x1002, (uint32_t)i,
		integrated, nodes[i]);
	world.asleep[i] = !integrated;
	world.context.display = &world.gpus[0];
}

static void add_hybrid(const char *integrated, const char *discrete)
{
	wl_list_init(&world.list.gpus);
	add_gpu(integrated, true);
	add_gpu(discrete, false);
}

static struct launch prepare(const char *program, const char *gpu)
{
	const char *const argv[] = {program, NULL};
	struct launch launch;
	char *error = NULL;
	if (!launch_prepare(&launch, &world.context, argv, gpu, &error)) {
		fail_msg("%s: %s", program, error);
	}
	return launch;
}

/* Returns the change of the variable: "NAME=value", "NAME" or NULL. */
static const char *find(const struct launch *launch, const char *name)
{
	size_t length = strlen(name);
	for (char **entry = launch->environment; entry && *entry; entry++) {
		if (strncmp(*entry, name, length) == 0 &&
			((*entry)[length] == '=' || (*entry)[length] == '\0')) {
			return *entry;
		}
	}
	return NULL;
}

static void expect_change(const struct launch *launch, const char *name, const char *value)
{
	const char *change = find(launch, name);
	char *wanted = NULL;
	if (value) {
		assert_true(asprintf(&wanted, "%s=%s", name, value) > 0);
	}
	if (!change != !wanted || (change && strcmp(change, wanted) != 0)) {
		fail_msg("%s: '%s' instead of '%s'", name, change ? change : "unchanged",
			wanted ? wanted : "unchanged");
	}
	free(wanted);
}

/* NULL: the variable does not change. */
static void expect(const char *program, const char *gpu, const char *vulkan, const char *egl)
{
	struct launch launch = prepare(program, gpu);
	expect_change(&launch, VULKAN, vulkan);
	expect_change(&launch, EGL, egl);
	launch_finish(&launch);
}

static void drivers_of_other_gpus_are_hidden(void **state)
{
	(void)state;
	const char *mesa = world.mesa;
	const struct {
		const char *integrated, *discrete, *vulkan, *egl;
	} table[] = {
		{"i915", "amdgpu", AMD, NULL},
		{"xe", "amdgpu", AMD, NULL},
		{"amdgpu", "xe", INTEL, NULL},
		{"i915", "nvidia", NVIDIA, mesa},
		{"i915", "nouveau", NVIDIA, mesa},
		{"amdgpu", "nvidia", NVIDIA, mesa},
		{"amdgpu", "nvidia-drm", NVIDIA, mesa},
		/* One driver serves both GPUs. */
		{"amdgpu", "amdgpu", NULL, NULL},
		{"i915", "xe", NULL, NULL},
		{"i915", "unknown", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		add_hybrid(table[i].integrated, table[i].discrete);
		print_message("%s and %s\n", table[i].integrated, table[i].discrete);
		/* A rule, and a request, for the integrated GPU. */
		expect("tail", NULL, table[i].vulkan, table[i].egl);
		expect("ls", "integrated", table[i].vulkan, table[i].egl);
		/* A rule, and a request, for the discrete GPU. */
		expect("cat", NULL, NULL, NULL);
		expect("ls", "discrete", NULL, NULL);
	}
}

/*
 * Launchers, terminals and panels: their child processes inherit the variables, and would not find
 * the discrete GPU.
 */
static void programs_that_no_rule_sends_to_a_gpu_see_all_gpus(void **state)
{
	(void)state;
	static const char *const defaults[] = {"display", "integrated", "discrete"};
	add_hybrid("i915", "nvidia");
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		char text[512];
		snprintf(text, sizeof(text), "[gpu]\ndefault = %s\n" RULES, defaults[i]);
		configure(text);
		expect("ls", NULL, NULL, NULL);
		/* A rule that names no GPU, and one whose GPU is missing. */
		expect("wc", NULL, NULL, NULL);
		expect("od", NULL, NULL, NULL);
	}
}

static void single_gpus_are_shown(void **state)
{
	(void)state;
	static const char *const drivers[] = {"amdgpu", "i915", "nvidia"};
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		wl_list_init(&world.list.gpus);
		add_gpu(drivers[i], i == 1);
		world.asleep[0] = true;
		expect("tail", NULL, NULL, NULL);
	}
	wl_list_init(&world.list.gpus);
	world.context.display = NULL;
	expect("tail", NULL, NULL, NULL);
}

static void gpus_that_cannot_sleep_are_shown(void **state)
{
	(void)state;
	add_hybrid("i915", "nvidia");
	world.asleep[1] = false;
	expect("tail", NULL, NULL, NULL);
	/* The third GPU has the same driver as one that cannot sleep. */
	add_gpu("nvidia", false);
	expect("tail", NULL, NULL, NULL);
	world.asleep[1] = true;
	expect("tail", NULL, NVIDIA, world.mesa);
	/* The discrete GPU composes, and the integrated one is idle. */
	add_hybrid("i915", "nvidia");
	world.asleep[0] = true;
	world.context.display = &world.gpus[1];
	expect("tail", NULL, NULL, NULL);
	expect("tail", NULL, NULL, NULL);
}

static void three_gpus(void **state)
{
	(void)state;
	add_hybrid("i915", "amdgpu");
	add_gpu("nvidia", false);
	expect("tail", NULL, AMD "," NVIDIA, world.mesa);
	/* The program's own GPU is one of two with the driver. */
	add_hybrid("amdgpu", "amdgpu");
	add_gpu("nvidia", false);
	expect("tail", NULL, NVIDIA, world.mesa);
}

/* Child processes of these inherit the variables, and may be for another GPU. */
static void programs_that_start_others_see_all(void **state)
{
	(void)state;
	add_hybrid("i915", "nvidia");
	expect("bash", NULL, NULL, NULL);
	expect("bash", "integrated", NULL, NULL);
	world.context.session = true;
	expect("tail", NULL, NULL, NULL);
	world.context.session = false;
	expect("tail", NULL, NVIDIA, world.mesa);
}

static void hiding_is_optional(void **state)
{
	(void)state;
	add_hybrid("i915", "nvidia");
	configure("[gpu]\nhide-others = no\n" RULES);
	expect("tail", NULL, NULL, NULL);
	configure("[gpu]\nhide-others = yes\n" RULES);
	expect("tail", NULL, NVIDIA, world.mesa);
}

static void settings_of_the_user_are_kept(void **state)
{
	(void)state;
	static const char *const names[] = {
		VULKAN, "VK_LOADER_DRIVERS_SELECT", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
	add_hybrid("i915", "nvidia");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setenv(names[i], "mine", 1);
		expect("tail", NULL, NULL, world.mesa);
		expect("ls", "discrete", NULL, NULL);
		unsetenv(names[i]);
	}
	setenv(EGL, "mine", 1);
	expect("tail", NULL, NVIDIA, NULL);
	unsetenv(EGL);
	/* In the rule. */
	expect("tac", NULL, NULL, world.mesa);
	expect("head", NULL, NVIDIA, "/mine.json");
}

static void needed_vendors_stay(void **state)
{
	(void)state;
	add_hybrid("i915", "nvidia");
	remove_file("50_mesa.json");
	expect("tail", NULL, NVIDIA, NULL); /* an empty list would hide all EGL drivers */
	write_file("50_mesa.json", "{}");
	remove_file("10_nvidia.json");
	expect("tail", NULL, NVIDIA, NULL);
	write_file("10_nvidia.json", "{}");
	setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent", 1);
	expect("tail", NULL, NVIDIA, NULL);
	setenv("__EGL_VENDOR_LIBRARY_DIRS", world.folder, 1);
}

static void expect_unset(const char *program, const char *gpu)
{
	static const char *const names[] = {
		VULKAN, EGL, "CAUSEWAY_HIDES_VULKAN", "CAUSEWAY_HIDES_EGL", "CAUSEWAY_UNHIDE"};
	struct launch launch = prepare(program, gpu);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *change = find(&launch, names[i]);
		if (!change || strcmp(change, names[i]) != 0) {
			fail_msg("%s: %s is %s", program, names[i], change ? change : "kept");
		}
	}
	launch_finish(&launch);
}

/* A program with a rule that Causeway started, and causeway-run in it. */
static void inherited_values_are_replaced(void **state)
{
	(void)state;
	add_hybrid("i915", "nvidia");
	struct launch launch = prepare("tail", NULL), discrete;
	for (char **entry = launch.environment; *entry; entry++) {
		putenv(*entry);
	}
	expect_unset("ls", "discrete");
	expect_unset("cat", NULL);
	expect_unset("ls", NULL);
	expect_unset("wc", NULL);
	expect("tail", NULL, NVIDIA, world.mesa);
	/* The user has set one since. */
	setenv(VULKAN, "mine", 1);
	discrete = prepare("ls", "discrete");
	assert_null(find(&discrete, VULKAN));
	assert_string_equal(find(&discrete, EGL), EGL);
	launch_finish(&discrete);
	/* A nested compositor. */
	gpu_environment_show_others();
	assert_string_equal(getenv(VULKAN), "mine");
	assert_null(getenv(EGL));
	unset_all();
	launch_finish(&launch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(drivers_of_other_gpus_are_hidden, setup, teardown),
		cmocka_unit_test_setup_teardown(
			programs_that_no_rule_sends_to_a_gpu_see_all_gpus, setup, teardown),
		cmocka_unit_test_setup_teardown(single_gpus_are_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(gpus_that_cannot_sleep_are_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(three_gpus, setup, teardown),
		cmocka_unit_test_setup_teardown(
			programs_that_start_others_see_all, setup, teardown),
		cmocka_unit_test_setup_teardown(hiding_is_optional, setup, teardown),
		cmocka_unit_test_setup_teardown(settings_of_the_user_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(needed_vendors_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(inherited_values_are_replaced, setup, teardown),
	};
	return cmocka_run_group_tests_name("hidden-gpus", tests, NULL, NULL);
}
