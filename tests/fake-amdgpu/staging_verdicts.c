/* SPDX-License-Identifier: MIT */
/* Verification of copies between two emulated GPUs, one of which misreads the other's memory. */

#include "copy/gpu_engines.h"
#include "copy/pattern.h"
#include "gpu_pair.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE (INT64_C(60) * 1000000000)
#define RIGHT 4096 /* bytes that the faulty GPU reads correctly */

struct verdict_world {
	struct pair pair;
	char folder[64], *path;
};

static void start(struct verdict_world *world, bool reader_integrated)
{
	pair_init(&world->pair, true, reader_integrated);
	world->pair.tasks = tasks_create(world->pair.loop, world->pair.clock);
	staging_verify_copies(world->pair.staging, world->pair.tasks, world->path);
}

static void turn(struct verdict_world *world)
{
	wl_event_loop_dispatch(world->pair.loop, 0);
}

static int set_up(void **state)
{
	struct verdict_world *world = xcalloc(1, sizeof(*world));
	strcpy(world->folder, "/tmp/causeway-verdicts-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	world->path = xasprintf("%s/copy-verdicts", world->folder);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct verdict_world *world = *state;
	unlink(world->path);
	rmdir(world->folder);
	free(world->path);
	free(world);
	return 0;
}

/* Copies until engines are open and tests have ended. */
static enum staging_status copy(struct verdict_world *world)
{
	struct pair *pair = &world->pair;
	enum staging_status status;
	do {
		turn(world);
		status = pair_copy_once(pair);
		poll(NULL, 0, 1);
	} while (pair->copier->n_opening > 0 || tasks_n_pending(world->pair.tasks) > 0 ||
		 staging_in_flight(pair->ring));
	pair->n_arrived = 0;
	return status;
}

static void damage(struct verdict_world *world)
{
	dmabuf_image_scramble(&world->pair.source->image);
	pair_damage(&world->pair);
}

/* Makes images linear and staging memory mappable: the CPU can copy instead of an engine. */
static void make_mappable(struct verdict_world *world)
{
	struct pair *pair = &world->pair;
	pair->mappable = true;
	format_set_finish(&pair->formats);
	format_set_add(&pair->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	assert_int_equal(fcntl(pair->source->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
}

/* Ends the engine that a held GPU's copy waits for. */
static void end_hung_engine(struct verdict_world *world, int gpu)
{
	struct pair *pair = &world->pair;
	clock_advance(pair->clock, INT64_C(1000000000));
	assert_int_equal(pair->copier->totals.lost, 1);
	fake_gpu_release(pair->fakes[gpu]);
	/*
	 * A thread destroys the context, perhaps before the job, which then has no memory to use.
	 */
	fake_gpu_fault(pair->fakes[gpu]);
}

/* Lets SDMA of a GPU hang until it is given up, and starts a copy of other pixels after that. */
static void lose_sdma(struct verdict_world *world, int gpu)
{
	struct pair *pair = &world->pair;
	fake_gpu_hold(pair->fakes[gpu]);
	damage(world);
	pair_copy_once(pair);
	end_hung_engine(world, gpu);
	damage(world);
}

static void set_verdict(struct verdict_world *world, int source_engine, enum allocation_from from,
	int reader_engine, enum verdict verdict)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	const struct verdict_path path = {
		.source = &world->pair.gpus[0],
		.reader = &world->pair.gpus[1],
		.writer = &types[source_engine],
		.from = from,
		.engine = &types[reader_engine],
		.queue = world->pair.copier->queue,
	};
	verdict_table_set((struct verdict_table *)staging_verdicts(world->pair.staging->verifier),
		&path, verdict);
}

static int find_engine(enum cost_kind kind)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	int i = 0;
	while (types[i].kind != kind) {
		i++;
	}
	return i;
}

static void add_phrase(void *data, const char *phrase)
{
	char **all = data, *more = xasprintf("%s%s\n", *all, phrase);
	free(*all);
	*all = more;
}

static void check_verdicts(struct verdict_world *world, const char *expected)
{
	char *all = xstrdup("");
	staging_each_verdict(world->pair.staging, &world->pair.gpus[0], add_phrase, &all);
	assert_string_equal(all, expected);
	free(all);
}

static void exact_pair_uses_its_best_memory(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(world->pair.ring->crossing_search.allocation.from, ALLOCATION_SOURCE);
	pair_check(&world->pair);
	check_verdicts(world,
		"sdma to sdma of /emulated/renderD129 in memory of the source's GPU: exact\n");
	pair_finish(&world->pair);
}

/* Nothing is shown before the test ends. */
static void misread_memory_is_replaced_by_the_readers_own(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	fake_gpu_misread(world->pair.fakes[1], RIGHT);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(world->pair.ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
	pair_check(&world->pair);
	check_verdicts(world,
		"sdma to sdma of /emulated/renderD129 in memory of the source's GPU: wrong pixels, "
		"not used\n"
		"sdma to sdma of /emulated/renderD129 in system memory: wrong pixels, not used\n"
		"sdma to sdma of /emulated/renderD129 in system memory of the reader's engine: "
		"exact\n");
	pair_finish(&world->pair);
}

/* However little of the memory is misread. */
static void each_part_of_the_memory_is_tested(void **state)
{
	static const size_t parts[] = {RIGHT, PATTERN_BYTES / 2, PATTERN_BYTES - RIGHT};
	struct verdict_world *world = *state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		start(world, false);
		fake_gpu_misread(world->pair.fakes[1], parts[i]);
		assert_int_equal(copy(world), STAGING_READY);
		assert_int_equal(
			world->pair.ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
		pair_finish(&world->pair);
		unlink(world->path);
	}
}

/* So it is for the same GPU plugged in again. */
static void engine_that_misreads_all_memory_is_replaced_by_the_next(void **state)
{
	struct verdict_world *world = *state;
	struct gpu again;
	start(world, false);
	fake_gpu_misread(world->pair.fakes[1], RIGHT);
	fake_gpu_refuse(world->pair.fakes[1], FAKE_REFUSE_ALLOCATION);
	/* The next one is the CPU, which writes no tiled images. */
	make_mappable(world);
	assert_int_equal(copy(world), STAGING_READY);
	assert_true(world->pair.ring->crossing_search.reader > 0);
	pair_check(&world->pair);
	staging_ring_destroy(world->pair.ring);
	again = world->pair.gpus[1];
	wl_signal_init(&again.events.gone);
	pair_create_ring(&world->pair, &again);
	assert_int_equal(copy(world), STAGING_READY);
	assert_true(world->pair.ring->crossing_search.reader > 0);
	pair_finish(&world->pair);
}

/* A reset drops the import that carries the refusal of its engine. */
static void engine_that_misreads_all_memory_reads_none_after_a_reset(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	fake_gpu_misread(pair->fakes[1], RIGHT);
	fake_gpu_refuse(pair->fakes[1], FAKE_REFUSE_ALLOCATION);
	make_mappable(world);
	assert_int_equal(copy(world), STAGING_READY);
	engine_instance_drop_imports(pair->ring->local, &pair->ring->local->instances[0]);
	uint64_t jobs = fake_gpu_counts(pair->fakes[1]).jobs, copies = pair->ring->stats.copies;
	pair_damage(pair);
	assert_int_equal(copy(world), STAGING_READY);
	assert_true(pair->ring->stats.copies > copies);
	assert_int_equal(fake_gpu_counts(pair->fakes[1]).jobs, jobs);
	pair_finish(pair);
}

static int n_unexported;
static pthread_t exporter;

static int fail_exports(enum fake_call call)
{
	bool fails = call == FAKE_CALL_EXPORT && pthread_equal(pthread_self(), exporter);
	return fails && n_unexported > 0 && n_unexported-- > 0 ? EIO : 0;
}

/* The first engine reads right in some memory, which failed for a moment: it reads again later. */
static void next_engine_of_the_reader_is_a_stopgap(void **state)
{
	int n_stopgaps = 0;
	for (int n = 1; n < 10; n++) {
		struct verdict_world *world = *state;
		struct pair *pair = &world->pair;
		start(world, false);
		fake_gpu_misread(pair->fakes[1], RIGHT);
		make_mappable(world);
		int sdma = find_engine(COST_SDMA), cpu = find_engine(COST_CPU);
		set_verdict(world, sdma, ALLOCATION_SOURCE, cpu, VERDICT_EXACT);
		set_verdict(world, sdma, ALLOCATION_SYSTEM, cpu, VERDICT_EXACT);
		assert_int_equal(copy(world), STAGING_READY);
		assert_int_equal(pair->ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
		pair_replace_ring(pair, &pair->gpus[1]);
		n_unexported = n;
		exporter = pthread_self();
		fake_set_hook(fail_exports);
		copy(world);
		fake_set_hook(NULL);
		n_stopgaps += pair->ring->crossing_search.reader > 0 &&
			      !pair->ring->crossing_search.temporary;
		clock_advance(pair->clock, INT64_C(6000000000));
		damage(world);
		assert_int_equal(copy(world), STAGING_READY);
		assert_int_equal(pair->ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
		assert_int_equal(pair->ring->crossing_search.reader, 0);
		pair_check(pair);
		pair_finish(pair);
	}
	assert_true(n_stopgaps > 0);
}

#define MEMORY " in memory of the source's GPU: "

static void readers_next_engine_is_verified_before_its_first_copy(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	make_mappable(world);
	assert_int_equal(copy(world), STAGING_READY);
	lose_sdma(world, 1);
	assert_int_equal(copy(world), STAGING_READY);
	pair_check(&world->pair);
	check_verdicts(world, "sdma to sdma of /emulated/renderD129" MEMORY "exact\n"
			      "sdma to cpu of /emulated/renderD129" MEMORY "exact\n");
	pair_finish(&world->pair);
}

/* The verification allocates no memory of the source's GPU for the CPU. */
static void sources_next_engine_is_verified_before_its_first_copy(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	make_mappable(world);
	fake_gpu_refuse(world->pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	assert_int_equal(copy(world), STAGING_READY);
	lose_sdma(world, 0);
	assert_int_equal(copy(world), STAGING_READY);
	pair_check(&world->pair);
	check_verdicts(world, "sdma to sdma of /emulated/renderD129 in system memory: exact\n"
			      "cpu to sdma of /emulated/renderD129 in system memory: exact\n");
	pair_finish(&world->pair);
}

/* The same memory would be right for the engine that was lost. */
static void memory_that_the_next_engine_misreads_is_replaced(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	make_mappable(world);
	assert_int_equal(copy(world), STAGING_READY);
	set_verdict(world, find_engine(COST_SDMA), ALLOCATION_SOURCE, find_engine(COST_CPU),
		VERDICT_WRONG);
	lose_sdma(world, 1);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(world->pair.ring->crossing_search.allocation.from, ALLOCATION_SYSTEM);
	pair_check(&world->pair);
	pair_finish(&world->pair);
}

static void memory_that_the_next_engine_miswrites_is_replaced(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	make_mappable(world);
	assert_int_equal(copy(world), STAGING_READY);
	set_verdict(world, find_engine(COST_CPU), ALLOCATION_SOURCE, find_engine(COST_SDMA),
		VERDICT_WRONG);
	lose_sdma(world, 0);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(world->pair.ring->crossing_search.allocation.from, ALLOCATION_SYSTEM);
	pair_check(&world->pair);
	pair_finish(&world->pair);
}

/* Damages some rows of the client's buffer. */
static void damage_rows(struct verdict_world *world, int y)
{
	const int height = 16;
	pixman_region32_t rows;
	pixman_region32_init_rect(&rows, 0, y, PAIR_SIDE, (unsigned)height);
	for (int i = 0; i < PAIR_SIDE * height; i++) {
		memset(dmabuf_image_element(&world->pair.source->image, (uint32_t)(i % PAIR_SIDE),
			       (uint32_t)(y + i / PAIR_SIDE)),
			i * 7 + y, 4);
	}
	staging_damage(world->pair.ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, &rows);
	pixman_region32_fini(&rows);
}

/* Loses the source's SDMA when the older of two buffers lacks pixels that the shown one has. */
static void lose_writer_of_two_buffers(struct verdict_world *world)
{
	struct pair *pair = &world->pair;
	const char *reason;
	start(world, true);
	make_mappable(world);
	for (int from = ALLOCATION_READER; from <= ALLOCATION_SYSTEM; from++) {
		set_verdict(world, find_engine(COST_SDMA), (enum allocation_from)from,
			staging_sampler(), VERDICT_EXACT);
		set_verdict(world, find_engine(COST_SDMA), (enum allocation_from)from,
			find_engine(COST_SDMA), VERDICT_EXACT);
	}
	for (int y = 0; y < 64; y += 32) {
		damage_rows(world, y);
		assert_int_equal(copy(world), STAGING_READY);
	}
	buffer_lock(pair->ring->slots[1].buffer);
	fake_gpu_hold(pair->fakes[0]);
	damage_rows(world, 64);
	staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
	end_hung_engine(world, 0);
	/* All engines but the CPU refuse to open. */
	await(gpu_engines_check(pair->ring->source, &pair->source->image.dmabuf, COPY_SOURCE,
		      &reason) != -EINPROGRESS,
		turn(world));
}

/* Copies, with the pixels of the shown buffer in a step of its own, until the ring asks again. */
static enum staging_status copy_in_steps(struct verdict_world *world)
{
	struct pair *pair = &world->pair;
	pair->n_arrived = 0;
	fake_gpu_hold(pair->fakes[1]);
	pair_copy_once(pair);
	fake_gpu_release(pair->fakes[1]);
	await(pair->n_arrived > 0, turn(world));
	return staging_status(pair->ring, &pair->all);
}

static void memory_refused_after_a_siblings_copy_is_replaced(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	lose_writer_of_two_buffers(world);
	struct buffer *shown = pair->ring->slots[1].buffer;
	enum allocation_from from = pair->ring->slots[0].search.allocation.from;
	for (int i = ALLOCATION_READER; i <= ALLOCATION_SYSTEM; i++) {
		set_verdict(world, find_engine(COST_CPU), (enum allocation_from)i,
			staging_sampler(), i == (int)from ? VERDICT_WRONG : VERDICT_EXACT);
	}
	assert_int_equal(copy_in_steps(world), STAGING_LATE);
	assert_int_equal(copy_in_steps(world), STAGING_READY);
	assert_int_not_equal(pair->ring->slots[0].search.allocation.from, from);
	pair_check_linear(pair);
	buffer_unlock(shown);
	pair_finish(pair);
}

static void copy_after_a_siblings_awaits_the_verification(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	lose_writer_of_two_buffers(world);
	struct buffer *shown = pair->ring->slots[1].buffer;
	fake_gpu_block(pair->fakes[0], FAKE_BLOCK_OPEN);
	assert_int_equal(copy_in_steps(world), STAGING_LATE);
	assert_int_equal(tasks_n_pending(pair->tasks), 1);
	pair->n_arrived = 0;
	uint64_t local = pair->ring->stats.local;
	pair_copy_once(pair);
	assert_int_equal(pair->ring->stats.local, local);
	assert_true(staging_in_flight(pair->ring));
	/* The verdict is the next event. */
	assert_int_equal(pair->n_arrived, 0);
	fake_gpu_block(pair->fakes[0], 0);
	await(pair->n_arrived > 0, turn(world));
	assert_int_equal(tasks_n_pending(pair->tasks), 0);
	await(pair_copy_once(pair) == STAGING_READY, turn(world));
	/* The sibling's pixels were kept. */
	assert_int_equal(pair->ring->stats.local, local);
	pair_check_linear(pair);
	buffer_unlock(shown);
	pair_finish(pair);
}

static void verdicts_of_the_last_session_need_no_copy(void **state)
{
	struct verdict_world *world = *state;
	for (int session = 0; session < 3; session++) {
		start(world, false);
		/* The driver has not changed, so the verdict stands. */
		fake_gpu_misread(world->pair.fakes[1], session == 0 ? RIGHT : 0);
		assert_int_equal(copy(world), STAGING_READY);
		assert_int_equal(
			world->pair.ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
		struct fake_counts counts = fake_gpu_counts(world->pair.fakes[1]);
		/* One node, and the ring's copy of the image. */
		assert_true(session == 0 ? counts.opened > 1 : counts.opened == 1);
		assert_true(session == 0 || counts.bytes == PAIR_SIDE * PAIR_SIDE * 4);
		pair_finish(&world->pair);
	}
}

static void verdicts_of_another_driver_are_forgotten(void **state)
{
	struct verdict_world *world = *state;
	for (int session = 0; session < 2; session++) {
		start(world, false);
		world->pair.gpus[1].driver_version = (char *)(session == 0 ? "1.0" : "2.0");
		fake_gpu_misread(world->pair.fakes[1], session == 0 ? RIGHT : 0);
		assert_int_equal(copy(world), STAGING_READY);
		assert_int_equal(world->pair.ring->crossing_search.allocation.from,
			session == 0 ? ALLOCATION_LOCAL : ALLOCATION_SOURCE);
		pair_finish(&world->pair);
	}
}

static void test_that_is_impossible_prevents_no_copy(void **state)
{
	struct verdict_world *world = *state;
	start(world, false);
	/* The test opens a node of its own. */
	assert_int_equal(gpu_engines_have_sdma(world->pair.ring->local), true);
	await(world->pair.copier->n_opening == 0, turn(world));
	fake_gpu_fail_imports(world->pair.fakes[1], EINVAL, 0);
	world->pair.gpus[1].render_path = (char *)"/emulated/none";
	assert_int_equal(copy(world), STAGING_READY);
	pair_check(&world->pair);
	check_verdicts(world,
		"sdma to sdma of /emulated/renderD129 in memory of the source's GPU: cannot be "
		"tested\n");
	pair_finish(&world->pair);
}

static int contexts(struct pair *pair)
{
	return fake_gpu_counts(pair->fakes[0]).contexts + fake_gpu_counts(pair->fakes[1]).contexts;
}

/* Lets the test that has started time out, and waits for the end of its thread. */
static void end_late(struct verdict_world *world, uint64_t n_jobs_before)
{
	struct pair *pair = &world->pair;
	assert_int_equal(tasks_n_pending(pair->tasks), 1);
	clock_advance(pair->clock, INT64_C(15) * 1000000000);
	assert_int_equal(tasks_n_pending(pair->tasks), 0);
	/* The contexts of the ring stay; its own copies end with a turn of the loop only. */
	await(fake_gpu_counts(pair->fakes[1]).jobs > n_jobs_before && contexts(pair) == 2, );
}

/* Copies until a test starts, which times out. */
static void time_out(struct verdict_world *world)
{
	struct pair *pair = &world->pair;
	uint64_t jobs;
	do {
		turn(world);
		jobs = fake_gpu_counts(pair->fakes[1]).jobs;
		pair_copy_once(pair);
	} while (tasks_n_pending(pair->tasks) == 0);
	end_late(world, jobs);
}

static void make_ring_again(struct verdict_world *world)
{
	pair_replace_ring(&world->pair, &world->pair.gpus[1]);
}

#define PATH "sdma to sdma of /emulated/renderD129 in memory of the source's GPU: "

/* The memory in use is replaced without damage. */
static void test_that_timed_out_is_repeated_after_a_minute(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	fake_gpu_misread(pair->fakes[1], RIGHT);
	time_out(world);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(pair->ring->crossing_search.allocation.from, ALLOCATION_SOURCE);
	make_ring_again(world);
	assert_int_equal(copy(world), STAGING_READY);
	check_verdicts(world, PATH "not tested yet, the test is repeated\n");
	clock_advance(pair->clock, MINUTE);
	make_ring_again(world);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(pair->ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
	pair_check(pair);
	pair_finish(pair);
}

/* The thread of a test may hang for good, so that there is at most one other. */
static void test_that_times_out_twice_is_given_up(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	time_out(world);
	assert_int_equal(copy(world), STAGING_READY);
	uint64_t jobs = fake_gpu_counts(pair->fakes[1]).jobs;
	clock_advance(pair->clock, MINUTE);
	end_late(world, jobs);
	check_verdicts(world, PATH "cannot be tested\n");
	clock_advance(pair->clock, 100 * MINUTE);
	assert_int_equal(tasks_n_pending(pair->tasks), 0);
	assert_int_equal(copy(world), STAGING_READY);
	check_verdicts(world, PATH "cannot be tested\n");
	pair_finish(pair);
}

/* The result would concern no copy: the next window asks for it. */
static void test_without_windows_is_not_repeated(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	fake_gpu_misread(pair->fakes[1], RIGHT);
	time_out(world);
	staging_ring_destroy(pair->ring);
	clock_advance(pair->clock, 100 * MINUTE);
	assert_int_equal(tasks_n_pending(pair->tasks), 0);
	pair_create_ring(pair, &pair->gpus[1]);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(copy(world), STAGING_READY);
	assert_int_equal(pair->ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
	pair_finish(pair);
}

/* The CPU would misread the memory of a virtual card, which has a copy in the host. */
static void memory_of_virtual_cards_is_not_tested(void **state)
{
	struct verdict_world *world = *state;
	for (int i = 0; i < 2; i++) {
		start(world, false);
		world->pair.gpus[i].driver = (char *)"virtio_gpu";
		assert_int_equal(copy(world), STAGING_READY);
		pair_check(&world->pair);
		check_verdicts(world, "");
		pair_finish(&world->pair);
	}
}

static void frames_during_the_test_allocate_no_memory(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	do {
		turn(world);
		pair_copy_once(pair);
	} while (tasks_n_pending(world->pair.tasks) == 0);
	int n = pair->n_created;
	for (int i = 0; i < 10; i++) {
		assert_int_not_equal(pair_copy_once(pair), STAGING_REFUSED);
		assert_true(staging_in_flight(pair->ring));
	}
	assert_int_equal(pair->n_created, n);
	assert_int_equal(copy(world), STAGING_READY);
	pair_check(pair);
	pair_finish(pair);
}

static void ring_may_end_during_the_test(void **state)
{
	struct verdict_world *world = *state;
	struct pair *pair = &world->pair;
	start(world, false);
	while (tasks_n_pending(world->pair.tasks) == 0) {
		pair_copy_once(pair);
		turn(world);
	}
	staging_ring_destroy(pair->ring);
	await(tasks_n_pending(world->pair.tasks) == 0, turn(world));
	pair_create_ring(pair, &pair->gpus[1]);
	assert_int_equal(copy(world), STAGING_READY);
	pair_finish(&world->pair);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(exact_pair_uses_its_best_memory),
		TEST(misread_memory_is_replaced_by_the_readers_own),
		TEST(each_part_of_the_memory_is_tested),
		TEST(engine_that_misreads_all_memory_is_replaced_by_the_next),
		TEST(engine_that_misreads_all_memory_reads_none_after_a_reset),
		TEST(next_engine_of_the_reader_is_a_stopgap),
		TEST(readers_next_engine_is_verified_before_its_first_copy),
		TEST(sources_next_engine_is_verified_before_its_first_copy),
		TEST(memory_that_the_next_engine_misreads_is_replaced),
		TEST(memory_that_the_next_engine_miswrites_is_replaced),
		TEST(memory_refused_after_a_siblings_copy_is_replaced),
		TEST(copy_after_a_siblings_awaits_the_verification),
		TEST(verdicts_of_the_last_session_need_no_copy),
		TEST(verdicts_of_another_driver_are_forgotten),
		TEST(test_that_is_impossible_prevents_no_copy),
		TEST(test_that_timed_out_is_repeated_after_a_minute),
		TEST(test_that_times_out_twice_is_given_up),
		TEST(test_without_windows_is_not_repeated),
		TEST(memory_of_virtual_cards_is_not_tested),
		TEST(frames_during_the_test_allocate_no_memory),
		TEST(ring_may_end_during_the_test),
	};

	return cmocka_run_group_tests_name("staging verdicts", tests, NULL, NULL);
}
