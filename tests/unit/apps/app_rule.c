/* SPDX-License-Identifier: MIT */
/* Application rules: matching a program to a rule, and the GPU that the rule gives it. */

#include "apps/app_rule.h"
#include "harness/config_file.h"
#include "harness/gpu_list.h"
#include "util/process.h"
#include <string.h>

/* A program, started by a launcher, started by a shell. */
struct rule_world {
	struct config *config;
	struct process shell, launcher, program;
	struct gpu_list list;
	struct gpu integrated, discrete, identical, blind;
};

static void start(struct rule_world *world, const char *rules)
{
	*world = (struct rule_world){0};
	world->config = config_file_load_good(rules);
	world->shell = (struct process){.pid = 10, .exe = (char *)"/bin/bash"};
	world->launcher = (struct process){.pid = 20,
		.exe = (char *)"/opt/games/launcher",
		.cmdline = (char *)"launcher --quiet",
		.parent = &world->shell};
	world->program = (struct process){.pid = 30,
		.exe = (char *)"/usr/bin/blender",
		.cmdline = (char *)"blender --python x.py",
		.unit = (char *)"app-blender-77.scope",
		.parent = &world->launcher};
	wl_list_init(&world->list.gpus);
	gpu_list_append(&world->list, &world->blind, NULL, "virtual-vkms", 0, 0, true, NULL);
	gpu_list_append(&world->list, &world->integrated, NULL, "pci-0000_00_02_0", 0x8086, 0x46a6,
		true, "/dev/dri/renderD128");
	gpu_list_append(&world->list, &world->discrete, NULL, "pci-0000_03_00_0", 0x1002, 0x73bf,
		false, "/dev/dri/renderD129");
	gpu_list_append(&world->list, &world->identical, NULL, "pci-0000_04_00_0", 0x1002, 0x73bf,
		false, "/dev/dri/renderD130");
}

static void first_rule_with_all_keys_matches(void **state)
{
	static const struct {
		const char *rules, *name; /* NULL: none matches */
	} table[] = {
		{"", NULL},
		{"[app a]\nexe = */blender\n", "a"},
		{"[app a]\nexe = blender\n", NULL},
		{"[app a]\nexe = /usr/bin/blend??\n", "a"},
		{"[app a]\nexe = */[ab]lender\n", "a"},
		{"[app a]\ncmdline = *--python*\n", "a"},
		{"[app a]\ncmdline = --python\n", NULL},
		{"[app a]\nunit = app-*.scope\n", "a"},
		{"[app a]\nunit = *.service\n", NULL},
		{"[app a]\nsandbox-app-id = *\n", NULL},
		{"[app a]\ndesktop-id = *\n", NULL},
		/* All keys must match. */
		{"[app a]\nexe = */blender\ncmdline = *--python*\nunit = app-blender-*\n", "a"},
		{"[app a]\nexe = */blender\ncmdline = *--other*\n", NULL},
		/* The first rule that matches wins. */
		{"[app a]\nexe = */gimp\n[app b]\nexe = */b*\n[app c]\nexe = *\n", "b"},
		/* Descendants only where the rule says so. */
		{"[app a]\nexe = */launcher\n", NULL},
		{"[app a]\nexe = */launcher\nchildren = yes\n", "a"},
		{"[app a]\nexe = */bash\nchildren = yes\n", "a"},
		/* Keys of one process match one process. */
		{"[app a]\nexe = */launcher\ncmdline = *--python*\nchildren = yes\n", NULL},
		{"[app a]\nexe = */launcher\ncmdline = *--quiet\nchildren = yes\n", "a"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct rule_world world;
		start(&world, table[i].rules);
		struct app_identity identity = {.process = &world.program};
		const struct config_app *app = app_rule_find(world.config, &identity);
		if (!table[i].name ? app != NULL : !app || strcmp(app->name, table[i].name) != 0) {
			fail_msg("%s gives %s", table[i].rules, app ? app->name : "none");
		}
		config_destroy(world.config);
	}
}

/* Only facts that some rule tests are read. */
static void only_tested_facts_are_read(void **state)
{
	static const struct {
		const char *rules;
		unsigned facts;
	} table[] = {
		{"", 0},
		{"[app a]\nsandbox-app-id = x\n", 0},
		{"[app a]\nexe = x\n", PROCESS_EXE},
		{"[app a]\nunit = x\n[app b]\ncmdline = x\n", PROCESS_UNIT | PROCESS_CMDLINE},
		{"[app a]\ndesktop-id = x\nchildren = yes\n",
			PROCESS_ENVIRONMENT | PROCESS_ANCESTORS},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct config *config = config_file_load_good(table[i].rules);
		assert_int_equal(app_rule_facts(config), table[i].facts);
		config_destroy(config);
	}
}

static void sandbox_and_desktop_ids_match_separately(void **state)
{
	static const struct {
		const char *rules, *sandbox, *desktop;
		bool matches;
	} table[] = {
		{"[app a]\nsandbox-app-id = org.x.*\n", "org.x.Y", NULL, true},
		{"[app a]\nsandbox-app-id = org.x.*\n", "org.z.Y", NULL, false},
		{"[app a]\ndesktop-id = org.x.Y\n", NULL, "org.x.Y", true},
		{"[app a]\ndesktop-id = org.x.Y.desktop\n", NULL, "org.x.Y", true},
		{"[app a]\ndesktop-id = org.x.Y\n", "org.x.Y", NULL, false},
		{"[app a]\ndesktop-id = b\nexe = *\n", NULL, "b", false}, /* unknown executable */
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct config *config = config_file_load_good(table[i].rules);
		struct process process = {.desktop_id = (char *)table[i].desktop};
		struct app_identity identity = {
			.process = &process, .sandbox_app_id = table[i].sandbox};
		assert_int_equal(app_rule_find(config, &identity) != NULL, table[i].matches);
		config_destroy(config);
	}
}

/* An app_id names a rule that the client would have matched, but comes too late to choose a GPU. */
static void app_id_finds_the_rule_that_came_too_late(void **state)
{
	static const struct {
		const char *rules, *name;
	} table[] = {
		{"[app a]\ndesktop-id = org.blender.Blender\n", "a"},
		{"[app a]\nsandbox-app-id = org.blender.*\n", "a"},
		{"[app a]\ndesktop-id = org.gimp.GIMP\n", NULL},
		{"[app a]\nexe = */blender\n", NULL},
		{"[app a]\nexe = */blender\n[app b]\ndesktop-id = org.blender.Blender\n", NULL},
		{"[app a]\ndesktop-id = org.blender.Blender\n[app b]\nexe = */blender\n", "a"},
		{"[app a]\ndesktop-id = org.blender.Blender\nexe = */gimp\n", NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct rule_world world;
		start(&world, table[i].rules);
		struct app_identity identity = {.process = &world.program};
		const struct config_app *app =
			app_rule_find_late(world.config, &identity, "org.blender.Blender");
		if (!table[i].name ? app != NULL : !app || strcmp(app->name, table[i].name) != 0) {
			fail_msg("%s gives %s", table[i].rules, app ? app->name : "none");
		}
		config_destroy(world.config);
	}
}

static void selectors_name_gpus(void **state)
{
	struct rule_world world;
	start(&world, "[gpu]\nalias.big = pci-0000_04_00_0\n");
	const struct {
		const char *selector;
		const struct gpu *gpu;
	} table[] = {
		{"display", &world.blind},
		{"integrated", &world.integrated}, /* one that can render */
		{"discrete", &world.discrete},
		{"pci-0000_04_00_0", &world.identical},
		{"pci-0000_05_00_0", NULL},
		{"1002:73bf", &world.discrete}, /* the first of the two */
		{"8086:46a6", &world.integrated},
		{"0000:0000", NULL}, /* a GPU without PCI IDs does not match */
		{"renderD130", &world.identical},
		{"renderD13", NULL},
		{"big", &world.identical},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_ptr_equal(
			gpu_select(world.config, &world.list, &world.blind, table[i].selector),
			table[i].gpu);
	}
	config_destroy(world.config);
}

#define RULES                                                                                      \
	"[gpu]\ndefault = renderD130\n[app a]\nexe = */blender\ngpu = discrete\n"                  \
	"[app b]\nexe = */launcher\nenv = A=1\n[app c]\nexe = */bash\ngpu = pci-0000_09_00_0\n"

static void spawn_request_overrides_rule_and_default(void **state)
{
	struct rule_world world;
	start(&world, RULES);
	const struct {
		const struct process *process;
		struct gpu_wish wish;
		const struct gpu *gpu;
		enum gpu_decider decider;
		const char *rule;
		bool missing;
	} table[] = {
		{NULL, {0}, &world.identical, GPU_BY_DEFAULT, NULL, false},
		{&world.program, {0}, &world.discrete, GPU_BY_RULE, "a", false},
		{&world.program, {"integrated"}, &world.integrated, GPU_BY_SPAWN, "a", false},
		{&world.program, {NULL, true}, &world.discrete, GPU_BY_RULE, "a", false},
		/* A rule without a GPU leaves the choice to the default. */
		{&world.launcher, {0}, &world.identical, GPU_BY_DEFAULT, "b", false},
		{&world.launcher, {NULL, true}, &world.discrete, GPU_BY_DESKTOP_FILE, "b", false},
		/* A missing GPU falls back to the default and is reported. */
		{&world.shell, {0}, &world.identical, GPU_BY_RULE, "c", true},
		{NULL, {"renderD200"}, &world.identical, GPU_BY_SPAWN, NULL, true},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct app_identity identity = {.process = table[i].process};
		struct gpu_choice choice = gpu_choose(
			world.config, &world.list, &world.integrated, &identity, &table[i].wish);
		assert_ptr_equal(choice.gpu, table[i].gpu);
		assert_int_equal(choice.decider, table[i].decider);
		assert_int_equal(choice.missing, table[i].missing);
		assert_int_equal(choice.rule != NULL, table[i].rule != NULL);
		if (choice.rule) {
			assert_string_equal(choice.rule->name, table[i].rule);
		}
	}
	/* Without a discrete GPU, programs that prefer one get the display's GPU. */
	wl_list_remove(&world.discrete.link);
	wl_list_remove(&world.identical.link);
	struct app_identity identity = {0};
	struct gpu_wish wish = {.prefers_discrete = true};
	struct gpu_choice choice =
		gpu_choose(world.config, &world.list, &world.integrated, &identity, &wish);
	assert_ptr_equal(choice.gpu, &world.integrated);
	assert_int_equal(choice.decider, GPU_BY_DEFAULT);
	config_destroy(world.config);
}

/* CAUSEWAY_RULE: of scripts that run another program, and of children whose parents have ended. */
static void programs_keep_the_rule_that_they_were_started_with(void **state)
{
	static const char rules[] =
		"[app once]\nexe = */script\ngpu = discrete\n"
		"[app all]\nexe = */steam\ngpu = discrete\nchildren = yes\n"
		"[app mine]\nexe = */gimp\ngpu = integrated\n[app bare]\nexe = */bare\n";
	const struct {
		const char *exe, *rule, *wish; /* of the program */
		const char *parent_rule; /* NULL: without a variable */
		bool orphan;
		const char *found; /* NULL: none */
	} table[] = {
		{"/usr/bin/x", NULL, NULL, NULL, false, NULL},
		{"/usr/bin/x", "once", NULL, NULL, false, "once"},
		{"/usr/bin/x", "once", NULL, NULL, true, "once"},
		{"/usr/bin/x", "once", NULL, "all", false, "once"},
		/* A child of that program. */
		{"/usr/bin/x", "once", NULL, "once", false, NULL},
		{"/usr/bin/x", NULL, NULL, "once", false, NULL},
		{"/usr/bin/x", "all", NULL, "all", false, "all"},
		{"/usr/bin/x", "all", NULL, NULL, true, "all"},
		{"/usr/bin/x", NULL, NULL, "all", false, "all"},
		/* A rule that names the program, a wish, rules that are gone or choose no GPU. */
		{"/usr/bin/gimp", "all", NULL, "all", false, "mine"},
		{"/usr/bin/x", "all", "integrated", "all", false, NULL},
		{"/usr/bin/x", "gone", NULL, NULL, false, NULL},
		{"/usr/bin/x", "bare", NULL, NULL, false, NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct rule_world world;
		start(&world, rules);
		world.program.exe = (char *)table[i].exe;
		world.program.rule = (char *)table[i].rule;
		world.program.wish = (char *)table[i].wish;
		world.launcher.rule = (char *)table[i].parent_rule;
		world.program.parent = table[i].orphan ? NULL : &world.launcher;
		const struct app_identity identity = {.process = &world.program};
		const struct gpu_choice choice =
			gpu_choose_running(world.config, &world.list, &world.integrated, &identity);
		const bool ruled = choice.decider == GPU_BY_RULE;
		assert_int_equal(ruled, table[i].found != NULL);
		if (ruled) {
			assert_string_equal(choice.rule->name, table[i].found);
			assert_ptr_equal(choice.gpu, strcmp(table[i].found, "mine") == 0
							     ? &world.integrated
							     : &world.discrete);
		}
		config_destroy(world.config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_rule_with_all_keys_matches),
		cmocka_unit_test(only_tested_facts_are_read),
		cmocka_unit_test(sandbox_and_desktop_ids_match_separately),
		cmocka_unit_test(app_id_finds_the_rule_that_came_too_late),
		cmocka_unit_test(selectors_name_gpus),
		cmocka_unit_test(spawn_request_overrides_rule_and_default),
		cmocka_unit_test(programs_keep_the_rule_that_they_were_started_with),
	};
	return cmocka_run_group_tests_name(
		"app_rule", tests, config_folder_create, config_folder_remove);
}
