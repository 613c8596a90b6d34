/* SPDX-License-Identifier: MIT */
/*
 * A renderer that is lost while its driver cannot start: the CPU composes until it can, and nothing
 * is tried for ever.
 */

#include "content/device.h"
#include "harness/peer.h"
#include "protocol/server_device.h"
#include "render/render.h"
#include "util/signal.h"
#include <EGL/egl.h>
#include <dlfcn.h>

#define SECOND INT64_C(1000000000)
#define RETRIES 5 /* after 5, 10, 20, 40 and 80 s */

static bool broken; /* EGL cannot start */

EGLBoolean eglInitialize(EGLDisplay display, EGLint *major, EGLint *minor)
{
	EGLBoolean (*next)(EGLDisplay, EGLint *, EGLint *);
	*(void **)&next = dlsym(RTLD_NEXT, "eglInitialize");
	return broken ? EGL_FALSE : next(display, major, minor);
}

static void lose(struct fixture *fixture)
{
	signal_emit(&fixture->server->device->renderer->events.lost, NULL);
	fixture_pump(fixture);
}

/* Fails unless the window, which changes, is composed by such a renderer. */
static void expect_drawn(struct fixture *fixture, struct peer_window *window, bool by_gpu)
{
	static uint32_t color = 0xff000000;
	color = 0xff000000 | ((color + 0x203040) & 0xffffff);
	peer_buffer_fill(window->buffer, 0, 0, 40, 40, color);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(fixture, 4);
	assert_int_equal(fixture->server->device->renderer->cpu, !by_gpu);
	assert_int_equal(fixture_pixel(fixture, 20, 20), color & 0xffffff);
	/* The client's callbacks are not those of hidden windows. */
	assert_true(peer_surface_find(window->peer, window->surface)->visible);
}

static struct fixture *start(struct peer_window **window)
{
	struct fixture *fixture =
		fixture_create(&(struct fixture_options){.renderer = RENDERER_GLES});
	*window = peer_window_create(peer_create(fixture), 10, 10, 40, 40, 0xff336699);
	return fixture;
}

static void renderer_returns_when_its_driver_starts_again(void **state)
{
	for (int n = 0; n <= RETRIES; n++) {
		struct peer_window *window;
		struct fixture *fixture = start(&window);
		/* A later loss begins anew. */
		for (int loss = 0; loss < 2; loss++) {
			broken = n > 0;
			lose(fixture);
			for (int i = 1; i <= n; i++) {
				expect_drawn(fixture, window, false);
				broken = i < n;
				fixture_sleep(fixture, (5 << (i - 1)) * SECOND);
			}
			expect_drawn(fixture, window, true);
			assert_int_equal(fixture->server->primary->retry.n, 0);
			assert_false(fixture->server->primary->retry.timer.armed);
		}
		fixture_destroy(fixture);
	}
}

/* As when its GPU is gone, and another one composes. */
static void renderer_that_returns_by_other_means_is_not_tried_again(void **state)
{
	struct peer_window *window;
	struct fixture *fixture = start(&window);
	broken = true;
	lose(fixture);
	expect_drawn(fixture, window, false);
	broken = false;
	lose(fixture);
	const struct renderer *renderer = fixture->server->device->renderer;
	expect_drawn(fixture, window, true);
	assert_false(fixture->server->primary->retry.timer.armed);
	fixture_sleep(fixture, 10 * SECOND);
	assert_ptr_equal(fixture->server->device->renderer, renderer);
	fixture_destroy(fixture);
}

static void renderer_that_never_starts_costs_no_wake_ups(void **state)
{
	struct peer_window *window;
	struct fixture *fixture = start(&window);
	broken = true;
	lose(fixture);
	fixture_sleep(fixture, 160 * SECOND);
	assert_int_equal(fixture->server->primary->retry.n, RETRIES);
	assert_false(fixture->server->primary->retry.timer.armed);
	expect_drawn(fixture, window, false);
	broken = false;
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renderer_returns_when_its_driver_starts_again),
		cmocka_unit_test(renderer_that_returns_by_other_means_is_not_tried_again),
		cmocka_unit_test(renderer_that_never_starts_costs_no_wake_ups),
	};
	return cmocka_run_group_tests_name("lost_renderer", tests, NULL, NULL);
}
