/* The wayland backend's windows: frames, buffers, sizes, and how they end. */

#include "buffer/allocator.h"
#include "fractional-scale-v1-protocol.h"
#include "guest.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "xdg-decoration-unstable-v1-protocol.h"
#include "xdg-shell-protocol.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A buffer as a GPU's: what describes it is no memory file that a host could map safely. */

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

/* Frames */

static void test_frame(void **state)
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

	/* One at a time. */
	assert_int_equal(show(screen, buffer), 0);
	/* Not before the host wants more, and not twice. */
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

	/* The other order; not shown. */
	assert_int_equal(show(screen, buffer), number + 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_discarded(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));

	/* A host that asks for more and never says what became of it. */
	assert_int_equal(show(screen, buffer), number + 2);
	host_frame_done(surface);
	pump(fixture);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 3);
	assert_true(screen->last.presented);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Nobody sees the window: no callback comes, and nothing here waits by the clock. */
static void test_hidden(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	buffer_drop(buffer);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 0);
	/* It ends with the output, and it is said so. */
	enable(fixture->screens[0].output, false);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_false(fixture->screens[0].last.presented);
	destroy_fixture(fixture);
}

static void test_no_presentation(void **state)
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

/* Times of another clock are told in ours. */
static void test_other_clock(void **state)
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
	/* 3 ms before the test clock's now, and as much as it took until the backend heard of it. */
	assert_in_range(START - screen->last.when, 3000000, 3000000 + boot_time() - now);
	destroy_fixture(fixture);
}

static void test_fence(void **state)
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

	/* One that ends in an error: poll() says so of a pipe that nobody reads. */
	close(fence[0]);
	int n_commits = surface->n_commits;
	assert_true(show_with(screen, buffer, fence[1], NULL));
	assert_int_equal(screen->n_presents, 1);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_int_equal(surface->n_commits, n_commits);
	/* Its picture is still due. */
	assert_int_equal(screen->n_needs_frame, 1);
	close(fence[1]);

	/* The same while it is waited for. */
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

static void test_release(void **state)
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
	/* Shown, and the host still reads it. */
	assert_int_equal(buffer->n_locks, 1);
	struct wl_resource *first = surface->buffer;
	wl_buffer_send_release(first);
	pump(fixture);
	assert_int_equal(buffer->n_locks, 0);
	/* The second time, the host knows it already. */
	assert_true(show(screen, buffer));
	assert_ptr_equal(surface->buffer, first);
	assert_int_equal(buffer->n_locks, 2);
	/* The producer is done with it: it goes when the host is, too. */
	buffer_drop(buffer);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	wl_buffer_send_release(first);
	pump(fixture);
	destroy_fixture(fixture);
}

static void test_dmabuf(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, true);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	const struct plane *plane = output_primary_plane(screen->output);
	assert_true(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
	assert_false(format_set_has(&plane->formats, DRM_FORMAT_ARGB8888, 0));

	/* What the host did not offer is not even tried. */
	struct buffer *other = gpu_buffer_create(300, 200, I915_FORMAT_MOD_Y_TILED);
	assert_false(test_buffer(screen, other));
	assert_int_equal(show(screen, other), 0);
	assert_int_equal(fixture->host->n_imports, 0);
	buffer_drop(other);

	/* A test says yes only when the host has it; a commit waits. */
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

/* A host that advertises what it then cannot import. */
static void test_dmabuf_refused(void **state)
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

/* Memory that could be taken away is nothing to give to a host that maps it. */
static void test_unsealed_memory(void **state)
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

/* Sizes */

static void test_resize(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* The same size: there is nothing to draw. */
	host_configure(surface, 300, 200, XDG_TOPLEVEL_STATE_ACTIVATED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 0);
	assert_int_equal(surface->acknowledged, surface->configured);

	/* Another: it comes into force with a picture of that size. */
	host_configure(surface, 500, 400, XDG_TOPLEVEL_STATE_MAXIMIZED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 1);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 400);
	assert_int_not_equal(surface->acknowledged, surface->configured);
	assert_int_equal(show(screen, small), 0);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	assert_int_equal(surface->buffer_width, 500);
	assert_int_equal(surface->destination_width, 500);
	assert_int_equal(surface->destination_height, 400);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* A size of the output's own: the window keeps the host's while it is maximised. */
	struct output_state mode;
	output_state_init(&mode);
	mode.fields = OUTPUT_MODE;
	mode.mode = (struct output_mode){.width = 300, .height = 200, .refresh = 60000};
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->buffer_width, 300);
	assert_int_equal(surface->destination_width, 500);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	/* And follows once it may. */
	host_configure(surface, 0, 0, 0);
	pump(fixture);
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->destination_width, 300);
	assert_int_equal(surface->destination_height, 200);
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

/* A window that nobody sees is given another size: the host waits for a picture of it. */
static void test_resize_hidden(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_configure(surface, 500, 400, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(show(screen, large), 0);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_in_range(clock_now(fixture->clock) - START, 1, 100000000);
	assert_int_equal(screen->n_presents, 1);
	assert_false(screen->last.presented);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	/* What the host says of the old one now is of no interest. */
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_true(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

static void test_size_of_host(void **state)
{
	const struct host_options options = {.width = 640, .height = 360};
	struct fixture *fixture = create_fixture(&options, 1, false);
	assert_int_equal(fixture->screens[0].output->mode.width, 640);
	assert_int_equal(fixture->screens[0].output->mode.height, 360);
	destroy_fixture(fixture);
}

/* A size that was asked for is kept; another may have to be smaller. */
static void test_bounds(void **state)
{
	for (int fit = 0; fit < 2; fit++) {
		const struct host_options options = {.bound_width = 250, .bound_height = 1000};
		struct fixture *fixture = connect_fixture(&options);
		fixture->fit = fit;
		start_fixture(fixture, 1, false);
		assert_int_equal(fixture->screens[0].output->mode.width, fit ? 250 : 300);
		assert_int_equal(fixture->screens[0].output->mode.height, 200);
		destroy_fixture(fixture);
	}
}

static void test_fractional_scale(void **state)
{
	const struct host_options options = {.scale = 180};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	assert_int_equal(screen->output->mode.height, 200);
	assert_true(screen->output->preferred_scale == 1.5);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->destination_width, 200);
	assert_int_equal(surface->destination_height, 133);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	host_configure(surface, 333, 222, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 333);
	/* To another screen: the window keeps its size, the output gets more pixels. */
	int n_changed = screen->n_changed;
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 240);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 666);
	assert_true(screen->output->preferred_scale == 2);
	assert_int_equal(screen->n_changed, n_changed + 1);
	/* What a host does while a screen goes: no wish at all. */
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 0);
	pump(fixture);
	assert_true(screen->output->preferred_scale == 2);
	destroy_fixture(fixture);
}

/* A host that cannot scale pictures has whole scales only: its screen's. */
static void test_buffer_scale(void **state)
{
	const struct host_options options = {.no_viewporter = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	wl_surface_send_enter(surface->resource, fixture->host->output);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 600);
	assert_int_equal(screen->output->mode.refresh, 75000);
	assert_true(screen->output->preferred_scale == 2);
	struct buffer *buffer = memory_buffer_create(600, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->buffer_scale, 2);
	assert_int_equal(surface->buffer_width, 600);
	destroy_fixture(fixture);
}

static void test_off_and_on(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	enable(screen->output, false);
	pump(fixture);
	assert_null(fixture->host->surfaces[0].resource);
	clock_advance_to_next(fixture->clock);
	assert_int_equal(screen->n_presents, 1);
	assert_int_equal(show(screen, buffer), 0);
	/* A new window; a frame waits until the host has configured it. */
	enable(screen->output, true);
	assert_true(show(screen, buffer));
	assert_non_null(fixture->host->surfaces[1].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* The end */

static void test_close(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 2, false);
	assert_string_equal(fixture->screens[1].output->name, "WL-2");
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	xdg_toplevel_send_close(fixture->host->surfaces[0].toplevel);
	pump(fixture);
	assert_null(fixture->screens[0].output);
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_int_equal(buffer->n_locks, 0);
	assert_null(fixture->host->surfaces[0].resource);
	assert_false(fixture->ended);
	buffer_drop(buffer);
	xdg_toplevel_send_close(fixture->host->surfaces[1].toplevel);
	pump(fixture);
	assert_true(fixture->ended);
	assert_null(fixture->why);
	destroy_fixture(fixture);
}

static void test_host_dies(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	host_kill(fixture->host);
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(fixture->why, "the host compositor is gone");
	/* Nothing can be shown any more, and nothing crashes. */
	assert_int_equal(show(&fixture->screens[0], buffer), 0);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

static void test_refused_by_host(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	wl_resource_post_error(fixture->host->surfaces[0].resource, 4, "go away");
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(fixture->why, "the host compositor refused us: error 4 of wl_surface");
	destroy_fixture(fixture);
}

static void test_poor_host(void **state)
{
	const struct host_options options = {.no_wm_base = true};
	struct fixture *fixture = connect_fixture(&options);
	assert_null(fixture->backend);
	assert_string_equal(
		fixture->error, "the host compositor has no xdg_wm_base of version 1 or later");
	destroy_fixture(fixture);
}

/* A host that does not read: what we say waits, we do not. */
static void test_host_stalls(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct output *output = fixture->screens[0].output;
	for (int i = 0; i < 2000; i++) {
		enable(output, false);
		enable(output, true);
		wl_event_loop_dispatch(fixture->loop, 0);
	}
	assert_false(fixture->ended);
	pump(fixture);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	assert_int_equal(fixture->host->n_surfaces, 2001);
	assert_non_null(fixture->host->surfaces[2000 % HOST_MAX_SURFACES].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_no_presentation),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_dmabuf),
		cmocka_unit_test(test_dmabuf_refused),
		cmocka_unit_test(test_unsealed_memory),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_resize_hidden),
		cmocka_unit_test(test_size_of_host),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_fractional_scale),
		cmocka_unit_test(test_buffer_scale),
		cmocka_unit_test(test_off_and_on),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_host_dies),
		cmocka_unit_test(test_refused_by_host),
		cmocka_unit_test(test_poor_host),
		cmocka_unit_test(test_host_stalls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
