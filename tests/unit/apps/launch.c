/* SPDX-License-Identifier: MIT */
/* Launching programs: environment variables that select a GPU, by driver, rule and desktop file. */

#include "apps/launch.h"
#include "apps/starter.h"
#include "harness/gpu_list.h"
#include "harness/unit.h"
#include "util/process.h"
#include "util/strings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES                                                                                      \
	"[app a]\nexe = */env\ngpu = discrete\nx-server = own\nenv = A=1\nenv = DRI_PRIME=mine\n"  \
	"[app b]\nexe = */cat\ngpu = renderD130\n[app c]\nexe = */true\nenv = B=2\n"               \
	"[app d]\ndesktop-id = d\ngpu = renderD128\n[app e]\nexe = */tail\ngpu = "                 \
	"pci-0000_09_00_0\n[app f]\nexe = */games\nchildren = yes\ngpu = renderD130\n"             \
	"[app h]\ncmdline = bash all\nchildren = yes\ngpu = discrete\n"                            \
	"[app g]\nexe = */bash\ngpu = discrete\n"                                                  \
	"[app i]\nexe = */head\ngpu = discrete\nsee = own\n[app j]\nexe = */wc\nsee = own\n"       \
	"[app k]\nexe = */od\ngpu = pci-0000_09_00_0\nsee = own\n[app l]\nexe = */tee\nsee = "     \
	"all\n[app m]\nunit = app-causeway-tr-*.scope\ngpu = renderD130\n"                         \
	"[app n]\nunit = app-causeway-t-*.scope\ngpu = renderD130\n"

struct launch_world {
	struct config *config;
	struct gpu_list list;
	struct gpu intel, amd, nvidia, identical, odd;
	struct launch_context context;
	char folder[32];
};

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void desktop_path(const struct launch_world *world, const char *name, char path[static 128])
{
	snprintf(path, 128, "%s/applications%s%s", world->folder, *name ? "/" : "", name);
}

static int setup(void **state)
{
	static struct launch_world world;
	char path[128], *error = NULL;
	world = (struct launch_world){.folder = "/tmp/causeway-launch-XXXXXX"};
	assert_non_null(mkdtemp(world.folder));
	desktop_path(&world, "", path);
	assert_int_equal(mkdir(path, 0700), 0);
	desktop_path(&world, "d.desktop", path);
	write_file(path, "[Desktop Entry]\nType=Application\nExec=tac %F\nPath=/usr\n"
			 "PrefersNonDefaultGPU=true\n");
	desktop_path(&world, "e.desktop", path);
	write_file(
		path, "[Desktop Entry]\nType=Application\nExec=tac\nPrefersNonDefaultGPU=true\n");
	desktop_path(&world, "t.desktop", path);
	write_file(path, "[Desktop Entry]\nType=Application\nExec=tac\nTerminal=true\n");
	setenv("XDG_DATA_HOME", world.folder, 1);
	snprintf(path, sizeof(path), "%s/rules", world.folder);
	write_file(path, RULES);
	world.config = config_load(path, &error);
	unlink(path);
	assert_non_null(world.config);
	wl_list_init(&world.list.gpus);
	gpu_list_append(&world.list, &world.intel, "i915", "pci-0000_00_02_0", 0x8086, 0x46a6, true,
		"/dev/dri/renderD128");
	gpu_list_append(&world.list, &world.amd, "amdgpu", "pci-0000_03_00_0", 0x1002, 0x73bf,
		false, "/dev/dri/renderD129");
	gpu_list_append(&world.list, &world.nvidia, "nvidia", "pci-0000_04_00_0", 0x10de, 0x2684,
		false, "/dev/dri/renderD130");
	gpu_list_append(
		&world.list, &world.odd, "vgem", "virtual-vgem", 0, 0, true, "/dev/dri/renderD131");
	world.context = (struct launch_context){
		.config = world.config, .gpus = &world.list, .display = &world.intel};
	*state = &world;
	return 0;
}

static int teardown(void **state)
{
	struct launch_world *world = *state;
	static const char *const names[] = {"d.desktop", "e.desktop", "t.desktop", ""};
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		desktop_path(world, names[i], path);
		remove(path);
	}
	config_destroy(world->config);
	return rmdir(world->folder);
}

static bool has(const struct launch *launch, const char *change)
{
	for (char **entry = launch->environment; entry && *entry; entry++) {
		if (strcmp(*entry, change) == 0) {
			return true;
		}
	}
	return false;
}

static void prepare(struct launch_world *world, struct launch *launch, const char *gpu,
	const char *first, const char *second, const char *third)
{
	const char *const argv[] = {first, second, third, NULL};
	char *error = NULL;
	if (!launch_prepare(launch, &world->context, argv, gpu, &error)) {
		fail_msg("%s: %s", first, error);
	}
}

static void variables_follow_the_driver(void **state)
{
	struct launch_world *world = *state;
	static const struct {
		const char *selector;
		const char *const changes[6];
	} table[] = {
		{"discrete", {"DRI_PRIME=pci-0000_03_00_0", "MESA_VK_DEVICE_SELECT=1002:73bf!",
				     "__NV_PRIME_RENDER_OFFLOAD", "__GLX_VENDOR_LIBRARY_NAME",
				     "__VK_LAYER_NV_optimus", "CAUSEWAY_GPU=discrete"}},
		{"renderD130",
			{"DRI_PRIME", "MESA_VK_DEVICE_SELECT=10de:2684!",
				"__NV_PRIME_RENDER_OFFLOAD=1", "__GLX_VENDOR_LIBRARY_NAME=nvidia",
				"__VK_LAYER_NV_optimus=NVIDIA_only", "CAUSEWAY_GPU=renderD130"}},
		/* A virtual device: Mesa cannot select it by name. */
		{"renderD131", {"DRI_PRIME", "MESA_VK_DEVICE_SELECT", "__NV_PRIME_RENDER_OFFLOAD",
				       "__GLX_VENDOR_LIBRARY_NAME", "__VK_LAYER_NV_optimus",
				       "CAUSEWAY_GPU=renderD131"}},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct launch launch;
		prepare(world, &launch, table[i].selector, "ls", NULL, NULL);
		for (size_t j = 0; j < 6; j++) {
			if (!has(&launch, table[i].changes[j])) {
				fail_msg("%s: no %s", table[i].selector, table[i].changes[j]);
			}
		}
		launch_finish(&launch);
	}
	/* Two GPUs with the same PCI IDs cannot be told apart by them. */
	struct launch launch;
	gpu_list_append(&world->list, &world->identical, "amdgpu", "pci-0000_07_00_0", 0x1002,
		0x73bf, false, "/dev/dri/renderD132");
	prepare(world, &launch, "renderD132", "ls", NULL, NULL);
	assert_true(has(&launch, "DRI_PRIME=pci-0000_07_00_0"));
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT"));
	launch_finish(&launch);
	wl_list_remove(&world->identical.link);
}

static void other_programs_keep_their_environment(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "ls", "-l", NULL);
	assert_null(launch.environment);
	assert_string_equal(launch.argv[1], "-l");
	launch_finish(&launch);
	/* A rule without a GPU sets its variables only. */
	prepare(world, &launch, NULL, "true", NULL, NULL);
	assert_true(has(&launch, "B=2"));
	assert_null(launch.environment[1]);
	launch_finish(&launch);
	/* A rule for a missing GPU sets no variables. */
	prepare(world, &launch, NULL, "tail", NULL, NULL);
	assert_null(launch.environment);
	launch_finish(&launch);
}

static void rule_sets_gpu_and_environment(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "env", NULL, NULL);
	assert_true(has(&launch, "A=1"));
	assert_true(has(&launch, "DRI_PRIME=mine")); /* the rule's env overrides */
	assert_false(has(&launch, "DRI_PRIME=pci-0000_03_00_0"));
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=1002:73bf!"));
	/* CAUSEWAY_GPU is unnecessary: the client matches the rule again when it connects. */
	assert_false(has(&launch, "CAUSEWAY_GPU=discrete"));
	/* The name is for the program that a script becomes. */
	assert_true(has(&launch, "CAUSEWAY_RULE=a"));
	launch_finish(&launch);
	/* Bindings start programs through a shell; the rule is looked up for the program. */
	prepare(world, &launch, NULL, "/bin/sh", "-c", "cat /etc/passwd");
	assert_true(has(&launch, "__NV_PRIME_RENDER_OFFLOAD=1"));
	assert_string_equal(launch.argv[0], "/bin/sh");
	launch_finish(&launch);
	prepare(world, &launch, NULL, "/bin/sh", "-c", " 'cat' --from='a; b | c' ");
	assert_true(has(&launch, "__NV_PRIME_RENDER_OFFLOAD=1"));
	launch_finish(&launch);
	static const char *const others[] = {"cat /etc/passwd | tac", "A=1 cat", "cat 'a", ";cat",
		"", " ", "cat \"a\"", "ca't a'"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		prepare(world, &launch, NULL, "/bin/sh", "-c", others[i]);
		assert_null(launch.environment);
		launch_finish(&launch);
	}
	/* A requested GPU overrides the rule. */
	prepare(world, &launch, "integrated", "env", NULL, NULL);
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=8086:46a6!"));
	assert_true(has(&launch, "CAUSEWAY_GPU=integrated"));
	assert_false(has(&launch, "CAUSEWAY_RULE=a"));
	launch_finish(&launch);
}

/* For the X server: the default one has no GPU here. */
static void only_a_chosen_gpu_is_passed_on(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "ls", NULL, NULL);
	assert_null(launch.gpu);
	assert_false(launch.own_x_server);
	launch_finish(&launch);
	prepare(world, &launch, NULL, "env", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->amd);
	assert_true(launch.own_x_server);
	launch_finish(&launch);
	prepare(world, &launch, "integrated", "ls", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->intel);
	launch_finish(&launch);
	/* The rule's GPU is missing. */
	prepare(world, &launch, NULL, "tail", NULL, NULL);
	assert_null(launch.gpu);
	launch_finish(&launch);
}

static void rule_overrides_desktop_file(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "e.desktop", NULL, NULL);
	assert_string_equal(launch.argv[0], "tac");
	assert_string_equal(launch.desktop_id, "e");
	assert_true(has(&launch, "DRI_PRIME=pci-0000_03_00_0"));
	assert_true(has(&launch, "CAUSEWAY_GPU=discrete"));
	launch_finish(&launch);
	/* A rule overrides the desktop file. */
	prepare(world, &launch, NULL, "d.desktop", "file", NULL);
	assert_string_equal(launch.argv[1], "file");
	assert_string_equal(launch.directory, "/usr");
	assert_true(has(&launch, "DRI_PRIME=pci-0000_00_02_0"));
	launch_finish(&launch);
}

/* Terminal=true: $TERMINAL, else xdg-terminal-exec, else foot, each with its own option. */
static void programs_of_a_terminal_are_started_in_one(void **state)
{
	struct launch_world *world = *state;
	static const struct {
		const char *installed[3], *terminal; /* $TERMINAL; NULL: unset */
		const char *arguments; /* NULL: an error */
	} table[] = {
		{{"foot", "xdg-terminal-exec", "xterm"}, "xterm", "xterm -e tac"},
		{{"foot", "xterm"}, "xterm -u8  -ls", "xterm -u8 -ls -e tac"},
		{{"foot", "xdg-terminal-exec", "xterm"}, NULL, "xdg-terminal-exec tac"},
		{{"foot", "xterm"}, NULL, "foot tac"},
		{{"foot"}, "missing", "foot tac"},
		{{"foot"}, "", "foot tac"},
		{{"foot", "gnome-terminal"}, "gnome-terminal", "gnome-terminal -- tac"},
		{{"xfce4-terminal"}, "xfce4-terminal", "xfce4-terminal -x tac"},
		{{"xterm"}, NULL, NULL},
	};
	char *path = strdup(getenv("PATH"));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char folder[64], file[128], *error = NULL;
		struct launch launch;
		snprintf(folder, sizeof(folder), "%s/bin%zu", world->folder, i);
		assert_int_equal(mkdir(folder, 0700), 0);
		for (int k = 0; k < 3 && table[i].installed[k]; k++) {
			snprintf(file, sizeof(file), "%s/%s", folder, table[i].installed[k]);
			write_file(file, "");
			assert_int_equal(chmod(file, 0700), 0);
		}
		setenv("PATH", folder, 1);
		if (table[i].terminal) {
			setenv("TERMINAL", table[i].terminal, 1);
		}
		const bool prepared = launch_prepare(&launch, &world->context,
			(const char *const[]){"t.desktop", NULL}, NULL, &error);
		setenv("PATH", path, 1);
		unsetenv("TERMINAL");
		for (int k = 0; k < 3 && table[i].installed[k]; k++) {
			snprintf(file, sizeof(file), "%s/%s", folder, table[i].installed[k]);
			assert_int_equal(unlink(file), 0);
		}
		assert_int_equal(rmdir(folder), 0);
		assert_int_equal(prepared, table[i].arguments != NULL);
		if (!prepared) {
			assert_non_null(strstr(error, "set TERMINAL"));
			free(error);
			continue;
		}
		char *line = strings_join((const char *const *)launch.argv, " ", " ");
		assert_string_equal(line, table[i].arguments);
		free(line);
		launch_finish(&launch);
	}
	free(path);
}

static void unusable_requests_are_errors(void **state)
{
	struct launch_world *world = *state;
	static const struct {
		const char *program, *gpu, *says;
	} table[] = {{"ls", "pci-0000_09_00_0", "there is no GPU 'pci-0000_09_00_0'"},
		{"missing.desktop", NULL, "there is no desktop file"}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *const argv[] = {table[i].program, NULL};
		struct launch launch;
		char *error = NULL;
		assert_false(launch_prepare(&launch, &world->context, argv, table[i].gpu, &error));
		assert_non_null(strstr(error, table[i].says));
		free(error);
	}
}

/* causeway-run in a program whose rule includes its child processes. */
static void rule_of_the_starter_includes_its_children(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	char games[] = "/usr/bin/games", cat[] = "/bin/cat", sh[] = "/bin/sh";
	struct process starter = {.exe = games}, shell = {.exe = sh, .parent = &starter};
	world->context.parent = &shell;
	prepare(world, &launch, NULL, "ls", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->nvidia);
	launch_finish(&launch);
	starter.exe = cat; /* its rule is for this program only */
	prepare(world, &launch, NULL, "ls", NULL, NULL);
	assert_null(launch.gpu);
	launch_finish(&launch);
}

/* causeway-run: the fallback applies to programs without a rule if a discrete GPU exists. */
static void fallback_is_the_discrete_gpu(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	world->context.fallback = "discrete";
	prepare(world, &launch, NULL, "ls", NULL, NULL);
	assert_true(has(&launch, "DRI_PRIME=pci-0000_03_00_0"));
	launch_finish(&launch);
	prepare(world, &launch, NULL, "cat", NULL, NULL);
	assert_true(has(&launch, "__NV_PRIME_RENDER_OFFLOAD=1"));
	launch_finish(&launch);
	world->amd.integrated = world->nvidia.integrated = true;
	prepare(world, &launch, NULL, "ls", NULL, NULL);
	assert_null(launch.environment);
	launch_finish(&launch);
}

static const char *landlock_problem;

char *__wrap_confine_problem(void);
char *__wrap_confine_problem(void)
{
	return landlock_problem ? strdup(landlock_problem) : NULL;
}

static void program_that_sees_its_own_gpu_is_confined_to_its_nodes(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	static const struct {
		const char *program, *gpu, *nodes;
	} table[] = {
		{"head", NULL, "renderD129,kfd"},
		{"head", "integrated", "renderD128"}, /* the GPU that it runs on */
		{"wc", NULL, "renderD128"}, /* the default one */
		{"od", NULL, "renderD128"}, /* instead of one that is missing */
		{"tee", NULL, NULL},
		{"tee", "discrete", NULL},
		{"ls", "discrete", NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		prepare(world, &launch, table[i].gpu, table[i].program, NULL, NULL);
		if (!launch.nodes != !table[i].nodes ||
			(launch.nodes && strcmp(launch.nodes, table[i].nodes) != 0)) {
			fail_msg("%s: %s", table[i].program, launch.nodes ? launch.nodes : "all");
		}
		launch_finish(&launch);
	}
}

static void program_that_cannot_be_confined_is_refused(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	const char *const head[] = {"head", NULL};
	char *error = NULL;
	landlock_problem = "no";
	assert_false(launch_prepare(&launch, &world->context, head, NULL, &error));
	assert_string_equal(error, "[app i] see = own: no");
	free(error);
	prepare(world, &launch, NULL, "tee", NULL, NULL);
	launch_finish(&launch);
	landlock_problem = NULL;
}

static void rule_matches_the_unit_that_the_program_will_get(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "tr", NULL, NULL);
	assert_null(launch.unit);
	assert_null(launch.gpu);
	launch_finish(&launch);
	world->context.scopes = true;
	prepare(world, &launch, NULL, "tr", NULL, NULL);
	assert_non_null(strstr(launch.unit, "app-causeway-tr-"));
	assert_ptr_equal(launch.gpu, &world->nvidia);
	launch_finish(&launch);
	prepare(world, &launch, NULL, "t.desktop", NULL, NULL); /* by its id */
	assert_ptr_equal(launch.gpu, &world->nvidia);
	launch_finish(&launch);
	prepare(world, &launch, NULL, "/nonexistent/tr", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->nvidia);
	launch_finish(&launch);
}

static void launcher_may_name_the_desktop_file(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	static const struct {
		const char *id, *program;
		bool applies;
	} table[] = {
		{"e", "tac", true},
		{"e.desktop", "/usr/bin/tac", true},
		{"e", "ls", false}, /* of an earlier start */
		{"gone", "tac", false},
		{"../applications/e", "tac", false},
		{"", "tac", false},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		world->context.desktop_id = table[i].id;
		prepare(world, &launch, NULL, table[i].program, "file", NULL);
		assert_int_equal(launch.gpu == &world->amd, table[i].applies);
		assert_int_equal(launch.desktop_id != NULL, table[i].applies);
		assert_int_equal(launch.desktop_file != NULL, table[i].applies);
		assert_string_equal(launch.argv[1], "file");
		launch_finish(&launch);
	}
	world->context.desktop_id = "d"; /* a rule for its id overrides the file */
	prepare(world, &launch, NULL, "tac", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->intel);
	launch_finish(&launch);
}

/* The unit test of the command line; tests/programs/run-remote runs it. */
static void program_on_another_machine_is_started_by_waypipe(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	char folder[] = "/tmp/causeway-remote-XXXXXX", *before = strdup(getenv("PATH")), path[64];
	const char *const it[] = {"tr", "it's", NULL};
	char *error = NULL;
	assert_non_null(mkdtemp(folder));
	setenv("PATH", folder, 1);
	assert_false(launch_prepare(&launch, &world->context, it, "ssh:far", &error));
	assert_string_equal(error, "ssh:far needs waypipe, which is not installed");
	free(error);
	snprintf(path, sizeof(path), "%s/waypipe", folder);
	write_file(path, "");
	assert_int_equal(chmod(path, 0700), 0);
	assert_false(launch_prepare(&launch, &world->context, it, "ssh:far", &error));
	assert_string_equal(error, "ssh:far needs ssh, which is not installed");
	free(error);
	snprintf(path, sizeof(path), "%s/ssh", folder);
	write_file(path, "");
	assert_int_equal(chmod(path, 0700), 0);
	static const char *const wanted[] = {"waypipe", "--compress=lz4",
		"--drm-node=/dev/dri/renderD128", "ssh", "-o", "BatchMode=yes", "-o",
		"ConnectTimeout=15", "-p", "22", "me@far", "'tr'", "'it'\\''s'", NULL};
	world->context.compression = CONFIG_COMPRESSION_LZ4;
	world->context.video = CONFIG_VIDEO_NO;
	assert_true(launch_prepare(&launch, &world->context, it, "ssh:me@far:22", &error));
	for (size_t i = 0; wanted[i] || launch.argv[i]; i++) {
		assert_string_equal(launch.argv[i], wanted[i]);
	}
	assert_true(has(&launch, "CAUSEWAY_GPU=ssh:me@far:22"));
	assert_false(has(&launch, "DRI_PRIME=pci-0000_00_02_0"));
	assert_null(launch.gpu);
	launch_finish(&launch);
	setenv("PATH", before, 1);
	free(before);
	unlink(path);
	snprintf(path, sizeof(path), "%s/waypipe", folder);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void starters_are_known_by_their_names(void **state)
{
	static const char *const known[] = {"/usr/bin/foot", "/bin/sh", "fuzzel", "/a/tmux: server",
		"/usr/libexec/gnome-terminal-server", "/usr/bin/xfce4-terminal", "/usr/bin/waybar",
		"/usr/games/steam", "/a/steam.sh"};
	static const char *const others[] = {"/usr/bin/mpv", "/foot/mpv", "/usr/bin/footnote",
		"/usr/bin/firefox", "/usr/bin/ash2", "", "/", NULL};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(starter_is_known(known[i]));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_false(starter_is_known(others[i]));
	}
}

/* Vulkan's other devices stay visible in a shell, unless the rule is for its programs, too. */
static void starter_with_a_rule_leaves_other_gpus_to_its_children(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	prepare(world, &launch, NULL, "bash", NULL, NULL);
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=1002:73bf"));
	assert_true(has(&launch, "CAUSEWAY_RULE=g"));
	launch_finish(&launch);
	prepare(world, &launch, NULL, "bash", "all", NULL);
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=1002:73bf!"));
	launch_finish(&launch);
	prepare(world, &launch, "discrete", "bash", NULL, NULL);
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=1002:73bf!"));
	launch_finish(&launch);
	/* Programs of the session, from which others may be started. */
	world->context.session = true;
	prepare(world, &launch, NULL, "cat", NULL, NULL);
	assert_ptr_equal(launch.gpu, &world->nvidia);
	launch_finish(&launch);
	prepare(world, &launch, NULL, "env", NULL, NULL);
	assert_true(has(&launch, "DRI_PRIME=mine"));
	assert_true(has(&launch, "MESA_VK_DEVICE_SELECT=1002:73bf"));
	launch_finish(&launch);
}

/* causeway-run in a program of a launcher that has ended. */
static void rule_of_an_ended_starter_includes_its_children(void **state)
{
	struct launch_world *world = *state;
	struct launch launch;
	static const struct {
		const char *rule, *gpu, *program;
		bool applies;
	} table[] = {
		{"f", NULL, "ls", true}, {"g", NULL, "ls", false}, /* not for children */
		{"gone", NULL, "ls", false}, {NULL, NULL, "ls", false},
		{"f", NULL, "env", false}, /* has a rule */
		{"f", "integrated", "ls", false},
		{"f", NULL, "true", false}, /* its rule has no GPU */
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		world->context.rule = table[i].rule;
		prepare(world, &launch, table[i].gpu, table[i].program, NULL, NULL);
		assert_int_equal(launch.gpu == &world->nvidia, table[i].applies);
		assert_int_equal(has(&launch, "CAUSEWAY_RULE=f"), table[i].applies);
		assert_false(has(&launch, "CAUSEWAY_RULE=g"));
		launch_finish(&launch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(variables_follow_the_driver, setup, teardown),
		cmocka_unit_test_setup_teardown(
			other_programs_keep_their_environment, setup, teardown),
		cmocka_unit_test_setup_teardown(rule_sets_gpu_and_environment, setup, teardown),
		cmocka_unit_test_setup_teardown(only_a_chosen_gpu_is_passed_on, setup, teardown),
		cmocka_unit_test_setup_teardown(rule_overrides_desktop_file, setup, teardown),
		cmocka_unit_test_setup_teardown(
			programs_of_a_terminal_are_started_in_one, setup, teardown),
		cmocka_unit_test_setup_teardown(unusable_requests_are_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rule_of_the_starter_includes_its_children, setup, teardown),
		cmocka_unit_test_setup_teardown(
			program_that_sees_its_own_gpu_is_confined_to_its_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(
			program_that_cannot_be_confined_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rule_matches_the_unit_that_the_program_will_get, setup, teardown),
		cmocka_unit_test_setup_teardown(
			launcher_may_name_the_desktop_file, setup, teardown),
		cmocka_unit_test_setup_teardown(
			program_on_another_machine_is_started_by_waypipe, setup, teardown),
		cmocka_unit_test(starters_are_known_by_their_names),
		cmocka_unit_test_setup_teardown(
			starter_with_a_rule_leaves_other_gpus_to_its_children, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rule_of_an_ended_starter_includes_its_children, setup, teardown),
		cmocka_unit_test_setup_teardown(fallback_is_the_discrete_gpu, setup, teardown),
	};
	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
