/* SPDX-License-Identifier: MIT */
/*
 * Memory of clients that displays read wrongly, or not at all: system memory, and pinned buffers.
 */

#include "scene/output.h"
#include "scene/scene.h"
#include "server_common.h"
#include "shell/window.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH 640
#define HEIGHT 480
#define BYTES ((size_t)WIDTH * HEIGHT * 4)
#define UPDATES 8 /* enough for a pool to be shared, and for a plane to show it */

static const char small_mode[] = "[output *]\nmode = 640x480@60\n";

/* A pool that udmabuf takes. */
struct pooled {
	int fd;
	uint32_t *pixels;
	struct wl_shm_pool *pool;
	struct wl_buffer *buffer;
};

static void pooled_init(struct pooled *pooled, struct peer *peer)
{
	pooled->fd = fd_create_memory("test-pool", (off_t)BYTES, true);
	pooled->pixels = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, pooled->fd, 0);
	assert_true(pooled->pixels != MAP_FAILED);
	pooled->pool = wl_shm_create_pool(peer->shm, pooled->fd, (int32_t)BYTES);
	pooled->buffer = wl_shm_pool_create_buffer(
		pooled->pool, 0, WIDTH, HEIGHT, WIDTH * 4, WL_SHM_FORMAT_XRGB8888);
}

static void pooled_finish(struct pooled *pooled)
{
	wl_buffer_destroy(pooled->buffer);
	wl_shm_pool_destroy(pooled->pool);
	munmap(pooled->pixels, BYTES);
	close(pooled->fd);
}

static struct peer_window *create_fullscreen(struct world *world, struct fake_card *card)
{
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 0, 0, WIDTH, HEIGHT, 0xff336699);
	window_request_fullscreen(peer_window_find(window), true, NULL);
	show(world, card, 3);
	return window;
}

static uint32_t pixel_of(struct fake_card *card, const char *connector)
{
	return fake_plane_pixel(card, fake_primary_of(card, connector), 100, 100) & 0xffffff;
}

/* Returns whether the primary plane has shown the client's memory. */
static bool play(struct world *world, struct fake_card *card, const char *connector)
{
	struct peer_window *window = create_fullscreen(world, card);
	struct pooled pools[2];
	bool shown = false;
	pooled_init(&pools[0], window->peer);
	pooled_init(&pools[1], window->peer);
	for (uint32_t i = 0; i < UPDATES; i++) {
		struct pooled *pooled = &pools[i % 2];
		struct fake_scan scan;
		for (size_t at = 0; at < BYTES / 4; at++) {
			pooled->pixels[at] = 0x102030 * (i + 1);
		}
		wl_surface_attach(window->surface, pooled->buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
		wl_surface_commit(window->surface);
		show(world, card, 2);
		assert_true(fake_get_scan(card, fake_primary_of(card, connector), &scan));
		shown |= scan.system_memory;
		if (pixel_of(card, connector) != 0x102030 * (i + 1)) {
			fail_msg("%s: frame %u: %06x", connector, i, pixel_of(card, connector));
		}
	}
	pooled_finish(&pools[0]);
	pooled_finish(&pools[1]);
	return shown;
}

static void shared_memory_is_shown_by_displays_that_read_it(void **state)
{
	static const struct {
		const char *kind, *connector;
		bool reads;
	} kinds[] = {
		{"vc4", "HDMI-A-6", true},
		{"amdgpu", "DP-1", false},
		{"i915", "eDP-1", false},
		{"i915-haswell", "eDP-2", false},
		{"xe", "eDP-4", false},
		{"nvidia-drm", "DP-5", false},
	};
	struct world *world = *state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (i > 0) {
			fixture_destroy(world->fixture);
			fake_reset_all();
		}
		struct fake_card *card = fake_card_create(kinds[i].kind);
		fake_card_plug(card, kinds[i].connector, &fake_screen_plain);
		fake_udmabuf_allow();
		begin(world, small_mode);
		assert_int_equal(play(world, card, kinds[i].connector), kinds[i].reads);
	}
}

/* As when another GPU encodes the client's frames: the commit fails although its test succeeds. */
static void pinned_buffer_is_composed_without_loss(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	begin(world, small_mode);
	struct peer_window *window = create_fullscreen(world, card);
	struct drawn drawn[2];
	for (int i = 0; i < 2; i++) {
		drawn[i] = draw_on(card, window->peer, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	}
	for (int i = 0; i < 4; i++) {
		attach(world, card, window, &drawn[i % 2]);
	}
	uint64_t flips = fake_card_counts(card).flips;
	attach(world, card, window, &drawn[0]);
	assert_true(fake_card_counts(card).flips > flips);
	fake_dmabuf_pin(drawn[0].fd);
	fake_dmabuf_pin(drawn[1].fd);
	uint64_t failed = fake_card_counts(card).unpinned;
	for (int i = 0; i < 60; i++) {
		flips = fake_card_counts(card).flips;
		attach(world, card, window, &drawn[(i + 1) % 2]);
		assert_true(fake_card_counts(card).flips > flips);
	}
	/* The plane is tried again after growing pauses. */
	failed = fake_card_counts(card).unpinned - failed;
	assert_in_range(failed, 1, 4);
	drop(&drawn[0]);
	drop(&drawn[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(shared_memory_is_shown_by_displays_that_read_it),
		TEST(pinned_buffer_is_composed_without_loss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
