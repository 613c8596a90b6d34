/* SPDX-License-Identifier: MIT */
/*
 * Output events and failures in the DRM backend: hotplug, failed commits, lost page flips, gamma
 * and leases.
 */

#include "backend/lease.h"
#include "rig.h"
#include "util/fd.h"
#include "util/fence.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

static struct fake_card *card_with_two(void)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	return card;
}

static struct rig *rig_with_enabled_outputs(void)
{
	struct rig *rig = rig_create();
	for (int i = 0; i < rig->n_outputs; i++) {
		assert_true(rig_enable(&rig->outputs[i]));
	}
	return rig;
}

static void outputs_follow_hotplug(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	assert_int_not_equal(rig_show(rig, rig_find(rig, "DP-2"), 0, -1), 0);
	const char *crtc = fake_crtc_of(card, "DP-2");
	fake_card_plug(card, "DP-2", NULL);
	rig_dispatch(rig);
	assert_null(rig_find(rig, "DP-2"));
	assert_int_equal(fake_get(card, crtc, "ACTIVE"), 0);
	assert_string_equal(fake_crtc_of(card, "DP-2"), "none");
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "ACTIVE"), 1);
	fake_card_plug(card, "DP-3", &fake_screen_plain);
	rig_dispatch(rig);
	assert_non_null(rig_find(rig, "DP-3"));
	assert_true(rig_enable(rig_find(rig, "DP-3")));
	rig_destroy(rig);
}

static void another_screen_on_a_connector_is_another_output(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	rig_dispatch(rig);
	assert_int_equal(rig->n_outputs, 3);
	assert_string_equal(rig_find(rig, "DP-1")->output->model, "Gaming 27");
	rig_destroy(rig);
}

#define QEMU(width, height)                                                                        \
	{                                                                                          \
		.maker = "RHT", .name = "QEMU Monitor", .mm_width = (width) / 4,                   \
		.mm_height = (height) / 4, .modes = {                                              \
			{width, height, 75},                                                       \
			{1024, 768, 60},                                                           \
		}                                                                                  \
	}

static void handle_request(struct wl_listener *listener, void *data)
{
	struct rig_output *output = wl_container_of(listener, output, on_request);
	assert_int_not_equal(output_commit(output->output, data), 0);
}

/* QEMU makes another EDID for each size of its window. */
static void resized_window_of_the_host_changes_the_mode_only(void **state)
{
	static const struct fake_screen small = QEMU(1280, 800), large = QEMU(1600, 900);
	static const char *const kinds[][2] = {
		{"virtio_gpu", "Virtual-1"}, {"vmwgfx", "Virtual-2"}};
	for (int i = 0; i < 2; i++) {
		struct fake_card *card = fake_card_create(kinds[i][0]);
		fake_card_plug(card, kinds[i][1], &small);
		struct rig *rig = rig_with_enabled_outputs();
		struct rig_output *output = &rig->outputs[0];
		const struct output *before = output->output;
		signal_add(
			&output->output->events.request_state, &output->on_request, handle_request);
		fake_card_plug(card, kinds[i][1], &large);
		rig_dispatch(rig);
		assert_ptr_equal(output->output, before);
		assert_int_equal(rig->n_outputs, 1);
		assert_int_equal(before->physical_width, 400);
		assert_int_equal(before->modes[0].width, 1600);
		assert_int_equal(before->mode.width, 1600);
		assert_string_equal(before->model, "QEMU Monitor");
		wl_list_remove(&output->on_request.link);
		rig_destroy(rig);
	}
}

/* A monitor changes its EDID with its settings, such as the version of DisplayPort. */
static void same_screen_with_other_modes_keeps_its_output_and_mode(void **state)
{
	struct fake_screen changed = fake_screen_plain;
	changed.modes[0].width = 3840;
	changed.modes[0].height = 2160;
	changed.max_hz = 90;
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct output *output = rig_find(rig, "DP-1")->output;
	int32_t width = output->mode.width;
	uint64_t modesets = fake_card_counts(card).modesets;
	fake_card_plug(card, "DP-1", &changed);
	rig_dispatch(rig);
	assert_ptr_equal(rig_find(rig, "DP-1")->output, output);
	assert_int_equal(output->modes[0].width, 3840);
	assert_int_equal(output->mode.width, width);
	assert_int_equal(fake_card_counts(card).modesets, modesets);
	changed.serial++;
	fake_card_plug(card, "DP-1", &changed);
	rig_dispatch(rig);
	assert_int_equal(rig->n_outputs, 3);
	rig_destroy(rig);
}

static void removed_card_destroys_its_outputs_only(void **state)
{
	struct fake_card *card = card_with_two();
	struct fake_card *other = fake_card_create("i915");
	fake_card_plug(other, "eDP-1", &fake_screen_plain);
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *lost = rig_find(rig, "DP-1");
	struct gpu *gpu = lost->output->gpu;
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, lost, 0, -1), 0);
	fake_card_remove(card);
	rig_dispatch(rig);
	/* The struct stays valid for its users. */
	assert_true(gpu->gone);
	assert_string_equal(gpu->bus_id, "pci-0000_01_00_0");
	assert_int_equal(drm_backend_clone_fd(rig->backend, gpu), -ENODEV);
	assert_int_equal(lost->n_presents, 1);
	assert_false(lost->present.presented);
	assert_null(rig_find(rig, "DP-1"));
	assert_null(rig_find(rig, "DP-2"));
	assert_int_not_equal(rig_show(rig, rig_find(rig, "eDP-1"), 0, -1), 0);
	rig_dispatch(rig);
	assert_int_equal(rig_find(rig, "eDP-1")->n_presents, 1);
	rig_destroy(rig);
}

static void failed_commit_affects_one_frame_of_one_output(void **state)
{
	static const int errors[] = {EBUSY, EINVAL, ENOMEM};
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *first = rig_find(rig, "DP-1"), *second = rig_find(rig, "DP-2");
	for (int i = 0; i < 3; i++) {
		fake_card_fail(card, errors[i], 1, false);
		assert_int_equal(rig_show(rig, first, 0, -1), 0);
		assert_int_not_equal(rig_show(rig, second, 0, -1), 0);
		rig_dispatch(rig);
		assert_int_equal(first->n_presents, i);
		assert_int_equal(second->n_presents, i + 1);
		assert_int_not_equal(rig_show(rig, first, 0, -1), 0);
		rig_dispatch(rig);
		assert_int_equal(first->n_presents, i + 1);
	}
	rig_destroy(rig);
}

static void frame_is_refused_while_a_flip_is_pending(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 1, -1), 0);
	assert_int_equal(rig_show(rig, output, 2, -1), 0);
	assert_int_not_equal(rig_show(rig, rig_find(rig, "DP-2"), 3, -1), 0);
	assert_int_equal(fake_card_vblank(card, 1000), 2);
	rig_dispatch(rig);
	assert_int_not_equal(rig_show(rig, output, 2, -1), 0);
	rig_destroy(rig);
}

static void kernel_waits_for_acquire_fence(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	int fence = fake_fence_create();
	assert_int_not_equal(rig_show(rig, output, 0, fence), 0);
	assert_int_equal(fake_card_vblank(card, 1000), 0);
	fake_fence_signal(fence, 1);
	assert_int_equal(fake_card_vblank(card, 2000), 1);
	rig_dispatch(rig);
	assert_int_equal(output->n_presents, 1);
	assert_int_equal(output->present.when, 2000);
	close(fence);
	rig_destroy(rig);
}

struct leaving {
	struct wl_listener listener;
	int fence, n;
};

/* The kernel's counter has 32 bits, and that of presentation feedback must not go back. */
static void sequence_of_frames_does_not_wrap(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = &rig->outputs[0];
	uint64_t last = 0;
	for (int i = 0; i < 6; i++) {
		assert_int_not_equal(rig_show(rig, output, 0x123456, -1), 0);
		rig_dispatch(rig);
		assert_true(output->present.presented);
		if (i > 0) {
			assert_int_equal(output->present.sequence, last + 0x70000001);
		}
		last = output->present.sequence;
		fake_card_pass_vblanks(card, 0x70000000);
	}
	assert_true(last > UINT32_MAX);
	rig_destroy(rig);
}

static void handle_leaving(struct wl_listener *listener, void *data)
{
	struct leaving *leaving = wl_container_of(listener, leaving, listener);
	leaving->fence = fd_dup(*(const int *)data);
	leaving->n++;
}

static uint32_t show_buffer(struct rig_output *output, struct buffer *buffer)
{
	struct output_state state;
	output_state_init(&state);
	rig_fill_state(&state, output->output, buffer);
	return output_commit(output->output, &state);
}

/* The fence signals when the last plane has left the buffer. */
static void leaving_event_has_a_fence_for_unlocked_buffers(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "DP-1");
	struct buffer *buffers[2];
	struct leaving leaving = {.listener = {.notify = handle_leaving}, .fence = -1};
	for (int i = 0; i < 2; i++) {
		buffers[i] = rig_buffer(rig, output->output, 1920, 1080, DRM_FORMAT_XRGB8888, 0);
	}
	wl_signal_add(&buffers[0]->events.leaving, &leaving.listener);
	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	rig_dispatch(rig);
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	/* No event: the buffer stays on the plane, or is locked elsewhere. */
	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	fake_card_vblank(card, 1000);
	rig_dispatch(rig);
	buffer_lock(buffers[0]);
	assert_int_not_equal(show_buffer(output, buffers[1]), 0);
	fake_card_vblank(card, 2000);
	rig_dispatch(rig);
	buffer_unlock(buffers[0]);
	assert_int_equal(leaving.n, 0);

	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	fake_card_vblank(card, 3000);
	rig_dispatch(rig);
	fake_card_fail(card, EINVAL, 1, false);
	assert_int_equal(show_buffer(output, buffers[1]), 0);
	assert_int_equal(leaving.n, 0);
	assert_int_not_equal(show_buffer(output, buffers[1]), 0);
	assert_int_equal(leaving.n, 1);
	assert_int_equal(fence_status(leaving.fence), 0);
	assert_int_equal(buffers[0]->n_locks, 1);
	fake_card_vblank(card, 4000);
	assert_int_equal(fence_status(leaving.fence), 1);
	rig_dispatch(rig);
	assert_int_equal(buffers[0]->n_locks, 0);
	wl_list_remove(&leaving.listener.link);
	close(leaving.fence);
	buffer_drop(buffers[0]);
	buffer_drop(buffers[1]);
	rig_destroy(rig);
}

static void output_beyond_bandwidth_is_refused(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_create();
	/* Enough for either output alone. */
	fake_card_set_bandwidth(card, UINT64_C(1920) * 1080 * 4 * 60);
	assert_true(rig_enable(rig_find(rig, "DP-1")));
	assert_false(rig_enable(rig_find(rig, "DP-2")));
	assert_string_equal(fake_crtc_of(card, "DP-2"), "none");
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "ACTIVE"), 1);
	fake_card_set_bandwidth(card, 0);
	assert_true(rig_enable(rig_find(rig, "DP-2")));
	rig_destroy(rig);
}

static void inactive_session_suspends_outputs(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 1, -1), 0);
	fake_seat_set_active(false);
	rig_dispatch(rig);
	assert_true(output->output->asleep);
	assert_int_equal(output->n_presents, 1);
	assert_false(output->present.presented);
	assert_false(rig_enable(output));
	fake_card_plug(card, "DP-2", NULL);
	fake_seat_set_active(true);
	rig_dispatch(rig);
	assert_false(output->output->asleep);
	/* The card still completes the flip from before. */
	assert_int_equal(output->n_needed, 0);
	assert_int_equal(fake_card_vblank(card, 1000), 1);
	rig_dispatch(rig);
	assert_int_equal(output->n_needed, 1);
	assert_null(rig_find(rig, "DP-2"));
	rig_destroy(rig);
}

static void bad_link_status_causes_modeset(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_with_enabled_outputs();
	uint64_t before = fake_card_counts(card).modesets;
	fake_card_break_link(card, "DP-1");
	rig_dispatch(rig);
	assert_int_equal(fake_get(card, "DP-1", "link-status"), 0);
	assert_int_equal(fake_card_counts(card).modesets, before + 1);
	assert_int_equal(rig_find(rig, "DP-1")->n_needed, 1);
	rig_destroy(rig);
}

#define GAMMA_SIZE 1024 /* of the i915 kind */

/* Sets the gamma table `ramps`; NULL removes it. */
static bool set_gamma(struct rig_output *output, const uint16_t *ramps)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_GAMMA;
	state.gamma = ramps;
	return output_commit(output->output, &state) != 0;
}

static void fill_ramps(uint16_t ramps[3 * GAMMA_SIZE], int first)
{
	for (int i = 0; i < 3 * GAMMA_SIZE; i++) {
		ramps[i] = (uint16_t)(first + i);
	}
}

static void check_gamma(struct fake_card *card, int first)
{
	size_t size;
	const struct drm_color_lut *table =
		fake_get_blob(card, fake_crtc_of(card, "eDP-1"), "GAMMA_LUT", &size);
	assert_int_equal(size, GAMMA_SIZE * sizeof(*table));
	for (int i = 0; i < GAMMA_SIZE; i++) {
		assert_int_equal(table[i].red, first + i);
		assert_int_equal(table[i].green, first + GAMMA_SIZE + i);
		assert_int_equal(table[i].blue, first + 2 * GAMMA_SIZE + i);
	}
}

static void check_no_gamma(struct fake_card *card)
{
	assert_int_equal(fake_get(card, fake_crtc_of(card, "eDP-1"), "GAMMA_LUT"), 0);
}

static void show(struct rig *rig, struct rig_output *output)
{
	assert_int_not_equal(rig_show(rig, output, 0, -1), 0);
	rig_dispatch(rig);
}

static struct fake_card *card_with_panel(void)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	return card;
}

/* A refused table leaves the previous one. All blobs are freed. */
static void gamma_is_set_with_the_next_frame(void **state)
{
	struct fake_card *card = card_with_panel();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "eDP-1");
	uint16_t ramps[3 * GAMMA_SIZE];
	assert_int_equal(output->output->gamma_size, GAMMA_SIZE);
	show(rig, output);
	int blobs = fake_card_counts(card).blobs;

	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 0, -1), 0);
	uint64_t commits = fake_card_counts(card).commits;
	fill_ramps(ramps, 100);
	/* Pending flips do not block. */
	assert_true(set_gamma(output, ramps));
	assert_int_equal(fake_card_counts(card).commits, commits);
	fake_card_vblank(card, 1000);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	rig_dispatch(rig);
	check_no_gamma(card);
	show(rig, output);
	check_gamma(card, 100);

	fake_card_fail(card, EINVAL, 1, true);
	fill_ramps(ramps, 200);
	assert_false(set_gamma(output, ramps));
	show(rig, output);
	check_gamma(card, 100);
	/* After a refused frame, the next one sets the table. */
	assert_true(set_gamma(output, ramps));
	fake_card_fail(card, EBUSY, 1, false);
	assert_int_equal(rig_show(rig, output, 0, -1), 0);
	show(rig, output);
	check_gamma(card, 200);

	assert_true(set_gamma(output, NULL));
	show(rig, output);
	check_no_gamma(card);
	assert_int_equal(fake_card_counts(card).blobs, blobs);
	rig_destroy(rig);
}

/* The table is restored after another session, and a change during that time applies. */
static void gamma_survives_disabling_and_session_switch(void **state)
{
	struct fake_card *card = card_with_panel();
	struct rig *rig = rig_with_enabled_outputs();
	struct rig_output *output = rig_find(rig, "eDP-1");
	uint16_t ramps[3 * GAMMA_SIZE];
	fill_ramps(ramps, 100);
	assert_true(set_gamma(output, ramps));
	show(rig, output);
	struct output_state off;
	output_state_init(&off);
	off.fields = OUTPUT_ENABLED;
	assert_int_not_equal(output_commit(output->output, &off), 0);
	assert_true(rig_enable(output));
	check_gamma(card, 100);

	fake_seat_set_active(false);
	rig_dispatch(rig);
	fake_set(card, fake_crtc_of(card, "eDP-1"), "GAMMA_LUT", 0);
	fake_seat_set_active(true);
	rig_dispatch(rig);
	check_gamma(card, 100);

	fake_seat_set_active(false);
	rig_dispatch(rig);
	fill_ramps(ramps, 200);
	assert_true(set_gamma(output, ramps));
	fake_seat_set_active(true);
	rig_dispatch(rig);
	check_gamma(card, 200);

	fake_seat_set_active(false);
	rig_dispatch(rig);
	assert_true(set_gamma(output, NULL));
	fake_seat_set_active(true);
	rig_dispatch(rig);
	check_no_gamma(card);
	rig_destroy(rig);
}

struct ending {
	struct wl_listener listener;
	struct output *output;
	int n;
};

static void handle_lent(struct wl_listener *listener, void *data)
{
	struct ending *ending = wl_container_of(listener, ending, listener);
	if (ending->output->leased) {
		ending->n++;
		drm_lease_end(ending->output);
	}
}

/* A listener ends the lease as soon as the output is marked as leased. */
static void lease_ended_by_listener_is_not_created(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_create();
	struct output *outputs[] = {rig_find(rig, "DP-1")->output, rig_find(rig, "DP-2")->output};
	for (int i = 0; i < 2; i++) {
		struct ending ending = {.listener = {.notify = handle_lent}, .output = outputs[i]};
		int fd = -1, files = fake_card_counts(card).files;
		wl_signal_add(&outputs[i]->events.changed, &ending.listener);
		assert_null(drm_lease_create(outputs, 2, &fd));
		assert_int_equal(fd, -1);
		assert_int_equal(ending.n, 1);
		assert_false(outputs[0]->leased || outputs[1]->leased);
		assert_int_equal(fake_card_counts(card).files, files);
		wl_list_remove(&ending.listener.link);
	}
	int fd = -1;
	struct drm_lease *lease = drm_lease_create(outputs, 2, &fd);
	assert_non_null(lease);
	assert_true(outputs[0]->leased && outputs[1]->leased);
	close(fd);
	drm_lease_destroy(lease);
	assert_true(rig_enable(rig_find(rig, "DP-1")) && rig_enable(rig_find(rig, "DP-2")));
	rig_destroy(rig);
}

/* A lease would take the screen from the session, or from another lessee. */
static void output_in_use_is_not_leased(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_create();
	struct output *used = rig_find(rig, "DP-1")->output;
	struct output *unused = rig_find(rig, "DP-2")->output;
	struct output *both[] = {unused, used};
	int fd = -1;
	assert_true(rig_enable(rig_find(rig, "DP-1")));
	assert_null(drm_lease_create(&used, 1, &fd));
	assert_null(drm_lease_create(both, 2, &fd));
	used->enabled = false;
	used->asleep = true; /* off for a moment: it comes back in its mode */
	assert_null(drm_lease_create(&used, 1, &fd));
	used->asleep = false;
	used->enabled = true;
	assert_false(used->leased || unused->leased);

	struct drm_lease *lease = drm_lease_create(&unused, 1, &fd);
	assert_non_null(lease);
	int another = -1;
	assert_null(drm_lease_create(&unused, 1, &another));
	assert_int_equal(another, -1);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "ACTIVE"), 1);
	close(fd);
	drm_lease_destroy(lease);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outputs_follow_hotplug),
		cmocka_unit_test(another_screen_on_a_connector_is_another_output),
		cmocka_unit_test(resized_window_of_the_host_changes_the_mode_only),
		cmocka_unit_test(same_screen_with_other_modes_keeps_its_output_and_mode),
		cmocka_unit_test(removed_card_destroys_its_outputs_only),
		cmocka_unit_test(failed_commit_affects_one_frame_of_one_output),
		cmocka_unit_test(frame_is_refused_while_a_flip_is_pending),
		cmocka_unit_test(kernel_waits_for_acquire_fence),
		cmocka_unit_test(sequence_of_frames_does_not_wrap),
		cmocka_unit_test(leaving_event_has_a_fence_for_unlocked_buffers),
		cmocka_unit_test(output_beyond_bandwidth_is_refused),
		cmocka_unit_test(inactive_session_suspends_outputs),
		cmocka_unit_test(bad_link_status_causes_modeset),
		cmocka_unit_test(lease_ended_by_listener_is_not_created),
		cmocka_unit_test(output_in_use_is_not_leased),
		cmocka_unit_test(gamma_is_set_with_the_next_frame),
		cmocka_unit_test(gamma_survives_disabling_and_session_switch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
