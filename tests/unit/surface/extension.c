/* SPDX-License-Identifier: MIT */
/* Surface extensions: their state is queued and applied with the surface's updates. */

#include "harness/surface.h"

struct note {
	int value;
	bool set;
	int *n_alive;
};

static int notes_alive;

static void init_note(void *state)
{
	struct note *note = state;
	note->n_alive = &notes_alive;
	notes_alive++;
}

static void finish_note(void *state)
{
	struct note *note = state;
	(*note->n_alive)--;
}

static void merge_note(void *to_state, void *from_state)
{
	struct note *to = to_state, *from = from_state;
	if (from->set) {
		to->value = from->value;
		to->set = true;
		from->set = false;
	}
}

static const struct surface_extension_impl note_impl = {
	.state_size = sizeof(struct note),
	.init = init_note,
	.finish = finish_note,
	.merge = merge_note,
};

static void merge_sum(void *to, void *from)
{
	*(int *)to += *(int *)from;
	*(int *)from = 0;
}

static const struct surface_extension_impl sum_impl = {
	.state_size = sizeof(int),
	.merge = merge_sum,
};

static void set_note(struct surface_extension *extension, int value)
{
	struct note *note = surface_extension_pending(extension);
	note->value = value;
	note->set = true;
}

static int current_note(struct surface_extension *extension)
{
	const struct note *note = surface_extension_current(extension);
	return note->value;
}

static void extension_state_applies_with_its_update(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface_extension note, sum;
	struct test_gate gate;
	gate_init(&gate, surface);
	surface_extension_init(&note, surface, &note_impl);
	surface_extension_init(&sum, surface, &sum_impl);
	assert_int_not_equal(note.index, sum.index);

	for (int i = 1; i <= 3; i++) {
		set_note(&note, i);
		*(int *)surface_extension_pending(&sum) = i;
		derive_and_commit(surface);
		assert_int_equal(current_note(&note), 0);
	}
	for (int i = 1; i <= 3; i++) {
		gate_pass(&gate);
		assert_int_equal(current_note(&note), i);
		assert_int_equal(*(int *)surface_extension_current(&sum), i * (i + 1) / 2);
	}
	/* An update without extension state keeps the value. */
	derive_and_commit(surface);
	gate_pass(&gate);
	assert_int_equal(current_note(&note), 3);

	/*
	 * A removed extension is dropped from blocked updates at once, and its storage is reused.
	 */
	set_note(&note, 9);
	*(int *)surface_extension_pending(&sum) = 100;
	derive_and_commit(surface);
	int index = note.index;
	surface_extension_finish(&note);
	assert_int_equal(notes_alive, 0);
	struct surface_extension again;
	surface_extension_init(&again, surface, &sum_impl);
	assert_int_equal(again.index, index);
	*(int *)surface_extension_pending(&again) = 5;
	derive_and_commit(surface);
	gate_pass(&gate);
	assert_int_equal(*(int *)surface_extension_current(&again), 0);
	assert_int_equal(*(int *)surface_extension_current(&sum), 106);
	gate_pass(&gate);
	assert_int_equal(*(int *)surface_extension_current(&again), 5);
	surface_extension_finish(&again);
	surface_extension_finish(&sum);
	gate_finish(&gate);
}

/* The arrays of states grow with each extension, also those of updates that wait. */
static void many_extensions_travel_with_their_updates(void **state)
{
	enum { N = 20 };
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	gate_init(&gate, surface);
	struct surface_extension sums[N];
	for (int i = 0; i < N; i++) {
		surface_extension_init(&sums[i], surface, &sum_impl);
		assert_int_equal(sums[i].index, i);
		assert_true(surface->pending.n_extensions > i);
		*(int *)surface_extension_pending(&sums[i]) = 1000 + i;
		derive_and_commit(surface);
	}
	for (int i = 0; i < N; i++) {
		assert_int_equal(*(int *)surface_extension_current(&sums[i]), 0);
		gate_pass(&gate);
		assert_int_equal(*(int *)surface_extension_current(&sums[i]), 1000 + i);
	}
	for (int i = 0; i < N; i++) {
		surface_extension_finish(&sums[i]);
	}
	gate_finish(&gate);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, scenario_set_up, scenario_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(extension_state_applies_with_its_update),
		TEST(many_extensions_travel_with_their_updates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
