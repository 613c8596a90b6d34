/* SPDX-License-Identifier: MIT */
/*
 * Permission to copy through staging memory, while engines are lost, come back, and take over from
 * others in any order: no pair of engines copies before it was verified.
 */

#include "gpu/gpu.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include <errno.h>

#define N_STEPS 200
#define N_LIVES 300

/* Verdicts by writer and reader; those of the crossing buffer and of its copies are the same. */
static enum verdict verdicts[COPIER_ENGINES_MAX][COPIER_ENGINES_MAX];

enum verdict __wrap_staging_verify(struct staging_verifier *verifier,
	const struct verdict_path *path, const uint64_t native[static 2]);

enum verdict __wrap_staging_verify(struct staging_verifier *verifier,
	const struct verdict_path *path, const uint64_t native[static 2])
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	return verdicts[path->writer - types][path->engine - types];
}

/* A third of the tests runs for some time, and then each finds the pixels right or wrong. */
static void choose_verdicts(int n)
{
	static const enum verdict all[] = {VERDICT_NONE, VERDICT_NONE, VERDICT_EXACT,
		VERDICT_UNTESTED, VERDICT_LATE, VERDICT_WRONG};
	for (int i = 0; i < n * n; i++) {
		verdicts[i / n][i % n] = all[random_between(0, 5)];
	}
}

static void end_test(int n)
{
	enum verdict *verdict = &verdicts[random_between(0, n - 1)][random_between(0, n - 1)];
	if (*verdict == VERDICT_NONE) {
		*verdict = random_between(0, 3) ? VERDICT_EXACT : VERDICT_WRONG;
	}
}

static int expected(int writer, int reader)
{
	const enum verdict verdict = verdicts[writer][reader];
	return verdict == VERDICT_NONE ? -EINPROGRESS : verdict == VERDICT_WRONG ? -ENOTSUP : 0;
}

static const struct dmabuf *find_dmabuf(struct buffer *buffer)
{
	static const struct dmabuf dmabuf;
	return &dmabuf;
}

static const struct buffer_impl impl = {.dmabuf = find_dmabuf};
static struct buffer client = {.impl = &impl}, memory = {.impl = &impl};

/* Asks for an engine that reads or writes the memory. Returns the result. */
static int ask_for_any(struct staging_slot *slot, struct staging_search *search, int n)
{
	const int engine = random_between(0, n - 1), writer = search->writer;
	const bool reads = random_between(0, 2);
	const int sampler = slot->is_local ? search->reads : staging_sampler();
	slot->order.source = reads ? &memory : &client;
	slot->order.destination = reads ? NULL : &memory;
	const int wanted = reads ? expected(writer, engine) : expected(engine, sampler);
	const int error = reads ? staging_permit_reader(&slot->order, engine)
				: staging_permit_writer(&slot->order, engine);
	assert_int_equal(error, wanted);
	assert_int_equal(search->writer, reads || error ? writer : engine);
	return error;
}

/* In memory of a slot, or in the buffer from which copies cross into local memory. */
static void no_pair_of_engines_copies_before_it_is_verified(void **state)
{
	struct gpu gpus[2] = {{.driver = (char *)"amdgpu"}, {.driver = (char *)"nvidia"}};
	struct gpu_engines source = {.gpu = &gpus[0]};
	struct copier copier = {0};
	int verifier, n_permitted = 0;
	struct staging staging = {
		.copier = &copier, .verifier = (struct staging_verifier *)&verifier};
	size_t n;
	engine_types(&n);
	for (int life = 0; life < N_LIVES; life++) {
		const bool local = life % 2;
		struct staging_ring ring = {.source = &source,
			.reader = {.staging = &staging, .gpu = &gpus[1]},
			.crossing = local ? &memory : NULL};
		struct staging_slot *slot = &ring.slots[1];
		struct staging_search *search = local ? &ring.crossing_search : &slot->search;
		const int writer = random_between(0, (int)n - 1);
		const int reader = random_between(0, (int)n - 1);
		const char *why;
		choose_verdicts((int)n);
		*slot = (struct staging_slot){
			.ring = &ring, .buffer = local ? NULL : &memory, .is_local = local};
		verdicts[writer][reader] = VERDICT_EXACT;
		assert_int_equal(staging_permit(&ring, search, writer, reader, 0, &why), 0);
		for (int step = 0; step < N_STEPS; step++) {
			end_test((int)n);
			n_permitted += ask_for_any(slot, search, (int)n) == 0;
		}
	}
	assert_in_range(n_permitted, N_LIVES, N_LIVES * (N_STEPS - 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_pair_of_engines_copies_before_it_is_verified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
