/* SPDX-License-Identifier: MIT */
/* Latencies of commits in frames that are presented, dropped, or drawn ahead. */

#include "harness/surface.h"

#include "frame/meter.h"

#define MS INT64_C(1000000)

struct metered {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct meter meter;
	struct surface *surface;
	const struct frame_output *frame, *other; /* never dereferenced */
};

static void begin(struct metered *metered)
{
	static const int frames[2];
	*metered = (struct metered){.loop = wl_event_loop_create(),
		.clock = clock_create_test(MS),
		.frame = (const void *)&frames[0],
		.other = (const void *)&frames[1]};
	meter_init(&metered->meter, metered->clock);
	meter_watch(&metered->meter, true);
	metered->surface = surface_create(metered->loop, NULL);
}

static void end(struct metered *metered)
{
	surface_destroy(metered->surface);
	meter_watch(&metered->meter, false);
	meter_finish(&metered->meter);
	clock_destroy(metered->clock);
	wl_event_loop_destroy(metered->loop);
}

/* Commits, and makes the commit a part of the next frame, which may be drawn ahead. */
static void commit(struct metered *metered, bool ahead)
{
	meter_commit(&metered->meter, metered->surface);
	assert_true(derive_and_commit(metered->surface));
	meter_latch(&metered->meter, metered->frame, metered->surface, ahead);
}

static struct meter_surface *only(const struct metered *metered)
{
	assert_int_equal(wl_list_length(&metered->meter.surfaces), 1);
	struct meter_surface *surface;
	return wl_container_of(metered->meter.surfaces.next, surface, link);
}

static void present(struct metered *metered, const struct frame_output *frame, bool presented)
{
	meter_presented(&metered->meter, frame, presented ? clock_now(metered->clock) : 0);
}

/* Of frames that are dropped, and of those of another output, nothing is known. */
static void commits_of_presented_frames_count(void **state)
{
	struct metered metered;
	begin(&metered);
	for (int i = 1; i <= 10; i++) {
		commit(&metered, false);
		clock_advance(metered.clock, i * MS);
		present(&metered, metered.other, true);
		assert_int_equal(only(&metered)->n_latencies, (i - 1) / 2);
		present(&metered, metered.frame, i % 2 == 0);
		assert_int_equal(only(&metered)->n_latencies, i / 2);
		assert_int_equal(meter_latency(only(&metered), 1), i / 2 * 2 * MS);
	}
	end(&metered);
}

/* A commit that is drawn ahead is presented with the frame after the one in flight, or dropped. */
static void commits_drawn_ahead_count_with_their_frame(void **state)
{
	for (int dropped = 0; dropped < 2; dropped++) {
		struct metered metered;
		begin(&metered);
		commit(&metered, false);
		clock_advance(metered.clock, 2 * MS);
		commit(&metered, true);
		clock_advance(metered.clock, 3 * MS);
		present(&metered, metered.frame, true);
		assert_int_equal(only(&metered)->n_latencies, 1);
		assert_int_equal(meter_latency(only(&metered), 1), 5 * MS);
		if (dropped) {
			meter_drop_ahead(&metered.meter, metered.frame);
		}
		meter_promote(&metered.meter, metered.frame);
		clock_advance(metered.clock, 6 * MS);
		present(&metered, metered.frame, true);
		assert_int_equal(only(&metered)->n_latencies, dropped ? 1 : 2);
		assert_int_equal(meter_latency(only(&metered), 1), (dropped ? 5 : 9) * MS);
		end(&metered);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_of_presented_frames_count),
		cmocka_unit_test(commits_drawn_ahead_count_with_their_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
