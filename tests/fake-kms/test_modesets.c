/* Changes of modes that take the card long: nobody waits for them, and what comes meanwhile is not lost. */

#include "rig.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

struct world {
	struct fake_card *card;
	struct rig *rig;
	struct rig_output *first, *second;
};

/* Two screens on one card, both on and showing a frame. */
static int set_up(void **state)
{
	static struct world world;
	world = (struct world){.card = fake_card_create("amdgpu")};
	fake_card_plug(world.card, "DP-1", &fake_screen_plain);
	fake_card_plug(world.card, "DP-2", &fake_screen_gaming);
	world.rig = rig_create();
	world.first = rig_find(world.rig, "DP-1");
	world.second = rig_find(world.rig, "DP-2");
	assert_true(rig_light(world.first) && rig_light(world.second));
	assert_int_not_equal(rig_show(world.rig, world.first, 1, -1), 0);
	assert_int_not_equal(rig_show(world.rig, world.second, 2, -1), 0);
	rig_turn(world.rig);
	*state = &world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	rig_destroy(world->rig);
	return 0;
}

/* Without a turn of the loop, so that what the card says is not heard yet. */
static bool set_mode(struct rig_output *output, int i)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = output->output->modes[i];
	return output_commit(output->output, &state) != 0;
}

static bool switch_off(struct rig_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	return output_commit(output->output, &state) != 0;
}

/* Width of the mode that the kernel has; 0: it is off. */
static int width_of(struct world *world, const char *connector)
{
	const char *crtc = fake_crtc_of(world->card, connector);
	size_t size;
	if (strcmp(crtc, "none") == 0 || !fake_get(world->card, crtc, "ACTIVE")) {
		return 0;
	}
	const drmModeModeInfo *mode = fake_get_blob(world->card, crtc, "MODE_ID", &size);
	return mode->hdisplay;
}

static uint32_t pixel_of(struct world *world, const char *connector)
{
	return fake_plane_pixel(world->card, fake_primary_of(world->card, connector), 10, 10);
}

static uint64_t waited(struct world *world)
{
	return fake_card_counts(world->card).waited;
}

static void finish_modesets(struct world *world, int n)
{
	assert_int_equal(fake_card_finish_modesets(world->card), n);
	rig_turn(world->rig);
}

/* A frame that comes meanwhile shows after it; the other screen goes on all the time. */
static void test_frame_after(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	uint32_t number = rig_show(world->rig, first, 3, -1);
	assert_int_not_equal(number, 0);
	assert_int_equal(rig_show(world->rig, first, 4, -1), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(rig_show(world->rig, second, 5, -1), 0);
		rig_turn(world->rig);
		assert_int_equal(second->n_presents, 2 + i);
	}
	assert_int_equal(first->n_presents, 1);
	assert_int_equal(pixel_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 3);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	/* Nothing is armed when nothing flies. */
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* What it is drawn with may take longer still, or fail. */
static void test_fence(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	for (int i = 0; i < 4; i++) {
		int fence = fake_fence_create(), status = i % 2 ? -EIO : 1;
		int n_presents = first->n_presents, n_needed = first->n_needed;
		bool first_of_both = i / 2;
		fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
		assert_true(set_mode(first, 1 - i % 2));
		assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
		if (first_of_both) {
			fake_fence_signal(fence, status);
			rig_turn(world->rig);
		}
		finish_modesets(world, 1);
		if (!first_of_both) {
			assert_int_equal(first->n_presents, n_presents);
			fake_fence_signal(fence, status);
			rig_turn(world->rig);
		}
		assert_int_equal(first->n_presents, n_presents + 1);
		assert_int_equal(first->present.presented, status == 1);
		assert_int_equal(first->n_needed, n_needed + (status != 1));
		close(fence);
	}
}

/* The kernel takes no change before the flip that it has; but it is asked whether it could. */
static void test_during_flip(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	fake_card_set_bandwidth(world->card, 1);
	assert_false(set_mode(first, 1));
	assert_int_equal(first->output->mode.width, 1920);
	fake_card_set_bandwidth(world->card, 0);
	assert_true(set_mode(first, 1));
	assert_int_equal(first->output->mode.width, 1280);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_true(first->present.presented);
	assert_int_equal(first->n_needed, 1);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(waited(world), 0);
}

static bool has_rate(struct world *world)
{
	return fake_get(world->card, fake_crtc_of(world->card, "DP-2"), "VRR_ENABLED");
}

/* What is no mode is none: it comes with the next frame, which is asked for, and what shows stays. */
static void test_rate_during_flip(void **state)
{
	struct world *world = *state;
	struct rig_output *second = world->second;
	uint64_t allowed = fake_card_counts(world->card).allowed;
	uint64_t commits = fake_card_counts(world->card).commits;
	assert_true(rig_set_rate(second, true));
	rig_turn(world->rig);
	assert_int_equal(fake_card_counts(world->card).commits, commits);
	assert_false(has_rate(world));
	assert_int_equal(second->n_needed, 1);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(has_rate(world));
	assert_true(rig_set_rate(second, false));
	assert_int_equal(second->n_needed, 2);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_equal(fake_card_vblank(world->card, 2000), 0);
	assert_int_equal(pixel_of(world, "DP-2"), 3);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_false(has_rate(world));
	/* Of one that is held, too, as of one that is dropped; the last that was said counts. */
	int fence = fake_fence_create();
	assert_int_equal(fake_card_vblank(world->card, 3000), 1);
	rig_turn(world->rig);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_int_equal(fake_card_counts(world->card).allowed, allowed);
	assert_true(set_mode(second, 1));
	assert_int_not_equal(rig_show(world->rig, second, 5, fence), 0);
	assert_true(rig_set_rate(second, true) && rig_set_rate(second, false) &&
		    rig_set_rate(second, true));
	assert_int_equal(second->n_needed, 5);
	finish_modesets(world, 1);
	fake_fence_signal(fence, -EIO);
	rig_turn(world->rig);
	assert_false(second->present.presented || has_rate(world));
	assert_int_not_equal(rig_show(world->rig, second, 6, -1), 0);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 4000), 1);
	rig_turn(world->rig);
	assert_int_equal(fake_card_counts(world->card).allowed, allowed + 1);
	assert_int_equal(fake_card_counts(world->card).refused, 0);
	/* What is so already is not said again. */
	commits = fake_card_counts(world->card).commits;
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	wish.enabled = true;
	wish.mode = second->output->mode;
	assert_int_not_equal(output_commit(second->output, &wish), 0);
	assert_int_equal(fake_card_counts(world->card).commits, commits);
	assert_false(clock_advance_to_next(world->rig->clock));
	close(fence);
}

/* Several outputs at once, not all of which change their mode: of the others, frames bring it. */
static void test_rate_beside_change(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	struct output_state states[2];
	struct output_change changes[] = {
		{second->output, &states[0]},
		{first->output, &states[1]},
	};
	output_state_init(&states[0]);
	states[0].fields = OUTPUT_ADAPTIVE_SYNC;
	states[0].adaptive_sync = true;
	output_state_init(&states[1]);
	states[1].fields = OUTPUT_MODE;
	states[1].mode = first->output->modes[1];
	/* All or nothing. */
	fake_card_fail(world->card, 22, 1, true);
	assert_false(outputs_commit(changes, 2));
	rig_turn(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_equal(first->n_needed + second->n_needed, 0);
	uint64_t commits = fake_card_counts(world->card).commits;
	/* Nor does the one wait for what the other has in flight. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(outputs_commit(changes, 2));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(world->card).commits, commits + 2);
	assert_int_equal(second->n_needed, 1);
	assert_false(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_counts(world->card).refused, 1);
}

/* Minds change faster than screens: the last one counts, and a frame of a mode that is past does not. */
static void test_last_counts(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	assert_true(set_mode(first, 0));
	assert_true(switch_off(first));
	assert_true(set_mode(first, 2));
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, 2);
	assert_false(first->present.presented);
	assert_int_equal(width_of(world, "DP-1"), first->output->modes[2].width);
	assert_true(switch_off(first));
	assert_int_not_equal(width_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_true(set_mode(first, 0));
	assert_true(switch_off(first));
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(fake_card_finish_modesets(world->card), 0);
	assert_int_equal(waited(world), 0);
	/* It is as it was: what comes is taken at once. */
	assert_true(set_mode(first, 0));
	assert_int_equal(width_of(world, "DP-1"), 1920);
}

/* Colours take nothing away that shows until a change that is due has come. */
static void test_colors_before_change(void **state)
{
	struct world *world = *state;
	struct output_state colors;
	output_state_init(&colors);
	colors.fields = OUTPUT_GAMMA;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_true(set_mode(world->first, 2));
	assert_int_not_equal(output_commit(world->first->output, &colors), 0);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 1024);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
}

/* Where one change keeps the whole card busy, frames of others come late and not never. */
static void test_shared(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	rig_turn(world->rig);
	assert_int_equal(second->n_presents, 1);
	finish_modesets(world, 1);
	assert_int_equal(second->n_presents, 2);
	assert_true(second->present.presented);
	/* A change does not wait for ever for the other's frames, however many there are. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_true(set_mode(first, 0));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_equal(second->n_presents, 3);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_not_equal(rig_show(world->rig, second, 5, -1), 0);
	assert_int_equal(fake_card_vblank(world->card, 2000), 0);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_vblank(world->card, 3000), 1);
	rig_turn(world->rig);
	assert_int_equal(second->n_presents, 4);
	assert_int_equal(pixel_of(world, "DP-2"), 5);
	assert_int_equal(waited(world), 0);
}

/* What the kernel was too busy for while frames went on is handed over before the next of them. */
static void test_stalled(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(set_mode(first, 1));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	/* Before it is heard of. */
	assert_int_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_int_not_equal(rig_show(world->rig, first, 5, -1), 0);
	rig_turn(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(first->n_presents, 1);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_vblank(world->card, 2000), 1);
	rig_turn(world->rig);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 5);
}

/* A driver that can only be waited for is: found out once. */
static void test_waited(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_WAITED);
	uint64_t refused = fake_card_counts(world->card).refused;
	assert_true(set_mode(world->first, 1));
	assert_int_equal(waited(world), 1);
	assert_int_equal(fake_card_counts(world->card).refused, refused + 1);
	rig_turn(world->rig);
	assert_true(set_mode(world->first, 0));
	assert_int_equal(waited(world), 2);
	assert_int_equal(fake_card_counts(world->card).refused, refused + 1);
	/* What it has in flight is not waited for. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->second, 3, -1), 0);
	assert_true(set_mode(world->second, 1));
	assert_int_equal(waited(world), 2);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_equal(waited(world), 3);
	assert_true(world->second->present.presented);
}

/* Pulled out in the midst of it: another one takes its place as soon as the card is done. */
static void test_unplugged(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_turn(world->rig);
	assert_null(world->first->output);
	assert_int_equal(world->first->n_presents, 2);
	assert_false(world->first->present.presented);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	/* The old one is switched off first, of which the kernel does not tell. */
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	clock_advance(world->rig->clock, INT64_C(10000000));
	assert_int_equal(width_of(world, "DP-1"), 2560);
	finish_modesets(world, 1);
	assert_int_not_equal(rig_show(world->rig, third, 4, -1), 0);
	rig_turn(world->rig);
	assert_true(third->present.presented);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* Another one comes and goes, too, before the card is done: it still shows what it had of the first. */
static void test_unplugged_twice(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_turn(world->rig);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	fake_card_plug(world->card, "DP-1", NULL);
	rig_turn(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	finish_modesets(world, 1);
	clock_advance(world->rig->clock, INT64_C(10000000));
	assert_int_equal(width_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The card shows what it has until it can be told otherwise, and is closed after the last screen. */
static void test_all_unplugged(void **state)
{
	struct world *world = *state;
	const struct gpu *gpu = world->first->output->gpu;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_card_plug(world->card, "DP-1", NULL);
	fake_card_plug(world->card, "DP-2", NULL);
	rig_turn(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(pixel_of(world, "DP-1"), 3);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_equal(drm_backend_clone_fd(world->rig->backend, gpu), -ENODEV);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* A dock goes, with a screen that shows a frame and one that was off: of the latter, nothing is left. */
static void test_dock_goes(void **state)
{
	struct world *world = *state;
	assert_true(switch_off(world->second));
	rig_turn(world->rig);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-1");
	fake_card_plug(world->card, "DP-1", NULL);
	fake_card_remove_connector(world->card, "DP-2");
	rig_turn(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_null(rig_find(world->rig, "DP-2"));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 0);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* What was pulled out is stuck: the others go on, but for their modes. */
static void test_stuck(void **state)
{
	struct world *world = *state;
	struct rig_output *second = world->second;
	int fence = fake_fence_create();
	assert_int_not_equal(rig_show(world->rig, world->first, 3, fence), 0);
	fake_card_plug(world->card, "DP-1", NULL);
	rig_turn(world->rig);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
		rig_turn(world->rig);
		assert_int_equal(second->n_presents, 2 + i);
	}
	assert_true(set_mode(second, 1));
	rig_turn(world->rig);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	fake_fence_signal(fence, 1);
	fake_card_vblank(world->card, 1000);
	rig_turn(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(width_of(world, "DP-2"), second->output->mode.width);
	assert_int_equal(fake_card_counts(world->card).torn, 0);
	assert_int_equal(waited(world), 0);
	close(fence);
}

/* Another terminal is shown in the midst of it, and ours again before the card is done. */
static void test_away(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_seat_set_active(false);
	rig_turn(world->rig);
	assert_false(world->first->present.presented);
	fake_set(world->card, fake_crtc_of(world->card, "DP-1"), "ACTIVE", 0);
	fake_set(world->card, fake_crtc_of(world->card, "DP-2"), "ACTIVE", 0);
	fake_seat_set_active(true);
	rig_turn(world->rig);
	uint64_t commits = fake_card_counts(world->card).commits;
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	assert_int_not_equal(rig_show(world->rig, world->second, 5, -1), 0);
	finish_modesets(world, 1);
	/* Both in one step. */
	assert_int_equal(fake_card_counts(world->card).commits, commits + 1);
	assert_int_equal(world->first->n_needed, 1);
	assert_int_equal(world->second->n_needed, 1);
	finish_modesets(world, 2);
	assert_int_equal(pixel_of(world, "DP-1"), 4);
	assert_int_equal(pixel_of(world, "DP-2"), 5);
	assert_true(world->first->present.presented && world->second->present.presented);
	/* Gone with a change that is due, and the answer comes while away. */
	assert_true(set_mode(world->first, 0) && set_mode(world->first, 2));
	fake_seat_set_active(false);
	rig_turn(world->rig);
	finish_modesets(world, 1);
	fake_seat_set_active(true);
	rig_turn(world->rig);
	assert_int_equal(width_of(world, "DP-1"), world->first->output->modes[2].width);
	assert_int_equal(waited(world), 0);
}

/* It was busy when the session left, which is away for long: it is not waited for because of that. */
static void test_long_away(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	assert_true(set_mode(world->first, 1) && set_mode(world->second, 1));
	fake_seat_set_active(false);
	rig_turn(world->rig);
	clock_advance(world->rig->clock, INT64_C(20000000000));
	fake_seat_set_active(true);
	rig_turn(world->rig);
	assert_int_equal(waited(world), 0);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-2"), world->second->output->mode.width);
	finish_modesets(world, 2);
	assert_int_equal(waited(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* What belongs together waits for all, and is one step. */
static void test_together(void **state)
{
	struct world *world = *state;
	struct rig_output *outputs[] = {world->first, world->second};
	struct output_state states[2];
	struct output_change changes[2];
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	for (int i = 0; i < 2; i++) {
		assert_int_not_equal(rig_show(world->rig, outputs[i], 3, -1), 0);
		output_state_init(&states[i]);
		states[i].fields = OUTPUT_MODE;
		states[i].mode = outputs[i]->output->modes[1];
		changes[i] = (struct output_change){outputs[i]->output, &states[i]};
	}
	uint64_t modesets = fake_card_counts(world->card).modesets;
	assert_true(outputs_test(changes, 2) && outputs_commit(changes, 2));
	assert_int_equal(fake_card_counts(world->card).modesets, modesets);
	assert_int_equal(fake_card_vblank(world->card, 1000), 2);
	rig_turn(world->rig);
	assert_int_equal(fake_card_counts(world->card).modesets, modesets + 1);
	assert_int_equal(width_of(world, "DP-1"), world->first->output->mode.width);
	assert_int_equal(width_of(world, "DP-2"), world->second->output->mode.width);
	finish_modesets(world, 2);
	assert_int_equal(waited(world), 0);
}

/* It was possible when it was asked for, and is not when the kernel could take it. */
static void test_refused_late(void **state)
{
	struct world *world = *state;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	assert_true(set_mode(world->first, 1));
	fake_card_fail(world->card, EINVAL, 2, false);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_turn(world->rig);
	assert_false(world->first->output->enabled);
	assert_int_equal(world->first->n_needed, 1);
	assert_true(world->second->output->enabled);
	/* Nor does it go on in the mode that it had. */
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	assert_true(rig_light(world->first));
	assert_int_equal(width_of(world, "DP-1"), 1920);
}

/* A card that is never done is told to begin anew, and waited for in the end. */
static void test_never_done(void **state)
{
	struct world *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	clock_advance(world->rig->clock, INT64_C(11000000000));
	assert_int_equal(waited(world), 0);
	clock_advance(world->rig->clock, INT64_C(1000000000));
	assert_int_equal(waited(world), 1);
	finish_modesets(world, 1);
	assert_false(world->first->present.presented);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	rig_turn(world->rig);
	assert_true(world->first->present.presented);
	/* Nor does it say so where it was not asked to. */
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_turn(world->rig);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	clock_advance(world->rig->clock, INT64_C(11000000000));
	assert_int_equal(width_of(world, "DP-1"), 0);
	clock_advance(world->rig->clock, INT64_C(2000000000));
	assert_int_equal(width_of(world, "DP-1"), 2560);
	assert_int_equal(waited(world), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* The event of a frame that the watchdog dropped is in the pipe while the modeset after it is under way. */
static void test_late_flip_of_dropped_frame_is_ignored(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	int n = first->n_presents;
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	clock_advance(world->rig->clock, INT64_C(13000000000));
	assert_int_equal(first->n_presents, n + 1);
	assert_false(first->present.presented);
	uint32_t number = rig_show(world->rig, first, 4, -1);
	assert_int_not_equal(number, 0);
	rig_turn(world->rig);
	assert_int_equal(first->n_presents, n + 1);
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, n + 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_frame_after),
		TEST(test_fence),
		TEST(test_during_flip),
		TEST(test_rate_during_flip),
		TEST(test_rate_beside_change),
		TEST(test_last_counts),
		TEST(test_colors_before_change),
		TEST(test_shared),
		TEST(test_stalled),
		TEST(test_waited),
		TEST(test_unplugged),
		TEST(test_unplugged_twice),
		TEST(test_all_unplugged),
		TEST(test_dock_goes),
		TEST(test_stuck),
		TEST(test_away),
		TEST(test_long_away),
		TEST(test_together),
		TEST(test_refused_late),
		TEST(test_never_done),
		TEST(test_late_flip_of_dropped_frame_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
