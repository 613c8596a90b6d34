/* SPDX-License-Identifier: MIT */
/*
 * Leaks: after many rounds of clients that connect, use every feature and disconnect, the server
 * has as many bytes allocated and descriptors open as before.
 */

#include "alpha-modifier-v1-client-protocol.h"
#include "harness/client/capturer.h"
#include "harness/descriptors.h"
#include "presentation-time-client-protocol.h"
#include "util/fd.h"
#include "viewporter-client-protocol.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_WINDOWS 3
#define N_CHILDREN 8
#define N_SIZES 4
/* Rounds until caches, tables and histories are full; a multiple of N_SIZES. */
#define WARM (4 * N_SIZES)
#define ROUNDS (16 * N_SIZES)
/*
 * Tolerance (bytes) for the driver's own bookkeeping: less than the smallest allocation per round.
 */
#define WANDER (16 * ROUNDS - 1)

static enum renderer_kind renderer;

/* Resources of the process: bytes allocated and open descriptors. */
struct possession {
	size_t bytes;
	int descriptors;
};

static struct possession count(struct fixture *fixture)
{
	struct possession has = {0};
	fixture_settle(fixture);
	malloc_trim(0);
	struct mallinfo2 info = mallinfo2();
	has.bytes = info.uordblks + info.hblkhd;
	has.descriptors = count_descriptors();
	return has;
}

static struct peer_buffer *make_buffer(struct peer *peer, int32_t width, int32_t height)
{
	struct peer_buffer *buffer =
		peer_buffer_create(peer, width, height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill_pattern(buffer);
	return buffer;
}

/*
 * Shows buffers of all sizes in turn; each commit requests a frame callback and presentation
 * feedback.
 */
static void resize(struct peer *peer, struct peer_window *window, int round)
{
	struct wp_presentation *presentation = peer_bind(peer, &wp_presentation_interface, 0);
	struct peer_buffer *buffers[N_SIZES];
	for (int i = 0; i < N_SIZES; i++) {
		int size = (round + i) % N_SIZES;
		buffers[i] = make_buffer(peer, 60 + 40 * size, 50 + 30 * size);
		wl_callback_destroy(wl_surface_frame(window->surface));
		wp_presentation_feedback_destroy(
			wp_presentation_feedback(presentation, window->surface));
		peer_surface_show(window->surface, buffers[i]);
		fixture_frames(peer->fixture, 1);
	}
	fixture_frames(peer->fixture, 2);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 10, 10);
	wl_surface_commit(window->surface);
	fixture_frames(peer->fixture, 2);
	for (int i = 0; i < N_SIZES; i++) {
		peer_buffer_destroy(buffers[i]);
	}
	wp_presentation_destroy(presentation);
}

static void churn_children(struct peer *peer, struct peer_window *window, int round)
{
	struct wl_surface *surfaces[N_CHILDREN];
	struct wl_subsurface *children[N_CHILDREN];
	struct peer_buffer *buffer = make_buffer(peer, 20, 16);
	for (int i = 0; i < N_CHILDREN; i++) {
		surfaces[i] = wl_compositor_create_surface(peer->compositor);
		struct wl_surface *parent = i % 3 == 2 ? surfaces[i - 1] : window->surface;
		children[i] = peer_subsurface(peer, surfaces[i], parent, 5 * i, 3 * i);
		if (i % 2) {
			wl_subsurface_set_desync(children[i]);
		}
		peer_surface_show(surfaces[i], buffer);
	}
	wl_surface_commit(window->surface);
	fixture_frames(peer->fixture, 2);
	for (int i = 0; i < N_CHILDREN; i++) {
		wl_subsurface_set_position(children[i], 40 - 5 * i, 2 * i);
		peer_surface_show(surfaces[i], buffer);
	}
	fixture_frames(peer->fixture, 1);
	wl_surface_commit(window->surface);
	fixture_frames(peer->fixture, 1);
	/*
	 * Some subsurfaces go with their parents, some before and some after; some have a pending
	 * update.
	 */
	for (int i = 0; i < N_CHILDREN; i++) {
		int at = (i + round) % N_CHILDREN;
		peer_surface_show(surfaces[at], buffer);
		wl_subsurface_destroy(children[at]);
		if (at % 2) {
			wl_surface_commit(surfaces[at]);
		}
		wl_surface_destroy(surfaces[at]);
	}
	peer_buffer_destroy(buffer);
	fixture_frames(peer->fixture, 2);
}

/* Grows a pool whose buffers are shown. */
static void grow_pool(struct peer *peer, struct peer_window *window)
{
	int32_t size = 64 * 48 * 4;
	int fd = fd_create_memory("growth", (off_t)size * N_SIZES, false);
	assert_true(fd >= 0);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, size);
	for (int i = 0; i < N_SIZES; i++) {
		wl_shm_pool_resize(pool, size * (i + 1));
		struct wl_buffer *buffer = wl_shm_pool_create_buffer(
			pool, size * i, 64, 48, 64 * 4, WL_SHM_FORMAT_XRGB8888);
		wl_surface_attach(window->surface, buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, 0, 0, 64, 48);
		wl_surface_commit(window->surface);
		fixture_frames(peer->fixture, 1);
		wl_buffer_destroy(buffer);
	}
	wl_shm_pool_destroy(pool);
	close(fd);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(peer->fixture, 2);
}

/* Crops, scales, transforms and fades the window. */
static void scale(struct peer *peer, struct peer_window *window, int round)
{
	struct wp_viewporter *viewporter = peer_bind(peer, &wp_viewporter_interface, 0);
	struct wp_alpha_modifier_v1 *alphas = peer_bind(peer, &wp_alpha_modifier_v1_interface, 0);
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, window->surface);
	struct wp_alpha_modifier_surface_v1 *alpha =
		wp_alpha_modifier_v1_get_surface(alphas, window->surface);
	wp_viewport_set_source(viewport, 0, 0, wl_fixed_from_int(8), wl_fixed_from_int(8));
	wp_viewport_set_destination(viewport, 90, 70);
	wp_alpha_modifier_surface_v1_set_multiplier(alpha, 0x80000000);
	wl_surface_set_buffer_transform(window->surface, round % 8);
	wl_surface_commit(window->surface);
	fixture_frames(peer->fixture, 2);
	wp_viewport_destroy(viewport);
	wp_alpha_modifier_surface_v1_destroy(alpha);
	wl_surface_set_buffer_transform(window->surface, 0);
	wl_surface_commit(window->surface);
	fixture_frames(peer->fixture, 1);
	wp_viewporter_destroy(viewporter);
	wp_alpha_modifier_v1_destroy(alphas);
}

static void capture(struct peer *peer)
{
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct capturer_frame *frame = capturer_screencopy(peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_frames(peer->fixture, 2);
	assert_true(frame->ready);
	peer_buffer_destroy(frame->buffer);
	capturer_frame_destroy(frame);
	zwlr_screencopy_manager_v1_destroy(manager);

	struct ext_image_capture_source_v1 *source = capturer_output_source(peer);
	struct capturer_session *session = capturer_session_create(peer, source, 0);
	frame = capturer_frame_create(session);
	fixture_frames(peer->fixture, 2);
	assert_true(frame->ready);
	peer_buffer_destroy(frame->buffer);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	ext_image_capture_source_v1_destroy(source);
}

/* Frees the client's proxies that libwayland would leak at the disconnect. */
static void forget(void *proxy)
{
	wl_proxy_destroy(proxy);
}

static void leave(struct peer *peer)
{
	forget(peer->compositor);
	forget(peer->subcompositor);
	forget(peer->shm);
	forget(peer->wm_base);
	forget(peer->seat);
	forget(peer->registry);
	peer_destroy(peer);
}

/* A client that makes an error, or disconnects with all its objects. */
static void fail_and_crash(struct fixture *fixture, int round)
{
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 50, 40, 0xff204060);
	struct peer_buffer *buffer = make_buffer(peer, 30, 30);
	struct wl_surface *child = wl_compositor_create_surface(peer->compositor);
	struct wl_subsurface *subsurface = peer_subsurface(peer, child, window->surface, 3, 3);
	peer_surface_show(child, buffer);
	fixture_frames(fixture, 2);
	if (round % 2) {
		wl_surface_set_buffer_scale(window->surface, 0);
		peer_expect_error(peer, &wl_surface_interface, WL_SURFACE_ERROR_INVALID_SCALE);
	}
	forget(subsurface);
	forget(child);
	forget(buffer->buffer);
	forget(window->buffer->buffer);
	forget(window->toplevel);
	forget(window->xdg_surface);
	forget(window->surface);
	leave(peer);
	fixture_frames(fixture, 2);
}

static void work(struct fixture *fixture, int round)
{
	struct peer *peer = peer_create(fixture);
	struct peer_window *windows[N_WINDOWS];
	for (int i = 0; i < N_WINDOWS; i++) {
		windows[i] = peer_window_create(
			peer, 20 * i, 30 * i, 100 + 10 * i, 80 + 20 * i, 0xff0000ff);
	}
	fixture_frames(fixture, 2);
	resize(peer, windows[round % N_WINDOWS], round);
	churn_children(peer, windows[1], round);
	grow_pool(peer, windows[2]);
	scale(peer, windows[0], round);
	capture(peer);
	fail_and_crash(fixture, round);
	for (int i = 0; i < N_WINDOWS; i++) {
		peer_window_destroy(windows[i]);
		fixture_frames(fixture, 1);
	}
	leave(peer);
	/* Caches with a timeout expire. */
	fixture_sleep(fixture, INT64_C(5000000000));
}

/* Returns the least use of several rounds: driver threads may be busy in any single one. */
static struct possession work_rounds(struct fixture *fixture, int first, int n)
{
	struct possession least = {0};
	for (int round = first; round < first + n; round++) {
		work(fixture, round);
		struct possession has = count(fixture);
		least.bytes = round == first || has.bytes < least.bytes ? has.bytes : least.bytes;
		least.descriptors = round == first || has.descriptors < least.descriptors
					    ? has.descriptors
					    : least.descriptors;
	}
	return least;
}

static void resources_stay_flat(void **state)
{
#if defined(__SANITIZE_ADDRESS__)
	print_message("skip: %s: a sanitizer's allocator does not count bytes\n", __func__);
	skip();
#endif
	struct fixture *fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	work_rounds(fixture, 0, WARM);
	struct possession before = work_rounds(fixture, WARM, ROUNDS);
	struct possession after = work_rounds(fixture, WARM + ROUNDS, ROUNDS);
	print_message("%zu bytes and %d descriptors, then %zu and %d\n", before.bytes,
		before.descriptors, after.bytes, after.descriptors);
	assert_int_equal(after.descriptors, before.descriptors);
	assert_in_range(after.bytes, 1, before.bytes + (renderer == RENDERER_GLES ? WANDER : 0));
	fixture_destroy(fixture);
}

/* Thread caches count as allocated memory, so disable them. */
static void do_without_caches(char **argv)
{
	static const char wanted[] = "glibc.malloc.tcache_count=0";
	const char *now = getenv("GLIBC_TUNABLES");
	if (!now || strcmp(now, wanted) != 0) {
		setenv("GLIBC_TUNABLES", wanted, 1);
		execv("/proc/self/exe", argv);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources_stay_flat),
	};

	do_without_caches(argv);
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
