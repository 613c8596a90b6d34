/* SPDX-License-Identifier: MIT */
/*
 * Frame pacing: the times of frame callbacks, presentation feedback and presented commits, on the
 * test's clock.
 */

#include "frame/output.h"
#include "harness/client/pacer.h"
#include "server/outputs.h"
#include "server/power.h"
#include "surface/transaction.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <wayland-server-protocol.h>

/* With damage or without: one callback for each vblank waited for, and no timer afterwards. */
static void each_vblank_sends_one_callback(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	for (int i = 1; i <= 20; i++) {
		pacer_ask_callback(pacer);
		if (i % 2) {
			pacer_draw(pacer);
		} else {
			wl_surface_commit(pacer->surface);
		}
		fixture_pump(fixture);
		int64_t before = pacer_now(pacer);
		pacing_run_until(fixture, before + PERIOD + MS);
		assert_int_equal(pacer->n_done, i);
		assert_true(pacer->last_done > before);
	}
	pacing_run_until(fixture, pacer_now(pacer) + 2 * PERIOD);
	assert_int_equal(pacer->n_done, 20);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/*
 * One client commits at random times; another needs most of a period after its callback. The first
 * is presented at the next vblank possible, and the second in every frame.
 */
static void commits_are_presented_at_the_next_vblank(void **state)
{
	enum { FRAMES = 2000 };
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *random = pacer_create(fixture, 10, 10);
	struct pacer *slow = pacer_create(fixture, 100, 10);
	uint64_t dice = 99;
	int64_t next = pacer_now(random) + PERIOD, end = pacer_now(random) + FRAMES * PERIOD;
	int served = 0;
	int64_t slow_ready = 0;
	pacer_ask_callback(slow);
	pacer_draw(slow);
	fixture_pump(fixture);
	while (pacer_now(random) < end) {
		pacing_step(fixture, MS / 4);
		if (pacer_now(random) >= next) {
			pacer_ask_feedback(random);
			pacer_draw(random);
			dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			next += PERIOD + (int64_t)(dice >> 33) % (2 * PERIOD);
		}
		if (slow->n_done > served) {
			served = slow->n_done;
			slow_ready = slow->last_done + PERIOD * 7 / 10;
		}
		if (slow_ready && pacer_now(slow) >= slow_ready) {
			slow_ready = 0;
			pacer_ask_callback(slow);
			pacer_ask_feedback(slow);
			pacer_draw(slow);
		}
		fixture_pump(fixture);
	}
	int64_t latency[SHOWN_MAX];
	for (int i = 0; i < random->n_presented; i++) {
		latency[i] = random->shown[i] - random->committed[i];
		assert_true(i == 0 || random->shown[i] > random->shown[i - 1]);
	}
	int n = random->n_presented;
	assert_in_range(n, FRAMES * 2 / 5, FRAMES * 3 / 5);
	qsort(latency, (size_t)n, sizeof(latency[0]), compare);
	assert_in_range(latency[n / 2], 0, PERIOD / 2 + 2 * MS);
	assert_in_range(latency[n * 99 / 100], 0, PERIOD + 2 * MS);
	/* Every frame: the sequence has no gaps. */
	assert_in_range(slow->n_presented, FRAMES - 4, FRAMES);
	for (int i = 1; i < slow->n_presented; i++) {
		assert_int_equal(slow->sequence[i], slow->sequence[i - 1] + 1);
	}
	assert_int_equal(slow->n_discarded, 0);
	fixture_destroy(fixture);
	free(random);
	free(slow);
}

/* A thousand commits a second: the newest one is presented, the others are never uploaded. */
static void newest_of_many_commits_is_presented(void **state)
{
	static const struct fixture_options options = {.renderer = RENDERER_GLES};
	struct fixture *fixture = fixture_create(&options);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	uint64_t uploaded = pacer_surface(pacer)->bytes_uploaded;
	uint64_t shown = pacer_surface(pacer)->n_shown;
	for (int i = 0; i < 1000; i++) {
		pacer_ask_feedback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		pacing_step(fixture, MS);
	}
	fixture_settle(fixture);
	shown = pacer_surface(pacer)->n_shown - shown;
	assert_in_range(shown, 59, 62);
	assert_int_equal(pacer_surface(pacer)->bytes_uploaded - uploaded, shown * 40 * 40 * 4);
	assert_int_equal(pacer->n_presented, shown);
	assert_int_equal(pacer->n_discarded, 1000 - shown);
	/* Each frame used the newest commit when its rendering began, moments before the vblank. */
	for (int i = 0; i < pacer->n_presented - 1; i++) {
		assert_in_range(pacer->shown[i] - pacer->committed[i], 0, 4 * MS);
	}
	fixture_destroy(fixture);
	free(pacer);
}

/*
 * On two outputs, the one that shows most of the window sends callbacks; while it is off, the other
 * does.
 */
static void output_with_most_of_the_window_paces_it(void **state)
{
	static const struct fixture_options options = {.n_outputs = 2};
	struct fixture *fixture = fixture_create(&options);
	struct pacer *pacer =
		pacer_create(fixture, 290, 10); /* 30 of 40 pixel columns on the first */
	struct scene_output *first = fixture->server->scene->outputs[0];
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(pacer) + PERIOD + MS);
	assert_int_equal(pacer->n_done, 1);
	/* One callback for each commit, although both outputs present it. */
	pacing_run_until(fixture, pacer_now(pacer) + 3 * PERIOD);
	assert_int_equal(pacer->n_done, 1);

	first->output->asleep = true;
	for (int i = 2; i < 6; i++) {
		pacer_ask_callback(pacer);
		pacer_draw(pacer);
		fixture_pump(fixture);
		pacing_run_until(fixture, pacer_now(pacer) + PERIOD + 2 * MS);
		assert_int_equal(pacer->n_done, i);
	}
	/* Both are off: the window is throttled as if hidden. */
	fixture->server->scene->outputs[1]->output->asleep = true;
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND + PERIOD);
	assert_int_equal(pacer->n_done, 6);
	fixture_destroy(fixture);
	free(pacer);
}

/* Draws. Returns the time when rendering begins. */
static int64_t draw_and_begin(struct pacer *pacer, struct frame_output *frame)
{
	uint64_t frames = frame->stats.frames;
	pacer_ask_callback(pacer);
	pacer_ask_feedback(pacer);
	pacer_draw(pacer);
	fixture_pump(pacer->fixture);
	while (frame->stats.frames == frames) {
		pacing_step(pacer->fixture, MS / 4);
	}
	return pacer_now(pacer);
}

static void finish_frame(struct pacer *pacer)
{
	while (pacer->n_done < pacer->n_asked) {
		pacing_step(pacer->fixture, MS / 4);
	}
	pacing_step(pacer->fixture, MS);
}

/*
 * A single client that draws on its callbacks: its frames begin at once, and buffer releases wait
 * for the callback.
 */
static void single_client_draws_at_once_after_its_callback(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct pacer *other = pacer_create(fixture, 100, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	for (int i = 0; i < 40; i++) {
		int64_t asked = pacer_now(pacer);
		int64_t waited = draw_and_begin(pacer, frame) - asked;
		assert_true(i == 0 || i >= 10 || waited > 5 * MS);
		assert_true(i <= 36 || waited <= MS / 4);
		finish_frame(pacer);
	}
	/* A released buffer does not wake a client that waits for its callback. */
	struct peer_buffer *last = pacer->buffers[(pacer->next - 1) % 3];
	int released = last->n_released;
	draw_and_begin(pacer, frame);
	assert_int_equal(last->n_released, released);
	finish_frame(pacer);
	assert_int_equal(last->n_released, released + 1);

	/*
	 * A commit of another client misses one frame; later frames wait for newer commits again.
	 */
	draw_and_begin(pacer, frame);
	pacer_ask_feedback(other);
	pacer_draw(other);
	finish_frame(pacer);
	for (int i = 0; i < 10; i++) {
		int64_t asked = pacer_now(pacer);
		assert_true(draw_and_begin(pacer, frame) - asked > 5 * MS);
		finish_frame(pacer);
	}
	assert_int_equal(other->n_presented, 1);
	for (int i = 0; i < 80; i++) {
		pacer_ask_callback(pacer);
		pacer_draw(pacer);
		pacing_step(fixture, 0);
		pacing_step(fixture, MS);
		pacer_ask_feedback(other);
		pacer_draw(other);
		fixture_pump(fixture);
		finish_frame(pacer);
	}
	assert_int_equal(other->n_presented, 81);
	assert_int_equal(other->n_discarded, 0);
	for (int i = 1; i < other->n_presented; i++) {
		assert_true(other->shown[i] - other->committed[i] < PERIOD);
	}
	fixture_destroy(fixture);
	free(pacer);
	free(other);
}

/* Each output has its own rate: the fast one never waits for the slow one. */
static void outputs_keep_their_own_rates(void **state)
{
	static const struct fixture_options options = {.n_outputs = 2, .refresh = {23976, 143998}};
	static const int64_t periods[] = {SECOND * 1000 / 23976, SECOND * 1000 / 143998};
	struct fixture *fixture = fixture_create(&options);
	fixture_sleep(fixture, SECOND / 5); /* until the slow output has presented a frame */
	struct pacer *pacers[] = {pacer_create(fixture, 10, 10), pacer_create(fixture, 330, 10)};
	int served[] = {-1, -1};
	int64_t began = clock_now(fixture->clock);
	while (clock_now(fixture->clock) < began + 2 * SECOND) {
		for (int i = 0; i < 2; i++) {
			if (pacers[i]->n_done != served[i]) {
				served[i] = pacers[i]->n_done;
				pacer_ask_callback(pacers[i]);
				pacer_ask_feedback(pacers[i]);
				pacer_draw(pacers[i]);
			}
		}
		pacing_step(fixture, MS / 4);
	}
	for (int i = 0; i < 2; i++) {
		int wanted = (int)(2 * SECOND / periods[i]);
		assert_in_range(pacers[i]->n_presented, wanted - 3, wanted + 1);
		for (int n = 1; n < pacers[i]->n_presented; n++) {
			assert_int_equal(pacers[i]->sequence[n], pacers[i]->sequence[n - 1] + 1);
			assert_in_range(pacers[i]->shown[n] - pacers[i]->shown[n - 1],
				periods[i] - 10, periods[i] + 10);
		}
	}
	fixture_destroy(fixture);
	free(pacers[0]);
	free(pacers[1]);
}

static int count_frames(struct pacer *pacer, int64_t ns)
{
	int first = pacer->n_presented, served = -1;
	int64_t end = pacer_now(pacer) + ns;
	while (pacer_now(pacer) < end) {
		if (pacer->n_done != served) {
			served = pacer->n_done;
			pacer_ask_callback(pacer);
			pacer_ask_feedback(pacer);
			pacer_draw(pacer);
		}
		pacing_step(pacer->fixture, MS / 2);
	}
	return pacer->n_presented - first;
}

/* Returns the number of callbacks while each is answered by a commit that changes no pixel. */
static int count_callbacks(struct pacer *pacer, int64_t ns)
{
	const int before = pacer->n_done;
	const int64_t end = pacer_now(pacer) + ns;
	int answered = before - 1;
	while (pacer_now(pacer) < end) {
		if (pacer->n_done != answered) {
			answered = pacer->n_done;
			pacer_ask_callback(pacer);
			wl_surface_commit(pacer->surface);
		}
		pacing_step(pacer->fixture, MS / 4);
	}
	return pacer->n_done - before;
}

/*
 * On battery, an output runs at an integer fraction of its rate, and at the full rate afterwards.
 */
static void battery_divides_the_rate(void **state)
{
	static const struct fixture_options options = {.refresh = {144000}};
	struct fixture *fixture = fixture_create(&options);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct power power = {.on_battery = true};
	assert_in_range(count_frames(pacer, SECOND), 142, 145);
	assert_null(fixture->server->power);
	fixture->server->power = &power;
	server_outputs_pace(fixture->server);
	count_frames(pacer, SECOND / 10);
	assert_in_range(count_frames(pacer, SECOND), 46, 49);
	assert_in_range(count_callbacks(pacer, SECOND), 46, 49);
	power.on_battery = false;
	server_outputs_pace(fixture->server);
	count_frames(pacer, SECOND / 10);
	assert_in_range(count_frames(pacer, SECOND), 142, 145);
	assert_in_range(count_callbacks(pacer, SECOND), 142, 145);
	fixture->server->power = NULL;
	fixture_destroy(fixture);
	free(pacer);
}

/** Emulates a GPU fence that is late for one update. */
struct late {
	struct wl_listener commit;
	struct blocker blocker;
	bool waits;
};

static void leave_blocker(struct blocker *blocker)
{
	struct late *late = wl_container_of(blocker, late, blocker);
	late->waits = false;
}

static void handle_late_commit(struct wl_listener *listener, void *data)
{
	static const struct blocker_impl impl = {.destroy = leave_blocker};
	struct late *late = wl_container_of(listener, late, commit);
	wl_list_remove(&late->commit.link);
	late->waits = true;
	blocker_init(&late->blocker, &impl, data, SURFACE_BUFFER);
}

/* A late fence delays its window, which keeps its content, and no other window. */
static void late_fence_delays_its_window_only(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *slow = pacer_create(fixture, 10, 10), *other = pacer_create(fixture, 100, 10);
	struct late late = {.commit.notify = handle_late_commit};
	pacer_draw(slow);
	fixture_settle(fixture);
	uint32_t before = fixture_pixel(fixture, 20, 20);
	wl_signal_add(&pacer_surface(slow)->events.commit, &late.commit);
	pacer_ask_feedback(slow);
	pacer_draw(slow);
	fixture_pump(fixture);
	assert_true(late.waits);
	int served = -1;
	int64_t end = pacer_now(other) + SECOND;
	while (pacer_now(other) < end) {
		if (other->n_done != served) {
			served = other->n_done;
			pacer_ask_callback(other);
			pacer_ask_feedback(other);
			pacer_draw(other);
		}
		pacing_step(fixture, MS / 2);
		assert_int_equal(fixture_pixel(fixture, 20, 20), before);
	}
	assert_in_range(other->n_presented, 57, 61);
	for (int i = 1; i < other->n_presented; i++) {
		assert_int_equal(other->sequence[i], other->sequence[i - 1] + 1);
	}
	assert_int_equal(slow->n_presented, 0);
	/* Signaled: the next frame presents it. */
	int64_t signalled = pacer_now(slow);
	blocker_clear(&late.blocker);
	pacing_run_until(fixture, signalled + 3 * PERIOD);
	assert_int_equal(slow->n_presented, 1);
	assert_true(slow->shown[0] - signalled <= PERIOD + 2 * MS);
	assert_int_equal(
		fixture_pixel(fixture, 20, 20), (uint32_t)slow->next * 0x030507 & 0xffffff);
	fixture_destroy(fixture);
	free(slow);
	free(other);
}

/* A client whose connection turns out to be closed while events are flushed. */
struct ending {
	struct pacer *pacer;
	const struct frame_output *frame;
	struct wl_event_source *next_turn; /* one dispatch after the failed flush */
	uint64_t frames; /* frames drawn by then */
};

static int handle_end(void *data)
{
	struct ending *ending = data;
	struct peer *peer = ending->pacer->peer;
	struct wl_resource *surface = wl_client_get_object(
		peer->client, wl_proxy_get_id((struct wl_proxy *)ending->pacer->surface));
	wl_surface_send_preferred_buffer_scale(surface, 1);
	shutdown(wl_display_get_fd(peer->display), SHUT_RDWR);
	wl_event_source_timer_update(ending->next_turn, 1);
	return 0;
}

static int handle_next_turn(void *data)
{
	struct ending *ending = data;
	ending->frames = ending->frame->stats.frames;
	server_quit(ending->pacer->fixture->server, 0);
	return 0;
}

/* The window goes at once, instead of at the next wake-up of the loop. */
static void window_of_a_closed_connection_goes_at_once(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	struct ending ending = {.pacer = pacer, .frame = frame};
	for (int i = 0; i < 40; i++) {
		draw_and_begin(pacer, frame);
		finish_frame(pacer);
	}
	fixture_settle(fixture);
	uint64_t before = frame->stats.frames;
	struct wl_event_loop *loop = fixture->server->loop;
	struct wl_event_source *end = wl_event_loop_add_timer(loop, handle_end, &ending);
	ending.next_turn = wl_event_loop_add_timer(loop, handle_next_turn, &ending);
	wl_event_source_timer_update(end, 1);
	server_run(fixture->server);
	assert_null(pacer->peer->client);
	assert_int_equal(ending.frames, before + 1);
	wl_event_source_remove(end);
	wl_event_source_remove(ending.next_turn);
	fixture_destroy(fixture);
	free(pacer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_vblank_sends_one_callback),
		cmocka_unit_test(commits_are_presented_at_the_next_vblank),
		cmocka_unit_test(newest_of_many_commits_is_presented),
		cmocka_unit_test(output_with_most_of_the_window_paces_it),
		cmocka_unit_test(single_client_draws_at_once_after_its_callback),
		cmocka_unit_test(outputs_keep_their_own_rates),
		cmocka_unit_test(battery_divides_the_rate),
		cmocka_unit_test(late_fence_delays_its_window_only),
		cmocka_unit_test(window_of_a_closed_connection_goes_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
