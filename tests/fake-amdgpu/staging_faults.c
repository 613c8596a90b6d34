/* SPDX-License-Identifier: MIT */
/*
 * Random failures of system calls, and GPU resets, in the life of a staging ring that verifies its
 * copies. Each life is compared with one of the same configuration that is not disturbed: after the
 * failures have ended, the same engine copies into the same memory, and the same verdicts are known
 * and saved.
 */

#include "copy/gpu_engines.h"
#include "faults.h"
#include "gpu_pair.h"
#include "harness/await.h"
#include "harness/steps.h"
#include "harness/unit.h"
#include "pattern_size.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP INT64_C(100000000) /* ns */
#define SECOND INT64_C(1000000000)
#define RECOVERY (30 * SECOND)
#define SIDE 64 /* of the window */
#define N_BUFFERS 4 /* of the client */
/* The pixels that are compared. */
#define ROW_FIRST 1
#define ROW_STEP 19
#define COLUMN_STEP 3
#define STRIDE_MAX 4096 /* of linear copies */
#define RIGHT 4096 /* bytes of foreign memory that a faulty GPU reads correctly */
#define UNDISTURBED 30 /* steps */
#define FAILURES 20 /* of one life, each in a new ring */
#define CONFIGURATIONS (3 * 2 * 2 * 2)

#define N_STEPS 1000000
/* The least number of failures of one kind at one kind of call, in a whole run. */
#define REACHED 20

struct life {
	struct pair pair;
	struct client_buffer *buffers[N_BUFFERS];
	struct client_buffer *current; /* locked, as by the surface */
	char *path; /* of the verdicts */
	pixman_region32_t all;
	uint64_t n_steps;
	int seed, n_failures, n_ready, configuration;
	bool one_engine; /* none takes over */
	struct fault fault;
	int reset; /* GPU that is reset; -1: none */
	int when, length; /* first step of the failure, and number of steps */
};

/* The state of a ring that users notice. */
struct outcome {
	char *memory, *verdicts, *file;
	const char *engine;
};

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

static void outcome_finish(struct outcome *outcome)
{
	free(outcome->memory);
	free(outcome->verdicts);
	free(outcome->file);
}

static char *append(char *text, const char *more)
{
	char *longer = xasprintf("%s%s\n", text, more);
	free(text);
	return longer;
}

static void add_phrase(void *data, const char *phrase)
{
	char **all = data;
	*all = append(*all, phrase);
}

static char *add_memory(char *text, const char *kind, const struct staging_search *search)
{
	char *memory = allocation_describe(&search->allocation);
	char *phrase = xasprintf("%s %s", kind, memory);
	text = strstr(text, phrase) ? text : append(text, phrase);
	free(memory);
	free(phrase);
	return text;
}

static char *read_file(const char *path)
{
	static char text[65536];
	FILE *stream = fopen(path, "re");
	size_t n = stream ? fread(text, 1, sizeof(text) - 1, stream) : 0;
	text[n] = '\0';
	if (stream) {
		fclose(stream);
	}
	return xstrdup(text);
}

static void take_outcome(const struct life *life, struct outcome *out)
{
	const struct staging_ring *ring = life->pair.ring;
	*out = (struct outcome){.memory = xstrdup(""), .verdicts = xstrdup("")};
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct staging_slot *slot = &ring->slots[i];
		if (slot->buffer && !slot->is_local) {
			out->memory = add_memory(out->memory, "slot", &slot->search);
		}
	}
	if (ring->crossing) {
		out->memory = add_memory(out->memory, "crossing", &ring->crossing_search);
	}
	staging_each_verdict(life->pair.staging, &life->pair.gpus[0], add_phrase, &out->verdicts);
	out->engine = ring->stats.engine;
}

/* Returns whether all lines are there; engines that took over may have added others. */
static bool has_lines(const char *text, const char *lines)
{
	bool found = true;
	for (const char *line = lines, *end; found && (end = strchr(line, '\n')); line = end + 1) {
		char *one = xasprintf("%.*s\n", (int)(end - line), line);
		found = strstr(text, one);
		free(one);
	}
	return found;
}

static bool is_same(const struct outcome *now, const struct outcome *expected)
{
	return strcmp(now->memory, expected->memory) == 0 &&
	       has_lines(now->verdicts, expected->verdicts) && now->engine && expected->engine &&
	       strcmp(now->engine, expected->engine) == 0;
}

/* Offsets of the compared pixels in the client's buffers, which are alike. */
static ptrdiff_t offsets[SIDE][SIDE];

static void find_offsets(const struct dmabuf_image *image)
{
	for (uint32_t y = ROW_FIRST; y < SIDE; y += ROW_STEP) {
		for (uint32_t x = 0; x < SIDE; x += COLUMN_STEP) {
			offsets[y][x] = dmabuf_image_element(image, x, y) - image->map;
		}
	}
}

static void make_mappable(struct life *life)
{
	struct pair *pair = &life->pair;
	pair->mappable = true;
	format_set_finish(&pair->formats);
	format_set_add(&pair->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
}

static void make_ring(struct life *life)
{
	struct pair *pair = &life->pair;
	int reader = life->configuration % 3;
	pair_create_ring(pair, reader == 0 ? NULL : &pair->gpus[1]);
	staging_damage(pair->ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
}

/*
 * The configuration has the kind of the reader (the CPU, an integrated GPU, or a discrete one), the
 * kind of the source, the number of engines, and whether the discrete reader is faulty.
 */
static void life_init(struct life *life, int seed, int configuration)
{
	struct pair *pair = &life->pair;
	char *path = life->path;
	memset(life, 0, sizeof(*life));
	life->path = path;
	life->seed = seed;
	life->configuration = configuration;
	int reader = configuration % 3;
	bool one_engine = life->one_engine = configuration / 3 & 1;
	pair_init(pair, configuration / 6 & 1, reader != 2);
	pair->sizes = true;
	pair->copier->only = one_engine ? "sdma" : NULL;
	staging_ring_destroy(pair->ring);
	pixman_region32_init_rect(&life->all, 0, 0, SIDE, SIDE);
	pair->tasks = tasks_create(pair->loop, pair->clock);
	staging_verify_copies(pair->staging, pair->tasks, life->path);
	if (!one_engine) {
		make_mappable(life);
	}
	if (reader == 2 && configuration / 12) {
		fake_gpu_misread(pair->fakes[1], RIGHT);
	}
	make_ring(life);
	for (int i = 0; i < N_BUFFERS; i++) {
		struct client_buffer *buffer = pair_create_buffer(true, SIDE, SIDE);
		buffer->base.home = &pair->gpus[0];
		fcntl(buffer->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK);
		life->buffers[i] = buffer;
	}
	find_offsets(&life->buffers[0]->image);
}

/* The kinds of failures: errors that may pass, and a reset. */
static const int errors[] = {
	ENOMEM, EMFILE, ENFILE, EBUSY, EIO, EAGAIN, EINTR, ENOSPC, ECANCELED, 0};
#define KINDS (sizeof(errors) / sizeof(errors[0]))

/* Failures of each kind at each kind of call. */
static unsigned n_reached[FAKE_CALLS][KINDS];

static size_t find_kind(const struct fault *fault)
{
	size_t kind = 0;
	while (errors[kind] != (fault->reset ? 0 : fault->error)) {
		kind++;
	}
	return kind;
}

/* Each kind comes with each kind of call in turn. */
static void choose_failure(struct life *life)
{
	struct fault *fault = &life->fault;
	const unsigned turn = (unsigned)(life->seed * FAILURES + life->n_failures++);
	const int error = errors[turn / FAKE_CALLS % KINDS];
	life->when = chance(2) ? 0 : random_between(1, 12);
	life->length = random_between(1, 30);
	life->reset = chance(6) ? random_between(0, 1) : -1;
	*fault = (struct fault){
		.calls = chance(4) ? (unsigned)random_between(1, (1 << FAKE_CALLS) - 1)
				   : 1U << turn % FAKE_CALLS,
		.error = error,
		.reset = error == 0 ? life->pair.fakes[random_between(0, 1)] : NULL,
		.skip = chance(2) ? 0 : (unsigned)random_between(0, 30),
		.n = chance(2)   ? 1
		     : chance(2) ? (unsigned)random_between(1, 8)
				 : 1000000,
	};
	if ((fault->error == EINTR || fault->error == EAGAIN) && fault->n > 20) {
		fault->n = 20; /* libdrm repeats such calls at once */
	}
	/* Repeated, it means for a submission that the memory of a buffer cannot be mapped. */
	if (fault->calls & 1U << FAKE_CALL_SUBMIT && fault->error == ENOMEM) {
		fault->n = 1;
	}
}

static void describe(const struct life *life)
{
	print_message(
		"seed %d, steps %d to %d:", life->seed, life->when, life->when + life->length - 1);
	for (int i = 0; i < FAKE_CALLS; i++) {
		if (life->fault.calls & 1U << i) {
			print_message(" %s", faults_call_name((enum fake_call)i));
		}
	}
	print_message(": %s, after %u, %u times; reset %d\n",
		life->fault.reset ? "reset" : strerror(life->fault.error), life->fault.skip,
		life->fault.n, life->reset);
}

/* Descriptors that cannot be watched are looked at by the clock. */
static void turn(struct pair *pair)
{
	wl_event_loop_dispatch(pair->loop, 1);
	clock_advance(pair->clock, INT64_C(1000000));
}

static bool is_writing(const struct staging_ring *ring)
{
	bool writing = false;
	for (int i = 0; ring && i < STAGING_MAX; i++) {
		writing |= ring->ring.slots[i].writing;
	}
	return writing;
}

static bool is_settled(const struct pair *pair)
{
	return pair->copier->n_opening == 0 && !is_writing(pair->ring) &&
	       (tasks_n_pending(pair->tasks) == 0 || !tasks_are_running(pair->tasks));
}

/* Lets threads and copies end, which do not follow the clock. */
static void settle(struct life *life)
{
	struct pair *pair = &life->pair;
	pair_dispatch(pair, 3);
	if (is_settled(pair)) {
		return;
	}
	for (int looks = 0; !is_settled(pair); looks++) {
		if (looks == AWAIT_LOOKS) {
			fail_msg("threads and copies do not end");
		}
		turn(pair);
	}
	pair_dispatch(pair, 3);
}

static void draw(struct life *life)
{
	struct client_buffer *next = NULL;
	for (int i = 0; i < N_BUFFERS && !next; i++) {
		next = life->buffers[i]->base.n_locks == 0 ? life->buffers[i] : NULL;
	}
	if (!next) {
		return;
	}
	dmabuf_image_scramble(&next->image);
	if (life->current) {
		buffer_unlock(&life->current->base);
	}
	life->current = next;
	buffer_lock(&next->base);
	staging_damage(life->pair.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
}

/* Returns the bytes of a linear image, which the CPU may not be able to map. */
static const uint8_t *read_linear(const struct dmabuf *dmabuf)
{
	static uint8_t bytes[SIDE * STRIDE_MAX];
	const size_t size = (size_t)dmabuf->stride[0] * SIDE;
	assert_in_range(size, 1, sizeof(bytes));
	if (pread(dmabuf->fd[0], bytes, size, 0) == (ssize_t)size) {
		return bytes;
	}
	/* Of the kernel's own udmabuf. */
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	memcpy(bytes, map, size);
	munmap(map, size);
	return bytes;
}

/* Fails unless some rows of the complete copy have the client's pixels. */
static void check(const struct life *life)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(life->pair.ring, &life->all, parts);
	assert_int_equal(n, 1);
	const struct dmabuf *dmabuf = buffer_dmabuf(parts[0].buffer);
	const bool linear = dmabuf->modifier == DRM_FORMAT_MOD_LINEAR;
	const struct client_buffer *tiled = wl_container_of(parts[0].buffer, tiled, base);
	const uint8_t *shown = linear ? read_linear(dmabuf) : tiled->image.map;
	const uint8_t *drawn = life->current->image.map;
	for (uint32_t y = ROW_FIRST; y < SIDE; y += ROW_STEP) {
		for (uint32_t x = 0; x < SIDE; x += COLUMN_STEP) {
			const ptrdiff_t offset =
				linear ? (ptrdiff_t)y * dmabuf->stride[0] + x * 4 : offsets[y][x];
			if (memcmp(shown + offset, drawn + offsets[y][x], 4) != 0) {
				describe(life);
				fail_msg("%u,%u is wrong", x, y);
			}
		}
	}
	staging_parts_finish(parts, n);
}

/* Returns whether the newest pixels are shown. */
static bool make_frame(struct life *life)
{
	struct pair *pair = &life->pair;
	const char *reason;
	pair->n_arrived = 0;
	staging_copy(pair->ring, &life->current->base, &life->all, false, &reason);
	settle(life);
	return staging_status(pair->ring, &life->all) == STAGING_READY;
}

static void pass_time(struct life *life)
{
	life->n_steps++;
	clock_advance(life->pair.clock, STEP);
	settle(life);
}

static void step(struct life *life)
{
	draw(life);
	if (make_frame(life)) {
		faults_set(NULL);
		check(life);
		life->n_ready++;
	}
	pass_time(life);
}

/* Runs a life up to the end of the failures. */
static void disturb(struct life *life)
{
	int end = life->when + life->length;
	for (int i = 0; i < end; i++) {
		struct fault left = life->fault;
		left.n = i >= life->when && left.n > 0 ? left.n : 0;
		if (i == life->when && life->reset >= 0) {
			fake_gpu_reset(life->pair.fakes[life->reset]);
		}
		draw(life);
		faults_set(&left);
		bool ready = make_frame(life);
		pass_time(life);
		unsigned n = faults_count();
		for (int call = 0; call < FAKE_CALLS; call++) {
			n_reached[call][find_kind(&left)] +=
				faults_count_call((enum fake_call)call);
		}
		faults_set(NULL);
		life->fault.n -= n < left.n ? n : left.n;
		if (n > 0) {
			life->fault.skip = 0;
		}
		if (ready && staging_status(life->pair.ring, &life->all) == STAGING_READY) {
			check(life);
		}
	}
}

/* The client draws nothing more: the ring notifies by itself. */
static void expect_newest_pixels(struct life *life)
{
	struct pair *pair = &life->pair;
	for (int64_t time = 0; time < RECOVERY; time += STEP) {
		if (staging_status(pair->ring, &life->all) == STAGING_READY) {
			check(life);
			return;
		}
		if (pair->n_arrived > 0) {
			make_frame(life);
		}
		pass_time(life);
	}
	describe(life);
	fail_msg("the window is not up to date");
}

static void expect_outcome(struct life *life, const struct outcome *expected)
{
	struct outcome now = {0};
	for (int64_t time = 0; time < RECOVERY; time += STEP) {
		step(life);
		outcome_finish(&now);
		take_outcome(life, &now);
		if (is_same(&now, expected)) {
			outcome_finish(&now);
			return;
		}
	}
	describe(life);
	print_message("undisturbed:\n%s%s%s\nnow:\n%s%s%s\n", expected->memory, expected->verdicts,
		expected->engine, now.memory, now.verdicts, now.engine ? now.engine : "none");
	outcome_finish(&now);
	fail_msg("a failure that has passed changes the copies");
}

static void life_finish(struct life *life)
{
	if (life->current) {
		buffer_unlock(&life->current->base);
	}
	settle(life);
	staging_ring_destroy(life->pair.ring);
	life->pair.ring = NULL;
	for (int i = 0; i < N_BUFFERS; i++) {
		buffer_drop(&life->buffers[i]->base);
	}
	for (int i = 0; i < 2; i++) {
		fake_gpu_fault(life->pair.fakes[i]); /* jobs that a reset ended */
	}
	pair_finish(&life->pair);
	pixman_region32_fini(&life->all);
}

static void run_undisturbed(struct life *life, int configuration, struct outcome *out)
{
	random_seed(1);
	life_init(life, 0, configuration);
	for (int i = 0; i < UNDISTURBED; i++) {
		step(life);
	}
	assert_true(life->n_ready > UNDISTURBED / 2);
	take_outcome(life, out);
	life_finish(life);
	out->file = read_file(life->path);
	unlink(life->path);
}

/* Returns the number of failed calls. */
static unsigned fail_once(struct life *life, const struct outcome *expected)
{
	choose_failure(life);
	unsigned n = life->fault.n;
	disturb(life);
	expect_newest_pixels(life);
	expect_outcome(life, expected);
	return n - life->fault.n;
}

/* Returns the number of failed calls. */
static unsigned play(struct life *life, int seed, struct outcome *outcomes)
{
	pattern_size_set(seed % 64 != 0);
	random_seed((uint64_t)seed);
	int configuration = random_between(0, CONFIGURATIONS - 1);
	struct outcome *expected = &outcomes[configuration];
	if (!expected->memory) {
		run_undisturbed(life, configuration, expected);
		random_seed((uint64_t)seed);
	}
	life_init(life, seed, configuration);
	unsigned n_failed = 0;
	for (int i = 0; i < FAILURES; i++) {
		if (i > 0) {
			/* A ring waits longer for better memory after each failure. */
			staging_ring_destroy(life->pair.ring);
			make_ring(life);
		}
		n_failed += fail_once(life, expected);
	}
	life_finish(life);
	char *file = read_file(life->path);
	/* Other memory may have been tested during the failure, whose verdict is true, too. */
	bool faulty = configuration % 3 == 2 && configuration / 12;
	if (!has_lines(file, expected->file) || (!faulty && strstr(file, "\nwrong "))) {
		describe(life);
		fail_msg("the saved verdicts differ:\n%s\n%s", expected->file, file);
	}
	unlink(life->path);
	free(file);
	return n_failed;
}

/* Fails unless a whole run had each kind of failure at each kind of call. */
static void expect_reached(const struct steps *steps)
{
	for (int call = 0; call < FAKE_CALLS; call++) {
		print_message("%10s", faults_call_name((enum fake_call)call));
		for (size_t kind = 0; kind < KINDS; kind++) {
			print_message(" %6u", n_reached[call][kind]);
		}
		print_message("\n");
	}
	for (int call = 0; call < FAKE_CALLS && steps->n >= N_STEPS; call++) {
		for (size_t kind = 0; kind < KINDS; kind++) {
			assert_in_range(n_reached[call][kind], REACHED, UINT_MAX);
		}
	}
}

static void failures_that_pass_leave_no_trace(void **state)
{
	static struct life life;
	static struct outcome outcomes[CONFIGURATIONS];
	char folder[] = "/tmp/causeway-faults-XXXXXX";
	assert_non_null(mkdtemp(folder));
	life.path = xasprintf("%s/verdicts", folder);
	struct steps *steps = steps_begin("staging-faults", "CAUSEWAY_SEED", N_STEPS);
	unsigned n_failed = 0;
	while (steps_next(steps)) {
		n_failed += play(&life, (int)steps->seed, outcomes);
		steps->n += life.n_steps;
	}
	print_message("%u calls failed\n", n_failed);
	for (int i = 0; i < CONFIGURATIONS; i++) {
		outcome_finish(&outcomes[i]);
	}
	rmdir(folder);
	free(life.path);
	expect_reached(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_that_pass_leave_no_trace),
	};

	return cmocka_run_group_tests_name("staging faults", tests, NULL, NULL);
}
