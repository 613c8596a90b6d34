/* SPDX-License-Identifier: MIT */
/* Copies of a client's only buffer by several devices, each of which may not be ready. */

#include "content/backing_store.h"
#include "content/device.h"
#include "content/internal.h"
#include "harness/surface.h"

#define DEVICES_MAX 3
#define N_ANSWERS 3

static const enum content_status answers[N_ANSWERS] = {
	CONTENT_READY, CONTENT_PENDING, CONTENT_NONE};

struct store_world {
	struct clock *clock;
	struct surface *surface;
	struct backing_store *store;
	struct render_device *devices[DEVICES_MAX];
	int n_devices;
};

static struct store_world world;
static struct content contents[DEVICES_MAX];
static enum content_status prepared[DEVICES_MAX];
static struct content_source_impl source;

static struct content *find_content(struct surface *surface, struct render_device *device)
{
	int i = 0;
	while (world.devices[i] != device) {
		i++;
	}
	return &contents[i];
}

static enum content_status prepare(struct content *content, const pixman_region32_t *needed)
{
	return prepared[content - contents];
}

static void begin(int n_devices)
{
	world = (struct store_world){.clock = clock_create_test(1), .n_devices = n_devices};
	world.surface = surface_create(NULL, NULL);
	world.surface->clock = world.clock;
	struct test_buffer *buffer = test_buffer_create(8, 8);
	attach(world.surface, buffer);
	assert_true(derive_and_commit(world.surface));
	buffer_drop(&buffer->base);
	for (int i = 0; i < n_devices; i++) {
		world.devices[i] = render_device_create(NULL, pixman_renderer_create(), NULL);
		if (i > 0) {
			render_device_join(world.devices[i], world.devices[0]);
		}
	}
	world.store = backing_store_get(world.surface);
	world.store->device = world.devices[random_between(0, n_devices - 1)];
	world.store->prepare = prepare;
	world.store->get_content = find_content;
	world.store->eager = true;
}

static void end(void)
{
	surface_destroy(world.surface);
	for (int i = 0; i < world.n_devices; i++) {
		struct renderer *renderer = world.devices[i]->renderer;
		render_device_finish(world.devices[i]);
		render_device_destroy(world.devices[i]);
		renderer_destroy(renderer);
	}
	clock_destroy(world.clock);
}

/* A copy that a device has yet to make keeps the buffer, and is tried again, in any order. */
static void buffer_is_saved_once_each_device_has_it(void **state)
{
	for (int n_devices = 1, n_cases = N_ANSWERS; n_devices <= DEVICES_MAX;
		n_devices++, n_cases *= N_ANSWERS) {
		for (int i = 0; i < n_cases; i++) {
			bool saved = true;
			begin(n_devices);
			for (int d = 0, rest = i; d < n_devices; d++, rest /= N_ANSWERS) {
				prepared[d] = answers[rest % N_ANSWERS];
				/* Without a source, the device shows nothing of the surface. */
				contents[d] = (struct content){
					.source = random_between(0, 3) ? &source : NULL};
				saved &= prepared[d] == CONTENT_READY ||
					 (prepared[d] == CONTENT_NONE && !contents[d].source);
			}
			world.store->timer.fire(&world.store->timer, clock_now(world.clock));
			assert_int_equal(world.store->tried, saved);
			assert_int_equal(world.store->timer.armed, !saved);
			end();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_is_saved_once_each_device_has_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
