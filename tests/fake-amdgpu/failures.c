/*
 * Windows that are copied from another GPU when that goes wrong: an engine that hangs, memory that is refused,
 * and buffers, clients and GPUs that go meanwhile.
 */

#include "harness/await.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "world.h"
#include <drm_fourcc.h>
#include <stdlib.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* It hangs: the last good picture stays, others go on, and a new engine comes after a while. */
static void test_hang(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 60);
	assert_int_equal(world->fixture->server->copier->totals.lost, 1);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	/* Of its context nothing is left that the job could use. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	assert_true(peer_alive(world->peer));
	fixture_sleep(world->fixture, INT64_C(6000000000));
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	canvas_commit(&canvas, window, 300, 300, 1, 1);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), *canvas_pixel(&canvas, 300, 300));
	canvas_finish(&canvas);
}

struct told {
	bool plain, of_sdma;
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	struct told *told = data;
	uint64_t modifier = (uint64_t)high << 32 | low;

	told->plain |= modifier == WORLD_MODIFIER;
	told->of_sdma |= modifier == WORLD_MODIFIER_SDMA;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* What a client that asks now is told. */
static struct told ask(const struct world *world)
{
	struct told told = {0};
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);

	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &told);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	return told;
}

static bool copies(const struct copier *copier)
{
	const struct gpu_engines *device;
	wl_list_for_each (device, &copier->gpus, link) {
		if (!wl_list_empty(&device->jobs)) {
			return true;
		}
	}
	return false;
}

/* A frame; what threads copy is waited for, however long they take: by the test's time it would be given up. */
static void go_on(struct world *world)
{
	await(!copies(world->fixture->server->copier), fixture_pump(world->fixture));
	fixture_frames(world->fixture, 1);
}

static bool shows(struct world *world, const struct canvas *canvas, int x, int y)
{
	return fixture_pixel(world->fixture, x, y) == *canvas_pixel(canvas, x, y);
}

/* Another engine than the GPU's own: what that one reads is offered, and copied exactly. */
static void test_other_engine(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct canvas canvas;

	server->copier->only = "cpu";
	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(ask(world).plain);
	assert_false(ask(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	canvas_show(&canvas);
	await(shows(world, &canvas, WIDTH - 1, HEIGHT - 1), go_on(world));
	fixture_settle(world->fixture);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(fake_gpu_counts(world->fake).files, 0);

	server->copier->only = "sdma";
	protocols_rules_changed(server->protocols);
	assert_true(ask(world).plain);
	assert_true(ask(world).of_sdma);
	canvas_finish(&canvas);
}

/* One that hangs is followed by the next; what only the first read is not offered meanwhile. */
static void test_next_engine(void **state)
{
	struct world *world = *state;
	struct copier *copier = world->fixture->server->copier;
	struct canvas canvas;

	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(ask(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 60);
	assert_int_equal(copier->totals.lost, 1);
	assert_true(ask(world).plain);
	assert_false(ask(world).of_sdma);
	/* In what it was told before, a client makes no mistake. */
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	zwp_linux_buffer_params_v1_add(params, canvas.fd, 0, 0, canvas.pitch * 4,
		(uint32_t)(WORLD_MODIFIER_SDMA >> 32), (uint32_t)WORLD_MODIFIER_SDMA);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
	wl_buffer_destroy(buffer);

	/* The kernel ends the job; until the engine is tried again, the CPU does it. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	canvas_draw(&canvas, 400, 300, 64, 64, 10);
	canvas_commit(&canvas, window, 400, 300, 64, 64);
	await(shows(world, &canvas, 463, 363), go_on(world));
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	/* It is tried again, and is offered again when it has come back. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	canvas_commit(&canvas, window, 0, 0, 1, 1);
	fixture_frames(world->fixture, 4);
	await(ask(world).of_sdma, go_on(world));
	canvas_finish(&canvas);
}

/* A driver that gives no memory away copies into what is nobody's; one that takes none shows nothing of it. */
static void test_refusing(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION);
	struct peer_window *window = canvas_open(&canvas, world);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 3);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4 + 64 * 64 * 4);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

static void test_refusing_all(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	/* Once more when all engines that there could be have been asked for. */
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 4);
	fixture_settle(world->fixture);
	uint64_t imported = fake_gpu_counts(world->fake).imported;
	for (int i = 0; i < 5; i++) {
		canvas_commit(&canvas, window, 300, 300, 64, 64);
		fixture_frames(world->fixture, 2);
	}
	/* It is not tried anew for each commit. */
	assert_int_equal(fake_gpu_counts(world->fake).imported, imported);
	assert_int_equal(world_copied(world), 0);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0x112233);
	assert_true(peer_alive(world->peer));
	peer_window_destroy(other);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

/* Each of buffer, surface and client goes with a copy under way. */
static void test_gone(void **state)
{
	struct world *world = *state;

	for (int what = 0; what < 3; what++) {
		struct canvas canvas;

		struct peer_window *window = canvas_open(&canvas, world);
		fake_gpu_hold(world->fake);
		canvas_draw(&canvas, 300, 300, 64, 64, 9);
		canvas_commit(&canvas, window, 300, 300, 64, 64);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			wl_buffer_destroy(canvas.buffer);
		} else if (what == 1) {
			peer_window_destroy(window);
		} else {
			peer_destroy(world->peer);
		}
		fixture_frames(world->fixture, 3);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			assert_int_equal(fixture_pixel(world->fixture, 300, 300),
				*canvas_pixel(&canvas, 300, 300));
			peer_window_destroy(window);
		} else if (what == 1) {
			wl_buffer_destroy(canvas.buffer);
		}
		close(canvas.fd);
		assert_null(fake_gpu_fault(world->fake));
	}
	/* A thread closes what nobody uses, after a while. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	await(fake_gpu_counts(world->fake).mappings == 0, );
}

/* Unplugged with a copy under way: what showed stays, and the client can go on as long as it likes. */
static void test_unplugged(void **state)
{
	struct world *world = *state;
	struct canvas canvas, late;

	canvas_init(&canvas, world);
	canvas_init(&late, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	uint32_t before = fixture_pixel(world->fixture, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 3);
	fake_gpu_unplug(world->fake);
	gpu_list_remove(&world->fixture->server->gpus, world->gpu);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), before);
	/* Its buffers still name it: they are shown by nobody, and nothing of it is opened for them. */
	int files = fake_gpu_counts(world->fake).files;
	canvas_draw(&late, 0, 0, WIDTH, HEIGHT, 10);
	canvas_commit(&late, window, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 3);
	wl_buffer_destroy(canvas.buffer);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
	assert_int_equal(fake_gpu_counts(world->fake).files, files);
	assert_int_equal(world->gpu->n_users, 0);
	peer_window_destroy(window);
	close(canvas.fd);
	canvas_finish(&late);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hang),
		TEST(test_other_engine),
		TEST(test_next_engine),
		TEST(test_refusing),
		TEST(test_refusing_all),
		TEST(test_gone),
		TEST(test_unplugged),
	};

	return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
