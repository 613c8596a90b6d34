/* SPDX-License-Identifier: MIT */
/*
 * Formats of a renderer that starts while memory is short: they are tested again, and announced to
 * programs that run already, without wake-ups for ever.
 */

#include "content/device.h"
#include "gpu/format.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/server_device.h"
#include "render/render.h"
#include <GLES2/gl2.h>
#include <dlfcn.h>
#include <drm_fourcc.h>

#define SECOND INT64_C(1000000000)

static int period, n_calls; /* memory is short at each call of this number; 0: never */

GLenum glGetError(void)
{
	GLenum (*next)(void);
	*(void **)&next = dlsym(RTLD_NEXT, "glGetError");
	GLenum error = next();
	return period > 0 && ++n_calls % period == 0 ? GL_OUT_OF_MEMORY : error;
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	format_set_add(data, format, (uint64_t)high << 32 | low);
}

static const struct zwp_linux_dmabuf_v1_listener listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* Version 3 gets more pairs while it is bound. */
static struct zwp_linux_dmabuf_v1 *bind(struct peer *peer, struct format_set *out)
{
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 3);
	*out = (struct format_set){0};
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &listener, out);
	fixture_pump(peer->fixture);
	return dmabuf;
}

static struct fixture *start(int new_period)
{
	period = new_period;
	n_calls = 0;
	return fixture_create(&(struct fixture_options){.renderer = RENDERER_GLES});
}

static struct renderer *renderer_of(const struct fixture *fixture)
{
	return fixture->server->device->renderer;
}

static size_t count_pairs(const struct format_set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < set->n_formats; i++) {
		n += set->formats[i].n_modifiers;
	}
	return n;
}

/* Fails unless both have the same pairs, in any order. */
static void expect_same(const struct format_set *set, const struct format_set *all)
{
	assert_int_equal(count_pairs(set), count_pairs(all));
	for (size_t i = 0; i < set->n_formats; i++) {
		for (size_t m = 0; m < set->formats[i].n_modifiers; m++) {
			assert_true(format_set_has(
				all, set->formats[i].format, set->formats[i].modifiers[m]));
		}
	}
}

static struct format_set all_textures, all_targets;

static int set_up(void **state)
{
	struct fixture *fixture = start(0);
	struct renderer *renderer = renderer_of(fixture);
	assert_false(renderer->uncertain);
	format_set_copy(&all_textures, &renderer->texture_formats);
	format_set_copy(&all_targets, &renderer->target_formats);
	fixture_destroy(fixture);
	return 0;
}

static int tear_down(void **state)
{
	period = 0;
	format_set_finish(&all_textures);
	format_set_finish(&all_targets);
	return 0;
}

/* Starts with some formats. */
static struct fixture *start_short(void)
{
	for (int i = 2; i < 60; i++) {
		struct fixture *fixture = start(i);
		const size_t n = count_pairs(&renderer_of(fixture)->texture_formats);
		if (renderer_of(fixture)->uncertain && n > 0 && n < count_pairs(&all_textures)) {
			return fixture;
		}
		fixture_destroy(fixture);
	}
	skip();
	return NULL;
}

static void end(struct fixture *fixture)
{
	period = 0;
	fixture_destroy(fixture);
}

static void formats_are_found_once_there_is_memory(void **state)
{
	struct fixture *fixture = start_short();
	struct peer *peer = peer_create(fixture);
	struct format_set announced, later;
	bind(peer, &announced);
	expect_same(&announced, &renderer_of(fixture)->texture_formats);
	period = 0;
	fixture_sleep(fixture, 6 * SECOND);
	assert_false(renderer_of(fixture)->uncertain);
	expect_same(&renderer_of(fixture)->texture_formats, &all_textures);
	expect_same(&renderer_of(fixture)->target_formats, &all_targets);
	expect_same(&announced, &all_textures);
	bind(peer, &later);
	expect_same(&later, &all_textures);
	/* Frames are drawn as before. */
	peer_window_create(peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(fixture);
	assert_int_equal(fixture_pixel(fixture, 10, 10), 0x112233);
	format_set_finish(&announced);
	format_set_finish(&later);
	end(fixture);
}

static void dmabufs_are_announced_once_a_format_is_found(void **state)
{
	struct fixture *fixture = start(1);
	struct peer *early = peer_create(fixture);
	const char *name = zwp_linux_dmabuf_v1_interface.name;
	assert_null(peer_find_global(early, name));
	period = 0;
	fixture_sleep(fixture, 6 * SECOND);
	assert_non_null(peer_find_global(early, name));
	struct format_set announced;
	bind(early, &announced);
	expect_same(&announced, &all_textures);
	format_set_finish(&announced);
	end(fixture);
}

/* Pairs that passed once stay, whatever fails later. */
static void found_formats_stay(void **state)
{
	struct fixture *fixture = start_short();
	struct format_set before = {0};
	for (int i = 0; i < 8; i++) {
		format_set_copy(&before, &renderer_of(fixture)->texture_formats);
		period = i % 2 ? 1 : 7 + i;
		renderer_find_formats(renderer_of(fixture));
		for (size_t f = 0; f < before.n_formats; f++) {
			assert_true(format_set_has(&renderer_of(fixture)->texture_formats,
				before.formats[f].format, before.formats[f].modifiers[0]));
		}
		format_set_finish(&before);
	}
	end(fixture);
}

/* At least so many calls are those of a test; frames make a few. */
#define TEST_CALLS 50

/* Waits until no test is due, for so many seconds at most. Returns whether formats were tested. */
static bool wait_for_rest(struct fixture *fixture, int seconds)
{
	const struct timer *timer = &fixture->server->primary->formats.timer;
	const int before = n_calls;
	for (int i = 0; i < seconds && timer->armed; i++) {
		fixture_sleep(fixture, SECOND);
	}
	assert_false(timer->armed);
	return n_calls - before > TEST_CALLS;
}

static void tests_end_until_a_program_asks(void **state)
{
	struct fixture *fixture = start_short();
	struct peer *peer = peer_create(fixture);
	struct format_set announced;
	period = 1; /* nothing is found */
	for (int i = 0; i < 4; i++) {
		assert_true(wait_for_rest(fixture, 600));
		assert_true(renderer_of(fixture)->uncertain);
		/* A program that starts, again and again. */
		for (int j = 0; j < 20; j++) {
			zwp_linux_dmabuf_v1_destroy(bind(peer, &announced));
			format_set_finish(&announced);
		}
	}
	/* The tests that follow find all. */
	period = 0;
	assert_true(fixture->server->primary->formats.timer.armed);
	wait_for_rest(fixture, 600);
	assert_false(renderer_of(fixture)->uncertain);
	bind(peer, &announced);
	expect_same(&announced, &all_textures);
	format_set_finish(&announced);
	end(fixture);
}

static void certain_formats_are_not_tested_again(void **state)
{
	struct fixture *fixture = start(0);
	struct peer *peer = peer_create(fixture);
	struct format_set announced;
	period = 1000000;
	n_calls = 0;
	bind(peer, &announced);
	assert_false(wait_for_rest(fixture, 0));
	fixture_sleep(fixture, 60 * SECOND);
	assert_in_range(n_calls, 0, TEST_CALLS);
	format_set_finish(&announced);
	end(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_found_once_there_is_memory),
		cmocka_unit_test(dmabufs_are_announced_once_a_format_is_found),
		cmocka_unit_test(found_formats_stay),
		cmocka_unit_test(tests_end_until_a_program_asks),
		cmocka_unit_test(certain_formats_are_not_tested_again),
	};
	return cmocka_run_group_tests_name("uncertain formats", tests, set_up, tear_down);
}
