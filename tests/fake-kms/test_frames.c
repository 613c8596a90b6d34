/* SPDX-License-Identifier: MIT */
/*
 * Frames in the DRM backend: the changes that held ones carry, the fences of all planes and of
 * tearing frames, and the buffers of planes that are switched off.
 */

#include "buffer/buffer.h"
#include "rig.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct frames_world {
	struct fake_card *card;
	struct rig *rig;
	struct rig_output *output;
	const char *connector;
	struct buffer *buffers[2], *small;
};

#define SECOND INT64_C(1000000000)
/* Planes with a fence each: the primary one, an overlay and the cursor. */
#define N_FENCES 3

static void begin(struct frames_world *world, const char *kind, const char *connector)
{
	*world = (struct frames_world){.card = fake_card_create(kind), .connector = connector};
	fake_card_plug(world->card, connector, &fake_screen_gaming);
	world->rig = rig_create();
	world->output = &world->rig->outputs[0];
	assert_true(rig_enable(world->output));
	const struct output *base = world->output->output;
	for (int i = 0; i < 2; i++) {
		world->buffers[i] = rig_buffer(world->rig, base, base->mode.width,
			base->mode.height, DRM_FORMAT_XRGB8888, 0);
		assert_int_not_equal(rig_show(world->rig, world->output, 0, -1), 0);
		rig_dispatch(world->rig);
	}
	world->small = rig_buffer(world->rig, base, 64, 64, DRM_FORMAT_ARGB8888, 0);
}

static void end(struct frames_world *world)
{
	buffer_drop(world->buffers[0]);
	buffer_drop(world->buffers[1]);
	buffer_drop(world->small);
	rig_destroy(world->rig);
}

/* Initializes a state with the i-th buffer on the primary plane, and a fence or -1. */
static void fill(struct frames_world *world, struct output_state *state, int i, int fence)
{
	output_state_init(state);
	rig_fill_state(state, world->output->output, world->buffers[i])->acquire_fence = fence;
}

static bool commit(struct frames_world *world, const struct output_state *state)
{
	return output_commit(world->output->output, state) != 0;
}

/* Changes that frames carry, each with the property that has it. */
static const uint16_t ramps[3 * 4096] = {1};
static const double matrix[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
static const struct change {
	const char *kind, *connector, *property;
	struct output_state state;
} changes_of_frames[] = {
	{"amdgpu", "DP-1", "VRR_ENABLED", {.fields = OUTPUT_ADAPTIVE_SYNC, .adaptive_sync = true}},
	{"amdgpu", "DP-1", "GAMMA_LUT", {.fields = OUTPUT_GAMMA, .gamma = ramps}},
	{"amdgpu", "DP-1", "CTM", {.fields = OUTPUT_COLOR_MATRIX, .color_matrix = matrix}},
	{"vc4", "HDMI-A-6", "content type",
		{.fields = OUTPUT_CONTENT, .content = OUTPUT_CONTENT_GAME}},
};
#define N_CHANGES (sizeof(changes_of_frames) / sizeof(changes_of_frames[0]))

static void add_changes(struct output_state *state, const struct output_state *changes)
{
	state->fields |= changes->fields;
	state->adaptive_sync = changes->adaptive_sync;
	state->content = changes->content;
	state->gamma = changes->gamma;
	state->color_matrix = changes->color_matrix;
}

static uint64_t get_change(struct frames_world *world, const struct change *change)
{
	return fake_get(world->card,
		change->state.fields == OUTPUT_CONTENT
			? change->connector
			: fake_crtc_of(world->card, change->connector),
		change->property);
}

enum obstacle {
	MODESET, /* in flight */
	FENCE, /* that the kernel does not take */
	BOTH,
	N_OBSTACLES,
};

/* Starts a modeset that does not complete, and continues with buffers of its size. */
static void begin_modeset(struct frames_world *world)
{
	struct output *base = world->output->output;
	struct output_state state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	output_state_init(&state);
	state.fields = OUTPUT_MODE;
	state.mode = base->modes[1];
	assert_true(commit(world, &state));
	for (int i = 0; i < 2; i++) {
		buffer_drop(world->buffers[i]);
		world->buffers[i] = rig_buffer(world->rig, base, state.mode.width,
			state.mode.height, DRM_FORMAT_XRGB8888, 0);
	}
}

/* Makes the backend hold the frame with these changes for a while, then lets it go. */
static void show_held(
	struct frames_world *world, enum obstacle obstacle, const struct output_state *changes)
{
	struct output_state state;
	int fence = obstacle == MODESET ? -1 : fake_fence_create();
	if (obstacle != FENCE) {
		begin_modeset(world);
	}
	const uint64_t commits = fake_card_counts(world->card).commits;
	fill(world, &state, 1, fence);
	add_changes(&state, changes);
	assert_true(commit(world, &state));
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).commits, commits);
	fake_card_finish_modesets(world->card);
	rig_dispatch(world->rig);
	if (fence >= 0) {
		assert_int_equal(fake_card_counts(world->card).commits, commits);
		fake_fence_signal(fence, 1);
		rig_dispatch(world->rig);
		close(fence);
	}
	assert_true(world->output->present.presented);
	assert_int_equal(fake_card_counts(world->card).commits, commits + 1);
}

static void held_frame_carries_its_changes(void **state)
{
	for (size_t i = 0; i < N_OBSTACLES * N_CHANGES; i++) {
		const struct change *change = &changes_of_frames[i / N_OBSTACLES];
		struct frames_world world;
		begin(&world, change->kind, change->connector);
		fake_card_refuse_fences(world.card);
		/* The refusal of a fence is noticed once. */
		int fence = fake_fence_create();
		assert_true(rig_show(world.rig, world.output, 0, fence));
		fake_fence_signal(fence, 1);
		close(fence);
		rig_dispatch(world.rig);
		show_held(&world, i % N_OBSTACLES, &change->state);
		if (get_change(&world, change) == 0) {
			fail_msg("%s is not set after obstacle %zu", change->property,
				i % N_OBSTACLES);
		}
		end(&world);
	}
}

struct follower {
	struct wl_listener present;
	struct frames_world *world;
	int n_accepted;
};

static void handle_presented(struct wl_listener *listener, void *data)
{
	struct follower *follower = wl_container_of(listener, follower, present);
	struct output_state next;
	fill(follower->world, &next, 1, -1);
	follower->n_accepted += commit(follower->world, &next);
}

/* At high rates, the time until the next turn of the loop would cost frames. */
static void next_frame_is_committed_while_one_is_reported(void **state)
{
	struct frames_world world;
	struct output_state first;
	begin(&world, "amdgpu", "DP-1");
	struct follower follower = {.world = &world};
	signal_add(&world.output->output->events.present, &follower.present, handle_presented);
	fill(&world, &first, 0, -1);
	fake_card_set_flips(world.card, FAKE_FLIPS_HELD);
	assert_true(commit(&world, &first));
	for (int n = 1; n <= 3; n++) {
		fake_card_vblank(world.card, (uint32_t)n * 1000);
		rig_dispatch(world.rig);
		assert_int_equal(follower.n_accepted, n);
		assert_true(world.output->present.presented);
	}
	wl_list_remove(&follower.present.link);
	fake_card_set_flips(world.card, FAKE_FLIPS_AT_ONCE);
	fake_card_vblank(world.card, 5000);
	rig_dispatch(world.rig);
	end(&world);
}

/* The client may draw nothing more: no other event starts the next frame. */
static void held_frame_that_the_kernel_refuses_is_drawn_again(void **state)
{
	struct frames_world world;
	struct output_state next;
	begin(&world, "nvidia-drm", "DP-5");
	int fence = fake_fence_create();
	fill(&world, &next, 1, fence);
	assert_true(commit(&world, &next));
	const int n_needed = world.output->n_needed;
	fake_card_fail(world.card, EINVAL, 1, false);
	fake_fence_signal(fence, 1);
	close(fence);
	rig_dispatch(world.rig);
	assert_false(world.output->present.presented);
	assert_int_equal(world.output->n_needed, n_needed + 1);
	end(&world);
}

/*
 * A frame names its damage, which is valid only during the call: a held frame names none, that is
 * the whole buffer.
 */
static void held_frame_forgets_its_damage(void **state)
{
	for (int i = 0; i <= N_OBSTACLES; i++) {
		struct frames_world world;
		struct output_state frame;
		begin(&world, "amdgpu", "DP-1");
		fake_card_refuse_fences(world.card);
		const bool held = i < N_OBSTACLES, waits = i == FENCE || i == BOTH;
		const int fence = waits ? fake_fence_create() : -1;
		if (i == MODESET || i == BOTH) {
			begin_modeset(&world);
		}
		pixman_region32_t *damage = calloc(1, sizeof(*damage));
		pixman_region32_init_rect(damage, 8, 8, 16, 16);
		fill(&world, &frame, 1, fence);
		frame.planes[0].state.damage = damage;
		const struct fake_counts before = fake_card_counts(world.card);
		assert_true(commit(&world, &frame));
		pixman_region32_fini(damage);
		memset(damage, 0, sizeof(*damage));
		damage->extents = (pixman_box32_t){0, 0, 4, 4};
		rig_dispatch(world.rig);
		assert_int_equal(fake_card_counts(world.card).commits, before.commits + !held);
		fake_card_finish_modesets(world.card);
		rig_dispatch(world.rig);
		if (waits) {
			fake_fence_signal(fence, 1);
			rig_dispatch(world.rig);
			close(fence);
		}
		assert_true(world.output->present.presented);
		assert_int_equal(fake_card_counts(world.card).clips, before.clips + !held);
		free(damage);
		end(&world);
	}
}

/* Initializes a frame on three planes, each with a fence and a buffer of its own. */
static void fill_planes(struct frames_world *world, struct output_state *state,
	struct buffer *buffers[N_FENCES], int fences[N_FENCES])
{
	const struct output *base = world->output->output;
	const struct plane *planes[] = {NULL, NULL, NULL};
	for (int i = 0; i < base->n_planes; i++) {
		const enum plane_type type = base->planes[i]->type;
		planes[type == PLANE_OVERLAY ? 1 : type == PLANE_CURSOR ? 2 : 0] = base->planes[i];
	}
	fences[0] = fake_fence_create();
	fill(world, state, 0, fences[0]);
	buffers[0] = world->buffers[0];
	for (int i = 1; i < N_FENCES; i++) {
		struct plane_state *shown = output_state_add_plane(state, planes[i]);
		buffers[i] = rig_buffer(world->rig, base, 64, 64, DRM_FORMAT_ARGB8888, 0);
		shown->buffer = buffers[i];
		shown->src = (struct fbox){0, 0, 64, 64};
		shown->dst = (struct box){100 * i, 80, 64, 64};
		shown->zpos = planes[i]->zpos_max;
		shown->acquire_fence = fences[i] = fake_fence_create();
	}
}

static void drop_planes(struct buffer *buffers[N_FENCES], const int fences[N_FENCES])
{
	for (int i = 0; i < N_FENCES; i++) {
		close(fences[i]);
		if (i > 0) {
			buffer_drop(buffers[i]);
		}
	}
}

static const int orders[][N_FENCES] = {
	{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Where the kernel takes no fences, the frame is held until the last of them, in any order. */
static void held_frame_waits_for_the_fences_of_all_planes(void **state)
{
	struct frames_world world;
	begin(&world, "amdgpu", "DP-1");
	fake_card_refuse_fences(world.card);
	for (int i = 0; i < 6 * N_FENCES; i++) {
		const int *order = orders[i % 6], n_before = i / 6;
		struct output_state frame;
		struct buffer *buffers[N_FENCES];
		int fences[N_FENCES];
		const int presents = world.output->n_presents;
		fill_planes(&world, &frame, buffers, fences);
		for (int n = 0; n < n_before; n++) {
			fake_fence_signal(fences[order[n]], 1);
		}
		assert_true(commit(&world, &frame));
		for (int n = n_before; n < N_FENCES; n++) {
			rig_dispatch(world.rig);
			assert_int_equal(world.output->n_presents, presents);
			for (int j = 0; j < N_FENCES; j++) {
				assert_int_not_equal(buffers[j]->n_locks, 0);
			}
			fake_fence_signal(fences[order[n]], 1);
		}
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents + 1);
		assert_true(world.output->present.presented);
		fill(&world, &frame, 1, -1);
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		for (int j = 0; j < N_FENCES; j++) {
			assert_int_equal(buffers[j]->n_locks, 0);
		}
		drop_planes(buffers, fences);
	}
	end(&world);
}

/* Because a fence fails, whichever it is, or the session ends before the fences. */
static void dropped_frame_releases_the_buffers_of_all_planes(void **state)
{
	for (int i = 0; i <= N_FENCES; i++) {
		struct frames_world world;
		struct output_state frame;
		struct buffer *buffers[N_FENCES];
		int fences[N_FENCES];
		begin(&world, "amdgpu", "DP-1");
		fake_card_refuse_fences(world.card);
		const int presents = world.output->n_presents;
		fill_planes(&world, &frame, buffers, fences);
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		if (i == N_FENCES) {
			fake_seat_set_active(false);
		}
		for (int n = 0; n < N_FENCES && i < N_FENCES; n++) {
			fake_fence_signal(fences[n], n == i ? -EIO : 1);
		}
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents + 1);
		assert_false(world.output->present.presented);
		for (int j = 0; j < N_FENCES; j++) {
			assert_int_equal(buffers[j]->n_locks, 0);
		}
		drop_planes(buffers, fences);
		end(&world);
	}
}

/* A GPU under load may draw one plane's buffer only: the flip is not lost before the last fence. */
static void flip_behind_the_fence_of_any_plane_is_not_lost(void **state)
{
	struct frames_world world;
	begin(&world, "amdgpu", "DP-1");
	for (int i = 0; i < 6; i++) {
		struct output_state frame;
		struct buffer *buffers[N_FENCES];
		int fences[N_FENCES];
		const int presents = world.output->n_presents;
		fake_card_set_flips(world.card, FAKE_FLIPS_HELD);
		fill_planes(&world, &frame, buffers, fences);
		assert_true(commit(&world, &frame));
		for (int n = 0; n < N_FENCES; n++) {
			clock_advance(world.rig->clock, 2 * SECOND);
			rig_dispatch(world.rig);
			assert_int_equal(world.output->n_presents, presents);
			fake_fence_signal(fences[orders[i][n]], 1);
		}
		fake_card_vblank(world.card, 1000);
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents + 1);
		assert_true(world.output->present.presented);
		fake_card_set_flips(world.card, FAKE_FLIPS_AT_ONCE);
		fill(&world, &frame, 1, -1);
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		drop_planes(buffers, fences);
	}
	end(&world);
}

/* A game tears for hours: a night light must reach it, and the frames after that tear again. */
static void tearing_frame_carries_the_changes_before_it(void **state)
{
	for (size_t i = 0; i < 4 * N_CHANGES; i++) {
		const struct change *change = &changes_of_frames[i / 4];
		const bool held = i % 4 / 2, with_frame = i % 2;
		struct frames_world world;
		struct output_state frame;
		begin(&world, change->kind, change->connector);
		const bool tears = strcmp(change->kind, "amdgpu") == 0;
		if (held) {
			fake_card_refuse_fences(world.card);
		}
		for (int on = 1; on >= 0; on--) {
			struct output_state wanted = change->state;
			if (!on) {
				output_state_init(&wanted);
				wanted.fields = change->state.fields;
			}
			if (!with_frame) {
				assert_true(commit(&world, &wanted));
			}
			const uint64_t async = fake_card_counts(world.card).async;
			const int fence = held ? fake_fence_create() : -1;
			for (int n = 0; n < 3; n++) {
				fill(&world, &frame, n % 2, n ? -1 : fence);
				frame.fields |= OUTPUT_TEARING;
				if (with_frame && n == 0) {
					add_changes(&frame, &wanted);
				}
				assert_true(commit(&world, &frame));
				if (held && n == 0) {
					fake_fence_signal(fence, 1);
					close(fence);
				}
				rig_dispatch(world.rig);
				assert_true(world.output->present.presented);
				if ((get_change(&world, change) != 0) != on) {
					fail_msg("%s stays after frame %d", change->property, n);
				}
				assert_int_equal(fake_card_counts(world.card).async,
					async + (tears ? (uint64_t)n : 0));
			}
		}
		end(&world);
	}
}

/* Where the kernel takes no fences, which the first frame finds out. */
static void frame_held_for_its_fence_tears(void **state)
{
	struct frames_world world;
	begin(&world, "amdgpu", "DP-1");
	fake_card_refuse_fences(world.card);
	for (int i = 0; i < 4; i++) {
		struct output_state frame;
		const uint64_t async = fake_card_counts(world.card).async;
		const bool tears = i != 2;
		const int fence = fake_fence_create(), presents = world.output->n_presents;
		fill(&world, &frame, i % 2, fence);
		frame.fields |= tears ? OUTPUT_TEARING : 0;
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents);
		fake_fence_signal(fence, 1);
		close(fence);
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents + 1);
		assert_true(world.output->present.presented);
		assert_int_equal(fake_card_counts(world.card).async, async + tears);
		assert_int_equal(!(world.output->present.flags & PRESENT_VSYNC), tears);
	}
	end(&world);
}

/* A torn frame with pixels that are not drawn yet would show those of an earlier one. */
static void tearing_flip_waits_for_its_fence(void **state)
{
	static const char *const kinds[][2] = {
		{"amdgpu", "DP-1"}, {"i915", "eDP-1"}, {"i915-haswell", "eDP-2"}};
	for (size_t i = 0; i < 3; i++) {
		struct frames_world world;
		begin(&world, kinds[i][0], kinds[i][1]);
		for (int n = 0; n < 6; n++) {
			struct output_state frame;
			const int presents = world.output->n_presents;
			const int fence = n > 1 ? fake_fence_create() : -1;
			fill(&world, &frame, n % 2, fence);
			frame.fields |= OUTPUT_TEARING;
			assert_true(commit(&world, &frame));
			rig_dispatch(world.rig);
			assert_int_equal(world.output->n_presents, presents + (n <= 1));
			if (n <= 1) {
				continue;
			}
			fake_card_vblank(world.card, 1000);
			rig_dispatch(world.rig);
			assert_int_equal(world.output->n_presents, presents);
			fake_fence_signal(fence, 1);
			fake_card_vblank(world.card, 2000);
			rig_dispatch(world.rig);
			assert_int_equal(world.output->n_presents, presents + 1);
			assert_true(world.output->present.presented);
			assert_int_equal(fake_card_counts(world.card).async, (uint64_t)n + 1);
			close(fence);
		}
		end(&world);
	}
}

/*
 * An asynchronous flip cannot set the encoding of video on the primary plane: torn or not, each
 * frame is shown in its own coding.
 */
static void tearing_flip_of_video_sets_its_coding(void **state)
{
	static const struct {
		struct color_coding coding;
		uint64_t encoding, range;
	} cases[] = {
		{{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED}, 1, 0},
		{{COLOR_MATRIX_BT601, COLOR_RANGE_LIMITED}, 0, 0},
		{{COLOR_MATRIX_BT601, COLOR_RANGE_FULL}, 0, 1},
		{{COLOR_MATRIX_BT709, COLOR_RANGE_FULL}, 1, 1},
		{{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED}, 1, 0},
	};
	struct frames_world world;
	begin(&world, "i915", "eDP-1");
	const struct output *base = world.output->output;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct output_state frame;
		const int presents = world.output->n_presents;
		buffer_drop(world.buffers[i % 2]);
		world.buffers[i % 2] = rig_buffer(
			world.rig, base, base->mode.width, base->mode.height, DRM_FORMAT_YUYV, 0);
		fill(&world, &frame, (int)i % 2, -1);
		frame.planes[0].state.coding = cases[i].coding;
		frame.fields |= OUTPUT_TEARING;
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		assert_int_equal(world.output->n_presents, presents + 1);
		assert_true(world.output->present.presented);
		assert_int_equal(
			fake_get(world.card, "plane-0", "COLOR_ENCODING"), cases[i].encoding);
		assert_int_equal(fake_get(world.card, "plane-0", "COLOR_RANGE"), cases[i].range);
	}
	end(&world);
}

/* Clients with two buffers would stop if one of them stayed locked. Each plane of the output. */
static void plane_that_is_switched_off_releases_its_buffer(void **state)
{
	struct frames_world world;
	begin(&world, "amdgpu", "DP-1");
	const struct output *base = world.output->output;
	for (int i = 0; i < base->n_planes; i++) {
		const struct plane *plane = base->planes[i];
		struct output_state frame;
		if (plane->type == PLANE_PRIMARY) {
			continue;
		}
		fill(&world, &frame, 0, -1);
		struct plane_state *shown = output_state_add_plane(&frame, plane);
		shown->buffer = world.small;
		shown->src = (struct fbox){0, 0, 64, 64};
		shown->dst = (struct box){100, 80, 64, 64};
		shown->zpos = plane->zpos_max;
		assert_true(output_test(world.output->output, &frame));
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		assert_true(world.output->present.presented);
		assert_int_not_equal(world.small->n_locks, 0);
		/* The buffer stays on screen until the flip. */
		fake_card_set_flips(world.card, FAKE_FLIPS_HELD);
		fill(&world, &frame, 1, -1);
		assert_true(commit(&world, &frame));
		rig_dispatch(world.rig);
		assert_int_not_equal(world.small->n_locks, 0);
		fake_card_set_flips(world.card, FAKE_FLIPS_AT_ONCE);
		fake_card_vblank(world.card, 1000);
		rig_dispatch(world.rig);
		assert_int_equal(world.small->n_locks, 0);
	}
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_frame_carries_its_changes),
		cmocka_unit_test(next_frame_is_committed_while_one_is_reported),
		cmocka_unit_test(held_frame_that_the_kernel_refuses_is_drawn_again),
		cmocka_unit_test(held_frame_forgets_its_damage),
		cmocka_unit_test(held_frame_waits_for_the_fences_of_all_planes),
		cmocka_unit_test(dropped_frame_releases_the_buffers_of_all_planes),
		cmocka_unit_test(flip_behind_the_fence_of_any_plane_is_not_lost),
		cmocka_unit_test(tearing_frame_carries_the_changes_before_it),
		cmocka_unit_test(frame_held_for_its_fence_tears),
		cmocka_unit_test(tearing_flip_waits_for_its_fence),
		cmocka_unit_test(tearing_flip_of_video_sets_its_coding),
		cmocka_unit_test(plane_that_is_switched_off_releases_its_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
