/* SPDX-License-Identifier: MIT */
/* Which X server a program gets, by facts about its process and its ancestors. */

#include "xwayland/assignment.h"
#include "harness/unit.h"
#include "util/process.h"
#include "util/xalloc.h"
#include "xwayland/programs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY_MAX 8

/*
 * A process, the first of a list that ends without an exe; each is the child of the next one. The
 * rule of the host applies to processes whose exe ends with "ruled".
 */
struct kin {
	const char *exe, *cmdline, *wish, *wine_prefix, *x_window;
	bool known; /* it is a program on server 7 */
	int server; /* of `known`, 0: 7 */
};

struct family_world {
	struct x_programs programs;
	struct x_program members[FAMILY_MAX];
	struct x_server servers[10];
	struct process processes[FAMILY_MAX];
	struct x_servers_host host;
	struct gpu *gpu;
};

static bool is_ruled(const struct process *process)
{
	size_t length = strlen(process->exe);
	return length > 5 && strcmp(process->exe + length - 5, "ruled") == 0;
}

/* Rules apply to children, wishes are inherited. */
static struct x_choice host_choose(void *data, const struct process *process)
{
	for (const struct process *each = process; each; each = each->parent) {
		if (each->wish) {
			return (struct x_choice){.gpu = data, .wished = true};
		}
	}
	for (; process; process = process->parent) {
		if (is_ruled(process)) {
			return (struct x_choice){.gpu = data, .rule = "ruled"};
		}
	}
	return (struct x_choice){NULL};
}

static void add_program(struct family_world *world, int i, const struct kin *kin)
{
	struct x_program *program = &world->members[i];
	program->pid = world->processes[i].pid;
	program->start = world->processes[i].start;
	program->server = &world->servers[kin->server ? kin->server : 7];
	program->exe = (char *)kin->exe;
	program->wine_prefix = (char *)kin->wine_prefix;
	wl_list_insert(&world->programs.list, &program->link);
}

static void check(const struct kin *family, int server, bool gpu, const char *reason)
{
	struct family_world world = {.gpu = (struct gpu *)&world};
	x_programs_init(&world.programs, NULL, NULL);
	world.host = (struct x_servers_host){.data = world.gpu, .choose = host_choose};
	for (int i = 0; family[i].exe; i++) {
		world.processes[i] = (struct process){.pid = 100 + i,
			.start = 7,
			.exe = (char *)family[i].exe,
			.cmdline = (char *)(family[i].cmdline ? family[i].cmdline : family[i].exe),
			.wish = (char *)family[i].wish,
			.wine_prefix = (char *)family[i].wine_prefix,
			.x_window = (char *)family[i].x_window,
			.parent = family[i + 1].exe ? &world.processes[i + 1] : NULL};
		if (family[i].known) {
			add_program(&world, i, &family[i]);
		}
	}
	struct x_assignment found = x_assign(&world.programs, &world.processes[0], &world.host);
	assert_string_equal(found.reason, reason);
	assert_ptr_equal(found.server, server ? &world.servers[server] : NULL);
	assert_ptr_equal(found.gpu, gpu ? world.gpu : NULL);
	free(found.reason);
	free(found.wine_prefix);
}

#define CHECK(server, gpu, reason, ...)                                                            \
	check((const struct kin[]){__VA_ARGS__, {NULL}}, server, gpu, reason)

static void without_a_rule_there_is_no_split(void **state)
{
	CHECK(0, false, "default", {"/usr/bin/xterm"});
	CHECK(0, false, "default", {"/usr/bin/xclock"}, {"/usr/bin/xterm", .known = true},
		{"/bin/sh"});
}

static void rules_and_wishes_choose(void **state)
{
	CHECK(0, true, "rule ruled", {"/usr/bin/ruled"});
	CHECK(0, true, "rule ruled", {"/usr/bin/xclock"}, {"/usr/bin/ruled"});
	CHECK(0, true, "CAUSEWAY_GPU", {"/usr/bin/xclock", .wish = "discrete"});
	CHECK(0, true, "CAUSEWAY_GPU", {"/usr/bin/xclock"}, {"/bin/sh", .wish = "discrete"});
}

/* Wine's first program with peers: one without a rule, then `second`, the child of `parent`. */
static void check_wine(struct process first, const char *second, const char *parent, bool known,
	int server, bool gpu, const char *reason)
{
	struct process of_peer = {.pid = 202, .exe = (char *)parent};
	struct process peers[2] = {
		{.pid = 200, .exe = (char *)"/usr/lib/wine/wine", .peer = &peers[1]},
		{.pid = 201, .exe = (char *)second, .parent = &of_peer}};
	struct family_world world = {.gpu = (struct gpu *)&world};
	x_programs_init(&world.programs, NULL, NULL);
	world.host = (struct x_servers_host){.data = world.gpu, .choose = host_choose};
	if (known) {
		world.processes[0].pid = 7;
		add_program(&world, 0, &(const struct kin){"wine64", .wine_prefix = "/p"});
	}
	first.wine_prefix = (char *)"/p";
	first.peer = &peers[0];
	struct x_assignment found = x_assign(&world.programs, &first, &world.host);
	assert_string_equal(found.reason, reason);
	assert_string_equal(found.wine_prefix, "/p");
	assert_ptr_equal(found.server, server ? &world.servers[server] : NULL);
	assert_ptr_equal(found.gpu, gpu ? world.gpu : NULL);
	free(found.reason);
	free(found.wine_prefix);
}

static void rule_of_a_peer_places_the_first_program_of_a_prefix(void **state)
{
	char *game = (char *)"/usr/lib/wine/wine-ruled", *other = (char *)"/usr/lib/wine/wine64";
	const struct process plain = {.pid = 100, .exe = other}, ruled = {.pid = 100, .exe = game};
	const struct process wished = {.pid = 100, .exe = other, .wish = (char *)"x"};
	check_wine(plain, game, "/bin/sh", false, 0, true, "rule ruled of 201, same Wine prefix");
	check_wine(
		plain, other, "/bin/ruled", false, 0, true, "rule ruled of 201, same Wine prefix");
	check_wine(plain, other, "/bin/sh", false, 0, false, "default");
	check_wine(wished, game, "/bin/sh", false, 0, true, "CAUSEWAY_GPU");
	check_wine(ruled, game, "/bin/sh", false, 0, true, "rule ruled");
	check_wine(plain, game, "/bin/sh", true, 7, false, "same Wine prefix as 7");
}

static void programs_in_windows_of_others_are_with_them(void **state)
{
	static const char *const lines[] = {"mpv --wid=0x200003 film", "mpv --wid 5", "mpv -wid 5",
		"xterm -into 2097155", "plug --xid=7", "saver -window-id 0x5",
		"saver --window-id 5", "surf --embed 5"};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		CHECK(7, false, "draws into a window of 102", {"/usr/bin/mpv", lines[i]},
			{"/bin/sh"}, {"/usr/bin/smplayer", .known = true});
	}
	CHECK(7, false, "draws into a window of 101",
		{"/usr/libexec/xscreensaver/hack", .x_window = "0x5"},
		{"/usr/bin/xscreensaver", .known = true});
	/* Even with a rule, and by the nearest of several. */
	CHECK(3, false, "draws into a window of 101", {"/usr/bin/ruled", "mpv --wid=4"},
		{"/usr/bin/smplayer", .known = true, .server = 3},
		{"/usr/bin/xterm", .known = true});
	/* Such words that are no options, and programs without a known ancestor. */
	CHECK(0, false, "default", {"/usr/bin/mpv", "mpv a--wid=4"},
		{"/usr/bin/smplayer", .known = true});
	CHECK(0, false, "default", {"/usr/bin/mpv", "mpv --width=4"},
		{"/usr/bin/smplayer", .known = true});
	CHECK(0, false, "default", {"/usr/bin/mpv", "mpv --wid=4"}, {"/usr/bin/smplayer"});
	CHECK(0, false, "default", {"/opt/-into", "-into"}, {"/usr/bin/smplayer", .known = true});
}

static void processes_of_one_program_are_together(void **state)
{
	CHECK(7, false, "same program as 102", {"/opt/chrome/chrome", "chrome --type=gpu-process"},
		{"/opt/chrome/chrome"}, {"/opt/chrome/chrome", .known = true});
	CHECK(7, false, "same program as 101", {"/usr/lib/firefox/glxtest"},
		{"/usr/lib/firefox/firefox", .known = true});
	/* A rule for the browser applies to both of them. */
	CHECK(7, false, "same program as 101", {"/opt/ruled/x"},
		{"/opt/ruled/ruled", .known = true});
	CHECK(7, false, "same program as 101", {"/opt/game/game", .wish = "a"},
		{"/opt/game/launcher", .wish = "a", .known = true});
	/* Folders of many programs, and of others. */
	CHECK(0, false, "default", {"/usr/bin/xclock"}, {"/usr/bin/xterm", .known = true});
	CHECK(0, false, "default", {"/usr/bin/python3"}, {"/usr/bin/python3", .known = true});
	CHECK(0, false, "default", {"/opt/path/one"}, {"/opt/path/two", .known = true});
	CHECK(0, false, "default", {"/opt/game/bin/game"}, {"/opt/game/launcher", .known = true});
	CHECK(0, false, "default", {"/opt/games"}, {"/opt/game/launcher", .known = true});
}

static void a_rule_for_one_of_them_splits_them(void **state)
{
	CHECK(0, true, "rule ruled", {"/opt/steam/ruled"}, {"/opt/steam/steam", .known = true});
	CHECK(0, true, "CAUSEWAY_GPU", {"/opt/steam/game", .wish = "b"},
		{"/opt/steam/steam", .known = true});
	CHECK(0, true, "CAUSEWAY_GPU", {"/opt/steam/game", .wish = "b"},
		{"/opt/steam/steam", .wish = "a", .known = true});
}

static void choices_are_compared_with_the_ancestor_of_the_same_program(void **state)
{
	static const struct kin shell = {"/usr/bin/xterm", .known = true, .server = 3};
	/* The game's choice is that of the launcher, although the terminal between has another. */
	CHECK(7, false, "same program as 102", {"/opt/ruled/x"}, shell,
		{"/opt/ruled/ruled", .known = true});
	CHECK(7, false, "same program as 102", {"/opt/game/game", .wish = "a"}, shell,
		{"/opt/game/launcher", .wish = "a", .known = true});
	CHECK(7, false, "same program as 103", {"/opt/game/game", .wish = "a"}, {"/bin/sh"},
		{"/usr/bin/xterm", .wish = "b", .known = true, .server = 3},
		{"/opt/game/launcher", .wish = "a", .known = true});
	CHECK(7, false, "same program as 102", {"/opt/ruled/ruled"}, shell,
		{"/opt/ruled/ruled", .known = true});
	/* The launcher lacks the choice that the terminal between shares. */
	CHECK(0, true, "CAUSEWAY_GPU", {"/opt/game/game", .wish = "a"},
		{"/usr/bin/xterm", .wish = "a", .known = true, .server = 3},
		{"/opt/game/launcher", .known = true});
	CHECK(0, true, "CAUSEWAY_GPU", {"/opt/game/game", .wish = "a"},
		{"/usr/bin/xterm", .wish = "a", .known = true, .server = 3},
		{"/opt/game/launcher", .wish = "b", .known = true});
	CHECK(0, true, "rule ruled", {"/opt/game/ruled"},
		{"/usr/bin/ruled", .known = true, .server = 3},
		{"/opt/game/launcher", .known = true});
	/* The nearest of two such ancestors counts. */
	CHECK(3, false, "same program as 101", {"/opt/game/game", .wish = "a"},
		{"/opt/game/launcher", .wish = "a", .known = true, .server = 3},
		{"/opt/game/launcher", .wish = "b", .known = true});
}

static void wine_programs_of_a_prefix_are_together(void **state)
{
	/* The other one is no ancestor. */
	struct kin family[] = {{"/usr/lib/wine/wine64", .wine_prefix = "/srv/a"},
		{"/usr/lib/wine/wineserver", .wine_prefix = "/srv/a", .known = true, .server = 4},
		{NULL}};
	check(family, 4, false, "same Wine prefix as 101");
	family[0].exe = "/opt/proton/files/bin/wine64-preloader";
	check(family, 4, false, "same Wine prefix as 101");
	family[0].wish = "discrete";
	check(family, 4, false, "same Wine prefix as 101");
	family[0].wish = NULL;
	family[0].wine_prefix = "/srv/b";
	family[1].exe = "/usr/bin/wineserver";
	check(family, 0, false, "default");
	family[0].wine_prefix = NULL;
	family[1].wine_prefix = "/root/.wine"; /* the default */
	check(family, 4, false, "same Wine prefix as 101");
	family[0].wine_prefix = "/root/.wine//";
	check(family, 4, false, "same Wine prefix as 101");
	/* Children of Wine's programs inherit the variable. */
	family[0] = (struct kin){"/usr/bin/xdg-open", .wine_prefix = "~/.wine"};
	check(family, 0, false, "default");
}

static int set_path(void **state)
{
	return setenv("HOME", "/root", 1) || setenv("PATH", "/usr/bin:/opt/path:/bin", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_rule_there_is_no_split),
		cmocka_unit_test(rules_and_wishes_choose),
		cmocka_unit_test(rule_of_a_peer_places_the_first_program_of_a_prefix),
		cmocka_unit_test(programs_in_windows_of_others_are_with_them),
		cmocka_unit_test(processes_of_one_program_are_together),
		cmocka_unit_test(a_rule_for_one_of_them_splits_them),
		cmocka_unit_test(choices_are_compared_with_the_ancestor_of_the_same_program),
		cmocka_unit_test(wine_programs_of_a_prefix_are_together),
	};
	return cmocka_run_group_tests(tests, set_path, NULL);
}
