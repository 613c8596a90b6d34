/* SPDX-License-Identifier: MIT */
/*
 * Object floods: flood [KIND|all [COUNT [SEED]]].
 *
 * One client creates thousands of objects of one kind (chains, deep and wide trees, extreme
 * numbers) and destroys them in random order, or disconnects. Another client must be answered
 * within 100 ms during that time, and memory and descriptors stay bounded. Times are CPU times of
 * the server's thread, and the limit is scaled by the response time of an idle server.
 */

#include "fuzz/flood.h"
#include "fuzz/actor.h"
#include "fuzz/world.h"
#include "harness/descriptors.h"
#include "protocol/protocols.h"
#include "util/clock.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __SANITIZE_ADDRESS__
#define LIMIT INT64_C(400000000) /* ns; sanitizers take three times as long */
#else
#define LIMIT INT64_C(100000000) /* ns */
#endif
/** Response time of an idle server in ns, on the machine that LIMIT was chosen on. */
#define USUAL_ANSWER INT64_C(20000)
#define BYTES_MAX ((size_t)256 << 20)
#define DESCRIPTORS_MAX 2048
/** Objects created between two answers; their requests fit into a socket's buffer. */
#define BATCH 8
#define N_TRIALS 64

struct watch {
	struct world world;
	struct actor bystander;
	int64_t longest, answer; /* ns: of one dispatch, and of one answer */
	size_t bytes; /* in use before the flood */
	int descriptors;
	size_t most_bytes;
	int most_descriptors;
};

static int64_t thread_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static size_t count_bytes(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

static void dispatch(struct watch *watch)
{
	struct server *server = world_server(&watch->world);
	int64_t before = thread_time();
	wl_event_loop_dispatch(server->loop, 0);
	protocols_flush(server->protocols);
	int64_t took = thread_time() - before;
	watch->longest = took > watch->longest ? took : watch->longest;
}

/** Sends a request of the bystander. Returns the time until its answer in ns. */
static int64_t ask(struct watch *watch)
{
	int64_t before = thread_time();
	uint32_t callback = ASK(&watch->bystander, 1, "sync", ARGUMENT_ANY);
	while (wire_object(&watch->bystander.wire, callback)) {
		dispatch(watch);
		wire_read(&watch->bystander.wire);
		if (!actor_alive(&watch->bystander)) {
			fail_msg("the bystander was disconnected: %s", watch->bystander.wire.error);
		}
	}
	int64_t took = thread_time() - before;
	watch->answer = took > watch->answer ? took : watch->answer;
	return took;
}

static int compare(const void *a, const void *b)
{
	const int64_t *first = a, *second = b;
	return (*first > *second) - (*first < *second);
}

/** Returns the limit on this machine in ns. */
static int64_t measure_limit(struct watch *watch)
{
	int64_t times[N_TRIALS];
	for (int i = 0; i < N_TRIALS; i++) {
		times[i] = ask(watch);
	}
	qsort(times, N_TRIALS, sizeof(times[0]), compare);
	int64_t usual = times[N_TRIALS / 2];
	return usual > USUAL_ANSWER ? LIMIT * usual / USUAL_ANSWER : LIMIT;
}

static void look(struct watch *watch)
{
	size_t bytes = count_bytes();
	int descriptors = count_descriptors();
	watch->most_bytes = bytes > watch->most_bytes ? bytes : watch->most_bytes;
	watch->most_descriptors =
		descriptors > watch->most_descriptors ? descriptors : watch->most_descriptors;
}

/** Runs one refresh cycle and measures its dispatches. */
static void pass_frame(struct watch *watch)
{
	clock_advance(watch->world.fixture->clock, INT64_C(16666667));
	for (int i = 0; i < 4; i++) {
		dispatch(watch);
	}
	ask(watch);
}

static void begin(struct watch *watch, uint32_t seed)
{
	*watch = (struct watch){.world = {.random = {.state = seed}, .width = 320, .height = 240}};
	watch->world.fixture = fixture_create(NULL);
	world_init(&watch->world);
	fixture_frames(watch->world.fixture, 2);
	struct server *server = world_server(&watch->world);
	actor_init(&watch->bystander, server->display, &watch->world.random);
	watch->bystander.deaf = false;
	fixture_pump(watch->world.fixture);
	wire_read(&watch->bystander.wire);
	watch->bytes = count_bytes();
	watch->descriptors = count_descriptors();
}

static void grow(struct watch *watch, struct flood *flood, const struct flood_kind *kind, int count)
{
	for (int i = 0; i < count && actor_alive(&flood->actor); i++) {
		kind->add(flood, i);
		if (i % BATCH == BATCH - 1) {
			ask(watch);
			wire_read(&flood->actor.wire);
		}
		if (i % 512 == 511) {
			pass_frame(watch);
			look(watch);
		}
	}
	if (kind->end && actor_alive(&flood->actor)) {
		kind->end(flood);
	}
	ask(watch);
	pass_frame(watch);
	look(watch);
}

static void shrink(struct watch *watch, struct flood *flood)
{
	struct random *random = &watch->world.random;
	for (int i = flood->n_ids; i > 1; i--) {
		int j = random_between(random, 0, i - 1);
		struct flood_id id = flood->ids[i - 1];
		flood->ids[i - 1] = flood->ids[j];
		flood->ids[j] = id;
	}
	for (int rank = FLOOD_N_RANKS - 1; rank >= 0; rank--) {
		for (int i = 0; i < flood->n_ids && actor_alive(&flood->actor); i++) {
			if (flood->ids[i].rank == rank) {
				ASK(&flood->actor, flood->ids[i].id, flood->ids[i].destructor, 0);
			}
			if (i % 64 == 63) {
				ask(watch);
				wire_read(&flood->actor.wire);
			}
		}
	}
	pass_frame(watch);
	look(watch);
}

static void check(const struct watch *watch, const char *kind, int64_t limit)
{
	size_t bytes = watch->most_bytes - watch->bytes;
	int descriptors = watch->most_descriptors - watch->descriptors;
	if (watch->answer > limit) {
		fail_msg("%s: the bystander was answered after %.1f ms; the limit is %.1f", kind,
			(double)watch->answer / 1e6, (double)limit / 1e6);
	}
	if (watch->most_bytes > watch->bytes && bytes > BYTES_MAX) {
		fail_msg("%s: the server uses %zu MiB more", kind, bytes >> 20);
	}
	if (descriptors > DESCRIPTORS_MAX) {
		fail_msg("%s: the server has %d descriptors more", kind, descriptors);
	}
}

static void play(const struct flood_kind *kind, int count, uint32_t seed, bool destroys)
{
	struct watch watch;
	begin(&watch, seed);
	int64_t limit = measure_limit(&watch);
	watch.longest = watch.answer = 0;
	struct flood flood = {.random = &watch.world.random};
	struct actor *actor = &flood.actor;
	actor_init(actor, world_server(&watch.world)->display, flood.random);
	actor->deaf = false;
	ask(&watch);
	wire_read(&actor->wire);
	flood_begin(&flood);
	grow(&watch, &flood, kind, kind->most && kind->most < count ? kind->most : count);
	if (destroys) {
		shrink(&watch, &flood);
	}
	wire_read(&actor->wire);
	printf("%s, %s: %d objects%s%s\n", kind->name, destroys ? "destroyed" : "disconnected",
		flood.n_ids, *actor->wire.error ? "; " : "", actor->wire.error);
	actor_finish(actor);
	free(flood.ids);
	for (int i = 0; i < 4; i++) {
		ask(&watch);
	}
	pass_frame(&watch);
	printf("  answer %.1f ms, dispatch %.1f ms (limit %.1f), %.1f MiB, %d descriptors\n",
		(double)watch.answer / 1e6, (double)watch.longest / 1e6, (double)limit / 1e6,
		watch.most_bytes > watch.bytes
			? (double)(watch.most_bytes - watch.bytes) / (1 << 20)
			: 0.0,
		watch.most_descriptors - watch.descriptors);
	check(&watch, kind->name, limit);
	actor_finish(&watch.bystander);
	fixture_pump(watch.world.fixture);
	world_finish(&watch.world);
}

__attribute__((format(printf, 1, 0))) static void ignore_log(const char *format, va_list args)
{
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "all";
	int count = argc > 2 ? atoi(argv[2]) : 3000, n = 0;
	uint32_t seed = argc > 3 ? (uint32_t)atol(argv[3]) : 1;
	const struct flood_kind *kind;
	setenv("PATH", "/nonexistent", 1);
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	wl_log_set_handler_server(ignore_log);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; (kind = flood_kind_at(i)); i++) {
		if (strcmp(name, "all") == 0 || strcmp(name, kind->name) == 0) {
			play(kind, count, seed, true);
			play(kind, count, seed, false);
			n += 2;
		}
	}
	printf("%d passed, 0 failed\n", n);
	return n == 0;
}
