/* SPDX-License-Identifier: MIT */
/* Quirks of drivers in the DRM backend. */

#include "buffer/dmabuf_buffer.h"
#include "rig.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A frame whose fence is pending is committed after it; a signalled fence delays nothing. */
static void check_fences(struct rig *rig, struct rig_output *output, struct fake_card *card)
{
	int fence = fake_fence_create();
	uint64_t commits = fake_card_counts(card).commits;
	uint32_t number = rig_show(rig, output, 0xff000001, fence);
	assert_int_not_equal(number, 0);
	rig_dispatch(rig);
	assert_int_equal(fake_card_counts(card).commits, commits);
	assert_int_equal(output->n_presents, 0);
	fake_fence_signal(fence, 1);
	rig_dispatch(rig);
	assert_int_equal(fake_card_counts(card).commits, commits + 1);
	assert_int_equal(output->n_presents, 1);
	assert_int_equal(output->present.commit, number);
	assert_true(output->present.presented);
	assert_int_equal(fake_plane_pixel(card, fake_primary_of(card, output->output->name), 9, 9),
		0xff000001);
	uint64_t refused = fake_card_counts(card).refused;
	number = rig_show(rig, output, 0xff000002, fence);
	assert_int_not_equal(number, 0);
	rig_dispatch(rig);
	assert_int_equal(fake_card_counts(card).refused, refused);
	assert_int_equal(output->present.commit, number);
	close(fence);
}

static void nvidia_gets_no_fences(void **state)
{
	struct fake_card *card = fake_card_create("nvidia-drm");
	fake_card_plug(card, "DP-5", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-5");
	assert_true(rig_enable(output));
	check_fences(rig, output, card);
	assert_int_equal(fake_card_counts(card).refused, 0);
	rig_destroy(rig);
}

static void driver_that_refuses_a_fence_gets_no_more(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-1");
	assert_true(rig_enable(output));
	fake_card_refuse_fences(card);
	check_fences(rig, output, card);
	assert_int_equal(fake_card_counts(card).refused, 1);
	rig_destroy(rig);
}

/* The first refused fence has signalled already, in a test or in a commit. */
static void refused_fence_that_has_signalled_delays_nothing(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct fake_card *card = fake_card_create("i915");
		fake_card_plug(card, "eDP-1", &fake_screen_plain);
		struct rig *rig = rig_create();
		struct rig_output *output = rig_find(rig, "eDP-1");
		assert_true(rig_enable(output));
		fake_card_refuse_fences(card);
		int fence = fake_fence_create();
		fake_fence_signal(fence, 1);
		if (i == 0) {
			assert_int_not_equal(rig_show(rig, output, 0xff000003, fence), 0);
		} else {
			struct buffer *buffer = rig_buffer(
				rig, output->output, 1920, 1080, DRM_FORMAT_XRGB8888, 0xff000003);
			struct output_state frame;
			output_state_init(&frame);
			rig_fill_state(&frame, output->output, buffer)->acquire_fence = fence;
			assert_true(rig_set(output, &frame));
			buffer_drop(buffer);
		}
		rig_dispatch(rig);
		assert_true(output->present.presented);
		assert_int_equal(fake_card_counts(card).refused, 1);
		close(fence);
		rig_destroy(rig);
	}
}

/* A lost seat refuses commits with the same error, which says nothing about fences. */
static void eperm_for_another_reason_keeps_fences(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-1");
	assert_true(rig_enable(output));
	int fence = fake_fence_create();
	fake_card_fail(card, EPERM, 2, true);
	assert_int_equal(rig_show(rig, output, 0xff000004, fence), 0);
	uint64_t commits = fake_card_counts(card).commits;
	assert_int_not_equal(rig_show(rig, output, 0xff000004, fence), 0);
	/* The kernel has the frame and its fence. */
	assert_int_equal(fake_card_counts(card).commits, commits + 1);
	fake_fence_signal(fence, 1);
	close(fence);
	rig_destroy(rig);
}

static bool may_show(struct rig_output *output, struct buffer *buffer, struct fbox src)
{
	struct output_state frame;
	output_state_init(&frame);
	struct plane_state *plane = rig_fill_state(&frame, output->output, buffer);
	plane->src = src;
	plane->dst = (struct box){0, 0, (int32_t)src.width, (int32_t)src.height};
	return output_test(output->output, &frame);
}

static void planes_show_whole_pixels(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-1");
	assert_true(rig_enable(output));
	struct buffer *buffer = rig_buffer(rig, output->output, 1921, 1081, DRM_FORMAT_XRGB8888, 0);
	assert_true(may_show(output, buffer, (struct fbox){1, 1, 1920, 1080}));
	assert_false(may_show(output, buffer, (struct fbox){0.5, 1, 1920, 1080}));
	assert_false(may_show(output, buffer, (struct fbox){1, 0.25, 1920, 1080}));
	assert_false(may_show(output, buffer, (struct fbox){1, 1, 1919.5, 1080}));
	assert_false(may_show(output, buffer, (struct fbox){1, 1, 1920, 1079.75}));
	/* An inexact computation of a whole number. */
	assert_true(may_show(output, buffer, (struct fbox){1 - 1e-9, 1, 1920 + 1e-9, 1080}));
	buffer_drop(buffer);
	rig_destroy(rig);
}

/* A linear buffer of the card, as a client without modifiers would describe it. */
static struct buffer *make_implicit(struct rig *rig, struct rig_output *output)
{
	struct buffer *linear =
		rig_buffer(rig, output->output, 1920, 1080, DRM_FORMAT_XRGB8888, 0xff000005);
	struct dmabuf dmabuf = *buffer_dmabuf(linear);
	dmabuf.modifier = DRM_FORMAT_MOD_INVALID;
	dmabuf.fd[0] = fd_dup(dmabuf.fd[0]);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, output->output->gpu);
	buffer_drop(linear);
	return buffer;
}

static bool show(struct rig_output *output, struct buffer *buffer)
{
	struct output_state frame;
	output_state_init(&frame);
	rig_fill_state(&frame, output->output, buffer);
	return rig_set(output, &frame);
}

static void nvidia_scans_out_explicit_modifiers_only(void **state)
{
	struct fake_card *card = fake_card_create("nvidia-drm");
	struct fake_card *other = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-5", &fake_screen_plain);
	fake_card_plug(other, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *outputs[] = {rig_find(rig, "DP-5"), rig_find(rig, "DP-1")};
	for (int i = 0; i < 2; i++) {
		assert_true(rig_enable(outputs[i]));
		struct buffer *buffer = make_implicit(rig, outputs[i]);
		assert_int_equal(show(outputs[i], buffer), i == 1);
		assert_int_equal(outputs[i]->n_presents, i);
		assert_int_equal(format_set_has(&output_primary_plane(outputs[i]->output)->formats,
					 DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_INVALID),
			i == 1);
		buffer_drop(buffer);
		/* The same layout, told by its modifier. */
		assert_int_not_equal(rig_show(rig, outputs[i], 1, -1), 0);
		rig_dispatch(rig);
		assert_int_equal(outputs[i]->n_presents, i + 1);
	}
	rig_destroy(rig);
}

static void nvidia_has_neither_overlays_nor_matrices(void **state)
{
	struct fake_card *card = fake_card_create("nvidia-drm");
	fake_card_plug(card, "DP-5", &fake_screen_plain);
	struct rig *rig = rig_create();
	const struct output *output = rig_find(rig, "DP-5")->output;
	assert_int_equal(output->n_planes, 2);
	assert_int_equal(output->planes[0]->type, PLANE_PRIMARY);
	assert_int_equal(output->planes[1]->type, PLANE_CURSOR);
	assert_true(fake_has(card, "crtc-0", "CTM"));
	assert_false(output->has_color_matrix);
	rig_destroy(rig);
}

/* Another program has left the plane with a limited range. */
static void nvidia_shows_rgb_with_full_range(void **state)
{
	struct fake_card *card = fake_card_create("nvidia-drm");
	fake_card_plug(card, "DP-5", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-5");
	assert_true(rig_enable(output));
	const char *plane = fake_primary_of(card, "DP-5");
	fake_set(card, plane, "COLOR_RANGE", 0 /* limited */);
	assert_int_not_equal(rig_show(rig, output, 0, -1), 0);
	rig_dispatch(rig);
	assert_int_equal(fake_get(card, plane, "COLOR_RANGE"), 1 /* full */);
	rig_destroy(rig);
}

/* Cached system memory, as of a udmabuf: amdgpu refuses it at once, and no commit fails. */
static void amdgpu_scans_out_no_imported_system_memory(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-1");
	assert_true(rig_enable(output));
	struct dmabuf dmabuf;
	int32_t stride = 1920 * 4;
	dmabuf_init_linear(&dmabuf, 1920, 1080, DRM_FORMAT_XRGB8888,
		fd_create_memory("test-udmabuf", (off_t)stride * 1080, true), (uint32_t)stride);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, NULL);
	uint64_t refused = fake_card_counts(card).refused;
	assert_false(show(output, buffer));
	assert_int_equal(fake_card_counts(card).refused, refused);
	buffer_drop(buffer);
	assert_int_not_equal(rig_show(rig, output, 1, -1), 0);
	rig_destroy(rig);
}

static bool has_quirk(struct rig *rig, const struct output *output, const char *text)
{
	const char *quirk;
	for (int i = 0; (quirk = drm_backend_quirk(rig->backend, output->gpu, i)); i++) {
		if (strstr(quirk, text)) {
			return true;
		}
	}
	return false;
}

static void overlays_follow_the_configuration(void **state)
{
	static const int n_planes[][2] = {[DRM_OVERLAYS_AUTO] = {2, 3},
		[DRM_OVERLAYS_ON] = {3, 3},
		[DRM_OVERLAYS_OFF] = {2, 2}};
	for (int i = 0; i < 3; i++) {
		struct fake_card *nvidia = fake_card_create("nvidia-drm");
		struct fake_card *amd = fake_card_create("amdgpu");
		fake_card_plug(nvidia, "DP-5", &fake_screen_plain);
		fake_card_plug(amd, "DP-1", &fake_screen_plain);
		struct rig *rig =
			rig_create_with(&(struct drm_options){.overlays = (enum drm_overlays)i});
		const struct output *output = rig_find(rig, "DP-5")->output;
		assert_int_equal(output->n_planes, n_planes[i][0]);
		assert_int_equal(rig_find(rig, "DP-1")->output->n_planes, n_planes[i][1]);
		assert_int_equal(
			has_quirk(rig, output, "overlay planes are unused"), i != DRM_OVERLAYS_ON);
		rig_destroy(rig);
	}
}

static void quirks_are_listed_for_each_card(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "eDP-1");
	assert_true(rig_enable(output));
	assert_true(has_quirk(rig, output->output, "content type"));
	assert_false(has_quirk(rig, output->output, "fences"));
	assert_null(drm_backend_quirk(rig->backend, output->output->gpu, 1));
	/* One that the driver shows at run time. */
	fake_card_refuse_fences(card);
	int fence = fake_fence_create();
	assert_int_not_equal(rig_show(rig, output, 1, fence), 0);
	assert_true(has_quirk(rig, output->output, "frames wait for their fences"));
	fake_fence_signal(fence, 1);
	rig_dispatch(rig);
	close(fence);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvidia_gets_no_fences),
		cmocka_unit_test(driver_that_refuses_a_fence_gets_no_more),
		cmocka_unit_test(refused_fence_that_has_signalled_delays_nothing),
		cmocka_unit_test(eperm_for_another_reason_keeps_fences),
		cmocka_unit_test(planes_show_whole_pixels),
		cmocka_unit_test(nvidia_scans_out_explicit_modifiers_only),
		cmocka_unit_test(nvidia_has_neither_overlays_nor_matrices),
		cmocka_unit_test(nvidia_shows_rgb_with_full_range),
		cmocka_unit_test(amdgpu_scans_out_no_imported_system_memory),
		cmocka_unit_test(overlays_follow_the_configuration),
		cmocka_unit_test(quirks_are_listed_for_each_card),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
