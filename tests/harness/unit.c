/* SPDX-License-Identifier: MIT */
/* Helpers of unit tests. Random numbers come from splitmix64 with a constant seed. */

#include "harness/unit.h"
#include "backend/output.h"
#include "surface/surface.h"

static uint64_t state = 0x2545f4914f6cdd1d;

bool derive_and_commit(struct surface *surface)
{
	surface_state_derive(&surface->pending);
	return surface_commit(surface);
}

void random_seed(uint64_t seed)
{
	state = seed;
}

int random_between(int low, int high)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (int)(low + (int64_t)(z % (uint64_t)((int64_t)high - low + 1)));
}

static void destroy_output(struct output *output)
{
}

static bool take_state(struct output *output, const struct output_state *state)
{
	return true;
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	return true;
}

const struct output_impl dark_output_impl = {
	.destroy = destroy_output,
	.test = take_state,
	.commit = commit_state,
};

static void count(struct wl_listener *listener, void *data)
{
	struct counter *counter = wl_container_of(listener, counter, listener);

	counter->n++;
}

void counter_init(struct counter *counter, struct wl_signal *signal)
{
	counter->n = 0;
	counter->listener.notify = count;
	wl_signal_add(signal, &counter->listener);
}
