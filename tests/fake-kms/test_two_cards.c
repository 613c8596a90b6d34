/* SPDX-License-Identifier: MIT */
/* Session on two cards: composition, capture, card removal and a faulty configuration. */

#include "audit.h"
#include "causeway-control-v1-client-protocol.h"
#include "config_text.h"
#include "fake.h"
#include "frame/output.h"
#include "gpu/gpu.h"
#include "harness/client/capturer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/server_device.h"
#include "render/render.h"
#include "server/output.h"
#include "shell/shell.h"
#include "util/fd.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RED 0xffff0000
#define GREEN 0xff00ff00

struct cards_world {
	struct fake_card *first, *second;
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
};

static struct scene_output *find(const struct cards_world *world, const char *name)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = world->fixture->server->scene->outputs[i];
		if (output && strcmp(output->output->name, name) == 0) {
			return output;
		}
	}
	return NULL;
}

static int set_up(void **state)
{
	struct cards_world *world = xcalloc(1, sizeof(*world));
	world->first = fake_card_create("i915");
	fake_card_plug(world->first, "eDP-1", &fake_screen_plain);
	world->second = fake_card_create("nvidia-drm");
	fake_card_plug(world->second, "DP-5", &fake_screen_plain);
	world->fixture = fixture_create(&(struct fixture_options){.drm = true});
	fixture_pump(world->fixture);
	world->peer = peer_create(world->fixture);
	/* Across both outputs. */
	struct scene_output *left = find(world, "eDP-1"), *right = find(world, "DP-5");
	assert_non_null(left);
	assert_int_equal(right->x, left->x + 1920);
	world->window =
		peer_window_create(world->peer, right->x - 100, right->y + 100, 200, 100, RED);
	fixture_frames(world->fixture, 4);
	*state = world;
	return 0;
}

static void expect_border(const struct fixture_options *options, int border, const char *says)
{
	struct fixture *fixture = fixture_create(options);
	const struct shell *shell = fixture->server->shell;
	const char *text = shell_message_text(shell, SHELL_MESSAGE_SESSION);
	assert_int_equal(shell->config->look.border, border);
	assert_true(says ? text && strstr(text, says) : !text);
	fixture_destroy(fixture);
}

static void start_with_errors_uses_the_last_good_configuration(void **state)
{
	char folder[] = "/tmp/causeway-start-XXXXXX", path[64], copy[64], included[64], text[96];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.ini", folder);
	snprintf(included, sizeof(included), "%s/b.ini", folder);
	snprintf(copy, sizeof(copy), "%s/state/copy.ini", folder);
	struct fixture_options options = {.drm = true, .config_path = path, .config_copy = copy};
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);

	config_text_write(path, "[look]\nborder = wide\n");
	expect_border(&options, 2, "a.ini:2: look.border");
	assert_int_equal(access(copy, F_OK), -1);
	config_text_write(included, "[look]\nborder = 7\n");
	snprintf(text, sizeof(text), "include = b.ini\n");
	config_text_write(path, text);
	expect_border(&options, 7, NULL);
	config_text_write(included, "[look]\nborder = wide\n");
	expect_border(&options, 7, "b.ini:2: look.border");
	config_text_write(copy, "[nonsense]\n");
	expect_border(&options, 2, "b.ini:2: look.border");

	fake_reset_all();
	unlink(path);
	unlink(included);
	unlink(copy);
	snprintf(path, sizeof(path), "%s/state", folder);
	rmdir(path);
	rmdir(folder);
}

static int tear_down(void **state)
{
	struct cards_world *world = *state;
	audit(world->fixture->server->backend);
	fixture_destroy(world->fixture);
	fake_reset_all();
	free(world);
	return 0;
}

static uint32_t pixel(struct fake_card *card, int x, int y)
{
	return fake_plane_pixel(card, "plane-0", x, y) & 0xffffff;
}

static void paint(struct cards_world *world, uint32_t color)
{
	struct peer_window *window = world->window;
	peer_buffer_fill(window->buffer, 0, 0, 200, 100, color);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 4);
}

static void window_across_two_cards_is_shown_on_both(void **state)
{
	struct cards_world *world = *state;
	assert_int_equal(pixel(world->first, 1870, 150), RED & 0xffffff);
	assert_int_equal(pixel(world->second, 50, 150), RED & 0xffffff);
	paint(world, GREEN);
	assert_int_equal(pixel(world->first, 1870, 150), GREEN & 0xffffff);
	assert_int_equal(pixel(world->second, 50, 150), GREEN & 0xffffff);
}

/* The other card misses no frame. */
static void session_survives_removal_of_second_card(void **state)
{
	struct cards_world *world = *state;
	struct gpu *gpu = find(world, "DP-5")->output->gpu;
	uint64_t before = fake_card_counts(world->first).flips;
	fake_card_remove(world->second);
	fixture_frames(world->fixture, 2);
	assert_true(gpu->gone);
	assert_int_equal(gpu->n_users, 0);
	assert_null(find(world, "DP-5"));
	assert_true(peer_alive(world->peer));
	peer_window_place(world->window, 100, 100);
	paint(world, GREEN);
	assert_int_equal(pixel(world->first, 150, 150), GREEN & 0xffffff);
	assert_true(fake_card_counts(world->first).flips > before);
}

static void session_survives_removal_of_primary_card(void **state)
{
	struct cards_world *world = *state;
	struct gpu *gpu = find(world, "eDP-1")->output->gpu;
	fake_card_remove(world->first);
	fixture_frames(world->fixture, 2);
	assert_true(gpu->gone);
	assert_int_equal(gpu->n_users, 0);
	const struct scene_output *right = find(world, "DP-5");
	peer_window_place(world->window, right->x + 10, right->y + 10);
	paint(world, GREEN);
	assert_int_equal(pixel(world->second, 50, 50), GREEN & 0xffffff);
	/* Without any card, the session waits for a new one. */
	fake_card_remove(world->second);
	fixture_frames(world->fixture, 2);
	paint(world, RED);
	assert_true(peer_alive(world->peer));
}

/** Buffer constraints and result of a screen capture. */
struct recorded {
	uint32_t format, width, height; /* of dma-bufs; 0: none were offered */
	bool ready;
};

static void handle_buffer(void *data, struct zwlr_screencopy_frame_v1 *frame, uint32_t format,
	uint32_t width, uint32_t height, uint32_t stride)
{
}

static void handle_flags(void *data, struct zwlr_screencopy_frame_v1 *frame, uint32_t flags)
{
}

static void handle_ready(
	void *data, struct zwlr_screencopy_frame_v1 *frame, uint32_t hi, uint32_t lo, uint32_t nsec)
{
	struct recorded *recorded = data;
	recorded->ready = true;
}

static void handle_failed(void *data, struct zwlr_screencopy_frame_v1 *frame)
{
}

static void handle_damage(void *data, struct zwlr_screencopy_frame_v1 *frame, uint32_t x,
	uint32_t y, uint32_t width, uint32_t height)
{
}

static void handle_dmabuf(void *data, struct zwlr_screencopy_frame_v1 *frame, uint32_t format,
	uint32_t width, uint32_t height)
{
	struct recorded *recorded = data;
	recorded->format = format;
	recorded->width = width;
	recorded->height = height;
}

static void handle_done(void *data, struct zwlr_screencopy_frame_v1 *frame)
{
}

static const struct zwlr_screencopy_frame_v1_listener frame_listener = {
	.buffer = handle_buffer,
	.flags = handle_flags,
	.ready = handle_ready,
	.failed = handle_failed,
	.damage = handle_damage,
	.linux_dmabuf = handle_dmabuf,
	.buffer_done = handle_done,
};

/* Imports a memory file as a dma-buf. */
static struct wl_buffer *import(struct cards_world *world, const struct recorded *recorded, int fd)
{
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3));
	zwp_linux_buffer_params_v1_add(
		params, fd, 0, 0, recorded->width * 4, 0, (uint32_t)DRM_FORMAT_MOD_LINEAR);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(
		params, (int32_t)recorded->width, (int32_t)recorded->height, recorded->format, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	return buffer;
}

/* The CPU composes for this card. */
static void output_composed_by_cpu_is_captured_into_dmabuf(void **state)
{
	struct cards_world *world = *state;
	struct recorded recorded = {0};
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(world->peer, &zwlr_screencopy_manager_v1_interface, 3);
	struct wl_output *output = peer_bind(world->peer, &wl_output_interface, 0);
	struct zwlr_screencopy_frame_v1 *frame =
		zwlr_screencopy_manager_v1_capture_output(manager, 0, output);
	zwlr_screencopy_frame_v1_add_listener(frame, &frame_listener, &recorded);
	fixture_pump(world->fixture);
	assert_int_equal(recorded.format, DRM_FORMAT_XRGB8888);
	assert_int_equal(recorded.width, 1920);
	size_t size = (size_t)recorded.width * recorded.height * 4;
	int fd = fd_create_memory("test-record", (off_t)size, true);
	struct wl_buffer *buffer = import(world, &recorded, fd);
	zwlr_screencopy_frame_v1_copy_with_damage(frame, buffer);
	fixture_pump(world->fixture);
	assert_true(recorded.ready);
	uint32_t *pixels = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(pixels != MAP_FAILED);
	for (int y = 90; y < 210; y += 10) {
		for (int x = 1800; x < 1920; x += 10) {
			assert_int_equal(
				pixels[y * 1920 + x] & 0xffffff, pixel(world->first, x, y));
		}
	}
	assert_int_equal(pixels[150 * 1920 + 1870] & 0xffffff, RED & 0xffffff);
	munmap(pixels, size);
	close(fd);
	zwlr_screencopy_frame_v1_destroy(frame);
	wl_buffer_destroy(buffer);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	int *n = data;
	*n += format == DRM_FORMAT_NV12;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* Counts the pairs of NV12 that are sent to a client that binds the interface now. */
static int count_nv12(struct cards_world *world)
{
	int n = 0;
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &n);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	return n;
}

static void formats_that_one_card_cannot_show_are_not_announced(void **state)
{
	struct cards_world *world = *state;
	struct server *server = world->fixture->server;
	assert_int_equal(count_nv12(world), 1);
	struct server_device *second = wl_container_of(server->devices.next, second, link);
	struct format_set *shown = &second->frame->renderer->texture_formats;
	format_set_finish(shown);
	*shown = (struct format_set){0};
	format_set_add(shown, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	fake_card_plug(world->second, "DP-6", &fake_screen_plain);
	fixture_frames(world->fixture, 2);
	assert_int_equal(count_nv12(world), 0);
	fake_card_remove(world->second);
	fixture_frames(world->fixture, 2);
	assert_int_equal(count_nv12(world), 1);
}

/* The renderer that replaces a lost one may be another, which shows other formats. */
static void formats_of_a_restored_renderer_are_announced(void **state)
{
	struct cards_world *world = *state;
	struct server *server = world->fixture->server;
	struct format_set *shown = &server->device->renderer->texture_formats;
	format_set_finish(shown);
	*shown = (struct format_set){0};
	format_set_add(shown, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	signal_emit(&server->events.outputs_changed, NULL);
	assert_int_equal(count_nv12(world), 0);
	signal_emit(&server->device->renderer->events.lost, NULL);
	fixture_frames(world->fixture, 2);
	assert_int_equal(count_nv12(world), 1);
}

static struct capturer_session *capture_last_output(struct peer *peer)
{
	uint32_t name = 0;
	for (int i = 0; i < peer->n_globals; i++) {
		if (strcmp(peer->globals[i].interface, wl_output_interface.name) == 0) {
			name = peer->globals[i].name;
		}
	}
	struct wl_output *output = wl_registry_bind(peer->registry, name, &wl_output_interface, 1);
	struct ext_image_capture_source_v1 *source =
		ext_output_image_capture_source_manager_v1_create_source(
			peer_bind(peer, &ext_output_image_capture_source_manager_v1_interface, 0),
			output);
	return capturer_session_create(peer, source, 0);
}

/* Another render device serves the output while it is off. */
static void capture_constraints_are_sent_again_when_output_power_changes(void **state)
{
	struct cards_world *world = *state;
	struct server *server = world->fixture->server;
	struct server_output *entry = wl_container_of(server->outputs.prev, entry, link);
	assert_ptr_equal(entry->scene_output, find(world, "DP-5"));
	assert_ptr_not_equal(entry->frame->device, server->device);
	struct capturer_session *session = capture_last_output(world->peer);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_done, 1);
	server_output_set_power(entry, false);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_done, 2);
	server_output_set_power(entry, true);
	fixture_pump(world->fixture);
	assert_int_equal(session->n_done, 3);
	capturer_session_destroy(session);
	assert_true(peer_alive(world->peer));
}

struct quirks {
	char driver[32], of_intel[1024], of_nvidia[1024];
};

static void ignore(void *data, struct causeway_report_v1 *proxy)
{
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct quirks *quirks = data;
	if (strcmp(name, "driver") == 0) {
		snprintf(quirks->driver, sizeof(quirks->driver), "%s", value);
	} else if (strcmp(name, "quirks") == 0) {
		bool intel = strcmp(quirks->driver, "i915") == 0;
		snprintf(intel ? quirks->of_intel : quirks->of_nvidia, sizeof(quirks->of_intel),
			"%s", value);
	}
}

static const struct causeway_report_v1_listener report_listener = {
	.begin_record = ignore,
	.field = handle_field,
	.end_record = ignore,
	.done = ignore,
};

static void report_lists_quirks_of_each_card(void **state)
{
	struct cards_world *world = *state;
	struct quirks quirks = {0};
	struct peer *peer = peer_create_control(world->fixture);
	struct causeway_control_v1 *control = peer_bind(peer, &causeway_control_v1_interface, 0);
	struct causeway_report_v1 *report = causeway_control_v1_list_gpus(control);
	causeway_report_v1_add_listener(report, &report_listener, &quirks);
	fixture_pump(world->fixture);
	assert_non_null(strstr(quirks.of_nvidia, "wait for their fences before the commit ("));
	assert_non_null(strstr(quirks.of_nvidia, "); overlay planes are unused ("));
	assert_non_null(strstr(quirks.of_intel, "content type changes with modesets only ("));
	assert_null(strstr(quirks.of_intel, "overlay"));
	causeway_report_v1_destroy(report);
}

static int count_planes(const char *config)
{
	char path[] = "/tmp/causeway-overlays-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	config_text_write(path, config);
	struct fake_card *card = fake_card_create("nvidia-drm");
	fake_card_plug(card, "DP-5", &fake_screen_plain);
	struct cards_world world = {
		.fixture =
			fixture_create(&(struct fixture_options){.drm = true, .config_path = path}),
	};
	fixture_pump(world.fixture);
	int n = find(&world, "DP-5")->output->n_planes;
	fixture_destroy(world.fixture);
	fake_reset_all();
	unlink(path);
	return n;
}

static void configuration_switches_overlays_on(void **state)
{
	assert_int_equal(count_planes(""), 2);
	assert_int_equal(count_planes("[gpu]\noverlays = yes\n"), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(window_across_two_cards_is_shown_on_both),
		TEST(output_composed_by_cpu_is_captured_into_dmabuf),
		TEST(capture_constraints_are_sent_again_when_output_power_changes),
		TEST(formats_that_one_card_cannot_show_are_not_announced),
		TEST(formats_of_a_restored_renderer_are_announced),
		TEST(session_survives_removal_of_second_card),
		TEST(session_survives_removal_of_primary_card),
		TEST(report_lists_quirks_of_each_card),
		cmocka_unit_test(configuration_switches_overlays_on),
		cmocka_unit_test(start_with_errors_uses_the_last_good_configuration),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
