/* SPDX-License-Identifier: MIT */
/* The wayland backend: frames, presentation feedback, and buffers passed to the host. */

#include "buffer/allocator.h"
#include "guest.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "xdg-decoration-unstable-v1-protocol.h"
#include "xdg-shell-protocol.h"
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A buffer like a GPU's: not a memory file that a host could map safely. */
struct gpu_buffer {
	struct buffer base;
	struct dmabuf dmabuf;
};

static void destroy_gpu_buffer(struct buffer *buffer)
{
	struct gpu_buffer *self = wl_container_of(buffer, self, base);
	buffer_finish(buffer);
	dmabuf_finish(&self->dmabuf);
	free(self);
}

static const struct dmabuf *describe_gpu_buffer(struct buffer *buffer)
{
	struct gpu_buffer *self = wl_container_of(buffer, self, base);
	return &self->dmabuf;
}

static const struct buffer_impl gpu_buffer_impl = {
	.destroy = destroy_gpu_buffer,
	.dmabuf = describe_gpu_buffer,
};

static struct buffer *gpu_buffer_create(int32_t width, int32_t height, uint64_t modifier)
{
	struct gpu_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &gpu_buffer_impl, width, height, DRM_FORMAT_XRGB8888);
	dmabuf_init(&self->dmabuf);
	self->dmabuf.width = width;
	self->dmabuf.height = height;
	self->dmabuf.format = DRM_FORMAT_XRGB8888;
	self->dmabuf.modifier = modifier;
	self->dmabuf.n_planes = 1;
	self->dmabuf.stride[0] = (uint32_t)width * 4;
	self->dmabuf.fd[0] = fd_create_memory("gpu", (off_t)width * height * 4, false);
	assert_true(self->dmabuf.fd[0] >= 0);
	return &self->base;
}

static bool test_buffer(struct screen *screen, struct buffer *buffer)
{
	struct output_state state;
	state_init_with(&state, screen, buffer);
	bool possible = output_test(screen->output, &state);
	pump(screen->fixture);
	return possible;
}

static void frame_is_presented_after_the_callback(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_string_equal(screen->output->name, "WL-1");
	assert_string_equal(surface->app_id, "causeway");
	assert_string_equal(surface->title, "Causeway - WL-1");
	assert_int_equal(surface->decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);

	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 10, 20, 30, 40);
	uint32_t number = show_with(screen, buffer, -1, &damage);
	pixman_region32_fini(&damage);
	assert_true(number > 0);
	assert_int_equal(surface->buffer_width, 300);
	assert_int_equal(surface->buffer_height, 200);
	assert_false(surface->buffer_is_dmabuf);
	assert_int_equal(surface->n_damage, 1);
	assert_memory_equal(surface->damage, ((int32_t[]){10, 20, 30, 40}), 16);
	assert_int_equal(surface->destination_width, 300);
	assert_int_equal(surface->acknowledged, surface->configured);

	/* One frame at a time. */
	assert_int_equal(show(screen, buffer), 0);
	/* Presented after the host's frame callback, and once. */
	host_presented(surface, START + 12345, 16666667, PRESENT_VSYNC | PRESENT_HW_CLOCK);
	pump(fixture);
	assert_int_equal(screen->n_presents, 0);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	assert_int_equal(screen->last.commit, number);
	assert_true(screen->last.presented);
	assert_true(screen->last.when == START + 12345);
	assert_int_equal(screen->last.refresh, 16666667);
	assert_true(screen->last.sequence == (UINT64_C(1) << 32 | 7));
	assert_int_equal(screen->last.flags, PRESENT_VSYNC | PRESENT_HW_CLOCK);

	/* The other order; discarded. */
	assert_int_equal(show(screen, buffer), number + 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_discarded(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));

	/* A host that sends the frame callback and never the feedback. */
	assert_int_equal(show(screen, buffer), number + 2);
	host_frame_done(surface);
	pump(fixture);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 3);
	assert_true(screen->last.presented);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* A hidden window gets no callback, and no timer replaces it. */
static void hidden_window_presents_nothing(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	buffer_drop(buffer);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 0);
	/* The pending frame ends with the output, and is reported as not presented. */
	enable(fixture->screens[0].output, false);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_false(fixture->screens[0].last.presented);
	destroy_fixture(fixture);
}

static void callback_means_presented_without_feedback(void **state)
{
	const struct host_options options = {.no_presentation = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	clock_advance(fixture->clock, 1000);
	host_frame_done(&fixture->host->surfaces[0]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	assert_true(screen->last.presented);
	assert_true(screen->last.when == START + 1000);
	assert_int_equal(screen->last.flags, 0);
	destroy_fixture(fixture);
}

static int64_t boot_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Timestamps of another clock are converted. */
static void timestamps_are_converted(void **state)
{
	const struct host_options options = {.presentation_clock = CLOCK_BOOTTIME};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	int64_t now = boot_time();
	host_presented(&fixture->host->surfaces[0], now - 3000000, 0, 0);
	host_frame_done(&fixture->host->surfaces[0]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	/* 3 ms before the test clock's now, plus the time until the backend received it. */
	assert_in_range(START - screen->last.when, 3000000, 3000000 + boot_time() - now);
	destroy_fixture(fixture);
}

static void commit_waits_for_its_fence(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	int fence[2];
	assert_int_equal(pipe(fence), 0);
	assert_true(show_with(screen, buffer, fence[0], NULL));
	assert_null(surface->buffer);
	assert_int_equal(write(fence[1], "", 1), 1);
	pump(fixture);
	assert_non_null(surface->buffer);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_true(screen->last.presented);

	/* A failed fence: poll() reports an error for the write end of a pipe without reader. */
	close(fence[0]);
	int n_commits = surface->n_commits;
	assert_true(show_with(screen, buffer, fence[1], NULL));
	assert_int_equal(screen->n_presents, 1);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_int_equal(surface->n_commits, n_commits);
	/* The frame is still needed. */
	assert_int_equal(screen->n_needs_frame, 1);
	close(fence[1]);

	/* The same for a fence that fails while waited for. */
	assert_int_equal(pipe(fence), 0);
	assert_true(show_with(screen, buffer, fence[0], NULL));
	assert_int_equal(screen->n_presents, 2);
	close(fence[1]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 3);
	assert_false(screen->last.presented);
	assert_int_equal(surface->n_commits, n_commits);
	assert_int_equal(screen->n_needs_frame, 2);
	close(fence[0]);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Buffers */

static void buffer_is_kept_until_the_host_releases_it(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	/* Presented, and still read by the host. */
	assert_int_equal(buffer->n_locks, 1);
	struct wl_resource *first = surface->buffer;
	wl_buffer_send_release(first);
	pump(fixture);
	assert_int_equal(buffer->n_locks, 0);
	/* The second time, the host has it already. */
	assert_true(show(screen, buffer));
	assert_ptr_equal(surface->buffer, first);
	assert_int_equal(buffer->n_locks, 2);
	/* The producer drops it: it is destroyed after the host's release. */
	buffer_drop(buffer);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	wl_buffer_send_release(first);
	pump(fixture);
	destroy_fixture(fixture);
}

static void dmabuf_is_imported_before_its_commit(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, true);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	const struct plane *plane = output_primary_plane(screen->output);
	assert_true(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
	assert_false(format_set_has(&plane->formats, DRM_FORMAT_ARGB8888, 0));

	/* A format that the host does not offer is not imported. */
	struct buffer *other = gpu_buffer_create(300, 200, I915_FORMAT_MOD_Y_TILED);
	assert_false(test_buffer(screen, other));
	assert_int_equal(show(screen, other), 0);
	assert_int_equal(fixture->host->n_imports, 0);
	buffer_drop(other);

	/* A test succeeds only after the host's import; a commit waits for it. */
	struct buffer *buffer = gpu_buffer_create(300, 200, I915_FORMAT_MOD_X_TILED);
	fixture->host->answer = HOST_SILENT;
	assert_false(test_buffer(screen, buffer));
	assert_true(show(screen, buffer));
	assert_null(surface->buffer);
	host_answer_imports(fixture->host, HOST_CREATED);
	pump(fixture);
	assert_non_null(surface->buffer);
	assert_true(surface->buffer_is_dmabuf);
	assert_int_equal(surface->buffer_width, 300);
	assert_true(test_buffer(screen, buffer));
	assert_int_equal(fixture->host->n_imports, 1);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_true(screen->last.presented);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* The host cannot be told the coding of YUV, so that its colours could be others. */
static void yuv_is_not_passed_on(void **state)
{
	for (int version = 3; version <= 4; version++) {
		const struct host_options options = {.dmabuf_version = version};
		struct fixture *fixture = create_fixture(&options, 1, true);
		const struct plane *plane = output_primary_plane(fixture->screens[0].output);
		assert_true(format_set_has(
			&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
		assert_true(format_set_has(
			&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
		for (size_t i = 0; i < plane->formats.n_formats; i++) {
			const struct pixel_format *format =
				pixel_format_get(plane->formats.formats[i].format);
			assert_true(format && !format->yuv);
		}
		destroy_fixture(fixture);
	}
}

/* A host that cannot import a format it advertises. */
static void refused_modifier_is_not_offered_again(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, true);
	struct screen *screen = &fixture->screens[0];
	const struct plane *plane = output_primary_plane(screen->output);
	struct buffer *buffer = gpu_buffer_create(300, 200, I915_FORMAT_MOD_X_TILED);
	fixture->host->answer = HOST_FAILED;
	assert_true(show(screen, buffer));
	assert_int_equal(screen->n_presents, 1);
	assert_false(screen->last.presented);
	assert_int_equal(screen->n_needs_frame, 1);
	assert_false(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
	assert_true(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(test_buffer(screen, buffer));
	assert_int_equal(show(screen, buffer), 0);
	buffer_drop(buffer);

	buffer = gpu_buffer_create(300, 200, DRM_FORMAT_MOD_LINEAR);
	fixture->host->answer = HOST_CREATED;
	assert_true(show(screen, buffer));
	assert_true(fixture->host->surfaces[0].buffer_is_dmabuf);
	buffer_drop(buffer);
	assert_false(fixture->ended);
	destroy_fixture(fixture);
}

/* Memory that could be truncated is not passed to a host that maps it. */
static void unsealed_memory_is_not_passed_on(void **state)
{
	const struct host_options options = {.no_dmabuf = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	assert_true(fixture->backend->memory_only);
	struct buffer *buffer = gpu_buffer_create(300, 200, DRM_FORMAT_MOD_LINEAR);
	assert_false(test_buffer(&fixture->screens[0], buffer));
	assert_int_equal(show(&fixture->screens[0], buffer), 0);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_is_presented_after_the_callback),
		cmocka_unit_test(hidden_window_presents_nothing),
		cmocka_unit_test(callback_means_presented_without_feedback),
		cmocka_unit_test(timestamps_are_converted),
		cmocka_unit_test(commit_waits_for_its_fence),
		cmocka_unit_test(buffer_is_kept_until_the_host_releases_it),
		cmocka_unit_test(dmabuf_is_imported_before_its_commit),
		cmocka_unit_test(yuv_is_not_passed_on),
		cmocka_unit_test(refused_modifier_is_not_offered_again),
		cmocka_unit_test(unsealed_memory_is_not_passed_on),
	};
	return cmocka_run_group_tests_name("nested/frame", tests, NULL, NULL);
}
