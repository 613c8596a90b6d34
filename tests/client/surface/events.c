/* SPDX-License-Identifier: MIT */
/* Events of surfaces: buffer releases, frame callbacks, presentation feedback, fractional scale. */

#include "alpha-modifier-v1-client-protocol.h"
#include "fractional-scale-v1-client-protocol.h"
#include "harness/client/world.h"
#include "presentation-time-client-protocol.h"
#include "scene/scene.h"
#include "util/clock.h"
#include <stdlib.h>
#include <time.h>

static int set_up(void **state)
{
	struct world *world = world_create(NULL);
	world->window = peer_window_create(world->peer, 0, 0, 32, 32, 0xff102030);
	fixture_frames(world->fixture, 3);
	*state = world;
	return 0;
}

static struct peer_buffer *colored(struct world *world, uint32_t pixel)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, 32, 32, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 32, 32, pixel);
	return buffer;
}

static void replaced_buffer_is_released(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct peer_buffer *never = colored(world, 0xffff0000), *shown = colored(world, 0xff00ff00);
	int released = world->window->buffer->n_released;

	/* A buffer attached without a commit is never released. */
	wl_surface_attach(surface, never->buffer, 0, 0);
	peer_surface_show(surface, shown);
	fixture_frames(world->fixture, 3);
	assert_int_equal(never->n_released, 0);
	assert_int_equal(world->window->buffer->n_released, released + 1);
	assert_int_equal(shown->n_released, 0);

	peer_surface_show(surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	assert_int_equal(shown->n_released, 1);
	assert_int_equal(never->n_released, 0);
}

/* A buffer whose wl_buffer is destroyed before the commit is still shown. */
static void buffer_without_object_is_shown(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct peer_buffer *buffer = colored(world, 0xff4080c0);
	wl_surface_attach(surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, 32, 32);
	fixture_pump(world->fixture);
	peer_buffer_destroy(buffer);
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 16, 16), 0x4080c0);
	assert_true(peer_alive(world->peer));
}

struct order {
	int n;
	int seen[8];
	uint32_t ms[8];
};

struct waiting {
	struct order *order;
	int id;
};

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct waiting *waiting = data;
	waiting->order->seen[waiting->order->n] = waiting->id;
	waiting->order->ms[waiting->order->n++] = ms;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

static void request_frame(struct wl_surface *surface, struct waiting *waiting)
{
	wl_callback_add_listener(wl_surface_frame(surface), &callback_listener, waiting);
}

static void callbacks_come_in_order_after_the_commit(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct order order = {0};
	struct waiting waiting[4];
	for (int i = 0; i < 4; i++) {
		waiting[i] = (struct waiting){.order = &order, .id = i};
	}
	request_frame(surface, &waiting[0]);
	request_frame(surface, &waiting[1]);
	wl_surface_commit(surface);
	request_frame(surface, &waiting[2]);
	peer_surface_show(surface, world->window->buffer);
	/* Callbacks requested after the commit belong to the next one. */
	request_frame(surface, &waiting[3]);
	fixture_frames(world->fixture, 3);
	assert_int_equal(order.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(order.seen[i], i);
		assert_in_range(clock_ms(clock_now(world->fixture->clock)) - order.ms[i], 0, 100);
	}
	/* Commits without damage get theirs, too. */
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(order.n, 4);
	assert_int_equal(order.seen[3], 3);
}

/* A surface of alpha zero gets callbacks: it may be about to fade in. */
static void transparent_surface_gets_callbacks(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct wp_alpha_modifier_v1 *modifier =
		peer_bind(world->peer, &wp_alpha_modifier_v1_interface, 0);
	struct wp_alpha_modifier_surface_v1 *alpha =
		wp_alpha_modifier_v1_get_surface(modifier, surface);
	struct order order = {0};
	struct waiting waiting[2] = {{.order = &order}, {.order = &order, .id = 1}};
	for (int i = 0; i < 2; i++) {
		wp_alpha_modifier_surface_v1_set_multiplier(alpha, 0);
		request_frame(surface, &waiting[i]);
		wl_surface_commit(surface);
		fixture_frames(world->fixture, 3);
		assert_int_equal(order.n, i + 1);
		assert_int_not_equal(fixture_pixel(world->fixture, 16, 16), 0x102030);
	}
	wp_alpha_modifier_surface_v1_set_multiplier(alpha, UINT32_MAX);
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 16, 16), 0x102030);
}

/* The surface is destroyed with callbacks pending. */
static void surface_can_go_with_callbacks_pending(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	struct order order = {0};
	struct waiting waiting = {.order = &order};
	request_frame(surface, &waiting);
	wl_surface_commit(surface);
	request_frame(surface, &waiting);
	wl_surface_destroy(surface);
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(world->peer));
	assert_int_equal(order.n, 0);
}

/* Presentation */

struct feedback {
	int n_presented, n_discarded, n_sync;
	struct wl_output *sync;
	int64_t when;
	uint32_t refresh, flags;
	uint64_t sequence;
};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *object, struct wl_output *output)
{
	struct feedback *feedback = data;
	assert_int_equal(feedback->n_presented, 0);
	feedback->sync = output;
	feedback->n_sync++;
}

static void handle_presented(void *data, struct wp_presentation_feedback *object,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct feedback *feedback = data;
	uint64_t seconds = (uint64_t)seconds_high << 32 | seconds_low;
	assert_true(nanoseconds < 1000000000);
	feedback->when = (int64_t)seconds * 1000000000 + nanoseconds;
	feedback->refresh = refresh;
	feedback->sequence = (uint64_t)sequence_high << 32 | sequence_low;
	feedback->flags = flags;
	feedback->n_presented++;
	wp_presentation_feedback_destroy(object);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *object)
{
	struct feedback *feedback = data;
	feedback->n_discarded++;
	wp_presentation_feedback_destroy(object);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static void handle_clock_id(void *data, struct wp_presentation *presentation, uint32_t id)
{
	*(uint32_t *)data = id;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock_id};

static void feedback_is_presented_or_discarded_once(void **state)
{
	struct world *world = *state;
	struct wl_surface *surface = world->window->surface;
	uint32_t clock_id = 1234;
	struct wp_presentation *presentation =
		peer_bind(world->peer, &wp_presentation_interface, 0);
	wp_presentation_add_listener(presentation, &presentation_listener, &clock_id);
	struct wl_output *output = peer_bind(world->peer, &wl_output_interface, 0);
	fixture_pump(world->fixture);
	assert_int_equal(clock_id, CLOCK_MONOTONIC);

	struct feedback feedbacks[3] = {0};
	for (int i = 0; i < 3; i++) {
		wp_presentation_feedback_add_listener(
			wp_presentation_feedback(presentation, surface), &feedback_listener,
			&feedbacks[i]);
		/* The first of the three is superseded at once. */
		if (i != 1) {
			peer_surface_show(surface, world->window->buffer);
		}
	}
	fixture_frames(world->fixture, 3);
	assert_int_equal(feedbacks[0].n_discarded, 1);
	assert_int_equal(feedbacks[0].n_presented + feedbacks[0].n_sync, 0);
	for (int i = 1; i < 3; i++) {
		assert_int_equal(feedbacks[i].n_presented, 1);
		assert_int_equal(feedbacks[i].n_discarded, 0);
		assert_int_equal(feedbacks[i].n_sync, 1);
		assert_ptr_equal(feedbacks[i].sync, output);
		assert_int_equal(feedbacks[i].when, feedbacks[1].when);
	}
	int64_t age = clock_now(world->fixture->clock) - feedbacks[1].when;
	assert_in_range(age, 0, 60000000);
	assert_int_equal(feedbacks[1].refresh, 1000000000 / 60);
	assert_true(feedbacks[1].sequence > 0);

	/* The surface is destroyed before its frame. */
	struct feedback last = {0};
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(presentation, surface), &feedback_listener, &last);
	peer_surface_show(surface, world->window->buffer);
	xdg_toplevel_destroy(world->window->toplevel);
	xdg_surface_destroy(world->window->xdg_surface);
	wl_surface_destroy(surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(last.n_discarded + last.n_presented, 1);
}

/* Scale */

static void handle_fractional(void *data, struct wp_fractional_scale_v1 *object, uint32_t scale)
{
	*(uint32_t *)data = scale;
}

static const struct wp_fractional_scale_v1_listener fractional_listener = {
	.preferred_scale = handle_fractional};

static void preferred_scale_follows_the_output(void **state)
{
	struct world *world = *state;
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct wp_fractional_scale_manager_v1 *manager =
		peer_bind(world->peer, &wp_fractional_scale_manager_v1_interface, 0);
	uint32_t scale = 0;
	struct wp_fractional_scale_v1 *object = wp_fractional_scale_manager_v1_get_fractional_scale(
		manager, world->window->surface);
	wp_fractional_scale_v1_add_listener(object, &fractional_listener, &scale);
	fixture_pump(world->fixture);
	assert_int_equal(scale, 120);
	scene_output_set_scale(output, 1.75);
	fixture_frames(world->fixture, 3);
	assert_int_equal(scale, 210);

	/* Destroyed and created again. */
	wp_fractional_scale_v1_destroy(object);
	object = wp_fractional_scale_manager_v1_get_fractional_scale(
		manager, world->window->surface);
	scale = 0;
	wp_fractional_scale_v1_add_listener(object, &fractional_listener, &scale);
	fixture_pump(world->fixture);
	assert_int_equal(scale, 210);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(replaced_buffer_is_released),
		TEST(buffer_without_object_is_shown),
		TEST(callbacks_come_in_order_after_the_commit),
		TEST(transparent_surface_gets_callbacks),
		TEST(surface_can_go_with_callbacks_pending),
		TEST(feedback_is_presented_or_discarded_once),
		TEST(preferred_scale_follows_the_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
