/*
 * When clients are told to go on, and when what they commit shows: frame callbacks, fifo barriers, commit
 * times and presentation feedback, by the test's clock.
 */

#include "backend/headless.h"
#include "commit-timing-v1-client-protocol.h"
#include "content-type-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "harness/peer.h"
#include "presentation-time-client-protocol.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "tearing-control-v1-client-protocol.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define PERIOD (SECOND * 1000 / 60000)
#define MAX_SHOWN 2048

/** A window whose commits and callbacks are kept count of. */
struct client {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct peer_buffer *buffers[3];
	int next;
	struct wl_surface *surface;
	struct wp_presentation *presentation;
	struct wp_fifo_v1 *fifo;
	struct wp_commit_timer_v1 *timer;
	int n_done, n_discarded, n_presented;
	int64_t last_done; /* the fixture's time */
	int64_t committed[MAX_SHOWN], shown[MAX_SHOWN]; /* ns; of those that were presented */
	uint64_t sequence[MAX_SHOWN];
};

struct feedback {
	struct client *client;
	int64_t committed;
};

static int64_t now(const struct client *client)
{
	return clock_now(client->fixture->clock);
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct client *client = data;
	client->n_done++;
	client->last_done = now(client);
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *proxy, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *proxy,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct feedback *feedback = data;
	struct client *client = feedback->client;
	int64_t seconds = (int64_t)((uint64_t)seconds_high << 32 | seconds_low);
	assert_in_range(client->n_presented, 0, MAX_SHOWN - 1);
	client->committed[client->n_presented] = feedback->committed;
	client->shown[client->n_presented] = seconds * SECOND + nanoseconds;
	client->sequence[client->n_presented] = (uint64_t)sequence_high << 32 | sequence_low;
	client->n_presented++;
	free(feedback);
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	struct feedback *feedback = data;
	feedback->client->n_discarded++;
	free(feedback);
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static struct client *client_create(struct fixture *fixture, int x, int y)
{
	struct client *client = xcalloc(1, sizeof(*client));
	client->fixture = fixture;
	client->peer = peer_create(fixture);
	client->window = peer_window_create(client->peer, x, y, 40, 40, 0xff808080);
	client->surface = client->window->surface;
	for (int i = 0; i < 3; i++) {
		client->buffers[i] =
			peer_buffer_create(client->peer, 40, 40, WL_SHM_FORMAT_XRGB8888);
	}
	client->presentation = peer_bind(client->peer, &wp_presentation_interface, 0);
	struct wp_fifo_manager_v1 *fifo = peer_bind(client->peer, &wp_fifo_manager_v1_interface, 0);
	client->fifo = wp_fifo_manager_v1_get_fifo(fifo, client->surface);
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(client->peer, &wp_commit_timing_manager_v1_interface, 0);
	client->timer = wp_commit_timing_manager_v1_get_timer(timing, client->surface);
	fixture_settle(fixture);
	return client;
}

static void ask_callback(struct client *client)
{
	wl_callback_add_listener(wl_surface_frame(client->surface), &callback_listener, client);
}

static void ask_feedback(struct client *client)
{
	struct feedback *feedback = xcalloc(1, sizeof(*feedback));
	*feedback = (struct feedback){.client = client, .committed = now(client)};
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(client->presentation, client->surface), &feedback_listener,
		feedback);
}

/* The next picture; sent with the next pump. */
static void draw(struct client *client)
{
	struct peer_buffer *buffer = client->buffers[client->next++ % 3];
	peer_buffer_fill(buffer, 0, 0, 40, 40, 0xff000000 | (uint32_t)client->next * 0x030507);
	peer_surface_show(client->surface, buffer);
}

static struct surface *surface_of(struct client *client)
{
	return peer_surface_find(client->peer, client->surface);
}

static void step(struct fixture *fixture, int64_t ns)
{
	clock_advance(fixture->clock, ns);
	fixture_pump(fixture);
}

/* Time goes on until `until`, in steps that are small beside a period. */
static void run_until(struct fixture *fixture, int64_t until)
{
	while (clock_now(fixture->clock) < until) {
		int64_t left = until - clock_now(fixture->clock);
		step(fixture, left < MS / 2 ? left : MS / 2);
	}
}

static void hide(struct client *client)
{
	window_set_minimized(peer_window_find(client->window), true);
	fixture_settle(client->fixture);
}

/* With damage or without: one callback for each vblank that was waited for, and then silence. */
static void test_callbacks(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	for (int i = 1; i <= 20; i++) {
		ask_callback(client);
		if (i % 2) {
			draw(client);
		} else {
			wl_surface_commit(client->surface);
		}
		fixture_pump(fixture);
		int64_t before = now(client);
		run_until(fixture, before + PERIOD + MS);
		assert_int_equal(client->n_done, i);
		assert_true(client->last_done > before);
	}
	run_until(fixture, now(client) + 2 * PERIOD);
	assert_int_equal(client->n_done, 20);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(client);
}

/* What cannot be seen goes on once a second, everybody at the same moment, and then nothing is armed. */
static void test_hidden(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *a = client_create(fixture, 10, 10);
	struct client *b = client_create(fixture, 100, 10);
	hide(a);
	hide(b);
	for (int i = 1; i <= 3; i++) {
		int64_t asked = now(a);
		ask_callback(a);
		draw(a);
		fixture_pump(fixture);
		step(fixture, 300 * MS);
		ask_callback(b);
		draw(b);
		fixture_pump(fixture);
		while (a->n_done < i) {
			assert_true(clock_advance_to_next(fixture->clock));
			fixture_pump(fixture);
		}
		assert_int_equal(a->last_done % SECOND, 0);
		assert_true(a->last_done - asked <= SECOND);
		assert_int_equal(b->n_done, i);
		assert_int_equal(b->last_done, a->last_done);
		step(fixture, 10 * MS);
	}
	assert_false(clock_advance_to_next(fixture->clock));
	/* Nothing of it was uploaded. */
	uint64_t uploaded = surface_of(a)->bytes_uploaded;
	draw(a);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(surface_of(a)->bytes_uploaded, uploaded);
	/* It comes back while it waits: by the next frame. */
	ask_callback(a);
	draw(a);
	fixture_pump(fixture);
	window_set_minimized(peer_window_find(a->window), false);
	fixture_frames(fixture, 3);
	assert_int_equal(a->n_done, 4);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(a);
	free(b);
}

/* Whatever it is that hides it, no frame of the output is the window's. */
static void test_covered(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	struct peer_window *cover = peer_window_create(client->peer, 0, 0, 200, 200, 0xff0000ff);
	struct peer_buffer *opaque =
		peer_buffer_create(client->peer, 200, 200, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(cover->surface, opaque);
	struct client *busy = client_create(fixture, 250, 150);
	fixture_settle(fixture);
	ask_callback(client);
	draw(client);
	fixture_pump(fixture);
	uint64_t shown = surface_of(client)->n_shown;
	for (int i = 0; i < 20; i++) {
		ask_callback(busy);
		draw(busy);
		fixture_frames(fixture, 1);
	}
	assert_true(busy->n_done >= 18);
	/* The moment that all hidden ones share may have come. */
	assert_in_range(client->n_done, 0, 1);
	assert_int_equal(surface_of(client)->n_shown, shown);
	fixture_sleep(fixture, SECOND + 20 * MS);
	assert_int_equal(client->n_done, 1);
	peer_window_destroy(cover);
	fixture_destroy(fixture);
	free(client);
	free(busy);
}

static void test_hidden_off(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	hide(client);
	hidden_set_rates(&fixture->server->hidden, 0, 30);
	ask_callback(client);
	draw(client);
	fixture_sleep(fixture, 5 * SECOND);
	assert_int_equal(client->n_done, 0);
	assert_false(clock_advance_to_next(fixture->clock));
	hidden_set_rates(&fixture->server->hidden, 2, 30);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(client->n_done, 1);
	fixture_destroy(fixture);
	free(client);
}

static void queue_fifo(struct client *client)
{
	wp_fifo_v1_set_barrier(client->fifo);
	wp_fifo_v1_wait_barrier(client->fifo);
	ask_feedback(client);
	draw(client);
}

/* Each of them shows, for one refresh cycle: none is passed over, none stays longer. */
static void test_fifo(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	for (int i = 0; i < 12; i++) {
		queue_fifo(client);
	}
	fixture_pump(fixture);
	run_until(fixture, now(client) + 14 * PERIOD);
	assert_int_equal(client->n_presented, 12);
	assert_int_equal(client->n_discarded, 0);
	for (int i = 1; i < 12; i++) {
		assert_int_equal(client->sequence[i], client->sequence[i - 1] + 1);
		assert_in_range(client->shown[i] - client->shown[i - 1], PERIOD - 1, PERIOD + 1);
	}
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_false(surface_of(client)->barrier);

	/* Without damage, they go on at the same pace, and end no differently. */
	uint64_t commits = 0;
	for (int i = 0; i < 5; i++) {
		wp_fifo_v1_set_barrier(client->fifo);
		wp_fifo_v1_wait_barrier(client->fifo);
		wl_surface_commit(client->surface);
	}
	int64_t began = now(client);
	fixture_pump(fixture);
	while (surface_of(client)->n_queued > 0 && commits++ < 1000) {
		step(fixture, MS);
	}
	assert_in_range(now(client) - began, 3 * PERIOD - 2 * MS, 5 * PERIOD);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(client);
}

/* The barrier is about what waits for it, and for nothing else. */
static void test_fifo_ignored(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	wp_fifo_v1_set_barrier(client->fifo);
	draw(client);
	draw(client);
	fixture_pump(fixture);
	assert_int_equal(surface_of(client)->n_queued, 0);
	/* A wait without a barrier is none. */
	fixture_settle(fixture);
	wp_fifo_v1_wait_barrier(client->fifo);
	draw(client);
	fixture_pump(fixture);
	assert_int_equal(surface_of(client)->n_queued, 0);
	/* The state outlives the object. */
	queue_fifo(client);
	queue_fifo(client);
	wp_fifo_v1_destroy(client->fifo);
	fixture_pump(fixture);
	assert_int_equal(surface_of(client)->n_queued, 1);
	fixture_settle(fixture);
	assert_int_equal(surface_of(client)->n_queued, 0);
	assert_int_equal(client->n_presented, 2);
	fixture_destroy(fixture);
	free(client);
}

static void test_fifo_hidden(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	hide(client);
	for (int i = 0; i < 30; i++) {
		queue_fifo(client);
	}
	fixture_pump(fixture);
	int64_t began = now(client);
	while (surface_of(client)->n_queued > 0) {
		assert_true(clock_advance_to_next(fixture->clock));
		fixture_pump(fixture);
	}
	assert_in_range(now(client) - began, 28 * SECOND / 30, 30 * SECOND / 30);
	/* The last barrier clears, and all is still. */
	fixture_sleep(fixture, SECOND / 10);
	assert_false(surface_of(client)->barrier);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(client);
}

/* Shown at the first vblank from the given time on. */
static void test_commit_timing(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	uint32_t random = 12345;
	for (int i = 0; i < 40; i++) {
		random = random * 1103515245 + 12345;
		int64_t target = now(client) + 5 * MS + (int64_t)(random >> 8) % (150 * MS);
		wp_commit_timer_v1_set_timestamp(
			client->timer, 0, (uint32_t)(target / SECOND), (uint32_t)(target % SECOND));
		ask_feedback(client);
		draw(client);
		fixture_pump(fixture);
		run_until(fixture, target + PERIOD + 2 * MS);
		assert_int_equal(client->n_presented, i + 1);
		assert_true(client->shown[i] >= target);
		assert_true(client->shown[i] < target + PERIOD);
	}
	/* A time that is past holds nothing up. */
	wp_commit_timer_v1_set_timestamp(client->timer, 0, 1, 0);
	draw(client);
	fixture_pump(fixture);
	assert_int_equal(surface_of(client)->n_queued, 0);
	/* One that is too far away to count holds up its surface only, and what comes after it there. */
	wp_commit_timer_v1_set_timestamp(client->timer, UINT32_MAX, UINT32_MAX, 999999999);
	draw(client);
	draw(client);
	fixture_pump(fixture);
	assert_int_equal(surface_of(client)->n_queued, 2);
	fixture_destroy(fixture);
	free(client);
}

/* Both together: never before its time, and one a cycle. */
static void test_both(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	int64_t first = now(client) + 5 * PERIOD;
	for (int i = 0; i < 6; i++) {
		int64_t target = first + i * PERIOD / 2;
		wp_commit_timer_v1_set_timestamp(
			client->timer, 0, (uint32_t)(target / SECOND), (uint32_t)(target % SECOND));
		queue_fifo(client);
	}
	fixture_pump(fixture);
	run_until(fixture, first + 8 * PERIOD);
	assert_int_equal(client->n_presented, 6);
	for (int i = 0; i < 6; i++) {
		assert_true(client->shown[i] >= first + i * PERIOD / 2);
		if (i > 0) {
			assert_int_equal(client->sequence[i], client->sequence[i - 1] + 1);
		}
	}
	fixture_destroy(fixture);
	free(client);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/*
 * One client commits whenever it likes; another needs most of a period after its callback. The first is
 * shown as soon as the screen can, and the second in every frame.
 */
static void test_latency(void **state)
{
	enum { FRAMES = 2000 };
	struct fixture *fixture = fixture_create(NULL);
	struct client *random = client_create(fixture, 10, 10);
	struct client *slow = client_create(fixture, 100, 10);
	uint64_t dice = 99;
	int64_t next = now(random) + PERIOD, end = now(random) + FRAMES * PERIOD;
	int served = 0;
	int64_t slow_ready = 0;
	ask_callback(slow);
	draw(slow);
	fixture_pump(fixture);
	while (now(random) < end) {
		step(fixture, MS / 4);
		if (now(random) >= next) {
			ask_feedback(random);
			draw(random);
			dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			next += PERIOD + (int64_t)(dice >> 33) % (2 * PERIOD);
		}
		if (slow->n_done > served) {
			served = slow->n_done;
			slow_ready = slow->last_done + PERIOD * 7 / 10;
		}
		if (slow_ready && now(slow) >= slow_ready) {
			slow_ready = 0;
			ask_callback(slow);
			ask_feedback(slow);
			draw(slow);
		}
		fixture_pump(fixture);
	}
	int64_t latency[MAX_SHOWN];
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

/* A thousand commits a second: the newest is shown, the others cost no upload. */
static void test_storm(void **state)
{
	static const struct fixture_options options = {.renderer = RENDERER_GLES};
	struct fixture *fixture = fixture_create(&options);
	struct client *client = client_create(fixture, 10, 10);
	uint64_t uploaded = surface_of(client)->bytes_uploaded;
	uint64_t shown = surface_of(client)->n_shown;
	for (int i = 0; i < 1000; i++) {
		ask_feedback(client);
		draw(client);
		fixture_pump(fixture);
		step(fixture, MS);
	}
	fixture_settle(fixture);
	shown = surface_of(client)->n_shown - shown;
	assert_in_range(shown, 59, 62);
	assert_int_equal(surface_of(client)->bytes_uploaded - uploaded, shown * 40 * 40 * 4);
	assert_int_equal(client->n_presented, shown);
	assert_int_equal(client->n_discarded, 1000 - shown);
	/* Each frame took what was there when its work began, moments before the vblank. */
	for (int i = 0; i < client->n_presented - 1; i++) {
		assert_in_range(client->shown[i] - client->committed[i], 0, 4 * MS);
	}
	fixture_destroy(fixture);
	free(client);
}

/* On two outputs: by the one that shows most of it, and by the other when that one sleeps. */
static void test_two_outputs(void **state)
{
	static const struct fixture_options options = {.n_outputs = 2};
	struct fixture *fixture = fixture_create(&options);
	struct client *client = client_create(fixture, 290, 10); /* 30 of 40 pixels on the first */
	struct scene_output *first = fixture->server->scene->outputs[0];
	ask_callback(client);
	draw(client);
	fixture_pump(fixture);
	run_until(fixture, now(client) + PERIOD + MS);
	assert_int_equal(client->n_done, 1);
	/* A single call for each commit, though both outputs show it. */
	run_until(fixture, now(client) + 3 * PERIOD);
	assert_int_equal(client->n_done, 1);

	first->output->asleep = true;
	for (int i = 2; i < 6; i++) {
		ask_callback(client);
		draw(client);
		fixture_pump(fixture);
		run_until(fixture, now(client) + PERIOD + 2 * MS);
		assert_int_equal(client->n_done, i);
	}
	/* Both sleep: as good as hidden, and not stuck. */
	fixture->server->scene->outputs[1]->output->asleep = true;
	ask_callback(client);
	draw(client);
	fixture_sleep(fixture, SECOND + PERIOD);
	assert_int_equal(client->n_done, 6);
	fixture_destroy(fixture);
	free(client);
}

/* Fills the output; pixels as big as it. */
static struct client *client_create_full(struct fixture *fixture)
{
	struct client *client = client_create(fixture, 0, 0);
	window_request_fullscreen(peer_window_find(client->window), true, NULL);
	fixture_settle(fixture);
	for (int i = 0; i < 3; i++) {
		peer_buffer_destroy(client->buffers[i]);
		client->buffers[i] =
			peer_buffer_create(client->peer, 320, 240, WL_SHM_FORMAT_XRGB8888);
	}
	draw(client);
	fixture_settle(fixture);
	return client;
}

static void move_cursor(struct fixture *fixture, struct input_device *mouse, int i)
{
	struct input_motion_event event = {.dx = i % 2 ? 3 : -3, .dx_unaccel = i % 2 ? 3 : -3};
	signal_emit(&mouse->events.motion, &event);
	fixture_pump(fixture);
}

/*
 * A game at 45 Hz on a screen of 60 with a variable rate: each of its frames shows at once, and the cursor
 * that moves a thousand times a second goes along.
 */
static void test_variable_rate(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct input_device *mouse =
		headless_add_input(fixture->server->backend, INPUT_POINTER, "mouse");
	struct client *client = client_create_full(fixture);
	struct wp_content_type_manager_v1 *manager =
		peer_bind(client->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *type =
		wp_content_type_manager_v1_get_surface_content_type(manager, client->surface);
	struct output *output = fixture->server->scene->outputs[0]->output;
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	assert_false(output->adaptive_sync);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	draw(client);
	fixture_settle(fixture);
	assert_true(output->adaptive_sync);

	uint64_t frames = frame->stats.frames;
	int64_t next = now(client), interval = SECOND / 45, began = now(client);
	for (int i = 0; i < 2000; i++) {
		move_cursor(fixture, mouse, i);
		if (now(client) >= next) {
			ask_feedback(client);
			draw(client);
			next += interval;
		}
		step(fixture, MS / 2);
		move_cursor(fixture, mouse, i);
		step(fixture, MS / 2);
	}
	int64_t seconds = (now(client) - began) / SECOND;
	assert_int_equal(seconds, 2);
	assert_in_range(client->n_presented, 88, 91);
	assert_in_range(frame->stats.frames - frames, 88, 94);
	for (int i = 5; i < client->n_presented; i++) {
		assert_in_range(client->shown[i] - client->committed[i], 0, MS);
	}
	/* The game pauses: the cursor moves all the same, if more slowly. */
	frames = frame->stats.frames;
	for (int i = 0; i < 1000; i++) {
		move_cursor(fixture, mouse, i);
		step(fixture, MS);
	}
	assert_in_range(frame->stats.frames - frames, 27, 35);
	/* It is no game any more: the rate is fixed again. */
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_NONE);
	draw(client);
	fixture_settle(fixture);
	assert_false(output->adaptive_sync);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(client);
}

/* Whoever fills the output and asks is shown at once; in a window it is not. */
static void test_tearing(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create_full(fixture);
	struct wp_tearing_control_manager_v1 *manager =
		peer_bind(client->peer, &wp_tearing_control_manager_v1_interface, 0);
	struct wp_tearing_control_v1 *tearing =
		wp_tearing_control_manager_v1_get_tearing_control(manager, client->surface);
	wp_tearing_control_v1_set_presentation_hint(
		tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	draw(client);
	fixture_settle(fixture);
	for (int i = 0; i < 200; i++) {
		ask_feedback(client);
		draw(client);
		step(fixture, 0);
		step(fixture, 3 * MS);
		assert_int_equal(client->n_presented, i + 1);
		assert_int_equal(client->shown[i], client->committed[i]);
	}
	window_request_fullscreen(peer_window_find(client->window), false, NULL);
	struct peer_window *above = peer_window_create(client->peer, 10, 10, 50, 50, 0xff00ff00);
	fixture_settle(fixture);
	int n = client->n_presented;
	ask_feedback(client);
	draw(client);
	fixture_settle(fixture);
	assert_int_equal(client->n_presented, n + 1);
	/* By a vblank, which torn frames have none of. */
	assert_int_equal(client->sequence[n - 1], 0);
	assert_int_not_equal(client->sequence[n], 0);
	peer_window_destroy(above);
	fixture_destroy(fixture);
	free(client);
}

static void pretend_gpu(struct frame_output *frame, int64_t ns)
{
	for (int i = 0; i < HISTORY_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, ns);
	}
}

/* The work takes longer than a period: the next picture is drawn while one is in flight, and only then. */
static void test_ahead(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct client *client = client_create(fixture, 10, 10);
	struct client *other = client_create(fixture, 100, 10);
	struct frame_output *frame = frame_output_find(fixture->server->scene->outputs[0]);
	int commits = 0;
	for (int i = 0; i < 200; i++) {
		ask_callback(client);
		ask_feedback(client);
		draw(client);
		draw(other);
		commits++;
		step(fixture, (i * 7919) % 23 * MS);
	}
	assert_int_equal(frame->stats.ahead, 0);

	for (int i = 0; i < 400; i++) {
		pretend_gpu(frame, 20 * MS);
		ask_callback(client);
		ask_feedback(client);
		draw(client);
		if (i % 3 == 0) {
			draw(other);
		}
		if (i % 50 == 0) {
			peer_window_place(other->window, 100 + i / 4, 10 + i / 4);
		}
		commits++;
		step(fixture, (i * 7919) % 23 * MS);
	}
	assert_true(frame->stats.ahead > 100);
	pretend_gpu(frame, MS);
	fixture_settle(fixture);
	fixture_settle(fixture);
	/* Everybody was told once, and the last picture is what shows. */
	assert_int_equal(client->n_done, commits);
	assert_int_equal(client->n_presented + client->n_discarded, commits);
	for (int i = 1; i < client->n_presented; i++) {
		assert_true(client->sequence[i] > client->sequence[i - 1]);
		assert_true(client->committed[i] > client->committed[i - 1] ||
			    client->shown[i] > client->shown[i - 1]);
	}
	assert_int_equal(
		fixture_pixel(fixture, 20, 20), (uint32_t)client->next * 0x030507 & 0xffffff);
	assert_int_equal(
		fixture_pixel(fixture, 205, 115), (uint32_t)other->next * 0x030507 & 0xffffff);
	assert_false(clock_advance_to_next(fixture->clock));

	uint64_t ahead = frame->stats.ahead;
	for (int i = 0; i < 100; i++) {
		draw(client);
		step(fixture, (i * 7919) % 23 * MS);
	}
	assert_int_equal(frame->stats.ahead, ahead);

	/* It goes with a picture in flight and one ahead. */
	pretend_gpu(frame, 20 * MS);
	ask_callback(client);
	draw(client);
	fixture_pump(fixture);
	while (frame->state != FRAME_FLIPPING) {
		assert_true(clock_advance_to_next(fixture->clock));
	}
	ask_callback(client);
	ask_feedback(client);
	draw(client);
	fixture_pump(fixture);
	timer_arm(&frame->timer, now(client)); /* as if the one in flight took its time */
	step(fixture, 0);
	assert_non_null(frame->ahead.buffer);
	fixture_destroy(fixture);
	free(client);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_covered),
		cmocka_unit_test(test_hidden_off),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_fifo_ignored),
		cmocka_unit_test(test_fifo_hidden),
		cmocka_unit_test(test_commit_timing),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_two_outputs),
		cmocka_unit_test(test_variable_rate),
		cmocka_unit_test(test_tearing),
		cmocka_unit_test(test_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
