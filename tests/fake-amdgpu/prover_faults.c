/* SPDX-License-Identifier: MIT */
/* Passing failures of proofs, on an emulated amdgpu. */

#include "copy/engine.h"
#include "faults.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "prover_world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
/* Calls of one kind that a proof makes at most. */
#define CALLS_MAX 12

/* Proves the memory, once with the fault and once after it. Returns whether a call failed. */
static bool prove_twice(struct prover_world *world, const struct fault *fault, int call)
{
	faults_set(fault);
	int result = prover_prove(world);
	unsigned n = faults_count();
	faults_set(NULL);
	if (result != 0 || prover_prove(world) != 0) {
		fail_msg("%s, after %u: %s: %s", faults_call_name(call), fault->skip,
			strerror(fault->error), strerror(-result));
	}
	clock_advance(world->clock, 2 * SECOND);
	await(fake_gpu_counts(world->fake).files == 0, prover_turn(world));
	fake_gpu_fault(world->fake);
	return n > 0;
}

static void single_failure_of_any_call_is_no_result(void **state)
{
	static const int errors[] = {
		ENOMEM, EMFILE, EBUSY, EIO, EAGAIN, EINTR, ENOSPC, ECANCELED, ENODEV};
	int n_failed = 0;
	for (int call = 0; call < FAKE_CALLS; call++) {
		for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
			struct fault fault = {.calls = 1U << call, .error = errors[e], .n = 1};
			if (call == FAKE_CALL_DESCRIPTOR && errors[e] != EMFILE) {
				continue;
			}
			while (fault.skip < CALLS_MAX && prove_twice(*state, &fault, call)) {
				fault.skip++;
				n_failed++;
			}
		}
	}
	print_message("%d failures\n", n_failed);
	assert_true(n_failed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(single_failure_of_any_call_is_no_result,
			prover_world_set_up, prover_world_tear_down),
	};

	return cmocka_run_group_tests_name("prover-faults", tests, NULL, NULL);
}
