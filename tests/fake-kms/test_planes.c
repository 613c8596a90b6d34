/* SPDX-License-Identifier: MIT */
/* Plane assignment on real drivers' planes: z-order, formats and refusals. */

#include "buffer/color.h"
#include "buffer/dmabuf_buffer.h"
#include "planes/assign.h"
#include "rig.h"
#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define VIDEO_WIDTH 320
#define VIDEO_HEIGHT 200

struct planes_world {
	struct fake_card *card;
	struct rig *rig;
	struct output *output;
	struct buffer *composed, *video;
	struct assign_entry entries[2]; /* top first */
	pixman_region32_t visible[2];
	struct assign_cache memory;
	struct assign_request request;
};

/* A video above a composed screen; the other entry lies elsewhere. */
static void begin_without(struct planes_world *world, const char *kind, const char *connector,
	const char *property, uint32_t format)
{
	*world = (struct planes_world){.card = fake_card_create(kind)};
	if (property) {
		fake_card_drop_property(world->card, property);
	}
	fake_card_plug(world->card, connector, &fake_screen_plain);
	world->rig = rig_create();
	assert_true(rig_enable(&world->rig->outputs[0]));
	world->output = world->rig->outputs[0].output;
	const struct output_mode *mode = &world->output->mode;
	world->composed = rig_buffer(
		world->rig, world->output, mode->width, mode->height, DRM_FORMAT_ARGB8888, 0);
	world->video = rig_buffer(world->rig, world->output, VIDEO_WIDTH, VIDEO_HEIGHT, format, 0);
	pixman_region32_init_rect(&world->visible[0], 900, 600, 40, 40);
	pixman_region32_init_rect(&world->visible[1], 100, 80, VIDEO_WIDTH, VIDEO_HEIGHT);
	world->entries[0] = (struct assign_entry){
		.id = &world->entries[0],
		.dst = {900, 600, 40, 40},
		.alpha = 1,
		.visible = &world->visible[0],
	};
	world->entries[1] = (struct assign_entry){
		.id = &world->entries[1],
		.buffer = world->video,
		.busy = true,
		.src = {0, 0, VIDEO_WIDTH, VIDEO_HEIGHT},
		.dst = {100, 80, VIDEO_WIDTH, VIDEO_HEIGHT},
		.alpha = 1,
		.visible = &world->visible[1],
		.all_opaque = true,
	};
}

static void begin(struct planes_world *world, const char *kind, const char *connector)
{
	begin_without(world, kind, connector, NULL, DRM_FORMAT_XRGB8888);
}

static void end(struct planes_world *world)
{
	buffer_drop(world->composed);
	buffer_drop(world->video);
	pixman_region32_fini(&world->visible[0]);
	pixman_region32_fini(&world->visible[1]);
	rig_destroy(world->rig);
}

static bool test_state(void *data, const struct output_state *state)
{
	struct planes_world *world = data;
	return output_test(world->output, state);
}

static void assign(struct planes_world *world)
{
	world->request = (struct assign_request){
		.now = 1,
		.width = world->output->mode.width,
		.height = world->output->mode.height,
		.planes = (const struct plane *const *)world->output->planes,
		.n_planes = world->output->n_planes,
		.entries = world->entries,
		.n_entries = 2,
		.complete = true,
		.list = world->request.list + 1,
		.composed = world->composed,
		.allowed = true,
		.test = test_state,
		.data = world,
		.cache = &world->memory,
	};
	assert_false(assign_planes(&world->request));
	assert_int_not_equal(output_commit(world->output, &world->request.state), 0);
	rig_dispatch(world->rig);
}

/* Returns the plane whose buffer has the video's size, or NULL. */
static const char *find_video(struct planes_world *world)
{
	static const char *const names[] = {"plane-0", "plane-1", "plane-2", "plane-3", "plane-4",
		"plane-5", "plane-6", "plane-7"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fake_scan scan;
		if (fake_get_scan(world->card, names[i], &scan) && scan.width == VIDEO_WIDTH &&
			scan.height == VIDEO_HEIGHT) {
			return names[i];
		}
	}
	return NULL;
}

/* amdgpu: the primary plane has zpos 2, overlays any. */
static void overlay_becomes_underlay_below_composed_content(void **state)
{
	struct planes_world world;
	begin(&world, "amdgpu", "DP-1");
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	const char *plane = find_video(&world);
	assert_non_null(plane);
	assert_int_equal(fake_get(world.card, plane, "zpos"), 3);

	/* Composed content covers the video now. */
	world.entries[0].dst = (struct box){120, 100, 40, 40};
	pixman_region32_translate(&world.visible[0], 120 - 900, 100 - 600);
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_UNDER);
	plane = find_video(&world);
	assert_non_null(plane);
	assert_int_equal(fake_get(world.card, plane, "zpos"), 0);
	end(&world);
}

/* i915: zpos is fixed, with the primary plane at the bottom. */
static void covered_video_is_composed_without_underlays(void **state)
{
	struct planes_world world;
	begin(&world, "i915", "eDP-1");
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	assert_non_null(find_video(&world));
	world.entries[0].dst = (struct box){120, 100, 40, 40};
	pixman_region32_translate(&world.visible[0], 120 - 900, 100 - 600);
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	assert_null(find_video(&world));
	end(&world);
}

static bool refuses_videos(void *data, const struct fake_scan *scan)
{
	return scan->width != VIDEO_WIDTH;
}

/*
 * Both orders are refused_video_is_composed_and_not_tested_again; the refusal is remembered for a
 * while.
 */
static void refused_video_is_composed_and_not_tested_again(void **state)
{
	struct planes_world world;
	begin(&world, "amdgpu", "DP-1");
	fake_card_set_judge(world.card, refuses_videos, NULL);
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_REFUSED);
	assert_in_range(world.request.n_tests, 1, 2);
	assert_null(find_video(&world));
	assign(&world);
	assert_int_equal(world.request.n_tests, 0);
	end(&world);
}

/* Planes of Haswell lack alpha: opaque buffers use a format without alpha, others are composed. */
static void planes_without_alpha_show_opaque_buffers_only(void **state)
{
	struct planes_world world;
	begin(&world, "i915-haswell", "eDP-2");
	const struct output_mode *mode = &world.output->mode;
	buffer_drop(world.composed);
	world.composed = rig_buffer(
		world.rig, world.output, mode->width, mode->height, DRM_FORMAT_XRGB8888, 0);
	buffer_drop(world.video);
	world.video = rig_buffer(world.rig, world.output, VIDEO_WIDTH, VIDEO_HEIGHT,
		DRM_FORMAT_ARGB8888, 0xff112233);
	world.entries[1].buffer = world.video;
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	struct fake_scan scan;
	assert_true(fake_get_scan(world.card, find_video(&world), &scan));
	assert_int_equal(scan.format, DRM_FORMAT_XRGB8888);
	world.entries[1].all_opaque = false;
	assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_PLANE_FORMAT);
	end(&world);
}

static void planes_without_alpha_scan_out_opaque_fullscreen_buffer(void **state)
{
	struct planes_world world;
	begin(&world, "i915-haswell", "eDP-2");
	struct output *output = world.output;
	struct buffer *buffer = rig_buffer(world.rig, output, output->mode.width,
		output->mode.height, DRM_FORMAT_ARGB8888, 0xff445566);
	struct assign_entry *entry = &world.entries[1];
	entry->buffer = buffer;
	entry->src = (struct fbox){0, 0, buffer->width, buffer->height};
	entry->dst = (struct box){0, 0, buffer->width, buffer->height};
	pixman_region32_t whole;
	pixman_region32_init_rect(&whole, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	entry->visible = &whole;
	world.request = (struct assign_request){
		.now = 1,
		.width = output->mode.width,
		.height = output->mode.height,
		.planes = (const struct plane *const *)output->planes,
		.n_planes = output->n_planes,
		.entries = entry,
		.n_entries = 1,
		.complete = true,
		.list = 1,
		.allowed = true,
		.test = test_state,
		.data = &world,
		.cache = &world.memory,
	};
	assert_true(assign_planes(&world.request));
	assert_int_not_equal(output_commit(output, &world.request.state), 0);
	rig_dispatch(world.rig);
	struct fake_scan scan;
	assert_true(fake_get_scan(world.card, "plane-0", &scan));
	assert_int_equal(scan.format, DRM_FORMAT_XRGB8888);
	assert_int_equal(fake_plane_pixel(world.card, "plane-0", 5, 5), 0xff445566);
	pixman_region32_fini(&whole);
	buffer_drop(buffer);
	end(&world);
}

/* With either property missing, the driver would choose the encoding or range of a YUV buffer. */
static void yuv_plane_needs_encoding_and_range(void **state)
{
	static const char *const missing[] = {NULL, "COLOR_ENCODING", "COLOR_RANGE"};
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		struct planes_world world;
		begin_without(&world, "i915", "eDP-1", missing[i], DRM_FORMAT_YUYV);
		assign(&world);
		const char *plane = find_video(&world);
		if (missing[i]) {
			assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
			assert_null(plane);
		} else {
			assert_int_equal(world.entries[1].place, PLACE_OVER);
			assert_non_null(plane);
			/* BT.601, limited range */
			assert_int_equal(fake_get(world.card, plane, "COLOR_ENCODING"), 0);
			assert_int_equal(fake_get(world.card, plane, "COLOR_RANGE"), 0);
		}
		end(&world);
	}
}

/* Adds the video's pixels, from any buffer, on a plane. */
static void add_video(struct planes_world *world, struct output_state *state,
	const struct plane *plane, struct buffer *buffer, struct color_coding coding)
{
	struct plane_state *shown = output_state_add_plane(state, plane);
	shown->buffer = buffer;
	shown->coding = coding;
	shown->src = (struct fbox){0, 0, VIDEO_WIDTH, VIDEO_HEIGHT};
	shown->dst = (struct box){100, 80, VIDEO_WIDTH, VIDEO_HEIGHT};
	shown->zpos = plane->zpos_max;
}

static const struct plane *find_overlay(const struct output *output)
{
	const struct plane *found = NULL;
	for (int i = 0; !found && i < output->n_planes; i++) {
		found = output->planes[i]->type == PLANE_OVERLAY ? output->planes[i] : NULL;
	}
	assert_non_null(found);
	return found;
}

static const struct color_coding codings[] = {
	{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED}, {COLOR_MATRIX_BT601, COLOR_RANGE_FULL}};

static void expect_coding(struct planes_world *world, const char *plane, int coding)
{
	assert_int_equal(fake_get(world->card, plane, "COLOR_ENCODING"), coding == 0);
	assert_int_equal(fake_get(world->card, plane, "COLOR_RANGE"), coding == 1);
}

/* Two surfaces show it, each in its own coding. */
static void planes_with_one_buffer_have_a_coding_each(void **state)
{
	struct planes_world world;
	begin_without(&world, "i915", "eDP-1", NULL, DRM_FORMAT_YUYV);
	const struct output_mode *mode = &world.output->mode;
	struct buffer *buffer =
		rig_buffer(world.rig, world.output, mode->width, mode->height, DRM_FORMAT_YUYV, 0);
	for (int i = 0; i < 2; i++) {
		struct output_state frame;
		output_state_init(&frame);
		rig_fill_state(&frame, world.output, buffer)->coding = codings[i];
		add_video(&world, &frame, find_overlay(world.output), buffer, codings[!i]);
		assert_true(output_test(world.output, &frame));
		assert_int_not_equal(output_commit(world.output, &frame), 0);
		rig_dispatch(world.rig);
		expect_coding(&world, fake_primary_of(world.card, "eDP-1"), i);
		expect_coding(&world, "plane-1", !i);
	}
	buffer_drop(buffer);
	end(&world);
}

/* An asynchronous flip could not set it. */
static void tearing_flip_waits_for_another_coding_of_an_overlay(void **state)
{
	struct planes_world world;
	begin_without(&world, "i915", "eDP-1", NULL, DRM_FORMAT_YUYV);
	uint64_t n_async = 0;
	for (int i = 0; i < 6; i++) {
		struct output_state frame;
		output_state_init(&frame);
		rig_fill_state(&frame, world.output, world.composed);
		add_video(&world, &frame, find_overlay(world.output), world.video, codings[i / 3]);
		frame.fields |= OUTPUT_TEARING;
		assert_int_not_equal(output_commit(world.output, &frame), 0);
		rig_dispatch(world.rig);
		n_async += i % 3 > 0;
		assert_int_equal(fake_card_counts(world.card).async, n_async);
		expect_coding(&world, "plane-1", i / 3);
	}
	end(&world);
}

static bool takes(struct planes_world *world, const struct plane *plane, struct buffer *buffer)
{
	struct output_state state;
	output_state_init(&state);
	rig_fill_state(&state, world->output, world->composed);
	struct plane_state *shown = output_state_add_plane(&state, plane);
	shown->buffer = buffer;
	shown->src = (struct fbox){0, 0, VIDEO_WIDTH, VIDEO_HEIGHT};
	shown->dst = (struct box){100, 80, VIDEO_WIDTH, VIDEO_HEIGHT};
	shown->zpos = plane->zpos_min;
	return output_test(world->output, &state);
}

static struct buffer *create_video(const int memory[2])
{
	struct dmabuf dmabuf;
	dmabuf_init(&dmabuf);
	dmabuf.width = VIDEO_WIDTH;
	dmabuf.height = VIDEO_HEIGHT;
	dmabuf.format = DRM_FORMAT_NV12;
	dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
	dmabuf.n_planes = 2;
	for (int i = 0; i < 2; i++) {
		dmabuf.stride[i] = 512;
		dmabuf.fd[i] = fd_dup(memory[i]);
	}
	dmabuf.offset[1] = 512 * VIDEO_HEIGHT;
	return dmabuf_buffer_create(&dmabuf, NULL);
}

/*
 * The kernel has one handle for all planes in one memory. A handle that stays open keeps its memory
 * after the buffer's end.
 */
static void handles_of_all_planes_are_closed_once(void **state)
{
	enum { SHARED, SEPARATE, FAILS, N_CASES };
	for (int i = 0; i < 2 * N_CASES; i++) {
		bool refused = i >= N_CASES;
		struct planes_world world;
		begin(&world, "amdgpu", "DP-1");
		takes(&world, world.output->planes[1], world.video);
		int size = 512 * VIDEO_HEIGHT * 2, ends[2];
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		int first = fake_dmabuf_create((size_t)size);
		int second = fake_dmabuf_create((size_t)size);
		int kinds[] = {[SHARED] = first, [SEPARATE] = second, [FAILS] = ends[0]};
		struct buffer *buffer = create_video((int[]){first, kinds[i % N_CASES]});
		struct fake_counts before = fake_card_counts(world.card);
		fake_card_fail_framebuffers(world.card, refused ? EINVAL : 0);
		takes(&world, world.output->planes[1], buffer);
		struct fake_counts counts = fake_card_counts(world.card);
		bool created = !refused && i % N_CASES != FAILS;
		assert_int_equal(counts.framebuffers, before.framebuffers + created);
		buffer_drop(buffer);
		counts = fake_card_counts(world.card);
		assert_int_equal(counts.closed_twice, 0);
		assert_int_equal(counts.framebuffers, before.framebuffers);
		assert_int_equal(counts.buffers, before.buffers);
		close(first);
		close(second);
		close(ends[0]);
		close(ends[1]);
		end(&world);
	}
}

/* Such a buffer is refused without a call to the driver. */
static void buffer_without_dmabuf_is_not_shown(void **state)
{
	struct planes_world world;
	begin(&world, "amdgpu", "DP-1");
	struct buffer *buffer = color_buffer_create(0, 0, 0, UINT32_MAX);
	uint64_t refused = fake_card_counts(world.card).refused;
	assert_true(takes(&world, world.output->planes[1], world.video));
	assert_false(takes(&world, world.output->planes[1], buffer));
	assert_int_equal(fake_card_counts(world.card).refused, refused);
	buffer_drop(buffer);
	end(&world);
}

/* A lack of memory passes; the driver's other refusals are final. */
static void buffer_is_shown_once_the_card_has_memory(void **state)
{
	static const struct {
		int error;
		bool later;
	} cases[] = {{ENOMEM, true}, {EINVAL, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct planes_world world;
		begin(&world, "amdgpu", "DP-1");
		fake_card_fail_framebuffers(world.card, cases[i].error);
		assert_false(takes(&world, world.output->planes[1], world.video));
		fake_card_fail_framebuffers(world.card, 0);
		assert_int_equal(
			takes(&world, world.output->planes[1], world.video), cases[i].later);
		end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlay_becomes_underlay_below_composed_content),
		cmocka_unit_test(covered_video_is_composed_without_underlays),
		cmocka_unit_test(refused_video_is_composed_and_not_tested_again),
		cmocka_unit_test(planes_without_alpha_show_opaque_buffers_only),
		cmocka_unit_test(planes_without_alpha_scan_out_opaque_fullscreen_buffer),
		cmocka_unit_test(yuv_plane_needs_encoding_and_range),
		cmocka_unit_test(planes_with_one_buffer_have_a_coding_each),
		cmocka_unit_test(tearing_flip_waits_for_another_coding_of_an_overlay),
		cmocka_unit_test(handles_of_all_planes_are_closed_once),
		cmocka_unit_test(buffer_without_dmabuf_is_not_shown),
		cmocka_unit_test(buffer_is_shown_once_the_card_has_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
