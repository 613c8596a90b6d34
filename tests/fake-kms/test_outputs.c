/* What happens to outputs: screens and cards that go, commits that fail, flips that do not come. */

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

static struct rig *lit_rig(void)
{
	struct rig *rig = rig_create();
	for (int i = 0; i < rig->n_outputs; i++) {
		assert_true(rig_light(&rig->outputs[i]));
	}
	return rig;
}

static void test_hotplug(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	assert_int_not_equal(rig_show(rig, rig_find(rig, "DP-2"), 0, -1), 0);
	const char *crtc = fake_crtc_of(card, "DP-2");
	fake_card_plug(card, "DP-2", NULL);
	rig_turn(rig);
	assert_null(rig_find(rig, "DP-2"));
	assert_int_equal(fake_get(card, crtc, "ACTIVE"), 0);
	assert_string_equal(fake_crtc_of(card, "DP-2"), "none");
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "ACTIVE"), 1);
	fake_card_plug(card, "DP-3", &fake_screen_plain);
	rig_turn(rig);
	assert_non_null(rig_find(rig, "DP-3"));
	assert_true(rig_light(rig_find(rig, "DP-3")));
	rig_destroy(rig);
}

/* Another screen on the same plug is another output. */
static void test_swap(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	rig_turn(rig);
	assert_int_equal(rig->n_outputs, 3);
	assert_string_equal(rig_find(rig, "DP-1")->output->model, "Gaming 27");
	rig_destroy(rig);
}

static void test_card_goes(void **state)
{
	struct fake_card *card = card_with_two();
	struct fake_card *other = fake_card_create("i915");
	fake_card_plug(other, "eDP-1", &fake_screen_plain);
	struct rig *rig = lit_rig();
	struct rig_output *lost = rig_find(rig, "DP-1");
	struct gpu *gpu = lost->output->gpu;
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, lost, 0, -1), 0);
	fake_card_remove(card);
	rig_turn(rig);
	/* Who names it may still look. */
	assert_true(gpu->gone);
	assert_string_equal(gpu->bus_id, "pci-0000_01_00_0");
	assert_int_equal(drm_backend_clone_fd(rig->backend, gpu), -ENODEV);
	assert_int_equal(lost->n_presents, 1);
	assert_false(lost->present.presented);
	assert_null(rig_find(rig, "DP-1"));
	assert_null(rig_find(rig, "DP-2"));
	assert_int_not_equal(rig_show(rig, rig_find(rig, "eDP-1"), 0, -1), 0);
	rig_turn(rig);
	assert_int_equal(rig_find(rig, "eDP-1")->n_presents, 1);
	rig_destroy(rig);
}

/* One output's trouble is not the other's, and a later frame is taken. */
static void test_failed_commit(void **state)
{
	static const int errors[] = {EBUSY, EINVAL, ENOMEM};
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *first = rig_find(rig, "DP-1"), *second = rig_find(rig, "DP-2");
	for (int i = 0; i < 3; i++) {
		fake_card_fail(card, errors[i], 1, false);
		assert_int_equal(rig_show(rig, first, 0, -1), 0);
		assert_int_not_equal(rig_show(rig, second, 0, -1), 0);
		rig_turn(rig);
		assert_int_equal(first->n_presents, i);
		assert_int_equal(second->n_presents, i + 1);
		assert_int_not_equal(rig_show(rig, first, 0, -1), 0);
		rig_turn(rig);
		assert_int_equal(first->n_presents, i + 1);
	}
	rig_destroy(rig);
}

/* Until its flip has come, no further frame of an output goes to the kernel. */
static void test_one_in_flight(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 1, -1), 0);
	assert_int_equal(rig_show(rig, output, 2, -1), 0);
	assert_int_not_equal(rig_show(rig, rig_find(rig, "DP-2"), 3, -1), 0);
	assert_int_equal(fake_card_vblank(card, 1000), 2);
	rig_turn(rig);
	assert_int_not_equal(rig_show(rig, output, 2, -1), 0);
	rig_destroy(rig);
}

/* The kernel waits for the fence, not the compositor. */
static void test_fence(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	int fence = fake_fence_create();
	assert_int_not_equal(rig_show(rig, output, 0, fence), 0);
	assert_int_equal(fake_card_vblank(card, 1000), 0);
	fake_fence_signal(fence, 1);
	assert_int_equal(fake_card_vblank(card, 2000), 1);
	rig_turn(rig);
	assert_int_equal(output->n_presents, 1);
	assert_int_equal(output->present.when, 2000);
	close(fence);
	rig_destroy(rig);
}

struct leaving {
	struct wl_listener listener;
	int fence, n;
};

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

/* Who asks is told with the next frame when a buffer is free; if nobody else has it. */
static void test_leaving(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "DP-1");
	struct buffer *buffers[2];
	struct leaving leaving = {.listener = {.notify = handle_leaving}, .fence = -1};
	for (int i = 0; i < 2; i++) {
		buffers[i] = rig_buffer(rig, output->output, 1920, 1080, DRM_FORMAT_XRGB8888, 0);
	}
	wl_signal_add(&buffers[0]->events.leaving, &leaving.listener);
	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	rig_turn(rig);
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	/* It stays, or somebody else has it. */
	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	fake_card_vblank(card, 1000);
	rig_turn(rig);
	buffer_lock(buffers[0]);
	assert_int_not_equal(show_buffer(output, buffers[1]), 0);
	fake_card_vblank(card, 2000);
	rig_turn(rig);
	buffer_unlock(buffers[0]);
	assert_int_equal(leaving.n, 0);

	assert_int_not_equal(show_buffer(output, buffers[0]), 0);
	fake_card_vblank(card, 3000);
	rig_turn(rig);
	fake_card_fail(card, EINVAL, 1, false);
	assert_int_equal(show_buffer(output, buffers[1]), 0);
	assert_int_equal(leaving.n, 0);
	assert_int_not_equal(show_buffer(output, buffers[1]), 0);
	assert_int_equal(leaving.n, 1);
	assert_int_equal(fence_status(leaving.fence), 0);
	assert_int_equal(buffers[0]->n_locks, 1);
	fake_card_vblank(card, 4000);
	assert_int_equal(fence_status(leaving.fence), 1);
	rig_turn(rig);
	assert_int_equal(buffers[0]->n_locks, 0);
	wl_list_remove(&leaving.listener.link);
	close(leaving.fence);
	buffer_drop(buffers[0]);
	buffer_drop(buffers[1]);
	rig_destroy(rig);
}

/* A card that never says that it showed a frame: the output is set up anew, others go on. */
static void test_lost_flip(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *first = rig_find(rig, "DP-1"), *second = rig_find(rig, "DP-2");
	fake_card_set_flips(card, FAKE_FLIPS_LOST);
	assert_int_not_equal(rig_show(rig, first, 0, -1), 0);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	assert_int_not_equal(rig_show(rig, second, 0, -1), 0);
	rig_turn(rig);
	uint64_t before = fake_card_counts(card).modesets;
	clock_advance(rig->clock, INT64_C(11000000000));
	assert_int_equal(first->n_presents, 0);
	clock_advance(rig->clock, INT64_C(2000000000));
	rig_turn(rig);
	assert_int_equal(first->n_presents, 1);
	assert_false(first->present.presented);
	assert_int_equal(first->n_needed, 1);
	assert_int_equal(fake_card_counts(card).modesets, before + 2);
	assert_int_equal(second->n_needed, 0);
	assert_int_not_equal(rig_show(rig, first, 0, -1), 0);
	rig_turn(rig);
	assert_true(first->present.presented);
	/* Nothing is armed when nothing flies. */
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

static void test_bandwidth(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = rig_create();
	/* Enough for the one, and not for both. */
	fake_card_set_bandwidth(card, UINT64_C(1920) * 1080 * 4 * 60);
	assert_true(rig_light(rig_find(rig, "DP-1")));
	assert_false(rig_light(rig_find(rig, "DP-2")));
	assert_string_equal(fake_crtc_of(card, "DP-2"), "none");
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "ACTIVE"), 1);
	fake_card_set_bandwidth(card, 0);
	assert_true(rig_light(rig_find(rig, "DP-2")));
	rig_destroy(rig);
}

static void test_away_and_back(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "DP-1");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 1, -1), 0);
	fake_seat_set_active(false);
	rig_turn(rig);
	assert_true(output->output->asleep);
	assert_int_equal(output->n_presents, 1);
	assert_false(output->present.presented);
	assert_false(rig_light(output));
	fake_card_plug(card, "DP-2", NULL);
	fake_seat_set_active(true);
	rig_turn(rig);
	assert_false(output->output->asleep);
	/* The card is still at what it had before. */
	assert_int_equal(output->n_needed, 0);
	assert_int_equal(fake_card_vblank(card, 1000), 1);
	rig_turn(rig);
	assert_int_equal(output->n_needed, 1);
	assert_null(rig_find(rig, "DP-2"));
	rig_destroy(rig);
}

/* A broken link is set up anew with a mode change. */
static void test_link(void **state)
{
	struct fake_card *card = card_with_two();
	struct rig *rig = lit_rig();
	uint64_t before = fake_card_counts(card).modesets;
	fake_card_break_link(card, "DP-1");
	rig_turn(rig);
	assert_int_equal(fake_get(card, "DP-1", "link-status"), 0);
	assert_int_equal(fake_card_counts(card).modesets, before + 1);
	assert_int_equal(rig_find(rig, "DP-1")->n_needed, 1);
	rig_destroy(rig);
}

#define GAMMA_SIZE 1024 /* of the i915 kind */

/* The output's table is `ramps`, or NULL for none. */
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
	rig_turn(rig);
}

static struct fake_card *card_with_panel(void)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	return card;
}

/* A table comes with a frame, one that is refused leaves the last, and none is left over. */
static void test_gamma(void **state)
{
	struct fake_card *card = card_with_panel();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "eDP-1");
	uint16_t ramps[3 * GAMMA_SIZE];
	assert_int_equal(output->output->gamma_size, GAMMA_SIZE);
	show(rig, output);
	int blobs = fake_card_counts(card).blobs;

	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, output, 0, -1), 0);
	uint64_t commits = fake_card_counts(card).commits;
	fill_ramps(ramps, 100);
	/* Nobody waits for the flip. */
	assert_true(set_gamma(output, ramps));
	assert_int_equal(fake_card_counts(card).commits, commits);
	fake_card_vblank(card, 1000);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	rig_turn(rig);
	check_no_gamma(card);
	show(rig, output);
	check_gamma(card, 100);

	fake_card_fail(card, EINVAL, 1, true);
	fill_ramps(ramps, 200);
	assert_false(set_gamma(output, ramps));
	show(rig, output);
	check_gamma(card, 100);
	/* With a frame that is refused, it comes with the next. */
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

/* Whoever else had the seat has set tables of its own; what was set meanwhile counts too. */
static void test_gamma_kept(void **state)
{
	struct fake_card *card = card_with_panel();
	struct rig *rig = lit_rig();
	struct rig_output *output = rig_find(rig, "eDP-1");
	uint16_t ramps[3 * GAMMA_SIZE];
	fill_ramps(ramps, 100);
	assert_true(set_gamma(output, ramps));
	show(rig, output);
	struct output_state off;
	output_state_init(&off);
	off.fields = OUTPUT_ENABLED;
	assert_int_not_equal(output_commit(output->output, &off), 0);
	assert_true(rig_light(output));
	check_gamma(card, 100);

	fake_seat_set_active(false);
	rig_turn(rig);
	fake_set(card, fake_crtc_of(card, "eDP-1"), "GAMMA_LUT", 0);
	fake_seat_set_active(true);
	rig_turn(rig);
	check_gamma(card, 100);

	fake_seat_set_active(false);
	rig_turn(rig);
	fill_ramps(ramps, 200);
	assert_true(set_gamma(output, ramps));
	fake_seat_set_active(true);
	rig_turn(rig);
	check_gamma(card, 200);

	fake_seat_set_active(false);
	rig_turn(rig);
	assert_true(set_gamma(output, NULL));
	fake_seat_set_active(true);
	rig_turn(rig);
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

/* Who is told that a screen is lent has it back at once: then nothing is lent. */
static void test_lease_ended(void **state)
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
	assert_true(rig_light(rig_find(rig, "DP-1")) && rig_light(rig_find(rig, "DP-2")));
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotplug),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_card_goes),
		cmocka_unit_test(test_failed_commit),
		cmocka_unit_test(test_one_in_flight),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_lost_flip),
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_away_and_back),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_lease_ended),
		cmocka_unit_test(test_gamma),
		cmocka_unit_test(test_gamma_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
