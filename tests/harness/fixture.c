/* SPDX-License-Identifier: MIT */
/* Fixture: a server in the test's own thread, dispatched in turns with its peers. */

#include "harness/fixture.h"
#include "backend/drm.h"
#include "backend/headless.h"
#include "content/internal.h"
#include "copy/copier.h"
#include "gpu/gpu.h"
#include "harness/invariants.h"
#include "harness/peer.h"
#include "protocol/protocols.h"
#include "render/text.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "util/task.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REFRESH 60000
#define FRAME_NS (INT64_C(1000000000) * 1000 / REFRESH)
/** Tests take tens of turns; more than this is an endless exchange. */
#define TURNS_MAX 100000
#define POLLED_MAX 1024

/**
 * libwayland-client frees no proxies at the end of a connection, and a peer that crashed cannot
 * free them.
 */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
	return "leak:libwayland-client.so\n";
}

/** Errors are expected, and checked by peer_expect_error(). */
__attribute__((format(printf, 1, 0))) static void ignore_log(const char *format, va_list args)
{
}

struct fixture *fixture_create(const struct fixture_options *options)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	wl_list_init(&fixture->peers);
	fixture->upload_gate = -1;
	/* Not the machine's batteries; closing a watch for its socket takes 10 ms. */
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "none:", 0);
	wl_log_set_handler_client(ignore_log);
	/* The clock starts at a time other than 0, which can mean "never". Emulated cards report
	 * CLOCK_MONOTONIC, which must stay in the past of the test's clock. */
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	fixture->clock = clock_create_test(
		INT64_C(1000000000) * (1000 + (options && options->drm ? now.tv_sec : 0)));
	int n = options && options->n_outputs ? options->n_outputs : 1;
	assert_in_range(n, 1, FIXTURE_OUTPUTS_MAX);
	for (int i = 0; i < n; i++) {
		fixture->outputs[i] = (struct server_output_option){
			.width = options && options->width ? options->width : 320,
			.height = options && options->height ? options->height : 240,
			.refresh = options && options->refresh[i] ? options->refresh[i] : REFRESH,
			.scale = options && options->scale > 0 ? options->scale : 1,
		};
	}
	fixture->options = (struct server_options){
		.backend = options && options->drm ? BACKEND_DRM : BACKEND_HEADLESS,
		.renderer = options && options->renderer != RENDERER_AUTO ? options->renderer
									  : RENDERER_PIXMAN,
		.socket = options && options->socket ? options->socket : "",
		.config_path = options ? options->config_path : NULL,
		.config_copy = options ? options->config_copy : NULL,
		.outputs = fixture->outputs,
		.n_outputs = n,
		.clock = fixture->clock,
		.bare = true,
		.memfd_dmabufs = !options || !options->no_memfd_dmabufs,
	};
	char *error = NULL;
	fixture->server = server_create(&fixture->options, &error);
	if (!fixture->server) {
		fail_msg("cannot create a server: %s", error);
	}
	return fixture;
}

void fixture_destroy(struct fixture *fixture)
{
	if (!fixture) {
		return;
	}
	fixture_open_uploads(fixture);
	struct peer *peer, *next;
	wl_list_for_each_safe (peer, next, &fixture->peers, link) {
		peer_destroy(peer);
	}
	server_destroy(fixture->server);
	clock_destroy(fixture->clock);
	free(fixture);
}

int fixture_tear_down(void **state)
{
	struct fixture **fixture = *state;
	fixture_destroy(*fixture);
	free(fixture);
	return 0;
}

/* Blocks the thread until the other end of the pipe is closed. */
struct gate_task {
	struct worker_task base;
	int fd;
};

static bool run_gate(struct worker_task *task)
{
	struct gate_task *gate = wl_container_of(task, gate, base);
	char byte;
	ssize_t unused = read(gate->fd, &byte, 1);
	(void)unused;
	close(gate->fd);
	free(gate);
	return true;
}

void fixture_block_uploads(struct fixture *fixture)
{
	struct content_device *device = content_device_from(fixture->server->device);
	int fds[2];
	assert_int_equal(fixture->upload_gate, -1);
	assert_int_equal(pipe(fds), 0);
	struct gate_task *gate = xcalloc(1, sizeof(*gate));
	gate->base.run = run_gate;
	gate->fd = fds[0];
	device->worker = device->worker ? device->worker : worker_create();
	assert_non_null(device->worker);
	worker_post(device->worker, &gate->base);
	fixture->upload_gate = fds[1];
	fixture->holds_uploads = true;
}

void fixture_open_uploads(struct fixture *fixture)
{
	if (fixture->upload_gate >= 0) {
		close(fixture->upload_gate);
		fixture->upload_gate = -1;
		fixture->holds_uploads = false;
	}
}

struct gpu *fixture_add_gpu(struct fixture *fixture, const char *bus_id, const char *driver,
	const char *render_path, dev_t render_dev)
{
	struct gpu *gpu = xcalloc(1, sizeof(*gpu));
	gpu->bus_id = xstrdup(bus_id);
	gpu->driver = xstrdup(driver);
	gpu->seat = xstrdup("seat0");
	gpu->render_path = xstrdup(render_path);
	gpu->render_dev = render_dev;
	gpu->fd = -1;
	wl_signal_init(&gpu->events.gone);
	wl_list_insert(fixture->server->gpus->gpus.prev, &gpu->link);
	return gpu;
}

/**
 * Sends the requests of all peers, then asks which of them have something to read. Returns true if
 * the server has, or if a peer could not yet write all its requests.
 */
static bool poll_all(struct fixture *fixture)
{
	struct pollfd fds[POLLED_MAX] = {
		{.fd = wl_event_loop_get_fd(fixture->server->loop), .events = POLLIN}};
	bool busy = false;
	int n = 1, i = 1;
	struct peer *peer;
	wl_list_for_each (peer, &fixture->peers, link) {
		assert_in_range(n, 0, POLLED_MAX - 1);
		fds[n++] =
			(struct pollfd){.fd = wl_display_get_fd(peer->display), .events = POLLIN};
		if (wl_display_get_error(peer->display) == 0) {
			busy |= wl_display_flush(peer->display) < 0 && errno == EAGAIN;
		}
	}
	poll(fds, (nfds_t)n, 0);
	wl_list_for_each (peer, &fixture->peers, link) {
		peer->readable = fds[i++].revents != 0;
	}
	return busy || fds[0].revents != 0;
}

/** Returns true if the peer had something to read. */
static bool turn_peer(struct peer *peer)
{
	bool busy = false;
	if (wl_display_get_error(peer->display) != 0) {
		return false;
	}
	while (wl_display_prepare_read(peer->display) != 0) {
		if (wl_display_dispatch_pending(peer->display) < 0) {
			return true;
		}
		busy = true;
	}
	if (!peer->readable) {
		wl_display_cancel_read(peer->display);
		return busy;
	}
	if (wl_display_read_events(peer->display) == 0) {
		wl_display_dispatch_pending(peer->display);
	}
	/* A handler may have made requests. */
	wl_display_flush(peer->display);
	return true;
}

/* Threads do not follow the test's clock: it is not advanced before they are done. */
static bool awaits_thread(const struct fixture *fixture)
{
	const struct server *server = fixture->server;
	return text_is_busy(server->text) ||
	       (backend_is_drm(server->backend) && drm_backend_is_probing(server->backend)) ||
	       (server->copier && server->copier->n_opening > 0) ||
	       (!fixture->holds_uploads &&
		       !wl_list_empty(&content_device_from(server->device)->uploads)) ||
	       (!fixture->holds_tasks && tasks_are_running(server->tasks));
}

static bool turn(struct fixture *fixture)
{
	bool busy = poll_all(fixture);
	struct peer *peer, *next;
	wl_list_for_each_safe (peer, next, &fixture->peers, link) {
		busy |= turn_peer(peer);
	}
	/* The loop's descriptor does not show idle sources, so dispatch in any case. */
	bool awaits = awaits_thread(fixture);
	/* Limited, since this turn may have cancelled the awaited work. */
	wl_event_loop_dispatch(fixture->server->loop, awaits ? 10 : 0);
	busy |= awaits || awaits_thread(fixture);
	protocols_flush(fixture->server->protocols);
	return busy;
}

void fixture_pump(struct fixture *fixture)
{
	/* A second quiet turn catches work that idle sources of the first one have started. */
	int quiet = 0;
	for (int n = 0; quiet < 2; n++) {
		quiet = turn(fixture) ? 0 : quiet + 1;
		if (n > TURNS_MAX) {
			fail_msg("server and clients never become idle");
		}
	}
}

void fixture_sleep(struct fixture *fixture, int64_t ns)
{
	fixture_pump(fixture);
	while (ns > 0) {
		int64_t step = ns < FRAME_NS ? ns : FRAME_NS;
		clock_advance(fixture->clock, step);
		fixture_pump(fixture);
		invariants_check(fixture->server);
		ns -= step;
	}
}

void fixture_frames(struct fixture *fixture, int n)
{
	fixture_sleep(fixture, n * FRAME_NS);
}

void fixture_settle(struct fixture *fixture)
{
	struct image *last = NULL;
	for (int i = 0; i < 60; i++) {
		/* Two cycles: one to draw, one to present. */
		fixture_frames(fixture, 2);
		struct image *now = fixture_shot(fixture, 0);
		struct image_difference difference;
		bool same = last && image_compare(last, now, 0, 0, &difference);
		image_destroy(last);
		last = now;
		if (same) {
			break;
		}
	}
	image_destroy(last);
}

struct image *fixture_shot(struct fixture *fixture, int index)
{
	struct scene_output *output = fixture->server->scene->outputs[index];
	assert_non_null(output);
	struct buffer *front = headless_output_front(output->output);
	struct image *image = front ? image_from_buffer(front) : NULL;
	if (!image) {
		fail_msg("output %d presents no readable buffer", index);
	}
	return image;
}

uint32_t fixture_pixel(struct fixture *fixture, int x, int y)
{
	struct image *image = fixture_shot(fixture, 0);
	assert_in_range(x, 0, image->width - 1);
	assert_in_range(y, 0, image->height - 1);
	uint32_t pixel = image->pixels[y * image->width + x];
	image_destroy(image);
	return pixel;
}

enum renderer_kind fixture_renderer(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "gles") == 0 ? RENDERER_GLES : RENDERER_PIXMAN;
}
