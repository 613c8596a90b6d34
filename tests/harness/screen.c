/* SPDX-License-Identifier: MIT */
/* An output with one plane, which presents committed frames when the test says so. */

#include "harness/screen.h"
#include "buffer/allocator.h"
#include <stdlib.h>

/* In 1/255. Each layer that is scaled or blended may be off by some. */
#define ROUNDING 10

static void destroy_output(struct output *output)
{
}

static bool test_state(struct output *output, const struct output_state *state)
{
	return true;
}

/* Returns whether a channel differs by more than what scaling and blending may round. */
static bool differs(const uint8_t *a, const uint8_t *b)
{
	return abs(a[0] - b[0]) > ROUNDING || abs(a[1] - b[1]) > ROUNDING ||
	       abs(a[2] - b[2]) > ROUNDING;
}

/* Displays that are sent damage alone, as by USB, keep all other pixels. */
static void expect_changes_in_damage(
	struct buffer *shown, struct buffer *next, const pixman_region32_t *damage)
{
	size_t shown_stride, next_stride;
	if (!shown || !damage || shown->width != next->width || shown->height != next->height) {
		return;
	}
	void *shown_pixels, *next_pixels;
	assert_int_equal(buffer_begin_access(shown, BUFFER_READ, &shown_pixels, &shown_stride), 0);
	assert_int_equal(buffer_begin_access(next, BUFFER_READ, &next_pixels, &next_stride), 0);
	for (int y = 0; y < next->height; y++) {
		const uint8_t *before = (uint8_t *)shown_pixels + (size_t)y * shown_stride;
		const uint8_t *after = (uint8_t *)next_pixels + (size_t)y * next_stride;
		for (int x = 0; x < next->width; x++) {
			if (differs(before + x * 4, after + x * 4) &&
				!pixman_region32_contains_point(
					(pixman_region32_t *)damage, x, y, NULL)) {
				fail_msg("pixel %d,%d changed outside of the damage", x, y);
			}
		}
	}
	buffer_end_access(next);
	buffer_end_access(shown);
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	struct screen *screen = wl_container_of(output, screen, base);
	assert_int_equal(screen->flight, 0);
	assert_int_equal(state->n_planes, 1);
	if (screen->shown != state->planes[0].state.buffer) {
		expect_changes_in_damage(screen->shown, state->planes[0].state.buffer,
			state->planes[0].state.damage);
	}
	screen->flight = number;
	buffer_replace(&screen->flying, state->planes[0].state.buffer);
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

void screen_init(struct screen *screen, const char *name, int width, int height,
	struct renderer *renderer, struct allocator *allocator)
{
	*screen = (struct screen){.plane.type = PLANE_PRIMARY};
	output_init(&screen->base, &output_impl, name);
	screen->base.enabled = true;
	screen->base.mode = (struct output_mode){width, height, 60000, true};
	format_set_add(&screen->plane.formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	screen->base.planes[screen->base.n_planes++] = &screen->plane;
	screen->device = render_device_create(NULL, renderer, allocator);
}

void screen_open(struct screen *screen, struct scene *scene, struct clock *clock)
{
	screen->scene_output = scene_output_create(scene, &screen->base);
	screen->frame = frame_output_create(screen->scene_output, screen->device, clock);
}

void screen_close(struct screen *screen)
{
	scene_output_destroy(screen->scene_output);
}

void screen_lose(struct screen *screen)
{
	screen->flight = 0;
	buffer_replace(&screen->flying, NULL);
}

void screen_finish(struct screen *screen)
{
	buffer_replace(&screen->shown, NULL);
	buffer_replace(&screen->flying, NULL);
	render_device_finish(screen->device);
	render_device_destroy(screen->device);
	format_set_finish(&screen->plane.formats);
	output_finish(&screen->base);
}

void screen_flip(struct screen *screen, int64_t now)
{
	if (screen->flight == 0) {
		return;
	}
	struct output_present present = {
		.commit = screen->flight,
		.presented = true,
		.when = now,
		.refresh = (uint32_t)SCREEN_PERIOD,
		.flags = PRESENT_VSYNC,
	};
	screen->flight = 0;
	buffer_replace(&screen->shown, screen->flying);
	buffer_replace(&screen->flying, NULL);
	wl_signal_emit_mutable(&screen->base.events.present, &present);
}
