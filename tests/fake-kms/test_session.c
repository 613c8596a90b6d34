/* A session on two cards, with a client, while cards go and come back. */

#include "fake.h"
#include "harness/peer.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

#define RED 0xffff0000
#define GREEN 0xff00ff00

struct world {
	struct fake_card *first, *second;
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
};

static struct scene_output *find(const struct world *world, const char *name)
{
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct scene_output *output = world->fixture->server->scene->outputs[i];
		if (output && strcmp(output->output->name, name) == 0) {
			return output;
		}
	}
	return NULL;
}

static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	world->first = fake_card_create("i915");
	fake_card_plug(world->first, "eDP-1", &fake_screen_plain);
	world->second = fake_card_create("nvidia-drm");
	fake_card_plug(world->second, "DP-5", &fake_screen_plain);
	world->fixture = fixture_create(&(struct fixture_options){.drm = true});
	fixture_pump(world->fixture);
	world->peer = peer_create(world->fixture);
	/* Across both. */
	struct scene_output *left = find(world, "eDP-1"), *right = find(world, "DP-5");
	assert_non_null(left);
	assert_int_equal(right->x, left->x + 1920);
	world->window =
		peer_window_create(world->peer, right->x - 100, right->y + 100, 200, 100, RED);
	fixture_frames(world->fixture, 4);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	fixture_destroy(world->fixture);
	fake_reset_all();
	free(world);
	return 0;
}

static uint32_t pixel(struct fake_card *card, int x, int y)
{
	return fake_plane_pixel(card, "plane-0", x, y) & 0xffffff;
}

static void paint(struct world *world, uint32_t color)
{
	struct peer_window *window = world->window;
	peer_buffer_fill(window->buffer, 0, 0, 200, 100, color);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 4);
}

static void test_both(void **state)
{
	struct world *world = *state;
	assert_int_equal(pixel(world->first, 1870, 150), RED & 0xffffff);
	assert_int_equal(pixel(world->second, 50, 150), RED & 0xffffff);
	paint(world, GREEN);
	assert_int_equal(pixel(world->first, 1870, 150), GREEN & 0xffffff);
	assert_int_equal(pixel(world->second, 50, 150), GREEN & 0xffffff);
}

/* A card goes that a device composes on; the other does not miss a frame. */
static void test_second_goes(void **state)
{
	struct world *world = *state;
	struct gpu *gpu = find(world, "DP-5")->output->gpu;
	uint64_t before = fake_card_counts(world->first).flips;
	fake_card_remove(world->second);
	fixture_frames(world->fixture, 2);
	assert_true(gpu->gone);
	assert_int_equal(gpu->n_users, 0);
	assert_null(find(world, "DP-5"));
	assert_true(peer_alive(world->peer));
	peer_window_place(world->window, 100, 100);
	paint(world, GREEN);
	assert_int_equal(pixel(world->first, 150, 150), GREEN & 0xffffff);
	assert_true(fake_card_counts(world->first).flips > before);
}

/* The one that serves everybody, too: the rest of the session goes on elsewhere. */
static void test_first_goes(void **state)
{
	struct world *world = *state;
	struct gpu *gpu = find(world, "eDP-1")->output->gpu;
	fake_card_remove(world->first);
	fixture_frames(world->fixture, 2);
	assert_true(gpu->gone);
	assert_int_equal(gpu->n_users, 0);
	const struct scene_output *right = find(world, "DP-5");
	peer_window_place(world->window, right->x + 10, right->y + 10);
	paint(world, GREEN);
	assert_int_equal(pixel(world->second, 50, 50), GREEN & 0xffffff);
	/* And with the last one gone, it waits for what comes. */
	fake_card_remove(world->second);
	fixture_frames(world->fixture, 2);
	paint(world, RED);
	assert_true(peer_alive(world->peer));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_both),
		TEST(test_second_goes),
		TEST(test_first_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
