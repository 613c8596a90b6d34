/* SPDX-License-Identifier: MIT */
/* Windows of clients that follow the fractional scale are sharp in each layout. */

#include "harness/client/reload.h"
#include "harness/peer.h"
#include "harness/unit.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "viewporter-client-protocol.h"
#include <stdio.h>

#define N_WINDOWS 4
#define ROUNDS 12
#define ACTIONS 25

struct follower {
	struct peer_window *window;
	struct wp_viewport *viewport;
	struct peer_buffer *buffer;
	int width, height;
};

struct layouts {
	struct fixture *fixture;
	struct follower followers[N_WINDOWS];
	int n_windows, scale; /* 120ths */
	bool turned;
	int n_seen;
};

/* Attaches a buffer of the size that the compositor asked for. Returns whether it is another. */
static bool follow(struct layouts *layouts, struct follower *follower)
{
	struct peer_window *window = follower->window;
	int width = window->width > 0 ? window->width : 100;
	int height = window->height > 0 ? window->height : 80;
	if (follower->buffer && width == follower->width && height == follower->height) {
		return false;
	}
	struct peer_buffer *old = follower->buffer;
	follower->width = width;
	follower->height = height;
	follower->buffer = peer_buffer_create(window->peer, (width * layouts->scale + 60) / 120,
		(height * layouts->scale + 60) / 120, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill_pattern(follower->buffer);
	wp_viewport_set_destination(follower->viewport, width, height);
	peer_surface_show(window->surface, follower->buffer);
	fixture_frames(layouts->fixture, 2);
	peer_buffer_destroy(old);
	return true;
}

static void settle(struct layouts *layouts)
{
	bool changed = true;
	for (int round = 0; round < 6 && changed; round++) {
		changed = false;
		fixture_frames(layouts->fixture, 2);
		for (int i = 0; i < layouts->n_windows; i++) {
			changed |= follow(layouts, &layouts->followers[i]);
		}
	}
	fixture_sleep(layouts->fixture, INT64_C(700000000)); /* animations end */
}

static const struct scene_entry *find_entry(
	const struct layouts *layouts, const struct follower *follower)
{
	const struct surface *surface =
		peer_surface_find(follower->window->peer, follower->window->surface);
	const struct scene_output *output = layouts->fixture->server->scene->outputs[0];
	int index = scene_surface_find(surface)->node.entry_index[output->index];
	return index >= 0 ? &output->entries[index] : NULL;
}

/* Compares a pixel of a window that nothing covers; corners of frames may be round. */
static void check_pixel(const struct layouts *layouts, const struct follower *follower,
	const struct scene_entry *entry, const char *action)
{
	int n;
	const pixman_box32_t *box =
		pixman_region32_rectangles((pixman_region32_t *)&entry->visible, &n);
	int x = box->x1 - entry->dst.x, y = box->y1 - entry->dst.y;
	if (layouts->turned || n != 1 || x <= 12 || y <= 12 || x >= follower->buffer->width ||
		y >= follower->buffer->height) {
		return;
	}
	struct image *shot = fixture_shot(layouts->fixture, 0);
	uint32_t is = shot->pixels[box->y1 * shot->width + box->x1] & 0xffffff;
	uint32_t right = follower->buffer->pixels[y * follower->buffer->width + x] & 0xffffff;
	image_destroy(shot);
	if (is != right) {
		fail_msg("%s, scale %d/120: %d,%d is %06x, not %06x", action, layouts->scale, x, y,
			is, right);
	}
}

static void check(struct layouts *layouts, const char *action)
{
	for (int i = 0; i < layouts->n_windows; i++) {
		const struct follower *follower = &layouts->followers[i];
		const struct scene_entry *entry = find_entry(layouts, follower);
		if (!entry) {
			continue;
		}
		layouts->n_seen++;
		if (!entry->unscaled) {
			fail_msg("%s, scale %d/120: a buffer of %dx%d is resampled to %dx%d",
				action, layouts->scale, follower->buffer->width,
				follower->buffer->height, entry->dst.width, entry->dst.height);
		}
		check_pixel(layouts, follower, entry, action);
	}
}

static void configure(struct layouts *layouts)
{
	static const char *const turns[] = {"normal", "90", "180", "270", "flipped", "flipped-90",
		"flipped-180", "flipped-270"};
	const int turn = random_between(0, 1) ? 0 : random_between(0, 7);
	char text[300];
	layouts->turned = turn > 0;
	snprintf(text, sizeof(text),
		"[layout]\ndefault = %s\ngap = %d\nborder = %d\nsmart-gaps = %s\n"
		"[output *]\nscale = %.6f\ntransform = %s\n",
		random_between(0, 1) ? "columns" : "floating", random_between(0, 11),
		random_between(0, 4), random_between(0, 1) ? "yes" : "no", layouts->scale / 120.0,
		turns[turn]);
	assert_true(reload_text(layouts->fixture, text));
}

static void act(struct layouts *layouts)
{
	static const char *const actions[][2] = {{"fullscreen", NULL}, {"maximize", NULL},
		{"tile-left", NULL}, {"tile-right", NULL}, {"cycle", NULL}, {"focus", "left"},
		{"move", "right"}, {"join", "left"}, {"toggle-tabbed", NULL},
		{"toggle-floating", NULL}, {"resize", "wider"}, {"resize", "shorter"},
		{"width", "next"}, {"width", "37"}, {"gaps", "+3"}, {"gaps", "0"},
		{"layout", "toggle"}, {"tile", "top-left"}, {"tile", "bottom-right"},
		{"tile", "top"}, {"swap", "left"}, {"sticky", NULL}};
	const int n = (int)(sizeof(actions) / sizeof(actions[0]));
	const char *const *action = actions[random_between(0, n - 1)];
	shell_run_action(layouts->fixture->server->shell, action[0], action[1]);
	settle(layouts);
	check(layouts, action[0]);
}

static void play_round(struct layouts *layouts)
{
	const struct fixture_options options = {.width = random_between(600, 900),
		.height = random_between(400, 700),
		.scale = layouts->scale / 120.0};
	layouts->fixture = fixture_create(&options);
	configure(layouts);
	struct peer *peer = peer_create(layouts->fixture);
	struct wp_viewporter *viewporter = peer_bind(peer, &wp_viewporter_interface, 1);
	for (layouts->n_windows = 0; layouts->n_windows < N_WINDOWS;) {
		struct follower *follower = &layouts->followers[layouts->n_windows++];
		*follower = (struct follower){.window = peer_window_create_unmapped(peer)};
		follower->viewport =
			wp_viewporter_get_viewport(viewporter, follower->window->surface);
		fixture_pump(layouts->fixture);
		settle(layouts);
	}
	check(layouts, "start");
	for (int i = 0; i < ACTIONS; i++) {
		act(layouts);
	}
	fixture_destroy(layouts->fixture);
}

static void windows_are_sharp_in_each_layout(void **state)
{
	static const int usual[] = {
		90, 100, 126, 132, 144, 150, 160, 168, 180, 192, 198, 210, 216, 240, 252, 270, 300};
	struct layouts layouts = {0};
	for (int round = 0; round < ROUNDS; round++) {
		random_seed((uint64_t)round + 1);
		layouts.scale = random_between(0, 2) ? usual[random_between(0, 16)]
						     : random_between(120, 360);
		play_round(&layouts);
	}
	print_message("%d windows seen\n", layouts.n_seen);
	assert_true(layouts.n_seen > ROUNDS * ACTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_sharp_in_each_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
