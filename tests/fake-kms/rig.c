/* SPDX-License-Identifier: MIT */
/* Test rig for the DRM backend on emulated cards. */

#include "rig.h"
#include "../harness/await.h"
#include "audit.h"
#include "backend/drm/drm.h"
#include "backend/session.h"
#include "buffer/allocator.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void handle_present(struct wl_listener *listener, void *data)
{
	struct rig_output *output = wl_container_of(listener, output, on_present);
	output->present = *(const struct output_present *)data;
	output->n_presents++;
}

static void handle_needs_frame(struct wl_listener *listener, void *data)
{
	struct rig_output *output = wl_container_of(listener, output, on_needs_frame);
	output->n_needed++;
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct rig_output *output = wl_container_of(listener, output, on_destroy);
	wl_list_remove(&output->on_present.link);
	wl_list_remove(&output->on_needs_frame.link);
	wl_list_remove(&output->on_destroy.link);
	output->output = NULL;
}

static void handle_new_output(struct wl_listener *listener, void *data)
{
	struct rig *rig = wl_container_of(listener, rig, new_output);
	assert_in_range(rig->n_outputs, 0, RIG_OUTPUTS_MAX - 1);
	struct rig_output *output = &rig->outputs[rig->n_outputs++];
	output->rig = rig;
	output->output = data;
	output->on_present.notify = handle_present;
	wl_signal_add(&output->output->events.present, &output->on_present);
	output->on_needs_frame.notify = handle_needs_frame;
	wl_signal_add(&output->output->events.needs_frame, &output->on_needs_frame);
	output->on_destroy.notify = handle_destroy;
	wl_signal_add(&output->output->events.destroy, &output->on_destroy);
}

struct rig *rig_create(void)
{
	return rig_create_with(&(struct drm_options){0});
}

/* Returns the number of open descriptors. */
static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;
	assert_non_null(folder);
	while (readdir(folder)) {
		n++;
	}
	closedir(folder);
	return n;
}

struct rig *rig_create_with(const struct drm_options *options)
{
	struct rig *rig = xcalloc(1, sizeof(*rig));
	char *error = NULL;
	rig->n_descriptors = count_descriptors();
	rig->loop = wl_event_loop_create();
	rig->clock = clock_create_test(INT64_C(1000000000));
	gpu_list_init(&rig->gpus);
	rig->session = session_create(rig->loop, &error);
	if (!rig->session) {
		fail_msg("cannot create a session: %s", error);
	}
	rig->backend = drm_backend_create(
		rig->loop, rig->clock, rig->session, &rig->gpus, options, &error);
	if (!rig->backend) {
		fail_msg("cannot create the DRM backend: %s", error);
	}
	rig->new_output.notify = handle_new_output;
	wl_signal_add(&rig->backend->events.new_output, &rig->new_output);
	assert_true(backend_start(rig->backend));
	return rig;
}

void rig_destroy(struct rig *rig)
{
	wl_list_remove(&rig->new_output.link);
	backend_destroy(rig->backend);
	session_destroy(rig->session);
	gpu_list_finish(&rig->gpus);
	clock_destroy(rig->clock);
	wl_event_loop_destroy(rig->loop);
	fake_reset_all();
	/* A test may have closed some that it opened before, and abandoned threads close theirs. */
	await(count_descriptors() <= rig->n_descriptors, );
	free(rig);
}

void rig_dispatch(struct rig *rig)
{
	/* An event can cause further events; ten rounds are enough for all tests. */
	int n = 0;
	for (int i = 0; i < 10; n++) {
		bool waits = !rig->holds_probes && drm_backend_is_probing(rig->backend);
		assert_in_range(n, 0, 10000);
		wl_event_loop_dispatch(rig->loop, waits ? 1 : 0);
		i = waits ? 0 : i + 1;
	}
	audit(rig->backend);
}

void rig_wait_for_tasks(struct rig *rig)
{
	const struct drm_backend *backend = wl_container_of(rig->backend, backend, base);
	for (int i = 0; tasks_n_pending(backend->tasks) > 0; i++) {
		assert_in_range(i, 0, 10000);
		wl_event_loop_dispatch(rig->loop, 1);
	}
	rig_dispatch(rig);
}

void rig_wait(struct rig *rig, const int *count, int n)
{
	for (int i = 0; *count < n; i++) {
		assert_in_range(i, 0, 10000);
		wl_event_loop_dispatch(rig->loop, 1);
	}
	rig_dispatch(rig);
}

struct rig_output *rig_find(struct rig *rig, const char *name)
{
	for (int i = 0; i < rig->n_outputs; i++) {
		if (rig->outputs[i].output && strcmp(rig->outputs[i].output->name, name) == 0) {
			return &rig->outputs[i];
		}
	}
	return NULL;
}

bool rig_set(struct rig_output *output, const struct output_state *state)
{
	bool done = output_test(output->output, state) && output_commit(output->output, state) != 0;
	rig_dispatch(output->rig);
	return done;
}

bool rig_set_rate(struct rig_output *output, bool variable)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ADAPTIVE_SYNC;
	state.adaptive_sync = variable;
	return output_test(output->output, &state) && output_commit(output->output, &state) != 0;
}

bool rig_enable(struct rig_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = output->output->modes[0];
	return rig_set(output, &state);
}

static void fill(struct buffer *buffer, uint32_t pixel)
{
	int32_t words = buffer->width * pixel_format_get(buffer->format)->bytes[0] / 4;
	size_t stride;
	void *data;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), 0);
	for (int32_t y = 0; y < buffer->height; y++) {
		uint32_t *row = (uint32_t *)((char *)data + (size_t)y * stride);
		for (int32_t x = 0; x < words; x++) {
			row[x] = pixel;
		}
	}
	assert_true(buffer_end_access(buffer));
}

struct buffer *rig_buffer(struct rig *rig, const struct output *output, int32_t width,
	int32_t height, uint32_t format, uint32_t pixel)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	struct format_modifiers wanted = {.format = format, .modifiers = &linear, .n_modifiers = 1};
	int fd = drm_backend_clone_fd(rig->backend, output->gpu);
	assert_true(fd >= 0);
	struct allocator *allocator = dumb_allocator_create(fd);
	struct buffer *buffer = allocator->impl->create_buffer(allocator, width, height, &wanted);
	assert_non_null(buffer);
	fill(buffer, pixel);
	allocator_destroy(allocator);
	return buffer;
}

struct plane_state *rig_fill_state(
	struct output_state *state, const struct output *output, struct buffer *buffer)
{
	struct plane_state *plane = output_state_add_plane(state, output_primary_plane(output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	return plane;
}

uint32_t rig_show(struct rig *rig, struct rig_output *output, uint32_t pixel, int fence)
{
	struct output *base = output->output;
	struct buffer *buffer = rig_buffer(
		rig, base, base->mode.width, base->mode.height, DRM_FORMAT_XRGB8888, pixel);
	struct output_state state;
	output_state_init(&state);
	rig_fill_state(&state, base, buffer)->acquire_fence = fence;
	uint32_t number = output_commit(base, &state);
	buffer_drop(buffer);
	return number;
}
