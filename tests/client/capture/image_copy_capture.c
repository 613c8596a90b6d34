/* SPDX-License-Identifier: MIT */
/* ext-image-copy-capture: outputs and hidden windows, damage, and sources that change or go. */

#include "backend/headless.h"
#include "harness/client/capture_world.h"
#include "shell/shell.h"
#include <unistd.h>

#define CONSTRAINTS EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_BUFFER_CONSTRAINTS
#define STOPPED EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_STOPPED

static void expect_shot(struct world *world, struct capturer_frame *frame)
{
	struct image *shot = fixture_shot(world->fixture, 0);
	capturer_expect(frame, shot, 0, 0);
	image_destroy(shot);
}

static void change(struct world *world, int x, int y, int width, int height, uint32_t pixel)
{
	peer_buffer_fill(world->window->buffer, x, y, width, height, pixel);
	wl_surface_attach(world->window->surface, world->window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, x, y, width, height);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
}

static void output_is_captured_whole(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	assert_int_equal(session->width, 320);
	assert_int_equal(session->height, 240);
	assert_int_equal(session->n_done, 1);
	assert_int_equal(session->format, WL_SHM_FORMAT_XRGB8888);
	struct capturer_frame *frame = capturer_frame_create(session);
	expect_shot(world, frame);
	capturer_expect_damage(frame, &(struct box){0, 0, 320, 240});
	assert_int_equal(frame->transform, WL_OUTPUT_TRANSFORM_NORMAL);
	assert_int_equal(frame->when, clock_now(world->fixture->clock));
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void output_frame_waits_for_damage(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 5);
	assert_false(frame->ready || frame->failed);
	capturer_expect_idle(world->fixture);
	change(world, 3, 4, 7, 8, 0xff00ff00);
	fixture_frames(world->fixture, 2);
	capturer_expect_damage(frame, &(struct box){23, 34, 7, 8});
	expect_shot(world, frame);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

/* Pixels outside the damage keep the client's content. */
static void only_damage_is_drawn(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	struct capturer_frame *first = capturer_frame_create(session);
	struct peer_buffer *buffer = first->buffer;
	capturer_frame_destroy(first);
	peer_buffer_fill(buffer, 0, 0, 320, 240, 0x00123456);
	struct capturer_frame *second = capturer_frame_create_with(session, buffer);
	change(world, 3, 4, 7, 8, 0xff00ff00);
	fixture_frames(world->fixture, 2);
	assert_true(second->ready);
	assert_int_equal(capturer_pixel(second, 23, 34), 0x00ff00);
	assert_int_equal(capturer_pixel(second, 29, 41), 0x00ff00);
	assert_int_equal(capturer_pixel(second, 22, 34), 0x123456);
	assert_int_equal(capturer_pixel(second, 30, 41), 0x123456);
	assert_int_equal(capturer_pixel(second, 0, 0), 0x123456);
	capturer_frame_destroy(second);
	capturer_session_destroy(session);
}

static void mismatched_buffers_fail(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	struct peer_buffer *wrong[] = {
		peer_buffer_create(world->other, 319, 240, WL_SHM_FORMAT_XRGB8888),
		peer_buffer_create(world->other, 320, 241, WL_SHM_FORMAT_XRGB8888),
		peer_buffer_create(world->other, 320, 240, WL_SHM_FORMAT_XRGB2101010),
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct capturer_frame *frame = capturer_frame_create_with(session, wrong[i]);
		assert_true(frame->failed);
		assert_int_equal(frame->reason, CONSTRAINTS);
		capturer_frame_destroy(frame);
	}
	/* A failed frame does not count: the first capture is still to come, and is immediate. */
	struct capturer_frame *frame = capturer_frame_create(session);
	expect_shot(world, frame);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void transform_damages_the_whole_output(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *waiting = capturer_frame_create(session);
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	scene_output_set_transform(output, WL_OUTPUT_TRANSFORM_FLIPPED_90);
	fixture_settle(world->fixture);
	/* The stored size is unchanged: the buffer fits, and all of it is damaged. */
	assert_int_equal(session->n_done, 2);
	assert_true(waiting->ready);
	assert_int_equal(waiting->transform, WL_OUTPUT_TRANSFORM_FLIPPED_90);
	capturer_expect_damage(waiting, &(struct box){0, 0, 320, 240});
	capturer_frame_destroy(waiting);
	struct capturer_frame *frame = capturer_frame_create(session);
	change(world, 0, 0, 100, 80, 0xff00ff00);
	fixture_frames(world->fixture, 2);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void output_removal_stops_the_session(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *waiting = capturer_frame_create(session);
	headless_remove_output(world->fixture->server->scene->outputs[0]->output);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_stopped, 1);
	assert_true(waiting->failed);
	assert_int_equal(waiting->reason, STOPPED);
	capturer_frame_destroy(waiting);
	struct capturer_frame *late = capturer_frame_create(session);
	assert_true(late->failed);
	assert_int_equal(late->reason, STOPPED);
	capturer_frame_destroy(late);
	capturer_session_destroy(session);
	assert_true(peer_alive(world->other));
}

static void frame_outlives_its_session(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = output_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *frame = capturer_frame_create(session);
	capturer_session_destroy(session);
	change(world, 0, 0, 10, 10, 0xff00ff00);
	fixture_frames(world->fixture, 2);
	assert_true(frame->ready);
	capturer_frame_destroy(frame);
}

static void expect_window(struct world *world, struct capturer_frame *frame)
{
	const struct peer_buffer *buffer = world->window->buffer;
	assert_true(frame->ready);
	assert_int_equal(frame->buffer->width, buffer->width);
	assert_int_equal(frame->buffer->height, buffer->height);
	for (int i = 0; i < buffer->width * buffer->height; i++) {
		assert_int_equal(frame->buffer->pixels[i], buffer->pixels[i]);
	}
}

static void window_whole(struct world *world)
{
	struct capturer_session *session = window_session(world, 0);
	assert_int_equal(session->width, 100);
	assert_int_equal(session->height, 80);
	assert_int_equal(session->format, WL_SHM_FORMAT_ARGB8888);
	struct capturer_frame *frame = capturer_frame_create(session);
	expect_window(world, frame);
	capturer_frame_destroy(frame);

	/* Captures continue while the window is hidden. */
	struct capturer_frame *next = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_false(next->ready || next->failed);
	capturer_expect_idle(world->fixture);
	change(world, 40, 50, 9, 3, 0x80402010);
	assert_true(next->ready);
	capturer_expect_damage(next, &(struct box){40, 50, 9, 3});
	expect_window(world, next);
	capturer_frame_destroy(next);
	capturer_session_destroy(session);
}

static void visible_window_is_captured(void **state)
{
	window_whole(*state);
}

static void covered_window_is_captured(void **state)
{
	struct world *world = *state;
	peer_window_create(world->peer, 0, 0, 320, 240, 0xff808080);
	fixture_settle(world->fixture);
	window_whole(world);
}

static void minimized_window_is_captured(void **state)
{
	struct world *world = *state;
	window_set_minimized(peer_window_find(world->window), true);
	fixture_settle(world->fixture);
	window_whole(world);
}

/* A minimised X window has no surface: a capture would show the rectangle that covers its place. */
static void captures_of_a_window_without_a_surface_wait_for_it(void **state)
{
	struct world *world = *state;
	struct window *window = peer_window_find(world->window);
	struct surface *surface = window->surface;
	struct surface *stand_in = surface_create(surface->loop, surface->client);
	struct capturer_session *session = window_session(world, 0);
	window_set_minimized(window, true);
	window_set_surface(window, stand_in, true);
	fixture_settle(world->fixture);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_false(frame->ready || frame->failed);
	capturer_expect_idle(world->fixture);
	window_set_surface(window, surface, false);
	window_set_minimized(window, false);
	surface_destroy(stand_in);
	fixture_settle(world->fixture);
	expect_window(world, frame);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void window_of_another_workspace_is_captured(void **state)
{
	struct world *world = *state;
	shell_switch_workspace(world->fixture->server->shell, "2");
	fixture_settle(world->fixture);
	window_whole(world);
}

static void window_outside_the_outputs_is_captured(void **state)
{
	struct world *world = *state;
	peer_window_place(world->window, -1000, 2000);
	fixture_settle(world->fixture);
	window_whole(world);
}

static void count_done(void *data, struct wl_callback *callback, uint32_t time)
{
	int *n = data;
	(*n)++;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener count_listener = {.done = count_done};

/* A hidden client that waits for its frame callback gets one after each capture. */
static void captures_of_hidden_windows_send_callbacks(void **state)
{
	struct world *world = *state;
	int n = 0;
	window_set_minimized(peer_window_find(world->window), true);
	struct capturer_session *session = window_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *frame = capturer_frame_create(session);
	wl_callback_add_listener(wl_surface_frame(world->window->surface), &count_listener, &n);
	change(world, 0, 0, 1, 1, 0xff000000);
	assert_true(frame->ready);
	fixture_frames(world->fixture, 3);
	assert_int_equal(n, 1);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void window_is_captured_with_its_subsurfaces(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = window_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));

	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child, world->window->surface, 90, 10);
	wl_subsurface_set_desync(subsurface);
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, 30, 20, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 30, 20, 0x00aa0000);
	peer_surface_show(child, buffer);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
	/* Without window geometry, the captured size grows with the surface tree. */
	assert_int_equal(session->width, 120);
	assert_int_equal(session->n_done, 2);
	struct capturer_frame *frame = capturer_frame_create(session);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 89, 10), 0xffffff);
	assert_int_equal(capturer_pixel(frame, 90, 10), 0xaa0000);
	assert_int_equal(capturer_pixel(frame, 119, 29), 0xaa0000);
	/* Pixels outside the surfaces are transparent. */
	assert_int_equal(frame->buffer->pixels[40 * 120 + 110], 0);
	capturer_frame_destroy(frame);

	frame = capturer_frame_create(session);
	assert_false(frame->ready);
	peer_buffer_fill(buffer, 1, 2, 3, 4, 0x0000bb00);
	wl_surface_attach(child, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(child, 1, 2, 3, 4);
	wl_surface_commit(child);
	fixture_pump(world->fixture);
	assert_true(frame->ready);
	capturer_expect_damage(frame, &(struct box){91, 12, 3, 4});
	assert_int_equal(capturer_pixel(frame, 91, 12), 0x00bb00);
	capturer_frame_destroy(frame);

	frame = capturer_frame_create(session);
	wl_subsurface_destroy(subsurface);
	fixture_pump(world->fixture);
	capturer_frame_destroy(frame);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
	assert_int_equal(session->width, 100);
	/* The former subsurface is watched no more. */
	frame = capturer_frame_create(session);
	expect_window(world, frame);
	capturer_frame_destroy(frame);
	frame = capturer_frame_create(session);
	peer_surface_show(child, buffer);
	fixture_frames(world->fixture, 2);
	assert_false(frame->ready || frame->failed);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

/* Subsurfaces of subsurfaces, there from the start or attached together, complete a frame. */
static void capture_follows_the_whole_tree(void **state)
{
	struct world *world = *state;
	struct wl_surface *surfaces[2];
	for (int i = 0; i < 2; i++) {
		surfaces[i] = wl_compositor_create_surface(world->peer->compositor);
		wl_subsurface_set_desync(peer_subsurface(world->peer, surfaces[i],
			i ? surfaces[0] : world->window->surface, 10, 10));
	}
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, 20, 20, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 20, 20, 0x00aa0000);
	for (int i = 1; i >= 0; i--) {
		peer_surface_show(surfaces[i], buffer);
	}
	wl_surface_commit(world->window->surface);
	fixture_settle(world->fixture);
	struct capturer_session *session = window_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	for (int i = 0; i < 2; i++) {
		struct capturer_frame *frame = capturer_frame_create(session);
		assert_false(frame->ready);
		wl_surface_attach(surfaces[i], buffer->buffer, 0, 0);
		wl_surface_damage_buffer(surfaces[i], 1, 2, 3, 4);
		wl_surface_commit(surfaces[i]);
		fixture_pump(world->fixture);
		assert_true(frame->ready);
		capturer_expect_damage(frame, &(struct box){11 + 10 * i, 12 + 10 * i, 3, 4});
		capturer_frame_destroy(frame);
	}
	capturer_session_destroy(session);
}

static void window_is_cropped_to_its_geometry(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = window_session(world, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *waiting = capturer_frame_create(session);
	xdg_surface_set_window_geometry(world->window->xdg_surface, 10, 5, 60, 40);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
	assert_int_equal(session->width, 60);
	assert_int_equal(session->height, 40);
	assert_int_equal(session->n_done, 2);
	assert_true(waiting->failed);
	assert_int_equal(waiting->reason, CONSTRAINTS);
	capturer_frame_destroy(waiting);
	struct capturer_frame *frame = capturer_frame_create(session);
	assert_true(frame->ready);
	const struct peer_buffer *buffer = world->window->buffer;
	for (int y = 0; y < 40; y++) {
		for (int x = 0; x < 60; x++) {
			assert_int_equal(frame->buffer->pixels[y * 60 + x],
				buffer->pixels[(y + 5) * buffer->width + x + 10]);
		}
	}
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

static void unmapped_window_stops_the_session(void **state)
{
	struct world *world = *state;
	struct ext_image_capture_source_v1 *source =
		capturer_window_source(world->other, "under test");
	struct capturer_session *session = capturer_session_create(world->other, source, 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *waiting = capturer_frame_create(session);
	wl_surface_attach(world->window->surface, NULL, 0, 0);
	wl_surface_commit(world->window->surface);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_stopped, 1);
	assert_true(waiting->failed);
	assert_int_equal(waiting->reason, STOPPED);
	/* Also for sessions created afterwards. */
	struct capturer_session *late = capturer_session_create(world->other, source, 0);
	assert_int_equal(late->n_stopped, 1);
	assert_int_equal(late->n_done, 0);
	capturer_frame_destroy(waiting);
	capturer_session_destroy(session);
	capturer_session_destroy(late);
}

static void client_death_stops_the_session(void **state)
{
	struct world *world = *state;
	struct capturer_session *session = window_session(world, 0);
	peer_destroy(world->peer);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_stopped, 1);
	capturer_session_destroy(session);
}

static void truncated_buffer_fails_and_keeps_the_damage(void **state)
{
	struct world *world = *state;
	capturer_set_guard();
	struct capturer_session *session = output_session(world, 0);
	struct peer_buffer *buffer =
		peer_buffer_create(world->other, session->width, session->height, session->format);
	fixture_pump(world->fixture);
	assert_int_equal(ftruncate(buffer->fd, 4096), 0);
	struct capturer_frame *frame = capturer_frame_create_with(session, buffer);
	assert_true(frame->failed);
	assert_true(peer_alive(world->other));
	capturer_frame_destroy(frame);
	/* The damage of the failed frame is kept. */
	frame = capturer_frame_create(session);
	capturer_expect_damage(frame, &(struct box){0, 0, 320, 240});
	expect_shot(world, frame);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

int main(int argc, char **argv)
{
	static struct world world;
	world_begin(&world, argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(output_is_captured_whole),
		TEST(output_frame_waits_for_damage),
		TEST(only_damage_is_drawn),
		TEST(mismatched_buffers_fail),
		TEST(transform_damages_the_whole_output),
		TEST(output_removal_stops_the_session),
		TEST(frame_outlives_its_session),
		TEST(visible_window_is_captured),
		TEST(covered_window_is_captured),
		TEST(minimized_window_is_captured),
		TEST(captures_of_a_window_without_a_surface_wait_for_it),
		TEST(window_of_another_workspace_is_captured),
		TEST(window_outside_the_outputs_is_captured),
		TEST(captures_of_hidden_windows_send_callbacks),
		TEST(window_is_captured_with_its_subsurfaces),
		TEST(capture_follows_the_whole_tree),
		TEST(window_is_cropped_to_its_geometry),
		TEST(unmapped_window_stops_the_session),
		TEST(client_death_stops_the_session),
		TEST(truncated_buffer_fails_and_keeps_the_damage),
	};
	return cmocka_run_group_tests_name("capture/image_copy_capture", tests, NULL, NULL);
}
