/* SPDX-License-Identifier: MIT */
/*
 * shots RENDERER REFERENCE OUT [--update]: renders every scene and compares it with the image in
 * the folder REFERENCE, and with the slow model where the scene has one. On a difference, the
 * expected image, the actual one and their difference are left in the folder OUT. --update writes
 * the reference images.
 */

#include "shell/shell.h"
#include "shots.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 240

struct run {
	enum renderer_kind renderer;
	const char *renderer_name, *reference, *out;
	bool update;
};

struct test {
	const struct run *run;
	const struct scene_case *scene;
};

static char *path(const char *folder, const char *name, const char *suffix)
{
	return xasprintf("%s/%s%s.png", folder, name, suffix);
}

static void save(
	const struct run *run, const char *name, const char *what, const struct image *image)
{
	char *base = xasprintf("%s-%s-%s", name, run->renderer_name, what);
	char *file = path(run->out, base, "");
	if (image && image_save(image, file)) {
		print_message("%s: %s\n", what, file);
	}
	free(base);
	free(file);
}

static void compare(const struct run *run, const struct scene_case *scene,
	const struct image *expected, const struct image *actual, const char *with)
{
	struct image_difference difference;
	if (image_compare(expected, actual, scene->tolerance, scene->outliers, &difference)) {
		return;
	}
	struct image *visible = image_difference(expected, actual);
	save(run, scene->name, "expected", expected);
	save(run, scene->name, "actual", actual);
	save(run, scene->name, "difference", visible);
	image_destroy(visible);
	fail_msg("%s differs from %s: %s%d pixels, by up to %d, first at %d,%d", scene->name, with,
		difference.size ? "size; " : "", difference.n, difference.most, difference.x,
		difference.y);
}

void shot_check_slow(struct shot *shot, const char *what)
{
	const struct test *test = shot->test;
	struct image *expected = slow_draw(&shot->slow);
	struct image *actual = fixture_shot(shot->fixture, 0);
	compare(test->run, test->scene, expected, actual, what);
	image_destroy(expected);
	image_destroy(actual);
}

struct peer_window *shot_pattern(struct shot *shot, int x, int y, int width, int height)
{
	struct peer_window *window =
		peer_window_create(shot->peer, x, y, width, height, 0xff000000);
	peer_buffer_fill_pattern(window->buffer);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(shot->fixture);
	return window;
}

static void check_reference(const struct test *test, struct shot *shot)
{
	const struct run *run = test->run;
	struct image *actual = fixture_shot(shot->fixture, 0);
	char *file = path(run->reference, test->scene->name, "");
	if (run->update) {
		assert_true(image_save(actual, file));
	} else {
		struct image *expected = image_load(file);
		if (!expected) {
			fail_msg("no reference image %s: see tests/shots/update", file);
		}
		compare(run, test->scene, expected, actual, "the reference");
		image_destroy(expected);
	}
	image_destroy(actual);
	free(file);
}

static void check_scene(void **state)
{
	const struct test *test = *state;
	const struct fixture_options options = {
		.renderer = test->run->renderer,
		.width = WIDTH,
		.height = HEIGHT,
		.scale = test->scene->scale,
	};
	struct shot shot = {.fixture = fixture_create(&options), .test = test};
	shot.slow = (struct slow){
		.width = WIDTH,
		.height = HEIGHT,
		.scale = 1,
		.background = shot.fixture->server->shell->config->look.background.top,
	};
	shot.peer = peer_create(shot.fixture);
	test->scene->build(&shot);
	fixture_settle(shot.fixture);
	assert_true(peer_alive(shot.peer));
	if (shot.slow.n_layers > 0) {
		shot_check_slow(&shot, "the slow model");
	}
	check_reference(test, &shot);
	slow_clear(&shot.slow);
	fixture_destroy(shot.fixture);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: shots pixman|gles REFERENCE OUT [--update]\n", stderr);
		return 2;
	}
	const struct run run = {
		.renderer = fixture_renderer(argc, argv),
		.renderer_name = argv[1],
		.reference = argv[2],
		.out = argv[3],
		.update = argc > 4 && strcmp(argv[4], "--update") == 0,
	};
	const struct {
		const struct scene_case *scenes;
		size_t n;
	} tables[] = {
		{window_scenes, n_window_scenes},
		{output_scenes, n_output_scenes},
		{damage_scenes, n_damage_scenes},
		{layout_scenes, n_layout_scenes},
	};
	struct CMUnitTest tests[64];
	struct test states[64];
	size_t n = 0;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (size_t j = 0; j < tables[i].n; j++, n++) {
			states[n] = (struct test){.run = &run, .scene = &tables[i].scenes[j]};
			tests[n] = (struct CMUnitTest){.name = tables[i].scenes[j].name,
				.test_func = check_scene,
				.initial_state = &states[n]};
		}
	}
	return _cmocka_run_group_tests(run.renderer_name, tests, n, NULL, NULL);
}
