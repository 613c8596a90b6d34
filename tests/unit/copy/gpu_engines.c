/* SPDX-License-Identifier: MIT */
/* A GPU's engines: hangs, losses, and failed openings of any, with several copies in flight. */

#include "copy/copier.h"
#include "gpu/gpu.h"
#include "harness/mapped_dmabuf.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define N_ENGINES 3
#define N_JOBS 5

/* An engine whose copies last until the test ends them. */
struct slow_engine {
	struct copy_engine base;
	int index;
	int fences[COPY_JOBS_MAX + 1]; /* write ends; -1: ended */
	int n;
};

/* The engines of the GPU, by their index, and the answers of their driver. */
static struct {
	struct slow_engine *engine; /* NULL: closed */
	int opening; /* result of the next openings */
	int n_openings;
	bool refuses; /* each buffer */
	int failure; /* of each import; 0: none */
} slots[N_ENGINES];

static void destroy_engine(struct copy_engine *base)
{
	struct slow_engine *engine = wl_container_of(base, engine, base);
	for (int i = 0; i < engine->n; i++) {
		fd_close(&engine->fences[i]);
	}
	slots[engine->index].engine = NULL;
	copy_engine_finish(base);
	free(engine);
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	struct slow_engine *engine = wl_container_of(base, engine, base);
	*reason = "refused";
	return slots[engine->index].refuses ? -ENOTSUP : slots[engine->index].failure;
}

static int import(struct copy_engine *engine, struct copy_image *image)
{
	return 0;
}

static void forget(struct copy_engine *engine, struct copy_image *image)
{
}

static int submit(struct copy_engine *base, const struct copy_request *request, int *fence)
{
	struct slow_engine *engine = wl_container_of(base, engine, base);
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	*fence = ends[0];
	engine->fences[engine->n++] = ends[1];
	return 0;
}

static void retire(struct copy_engine *engine)
{
}

static const struct copy_engine_impl impl = {.name = "slow",
	.destroy = destroy_engine,
	.check = check,
	.image_size = sizeof(struct copy_image),
	.import = import,
	.forget = forget,
	.submit = submit,
	.retire = retire};

static int create(int index, struct copy_engine **out)
{
	slots[index].n_openings++;
	if (slots[index].opening < 0) {
		return slots[index].opening;
	}
	struct slow_engine *engine = calloc(1, sizeof(*engine));
	copy_engine_init(&engine->base, &impl, COPY_DEADLINE);
	engine->index = index;
	slots[index].engine = engine;
	*out = &engine->base;
	return 0;
}

static int create_first(struct engine_context *context, struct copy_engine **engine)
{
	return create(0, engine);
}

static int create_second(struct engine_context *context, struct copy_engine **engine)
{
	return create(1, engine);
}

static int create_third(struct engine_context *context, struct copy_engine **engine)
{
	return create(2, engine);
}

const struct engine_type *__wrap_engine_types(size_t *n);

const struct engine_type *__wrap_engine_types(size_t *n)
{
	static const struct engine_type types[N_ENGINES] = {
		{"first", COST_SDMA, true, create_first},
		{"second", COST_GRAPHICS, true, create_second},
		{"third", COST_CPU, true, create_third},
	};
	*n = N_ENGINES;
	return types;
}

struct memory {
	struct buffer base;
	struct mapped_dmabuf mapped;
};

static void destroy_memory(struct buffer *base)
{
	struct memory *memory = wl_container_of(base, memory, base);
	mapped_dmabuf_finish(&memory->mapped);
	buffer_finish(base);
	free(memory);
}

static const struct dmabuf *get_dmabuf(struct buffer *base)
{
	struct memory *memory = wl_container_of(base, memory, base);
	return &memory->mapped.dmabuf;
}

static const struct buffer_impl memory_impl = {.destroy = destroy_memory, .dmabuf = get_dmabuf};

static struct buffer *make_buffer(void)
{
	struct memory *memory = calloc(1, sizeof(*memory));
	mapped_dmabuf_init_linear(&memory->mapped, DRM_FORMAT_XRGB8888, 16, 16, 4);
	buffer_init(&memory->base, &memory_impl, 16, 16, DRM_FORMAT_XRGB8888);
	return &memory->base;
}

struct window {
	struct copy_order order;
	int n_done, n_good;
};

struct engines_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct gpu gpu;
	struct copier *copier;
	struct gpu_engines *engines;
	pixman_region32_t damage;
	struct window windows[N_JOBS];
};

static void handle_done(struct copy_order *order, bool good)
{
	struct window *window = wl_container_of(order, window, order);
	window->n_done++;
	window->n_good += good;
}

static int set_up(void **state)
{
	static struct engines_world world;
	world = (struct engines_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(SECOND),
		.gpu = {.bus_id = (char *)"gpu", .fd = -1}};
	memset(slots, 0, sizeof(slots));
	wl_signal_init(&world.gpu.events.gone);
	world.copier = copier_create(world.loop, world.clock, NULL);
	world.engines = copier_use(world.copier, &world.gpu);
	pixman_region32_init_rect(&world.damage, 0, 0, 16, 16);
	for (int i = 0; i < N_JOBS; i++) {
		world.windows[i].order = (struct copy_order){.source = make_buffer(),
			.destination = make_buffer(),
			.damage = &world.damage,
			.done = handle_done};
	}
	*state = &world;
	return 0;
}

static int tear_down(void **state)
{
	struct engines_world *world = *state;
	for (int i = 0; i < N_JOBS; i++) {
		copy_order_forget(&world->windows[i].order);
	}
	gpu_engines_release(world->engines);
	copier_destroy(world->copier);
	for (int i = 0; i < N_JOBS; i++) {
		buffer_drop(world->windows[i].order.source);
		buffer_drop(world->windows[i].order.destination);
	}
	pixman_region32_fini(&world->damage);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
	return 0;
}

struct changes {
	struct wl_listener engines;
	int n;
};

static void handle_engines(struct wl_listener *listener, void *data)
{
	struct changes *changes = wl_container_of(listener, changes, engines);
	changes->n++;
}

/* Opens all engines; those before `first` refuse the windows' buffers. */
static void open_engines(struct engines_world *world, int first)
{
	struct buffer *buffer = make_buffer();
	for (int i = 0; i < N_ENGINES; i++) {
		assert_int_equal(gpu_engines_import_any(world->engines, i, buffer, COPY_SOURCE), i);
	}
	for (int i = 0; i < first; i++) {
		slots[i].refuses = true;
	}
	buffer_drop(buffer);
}

/* Starts the copies of windows. */
static void start(struct engines_world *world, int from, int to)
{
	for (int i = from; i < to; i++) {
		assert_int_equal(gpu_engines_start(world->engines, &world->windows[i].order), 0);
	}
}

/* The same, on one engine. */
static void start_on(struct engines_world *world, int engine, int from, int to)
{
	for (int i = 0; i < N_ENGINES; i++) {
		slots[i].refuses = i != engine;
	}
	start(world, from, to);
}

/* Fails unless the copies of these windows, and no others, have ended without pixels. */
static void expect_failed(const struct engines_world *world, int from, int to)
{
	for (int i = 0; i < N_JOBS; i++) {
		assert_int_equal(world->windows[i].n_done, i >= from && i < to);
		assert_int_equal(world->windows[i].n_good, 0);
	}
	assert_int_equal(world->copier->totals.failures, to - from);
}

/* Whichever engine it is: idle ones hide no deadline. */
static void hang_of_any_engine_fails_all_of_its_copies(void **state)
{
	for (int hung = 0; hung < N_ENGINES; hung++) {
		for (int n = 1; n <= N_JOBS; n++) {
			set_up(state);
			struct engines_world *world = *state;
			open_engines(world, hung);
			start(world, 0, n);
			clock_advance(world->clock, COPY_DEADLINE - 1);
			expect_failed(world, 0, 0);
			clock_advance(world->clock, 1);
			expect_failed(world, 0, n);
			for (int i = 0; i < N_ENGINES; i++) {
				assert_int_equal(!slots[i].engine, i == hung);
			}
			assert_int_equal(world->copier->totals.lost, 1);
			tear_down(state);
		}
	}
	set_up(state);
}

/* Each engine has its own deadline: the copies of one neither delay nor fail those of another. */
static void engines_hang_one_by_one(void **state)
{
	for (int i = 0; i < N_ENGINES * N_ENGINES; i++) {
		const int first = i % N_ENGINES, second = i / N_ENGINES;
		if (first == second) {
			continue;
		}
		set_up(state);
		struct engines_world *world = *state;
		open_engines(world, first);
		start(world, 0, 2);
		clock_advance(world->clock, COPY_DEADLINE / 4);
		start_on(world, second, 2, N_JOBS);
		clock_advance(world->clock, COPY_DEADLINE * 3 / 4);
		expect_failed(world, 0, 2);
		clock_advance(world->clock, COPY_DEADLINE / 4);
		expect_failed(world, 0, N_JOBS);
		assert_int_equal(world->copier->totals.lost, 2);
		tear_down(state);
	}
	set_up(state);
}

static void unplugged_gpu_fails_the_copies_of_all_engines(void **state)
{
	struct engines_world *world = *state;
	struct changes changes = {.n = 0};
	signal_add(&world->engines->events.again, &changes.engines, handle_engines);
	open_engines(world, 0);
	start(world, 0, 2);
	slots[0].refuses = true;
	start(world, 2, 3);
	slots[1].refuses = true;
	start(world, 3, N_JOBS);
	world->gpu.gone = true;
	signal_emit(&world->gpu.events.gone, &world->gpu);
	expect_failed(world, 0, N_JOBS);
	/* Copies that wait for an engine wait no longer. */
	assert_int_equal(changes.n, 1);
	wl_list_remove(&changes.engines.link);
	assert_int_equal(gpu_engines_start(world->engines, &world->windows[0].order), -ENODEV);
}

/* A reset of the GPU: the end of a copy of any engine shows that all others are lost. */
static void reset_fails_the_copies_of_all_lost_engines(void **state)
{
	for (int good = 0; good < N_ENGINES; good++) {
		set_up(state);
		struct engines_world *world = *state;
		open_engines(world, 0);
		start_on(world, good, 0, 1);
		for (int lost = 0, n = 1; lost < N_ENGINES; lost++) {
			if (lost != good) {
				start_on(world, lost, n, n + 2);
				n += 2;
			}
		}
		for (int i = 0; i < N_ENGINES; i++) {
			slots[i].engine->base.lost = i != good;
		}
		assert_int_equal(write(slots[good].engine->fences[0], "", 1), 1);
		wl_event_loop_dispatch(world->loop, 0);
		assert_int_equal(world->windows[0].n_good, 1);
		for (int i = 0; i < N_JOBS; i++) {
			assert_int_equal(world->windows[i].n_done, 1);
			assert_int_equal(world->windows[i].n_good, i == 0);
		}
		for (int i = 0; i < N_ENGINES; i++) {
			assert_int_equal(!slots[i].engine, i != good);
		}
		assert_int_equal(world->copier->totals.failures, N_JOBS - 1);
		tear_down(state);
	}
	set_up(state);
}

/* Drivers are slow to open, and fail for a moment: no call between two tries asks them. */
static void failed_opening_is_repeated_after_some_seconds(void **state)
{
	static const int errors[] = {-ENOMEM, -EMFILE, -ENFILE, -EINTR, -ENODEV};
	for (int i = 0; i < N_ENGINES * 5; i++) {
		const int index = i % N_ENGINES, error = errors[i / N_ENGINES];
		set_up(state);
		struct engines_world *world = *state;
		struct copy_order *order = &world->windows[0].order;
		for (int engine = 0; engine < N_ENGINES; engine++) {
			slots[engine].refuses = engine != index;
		}
		slots[index].opening = error;
		for (int ask = 0; ask < 49; ask++) {
			assert_true(gpu_engines_start(world->engines, order) < 0);
			assert_int_equal(slots[index].n_openings, 1);
			assert_true(gpu_engines_lost_one(world->engines));
			clock_advance(world->clock, SECOND / 10);
		}
		/* One engine that is not found repeatedly does not exist. */
		if (i % 2) {
			slots[index].opening = 0;
		}
		clock_advance(world->clock, SECOND);
		assert_int_equal(gpu_engines_start(world->engines, order) == 0, i % 2);
		assert_int_equal(slots[index].n_openings, 2);
		clock_advance(world->clock, i % 2 ? 0 : 6 * SECOND);
		bool final = i % 2 || error == -ENODEV;
		assert_int_equal(gpu_engines_lost_one(world->engines), !final);
		if (i % 2 == 0) {
			slots[index].opening = 0;
			assert_int_equal(gpu_engines_start(world->engines, order) == 0, !final);
			assert_int_equal(slots[index].n_openings, final ? 2 : 3);
		}
		tear_down(state);
	}
	set_up(state);
}

/* Three resets in a row are borne; the next one is reported to users of other memory. */
static void engine_is_given_up_after_resets_in_a_row(void **state)
{
	struct engines_world *world = *state;
	struct changes changes = {.n = 0};
	open_engines(world, 0);
	slots[1].refuses = slots[2].refuses = true;
	clock_advance(world->clock, 20 * SECOND);
	signal_add(&world->copier->events.engines, &changes.engines, handle_engines);
	for (int n = 1; n <= 4; n++) {
		assert_non_null(slots[0].engine);
		slots[0].engine->base.lost = slots[0].engine->base.reset = true;
		assert_true(gpu_engines_start(world->engines, &world->windows[0].order) < 0);
		assert_int_equal(slots[0].n_openings, n < 4 ? n + 1 : n);
		assert_int_equal(world->copier->totals.lost, n == 4);
		assert_int_equal(changes.n, n == 4);
		clock_advance(world->clock, SECOND);
	}
	wl_list_remove(&changes.engines.link);
	assert_null(slots[0].engine);
}

/* The first engine lacks memory for a moment, and the others do not exist. */
static void failure_that_may_pass_is_told_in_preference(void **state)
{
	struct engines_world *world = *state;
	struct copy_order *order = &world->windows[0].order;
	slots[0].failure = -ENOMEM;
	slots[1].opening = slots[2].opening = -ENOTSUP;
	assert_int_equal(
		gpu_engines_import_any(world->engines, 0, order->source, COPY_SOURCE), -ENOMEM);
	assert_int_equal(gpu_engines_start(world->engines, order), -ENOMEM);
}

/* Other windows may find better memory: the next user starts with all engines. */
static void end_of_the_last_user_forgets_losses(void **state)
{
	struct engines_world *world = *state;
	struct changes changes = {.n = 0};
	open_engines(world, 0);
	start(world, 0, 1);
	clock_advance(world->clock, COPY_DEADLINE);
	assert_true(gpu_engines_lost_one(world->engines));
	signal_add(&world->copier->events.engines, &changes.engines, handle_engines);
	gpu_engines_release(world->engines);
	assert_int_equal(changes.n, 1);
	world->engines = copier_use(world->copier, &world->gpu);
	assert_false(gpu_engines_lost_one(world->engines));
	gpu_engines_release(world->engines);
	assert_int_equal(changes.n, 1);
	world->engines = copier_use(world->copier, &world->gpu);
	wl_list_remove(&changes.engines.link);
}

static void full_queue_takes_a_copy_once_another_has_ended(void **state)
{
	struct engines_world *world = *state;
	struct window windows[COPY_JOBS_MAX + 1] = {{.n_done = 0}};
	struct copy_order *last = &windows[COPY_JOBS_MAX].order;
	open_engines(world, 0);
	for (int i = 0; i < COPY_JOBS_MAX; i++) {
		windows[i].order = world->windows[0].order;
		assert_int_equal(gpu_engines_start(world->engines, &windows[i].order), 0);
	}
	*last = world->windows[0].order;
	assert_int_equal(gpu_engines_start(world->engines, last), -EBUSY);
	assert_int_equal(write(slots[0].engine->fences[0], "", 1), 1);
	wl_event_loop_dispatch(world->loop, 0);
	assert_int_equal(windows[0].n_good, 1);
	assert_int_equal(gpu_engines_start(world->engines, last), 0);
	/* A loss empties the queue, too. */
	struct changes changes = {.n = 0};
	struct copy_order *other = &world->windows[0].order;
	signal_add(&world->engines->events.again, &changes.engines, handle_engines);
	assert_int_equal(gpu_engines_start(world->engines, other), -EBUSY);
	slots[0].engine->base.lost = slots[1].refuses = slots[2].refuses = true;
	assert_true(gpu_engines_start(world->engines, other) < 0);
	assert_int_equal(changes.n, 1);
	wl_list_remove(&changes.engines.link);
	for (int i = 0; i <= COPY_JOBS_MAX; i++) {
		copy_order_forget(&windows[i].order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hang_of_any_engine_fails_all_of_its_copies, tear_down),
		cmocka_unit_test_teardown(engines_hang_one_by_one, tear_down),
		cmocka_unit_test_setup_teardown(
			unplugged_gpu_fails_the_copies_of_all_engines, set_up, tear_down),
		cmocka_unit_test_teardown(reset_fails_the_copies_of_all_lost_engines, tear_down),
		cmocka_unit_test_setup_teardown(
			engine_is_given_up_after_resets_in_a_row, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			full_queue_takes_a_copy_once_another_has_ended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			failure_that_may_pass_is_told_in_preference, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			end_of_the_last_user_forgets_losses, set_up, tear_down),
		cmocka_unit_test_teardown(failed_opening_is_repeated_after_some_seconds, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
