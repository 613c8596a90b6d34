/* SPDX-License-Identifier: MIT */
/*
 * Random outputs, windows and actions: no title bar of a floating window gets out of reach, and
 * when the outputs are as before, so are the windows, or most of them is seen.
 */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 400
#define GRIP 32

struct output_place {
	bool plugged;
	struct box box; /* position and mode */
	double scale;
	enum wl_output_transform transform;
};

static bool chance(int percent)
{
	return random_between(1, 100) <= percent;
}

static const char *any(const char *const *words, int n)
{
	return words[random_between(0, n - 1)];
}

/* Outputs */

static void put(struct shell_fixture *fixture, int index, const struct output_place *place)
{
	struct test_output *output = &fixture->outputs[index];
	if (!place->plugged) {
		if (output->shown) {
			unplug(fixture, index);
		}
		return;
	}
	if (!output->shown) {
		plug_at(fixture, index, &place->box);
	}
	if (output->output.mode.width != place->box.width ||
		output->output.mode.height != place->box.height) {
		output->output.mode.width = place->box.width;
		output->output.mode.height = place->box.height;
		scene_output_mode_changed(output->shown);
	}
	scene_output_set_position(output->shown, place->box.x, place->box.y);
	scene_output_set_scale(output->shown, place->scale);
	scene_output_set_transform(output->shown, place->transform);
}

static struct output_place find_place(const struct shell_fixture *fixture, int index)
{
	const struct test_output *output = &fixture->outputs[index];
	if (!output->shown) {
		return (struct output_place){0};
	}
	return (struct output_place){true,
		{output->shown->x, output->shown->y, output->output.mode.width,
			output->output.mode.height},
		output->shown->scale, output->shown->transform};
}

/* Chooses a place; outputs have thousands of pixels of their own, and never overlap. */
static struct output_place choose_place(int index)
{
	static const int widths[] = {400, 640, 1000, 1600, 1920};
	static const int heights[] = {300, 360, 600, 1200, 1080};
	static const double scales[] = {1, 1, 1.25, 1.5, 2};
	const int mode = random_between(0, 4);
	return (struct output_place){chance(75),
		{2000 * index + (chance(50) ? 0 : random_between(-40, 40)),
			chance(50) ? 0 : random_between(-300, 300), widths[mode], heights[mode]},
		scales[random_between(0, 4)],
		(enum wl_output_transform)(chance(70) ? 0 : random_between(0, 3))};
}

/* Windows */

static struct test_window *any_mapped(struct shell_fixture *fixture)
{
	for (int i = 0; i < 20; i++) {
		struct test_window *self = &fixture->windows[random_between(0, WINDOWS - 1)];
		if (self->window && self->window->mapped) {
			return self;
		}
	}
	return NULL;
}

static void open_window(struct shell_fixture *fixture, int index)
{
	if (!fixture->windows[index].window) {
		make(fixture, index);
	}
	struct window *window = fixture->windows[index].window;
	window->private->dock = chance(10);
	window_set_decorated(window, !window->private->dock && chance(60));
	if (chance(20)) {
		window_set_app_id(window, "ruled");
	}
	if (chance(20)) {
		window_place_at(window, random_between(-4000, 8000), random_between(-4000, 4000));
	}
	if (chance(15)) {
		window_request_maximize(window, true);
	} else if (chance(10)) {
		window_request_fullscreen(window, true, NULL);
	}
	map(fixture, index, random_between(20, 1300), random_between(20, 900));
}

static void act(struct shell_fixture *fixture)
{
	static const char *const words[] = {"1", "2", "3", "mail", "left", "right"};
	static const char *const actions[] = {"workspace", "move-to-workspace",
		"follow-to-workspace", "move-to-output", "move-to-output", "workspace-to-output",
		"focus-output", "workspace-next", "workspace-back", "sticky", "fullscreen",
		"maximize", "minimize", "restore", "cycle", "toggle-floating", "layout",
		"move-to-scratchpad", "scratchpad"};
	static const char *const directions[] = {"left", "right", "up", "down"};
	static const char *const sizes[] = {"wider", "narrower", "taller", "shorter"};
	static const char *const tiles[] = {"left", "right", "top", "bottom-right"};
	switch (random_between(0, 5)) {
	case 0: shell_run_action(fixture->shell, "move", any(directions, 4)); break;
	case 1: shell_run_action(fixture->shell, "resize", any(sizes, 4)); break;
	case 2: shell_run_action(fixture->shell, "tile", any(tiles, 4)); break;
	default:
		shell_run_action(fixture->shell, any(actions, sizeof(actions) / sizeof(*actions)),
			any(words, 6));
	}
}

static void step(struct shell_fixture *fixture)
{
	const int index = random_between(0, WINDOWS - 1), kind = random_between(0, 11);
	struct test_window *self = any_mapped(fixture);
	struct output_place place;
	switch (kind) {
	case 0:
	case 1:
		if (!fixture->windows[index].window || !fixture->windows[index].window->mapped) {
			open_window(fixture, index);
		}
		break;
	case 2:
		if (self && chance(30)) {
			unmap(fixture, (int)(self - fixture->windows));
		}
		break;
	case 3:
		place = choose_place(index % OUTPUTS);
		put(fixture, index % OUTPUTS, &place);
		break;
	case 4:
		if (self && window_floating(self->window)) {
			window_request_position(self->window, random_between(-4000, 8000),
				random_between(-4000, 4000));
		}
		break;
	case 5:
		if (self && window_floating(self->window) && !self->configure.width) {
			draw(self, random_between(20, 1300), random_between(20, 900));
		}
		break;
	case 6:
		if (self && self->window->private->dock) {
			window_reserve(self->window,
				&(struct frame_extents){
					.top = chance(50) ? random_between(0, 60) : 0});
		}
		break;
	case 7:
	case 8:
		if (self) {
			obey(self);
		}
		break;
	default: act(fixture);
	}
}

/* Returns true if a part of the title bar, or of the uppermost rows, lies in a work area. */
static bool is_reachable(const struct shell_fixture *fixture, const struct window *window)
{
	const struct frame_extents frame = window_frame(window);
	struct box title = {window->x - frame.left, window->y - frame.top,
		window->geometry.width + frame.left + frame.right,
		frame.top ? frame.top : window->geometry.height};
	title.height = title.height < GRIP ? title.height : GRIP;
	for (int i = 0; i < OUTPUTS; i++) {
		const struct scene_output *output = fixture->outputs[i].shown;
		const struct box area = window->private->dock && output
						? scene_output_box(output)
						: shell_usable(fixture->shell, output);
		struct box common;
		if (box_intersect(&common, &title, &area) && common.height == title.height &&
			common.width >= (title.width < GRIP ? title.width : GRIP)) {
			return true;
		}
	}
	return false;
}

static void check(const struct shell_fixture *fixture, uint64_t seed, int turn)
{
	if (wl_list_empty(&fixture->shell->workspaces) ||
		!scene_output_nearest(fixture->scene, (struct coord_global){0})) {
		return;
	}
	for (int i = 0; i < WINDOWS; i++) {
		const struct window *window = fixture->windows[i].window;
		/* A client that has not drawn its floating size yet is still at its old place. */
		if (window && window->mapped && window_floating(window) &&
			!window->private->target.pending && !is_reachable(fixture, window)) {
			const struct box box = window_box(window);
			fail_msg("seed %d, step %d: window %d at %d,%d %dx%d is out of reach",
				(int)seed, turn, i, box.x, box.y, box.width, box.height);
		}
	}
}

static void settle(struct shell_fixture *fixture)
{
	for (int turn = 0; turn < 3; turn++) {
		obey_all(fixture, 1000000000);
	}
}

/* Returns the part that is seen of a window, or of as much as fits its output. */
static double part_seen(const struct shell_fixture *fixture, const struct window *window)
{
	const struct frame_extents frame = window_frame(window);
	const struct box box = window_box(window);
	const struct box outer = {window->x - frame.left, window->y - frame.top,
		window->geometry.width + frame.left + frame.right,
		window->geometry.height + frame.top + frame.bottom};
	const struct scene_output *own = window->workspace->output;
	if (!own) {
		return 1;
	}
	const struct box mine =
		window->private->dock ? scene_output_box(own) : shell_usable(fixture->shell, own);
	const double most = (double)(outer.width < mine.width ? outer.width : mine.width) *
			    (outer.height < mine.height ? outer.height : mine.height);
	double seen = 0;
	for (int i = 0; i < OUTPUTS; i++) {
		const struct scene_output *output = fixture->outputs[i].shown;
		const struct box area = window->private->dock && output
						? scene_output_box(output)
						: shell_usable(fixture->shell, output);
		struct box common;
		if ((output == own || shell_nearest_output(fixture->shell, &box) == own) &&
			box_intersect(&common, &outer, &area)) {
			seen += (double)common.width * common.height;
		}
	}
	return seen / most;
}

struct note {
	struct box box;
	char workspace[WORKSPACE_NAME_MAX + 1];
	bool exempt;
	double part; /* that is seen */
};

/*
 * Returns true if the window is larger than its output, to which any change of the outputs shrinks
 * it.
 */
static bool is_exempt(const struct window *window)
{
	const struct box area = shell_usable(window->shell, window->workspace->output);
	const struct frame_extents frame = window_frame(window);
	return window_floating(window) &&
	       (window->geometry.width + frame.left + frame.right > area.width ||
		       window->geometry.height + frame.top + frame.bottom > area.height);
}

static void take_notes(const struct shell_fixture *fixture, struct note notes[WINDOWS])
{
	for (int i = 0; i < WINDOWS; i++) {
		const struct window *window = fixture->windows[i].window;
		notes[i] = (struct note){0};
		if (window && window->mapped) {
			notes[i].box = window_box(window);
			notes[i].exempt = is_exempt(window);
			notes[i].part = window_floating(window) ? part_seen(fixture, window) : 1;
			snprintf(notes[i].workspace, sizeof(notes[i].workspace), "%s",
				window->workspace->name);
		}
	}
}

/*
 * Returns true if the outputs do not determine all places: the output of a workspace is missing, or
 * a fullscreen window covers another output than that of its workspace.
 */
static bool has_refugees(const struct shell_fixture *fixture)
{
	for (int i = 0; i < WINDOWS; i++) {
		const struct window *window = fixture->windows[i].window;
		if (window && window->mapped && window->private->fullscreen_output &&
			window->private->fullscreen_output != window->workspace->output) {
			return true;
		}
	}
	const struct workspace *workspace;
	wl_list_for_each (workspace, &fixture->shell->workspaces, link) {
		if (workspace->home) {
			return true;
		}
	}
	return false;
}

/* Outputs go, come back and change, until they are as they were. */
static void disturb_outputs(struct shell_fixture *fixture, uint64_t seed, int turn)
{
	struct output_place places[OUTPUTS];
	struct note before[WINDOWS], after[WINDOWS];
	settle(fixture);
	for (int i = 0; i < OUTPUTS; i++) {
		places[i] = find_place(fixture, i);
		if (places[i].plugged) {
			/* Panels that have moved take their space where they are. */
			shell_arrange_layers(fixture->shell, fixture->outputs[i].shown);
		}
	}
	settle(fixture);
	take_notes(fixture, before);
	for (int n = random_between(1, 6); n > 0; n--) {
		const int index = random_between(0, OUTPUTS - 1);
		const struct output_place place = choose_place(index);
		if (!places[index].plugged) {
			continue;
		}
		put(fixture, index, &place);
		if (chance(50)) {
			settle(fixture);
		}
		check(fixture, seed, turn);
	}
	const int first = random_between(0, OUTPUTS - 1);
	for (int i = 0; i < OUTPUTS; i++) {
		put(fixture, (first + i) % OUTPUTS, &places[(first + i) % OUTPUTS]);
	}
	settle(fixture);
	check(fixture, seed, turn);
	take_notes(fixture, after);
	for (int i = 0; i < WINDOWS; i++) {
		const struct box *a = &before[i].box, *b = &after[i].box;
		if (before[i].exempt) {
			continue;
		}
		const struct window *self = fixture->windows[i].window;
		/* The user had left it outside, and it has returned. */
		if (before[i].part < 0.6667 && !box_empty(a) && a->width == b->width &&
			a->height == b->height && part_seen(fixture, self) >= 0.6666) {
			continue;
		}
		if (!box_equal(a, b) || strcmp(before[i].workspace, after[i].workspace) != 0) {
			const struct window *window = fixture->windows[i].window;
			fail_msg("seed %d, step %d: window %d at %d,%d %dx%d of %s was at %d,%d "
				 "%dx%d of %s (states %x%s%s)",
				(int)seed, turn, i, b->x, b->y, b->width, b->height,
				after[i].workspace, a->x, a->y, a->width, a->height,
				before[i].workspace, (unsigned)window->states,
				window->private->tiled ? ", tiled" : "",
				window->sticky ? ", sticky" : "");
		}
	}
}

static void set_rule(struct shell_fixture *fixture)
{
	char text[128], *error = NULL;
	snprintf(text, sizeof(text), "[window a]\napp-id = ruled\nposition = %d,%d\n",
		chance(50) ? 0 : random_between(0, 3000), chance(50) ? 0 : random_between(0, 3000));
	FILE *stream = fmemopen(text, strlen(text), "r");
	struct config *config = config_parse("test.ini", stream, &error);
	fclose(stream);
	assert_non_null(config);
	shell_set_config(fixture->shell, config);
}

static void play(uint64_t seed)
{
	void *state;
	random_seed(seed);
	set_up_shell(&state);
	struct shell_fixture *fixture = state;
	set_rule(fixture);
	for (int turn = 0; turn < STEPS; turn++) {
		step(fixture);
		check(fixture, seed, turn);
		if (chance(8) && !has_refugees(fixture)) {
			disturb_outputs(fixture, seed, turn);
		}
	}
	tear_down_shell(&state);
}

static void no_window_is_lost(void **state)
{
	/* HOME_SEEDS=FIRST,LAST plays others. */
	int first = 1, last = 80;
	const char *seeds = getenv("HOME_SEEDS");
	if (seeds) {
		char *comma;
		first = (int)strtol(seeds, &comma, 10);
		last = *comma ? (int)strtol(comma + 1, NULL, 10) : first;
	}
	for (int seed = first; seed <= last; seed++) {
		play((uint64_t)seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_window_is_lost)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
