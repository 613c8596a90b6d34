/*
 * fuzz RENDERER [FIRST [COUNT [ROUNDS]]]: lets hostile clients loose on a server, by seeds FIRST
 * and following. In each round some clients send what they like while people type, screens come
 * and go, and the renderer is lost; in every fourth seed, descriptors, mappings and threads cannot be had at times
 * (fault.c). All of them gone, a well-behaved client must still get its
 * frames, and a window of it must show its pixels. No descriptor may be left when a server ends,
 * and no memory when the test does.
 *
 * What is wrong with a seed is found again with that seed: FUZZ_VERBOSE=1 names the errors that
 * clients got.
 */

#include "backend/headless.h"
#include "backend/input_tablet.h"
#include "fuzz/actor.h"
#include "fuzz/fault.h"
#include "harness/peer.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <linux/input-event-codes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define N_ACTORS 3
#define N_STEPS 400
/** s of real time for a seed, far more than it takes: else the server hangs. */
#define PATIENCE 120
#define MAX_OUTPUTS 3

struct world {
	struct fixture *fixture;
	struct random random;
	struct peer *bystander;
	struct peer_window *window;
	struct input_device *devices[4]; /* by enum input_type, as far as INPUT_TABLET */
	struct input_tool tool;
	struct input_device pad;
	struct input_pad parts;
	uint64_t n_requests;
	int faults; /* percent, in its bad moments */
};

static bool chance(struct world *world, int percent)
{
	return random_chance(&world->random, percent);
}

static struct server *server_of(struct world *world)
{
	return world->fixture->server;
}

static double fraction(struct world *world)
{
	return random_between(&world->random, 0, 1000) / 1000.0;
}

static void inject_key(struct world *world, int64_t now)
{
	static const uint32_t keys[] = {KEY_A, KEY_ENTER, KEY_LEFTSHIFT, KEY_LEFTALT, KEY_ESC,
		KEY_TAB, KEY_LEFTMETA, KEY_H, KEY_M, KEY_F, KEY_2, KEY_1, KEY_LEFT, KEY_Q};
	struct input_key_event event = {now,
		keys[random_between(&world->random, 0, sizeof(keys) / sizeof(keys[0]) - 1)],
		chance(world, 50)};
	wl_signal_emit(&world->devices[INPUT_KEYBOARD]->events.key, &event);
}

static void inject_pointer(struct world *world, int64_t now)
{
	struct input_device *device = world->devices[INPUT_POINTER];
	struct input_motion_absolute_event at = {
		.time = now, .x = fraction(world), .y = fraction(world)};
	struct input_motion_event by = {.time = now,
		.dx = random_between(&world->random, -200, 200),
		.dy = random_between(&world->random, -200, 200)};
	struct input_button_event button = {
		now, chance(world, 80) ? BTN_LEFT : BTN_RIGHT, chance(world, 55)};
	struct input_axis_event axis = {
		.time = now, .value = random_between(&world->random, -15, 15)};
	struct input_gesture_event gesture = {.time = now,
		.gesture = (enum input_gesture)random_between(&world->random, 0, 2),
		.phase = (enum input_phase)random_between(&world->random, 0, 2),
		.fingers = 3,
		.scale = 1};
	switch (random_between(&world->random, 0, 6)) {
	case 6: wl_signal_emit(&device->events.gesture, &gesture); break;
	case 0: wl_signal_emit(&device->events.motion, &by); break;
	case 1: wl_signal_emit(&device->events.axis, &axis); break;
	case 2: wl_signal_emit(&device->events.motion_absolute, &at); break;
	default: wl_signal_emit(&device->events.button, &button); break;
	}
	wl_signal_emit(&device->events.frame, NULL);
}

static void inject_touch(struct world *world, int64_t now)
{
	struct input_device *device = world->devices[INPUT_TOUCH];
	struct input_touch_event event = {.time = now,
		.id = random_between(&world->random, 0, 2),
		.x = fraction(world),
		.y = fraction(world)};
	switch (random_between(&world->random, 0, 6)) {
	case 0:
	case 1: wl_signal_emit(&device->events.touch_down, &event); break;
	case 2:
	case 3: wl_signal_emit(&device->events.touch_motion, &event); break;
	case 4: wl_signal_emit(&device->events.touch_up, &event); break;
	case 5: wl_signal_emit(&device->events.touch_cancel, &event); break;
	default: break;
	}
	wl_signal_emit(&device->events.touch_frame, NULL);
}

static void inject_tablet(struct world *world, int64_t now)
{
	struct input_tool_event event = {.time = now,
		.tool = &world->tool,
		.action = (enum input_tool_action)random_between(&world->random, 0, 5),
		.x = fraction(world),
		.y = fraction(world),
		.changed = random_next(&world->random) & world->tool.axes,
		.pressure = fraction(world),
		.button = BTN_STYLUS,
		.pressed = chance(world, 50)};
	struct input_pad_event turn = {.time = now,
		.part = (enum input_pad_part)random_between(&world->random, 0, 3),
		.position = fraction(world),
		.mode = (uint32_t)random_between(&world->random, 0, 1)};
	if (chance(world, 80)) {
		signal_emit(&world->devices[INPUT_TABLET]->events.tool, &event);
	} else {
		signal_emit(&world->pad.events.pad, &turn);
	}
}

static void add_pad(struct world *world)
{
	world->parts = (struct input_pad){.n_buttons = 1,
		.n_rings = 1,
		.n_strips = 1,
		.n_dials = 1,
		.n_groups = 1,
		.groups = {{.buttons = 1, .rings = 1, .strips = 1, .dials = 1, .n_modes = 2}}};
	input_device_init(&world->pad, INPUT_PAD, "pad");
	world->pad.pad = &world->parts;
	seat_add_device(server_of(world)->seat, &world->pad);
}

/** An output at random, NULL if there is none. */
static struct scene_output *pick_output(struct world *world, int *n)
{
	struct scene_output *picked = NULL;
	*n = 0;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct scene_output *output = server_of(world)->scene->outputs[i];
		if (output && random_between(&world->random, 0, (*n)++) == 0) {
			picked = output;
		}
	}
	return picked;
}

static void add_output(struct world *world)
{
	headless_add_output(server_of(world)->backend, 320, 240, 60000);
}

static void change_outputs(struct world *world)
{
	int n;
	struct scene_output *output = pick_output(world, &n);
	if (output && chance(world, 50)) {
		headless_remove_output(output->output);
	} else if (n < MAX_OUTPUTS) {
		add_output(world);
	}
}

static void replug(struct world *world)
{
	static const char *const names[] = {"keyboard", "pointer", "touch", "tablet"};
	int type = random_between(&world->random, 0, 3);
	headless_remove_input(world->devices[type]);
	world->devices[type] =
		headless_add_input(server_of(world)->backend, (enum input_type)type, names[type]);
}

static void lose_renderer(struct world *world)
{
	struct renderer *renderer = server_of(world)->device.renderer;
	if (renderer && renderer->impl->lose) {
		renderer->impl->lose(renderer);
	}
}

/** What happens in the world while clients do theirs. */
static void happen(struct world *world)
{
	int64_t now = clock_now(world->fixture->clock);
	int die = random_between(&world->random, 0, 999);
	if (die < 80) {
		inject_key(world, now);
	} else if (die < 250) {
		inject_pointer(world, now);
	} else if (die < 320) {
		inject_touch(world, now);
	} else if (die < 400) {
		inject_tablet(world, now);
	} else if (die < 405) {
		change_outputs(world);
	} else if (die < 408) {
		replug(world);
	} else if (die < 411) {
		lose_renderer(world);
	} else if (die < 416) {
		fixture_sleep(world->fixture, INT64_C(1500000000));
	} else if (die < 520) {
		fixture_frames(world->fixture, 1);
	} else {
		fixture_pump(world->fixture);
	}
}

static void end(struct world *world, struct actor *actor)
{
	wire_read(&actor->wire);
	if (getenv("FUZZ_VERBOSE")) {
		printf("  %llu requests; %s\n", (unsigned long long)actor->n_requests,
			actor->wire.error);
	}
	world->n_requests += actor->n_requests;
	actor_finish(actor);
}

__attribute__((format(printf, 1, 0))) static void ignore_log(const char *format, va_list args)
{
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t time)
{
	*(bool *)data = true;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener frame_listener = {.done = handle_done};

static void calm_down(struct world *world)
{
	int64_t now = clock_now(world->fixture->clock);
	struct input_device *pointer = world->devices[INPUT_POINTER];
	for (uint32_t code = BTN_LEFT; code <= BTN_RIGHT; code++) {
		wl_signal_emit(
			&pointer->events.button, &((struct input_button_event){now, code, false}));
	}
	wl_signal_emit(&pointer->events.frame, NULL);
	wl_signal_emit(&world->devices[INPUT_TOUCH]->events.touch_cancel,
		&((struct input_touch_event){.time = now}));
	signal_emit(&world->devices[INPUT_TABLET]->events.tool,
		&((struct input_tool_event){
			.time = now, .tool = &world->tool, .action = INPUT_TOOL_OUT}));
	/* As a locker leaves it that ends without unlocking. */
	shell_unlock(server_of(world)->shell);
	/* All screens go and another comes: then it is known where and how large it is. */
	struct scene_output *output;
	int n;
	while ((output = pick_output(world, &n))) {
		headless_remove_output(output->output);
	}
	fixture_frames(world->fixture, 1);
	add_output(world);
	fixture_frames(world->fixture, 2);
	/* Into the corner, where its picture hides nothing that is looked at. */
	struct input_motion_absolute_event corner = {.time = now, .x = 0.999, .y = 0.999};
	wl_signal_emit(&pointer->events.motion_absolute, &corner);
	wl_signal_emit(&pointer->events.frame, NULL);
}

/** Frames come to who waits for them, and a window shows what its client drew. */
static void check_bystander(struct world *world)
{
	calm_down(world);
	assert_true(peer_alive(world->bystander));
	uint32_t color = random_next(&world->random) & 0xffffff;
	struct peer_window *fresh =
		peer_window_create(world->bystander, 100, 60, 64, 64, 0xff000000 | color);
	bool done = false;
	struct wl_callback *callback = wl_surface_frame(fresh->surface);
	wl_callback_add_listener(callback, &frame_listener, &done);
	wl_surface_commit(fresh->surface);
	fixture_settle(world->fixture);
	uint32_t got = fixture_pixel(world->fixture, 132, 92);
	if (got != color) {
		fail_msg("the window shows %06x instead of %06x", got, color);
	}
	assert_true(done);
	peer_window_destroy(fresh);
	/* Timers of things that are gone come to nothing. */
	fixture_sleep(world->fixture, INT64_C(2500000000));
}

static void play_round(struct world *world)
{
	struct actor actors[N_ACTORS];
	for (int i = 0; i < N_ACTORS; i++) {
		actor_init(&actors[i], server_of(world)->display, &world->random);
	}
	for (int step = 0; step < N_STEPS; step++) {
		struct actor *actor = &actors[random_between(&world->random, 0, N_ACTORS - 1)];
		if (!actor_alive(actor)) {
			end(world, actor);
			actor_init(actor, server_of(world)->display, &world->random);
			fixture_pump(world->fixture);
		}
		for (int i = random_between(&world->random, 1, 5); i > 0 && actor_alive(actor);
			i--) {
			actor_act(actor);
		}
		/* Bad moments last for some steps. */
		fault_set(&world->random, step / 16 % 3 == 2 ? world->faults : 0);
		happen(world);
		fault_set(&world->random, 0);
	}
	for (int i = 0; i < N_ACTORS; i++) {
		end(world, &actors[i]);
		fixture_pump(world->fixture);
	}
	check_bystander(world);
}

static int count_descriptors(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/fd");
	assert_non_null(folder);
	while (readdir(folder)) {
		n++;
	}
	closedir(folder);
	return n;
}

/** Clients are told to render on a GPU that is not there: they see what names one. */
static void add_gpu(struct server *server)
{
	struct gpu *gpu = xcalloc(1, sizeof(*gpu));
	gpu->render_dev = makedev(226, 250);
	gpu->render_path = xstrdup("/nonexistent/renderD250");
	gpu->bus_id = xstrdup("fake");
	gpu->driver = xstrdup("fake");
	gpu->integrated = true;
	gpu->fd = -1;
	wl_signal_init(&gpu->events.gone);
	wl_list_insert(&server->gpus.gpus, &gpu->link);
	free(server->shell->config->gpu.default_selector);
	server->shell->config->gpu.default_selector = xstrdup("integrated");
}

static uint64_t play(enum renderer_kind renderer, uint32_t seed, int n_rounds)
{
	struct world world = {.random = {seed}};
	int n_descriptors = count_descriptors();
	world.fixture = fixture_create(&(struct fixture_options){.renderer = renderer,
		.n_outputs = 1 + (int)(seed % 2),
		.scale = seed % 5 == 4 ? 1.5 : 1});
	if (seed % 3 == 2) {
		add_gpu(world.fixture->server);
	}
	struct backend *backend = world.fixture->server->backend;
	world.devices[INPUT_KEYBOARD] = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	world.devices[INPUT_POINTER] = headless_add_input(backend, INPUT_POINTER, "pointer");
	world.devices[INPUT_TOUCH] = headless_add_input(backend, INPUT_TOUCH, "touch");
	world.devices[INPUT_TABLET] = headless_add_input(backend, INPUT_TABLET, "tablet");
	world.tool = (struct input_tool){.type = BTN_TOOL_PEN, .axes = 63};
	wl_signal_init(&world.tool.events.destroy);
	add_pad(&world);
	world.bystander = peer_create(world.fixture);
	fault_spare(world.bystander->client);
	/* Seeds with faults have them by 3, 6 or 9 of a hundred calls. */
	world.faults = seed % 4 == 3 ? 3 * (1 + (int)(seed / 4 % 3)) : 0;
	world.window = peer_window_create(world.bystander, 0, 0, 32, 32, 0xff405060);
	for (int i = 0; i < n_rounds; i++) {
		play_round(&world);
		if (n_rounds > 10) {
			printf("round %d: %zu bytes in use, %d descriptors\n", i,
				mallinfo2().uordblks, count_descriptors());
		}
	}
	input_device_finish(&world.pad);
	signal_emit(&world.tool.events.destroy, &world.tool);
	fixture_destroy(world.fixture);
	if (n_rounds > 0 && count_descriptors() != n_descriptors) {
		fail_msg("%d descriptors were there before, %d after", n_descriptors,
			count_descriptors());
	}
	return world.n_requests;
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 2 ? (uint32_t)atol(argv[2]) : 1;
	uint32_t count = argc > 3 ? (uint32_t)atol(argv[3]) : 10;
	int n_rounds = argc > 4 ? atoi(argv[4]) : 2;
	enum renderer_kind renderer = fixture_renderer(argc, argv);
	uint64_t n_requests = 0;
	/* Key bindings that start programs shall find none. */
	setenv("PATH", "/nonexistent", 1);
	/* Failures outside of a group of tests are to say what failed. */
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	if (!getenv("FUZZ_VERBOSE")) {
		wl_log_set_handler_server(ignore_log);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (renderer == RENDERER_GLES) {
		/* What a driver opens once and keeps is not the seeds' doing. */
		play(renderer, 0, 0);
	}
	for (uint32_t i = 0; i < count; i++) {
		printf("seed %u\n", first + i);
		alarm(PATIENCE);
		n_requests += play(renderer, first + i, n_rounds);
	}
	printf("%llu requests\n%u passed, 0 failed\n", (unsigned long long)n_requests, count);
	return 0;
}
