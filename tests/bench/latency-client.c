/* SPDX-License-Identifier: MIT */
/*
 * Client that measures the latency from commit to presentation, by presentation feedback:
 *
 * latency-client random SECONDS commits at random times, once in one to three refresh cycles.
 *
 * latency-client late SECONDS commits when 70 % of a cycle have passed since its frame callback.
 *
 * Prints JSON with the median and the 99th percentile of the latency in ms, the number of commits,
 * of presented commits, and of those presented one refresh cycle after the previous one.
 */

#include "harness/program.h"
#include "presentation-time-client-protocol.h"
#include "util/fd.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <wayland-client.h>

#define SIZE 256
#define BUFFERS 4
#define SHOWN_MAX 65536
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

struct image {
	struct wl_buffer *buffer;
	uint32_t *pixels;
	bool busy;
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct xdg_wm_base *shell;
	struct wp_presentation *presentation;
	struct program_window window;
	struct image images[BUFFERS];
	clockid_t clock; /* clock of the presentation times */
	bool late;
	int64_t period; /* refresh period in ns from the feedback */
	int64_t next; /* time of the next commit in ns; 0: not before the callback */
	int n_commits, n_shown, n_regular;
	int64_t last_light;
	int64_t latency[SHOWN_MAX];
};

struct feedback {
	struct client *client;
	int64_t committed;
};

static int64_t get_time(const struct client *client)
{
	struct timespec now;
	clock_gettime(client->clock, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct image *image = data;
	image->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

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
	int64_t light =
		(int64_t)((uint64_t)seconds_high << 32 | seconds_low) * SECOND + nanoseconds;
	client->period = refresh ? refresh : client->period;
	if (client->n_shown < SHOWN_MAX) {
		client->latency[client->n_shown++] = light - feedback->committed;
	}
	client->n_regular += light - client->last_light < client->period * 3 / 2;
	client->last_light = light;
	free(feedback);
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	free(data);
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct client *client = data;
	wl_callback_destroy(callback);
	client->next = get_time(client) + client->period * 7 / 10;
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

static void handle_clock_id(void *data, struct wp_presentation *presentation, uint32_t id)
{
	struct client *client = data;
	client->clock = (clockid_t)id;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock_id};

static void listen_to_presentation(void *data, void *presentation)
{
	wp_presentation_add_listener(presentation, &presentation_listener, data);
}

static bool make_images(struct client *client)
{
	int32_t stride = SIZE * 4, size = stride * SIZE;
	int fd = fd_create_memory("latency-client", size * BUFFERS, false);
	if (fd < 0) {
		return false;
	}
	uint32_t *pixels =
		mmap(NULL, (size_t)size * BUFFERS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pixels == MAP_FAILED) {
		fd_close(&fd);
		return false;
	}
	struct wl_shm_pool *pool = wl_shm_create_pool(client->shm, fd, size * BUFFERS);
	for (int i = 0; i < BUFFERS; i++) {
		struct image *image = &client->images[i];
		image->pixels = pixels + (size_t)i * SIZE * SIZE;
		image->buffer = wl_shm_pool_create_buffer(
			pool, i * size, SIZE, SIZE, stride, WL_SHM_FORMAT_XRGB8888);
		wl_buffer_add_listener(image->buffer, &buffer_listener, image);
	}
	wl_shm_pool_destroy(pool);
	fd_close(&fd);
	return true;
}

static bool open_window(struct client *client)
{
	client->display = wl_display_connect(NULL);
	if (!client->display) {
		return false;
	}
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &client->compositor},
		{&wl_shm_interface, 1, &client->shm},
		{&xdg_wm_base_interface, 1, &client->shell},
		{&wp_presentation_interface, 1, &client->presentation, listen_to_presentation,
			client},
	};
	if (!program_bind(client->display, globals, sizeof(globals) / sizeof(globals[0])) ||
		!make_images(client)) {
		return false;
	}
	wl_display_roundtrip(client->display); /* to receive the clock id */
	program_window_open(&client->window, client->compositor, client->shell);
	return program_window_begin(&client->window, client->display);
}

static void draw(struct client *client)
{
	struct image *image = NULL;
	for (int i = 0; i < BUFFERS; i++) {
		image = client->images[i].busy ? image : &client->images[i];
	}
	if (!image) {
		return; /* all buffers are in use: skip this commit */
	}
	image->busy = true;
	memset(image->pixels, client->n_commits, SIZE * SIZE * 4);
	wl_surface_attach(client->window.surface, image->buffer, 0, 0);
	wl_surface_damage(client->window.surface, 0, 0, SIZE, SIZE);
	if (client->late) {
		wl_callback_add_listener(
			wl_surface_frame(client->window.surface), &callback_listener, client);
	}
	struct feedback *feedback = malloc(sizeof(*feedback));
	if (!feedback) {
		abort();
	}
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(client->presentation, client->window.surface),
		&feedback_listener, feedback);
	*feedback = (struct feedback){.client = client, .committed = get_time(client)};
	wl_surface_commit(client->window.surface);
	client->n_commits++;
}

static bool wait_until(struct client *client, int64_t when)
{
	int64_t left = when - get_time(client);
	struct timespec timeout = {.tv_sec = left / SECOND, .tv_nsec = left % SECOND};
	struct pollfd pollfd = {.fd = wl_display_get_fd(client->display), .events = POLLIN};
	while (wl_display_prepare_read(client->display) != 0) {
		wl_display_dispatch_pending(client->display);
	}
	wl_display_flush(client->display);
	if (left > 0 && ppoll(&pollfd, 1, &timeout, NULL) > 0) {
		wl_display_read_events(client->display);
	} else {
		wl_display_cancel_read(client->display);
	}
	return wl_display_dispatch_pending(client->display) >= 0;
}

static bool run(struct client *client, int64_t end)
{
	client->next = get_time(client);
	while (get_time(client) < end) {
		if (client->next && get_time(client) >= client->next) {
			client->next =
				client->late
					? 0
					: get_time(client) + client->period +
						  (int64_t)(drand48() * 2 * (double)client->period);
			draw(client);
		}
		if (!wait_until(client, client->next && client->next < end ? client->next : end)) {
			return false;
		}
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static struct client client = {.period = SECOND / 60, .clock = CLOCK_MONOTONIC};
	int seconds = argc == 3 ? atoi(argv[2]) : 0;
	if (seconds < 1 || (strcmp(argv[1], "random") != 0 && strcmp(argv[1], "late") != 0)) {
		fputs("usage: latency-client random|late SECONDS\n", stderr);
		return 2;
	}
	client.late = strcmp(argv[1], "late") == 0;
	if (!open_window(&client) || !run(&client, get_time(&client) + seconds * SECOND) ||
		client.n_shown == 0) {
		fputs("latency-client: lost the compositor, or it lacks a global\n", stderr);
		return 1;
	}
	qsort(client.latency, (size_t)client.n_shown, sizeof(client.latency[0]), compare);
	printf("{\"commits\": %d, \"shown\": %d, \"regular\": %d, \"p50\": %.2f, \"p99\": %.2f}\n",
		client.n_commits, client.n_shown, client.n_regular,
		(double)client.latency[client.n_shown / 2] / (double)MS,
		(double)client.latency[client.n_shown * 99 / 100] / (double)MS);
	wl_display_disconnect(client.display);
	return 0;
}
