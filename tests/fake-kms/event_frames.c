/* SPDX-License-Identifier: MIT */
/* Random frames with several planes, and the comparison with the emulated card. */

#include "event_frames.h"
#include "backend/drm/drm.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Side of a cursor that all cards take. */
#define CURSOR 64

uint32_t event_draw(uint32_t *random, uint32_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random % n;
}

static uint32_t draw_format(const struct plane *plane, uint32_t *random)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_YUYV};
	for (int i = 0; i < 8; i++) {
		const uint32_t format = formats[event_draw(random, 4)];
		if (format_set_has(&plane->formats, format, DRM_FORMAT_MOD_LINEAR)) {
			return format;
		}
	}
	return plane->type == PLANE_CURSOR ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888;
}

static int draw_fence(uint32_t *random, int fences[EVENT_FENCES])
{
	const uint32_t i = event_draw(random, 6 * EVENT_FENCES);
	if (!fences || i >= EVENT_FENCES || fences[i] >= 0) {
		return -1;
	}
	return fences[i] = fake_fence_create();
}

static void add_plane(struct event_frame *frame, const struct rig_output *output,
	const struct plane *plane, uint32_t *random)
{
	const int i = frame->state.n_planes;
	const struct output_mode *mode = &output->output->mode;
	const bool primary = plane->type == PLANE_PRIMARY, cursor = plane->type == PLANE_CURSOR;
	const int32_t width = primary  ? mode->width
			      : cursor ? CURSOR
				       : 32,
		      height = primary  ? mode->height
			       : cursor ? CURSOR
					: 16;
	struct plane_state *state = output_state_add_plane(&frame->state, plane);
	frame->pixels[i] = event_draw(random, UINT32_MAX);
	struct buffer *buffer = rig_buffer(output->rig, output->output, width, height,
		draw_format(plane, random), frame->pixels[i]);
	frame->buffers[i] = state->buffer = buffer_lock(buffer);
	buffer_drop(buffer);
	state->src = (struct fbox){0, 0, width, height};
	state->dst = (struct box){0, 0, width, height};
	state->zpos = plane->zpos_min +
		      (int)event_draw(random, (uint32_t)(plane->zpos_max - plane->zpos_min + 1));
	state->opaque = plane->takes_opaque && !cursor && event_draw(random, 3) == 0;
	if (primary) {
		/* Without a change of the size. */
		state->transform = event_draw(random, 4) ? 0 : 2 * event_draw(random, 4);
		return;
	}
	if (event_draw(random, 3)) {
		state->dst.x = (int32_t)event_draw(random, 64) - 16;
		state->dst.y = (int32_t)event_draw(random, 48) - 16;
	}
	state->hotspot_x = (int32_t)event_draw(random, 8);
	state->hotspot_y = (int32_t)event_draw(random, 8);
	state->alpha = event_draw(random, 4) ? 1 : 0.5f;
	if (!cursor && event_draw(random, 3) == 0) {
		state->src.width = state->src.height = 8;
		state->transform = event_draw(random, 2) ? event_draw(random, 8) : 0;
		state->dst.width = state->dst.height = event_draw(random, 2) ? 8 : 16;
	}
}

/* Keeps a plane's buffer, and changes at most one other member of its state. */
static void keep_plane(struct event_frame *frame, const struct drm_plane *plane, uint32_t *random)
{
	const int i = frame->state.n_planes;
	struct plane_state *state = output_state_add_plane(&frame->state, &plane->base);
	*state = plane->set;
	state->damage = NULL; /* valid during the call only, as the fence */
	state->acquire_fence = -1;
	frame->kept[i] = true;
	frame->buffers[i] = buffer_lock(plane->set.buffer);
	switch (event_draw(random, 8)) {
	case 0: state->dst.x++; break;
	case 1: state->dst.y--; break;
	case 2: state->alpha = 0.5f; break;
	case 3: state->alpha = 1; break;
	case 4: state->zpos = plane->base.zpos_max; break;
	case 5: state->transform ^= 2; break;
	default: break;
	}
}

static void add_others(struct event_frame *frame, const struct rig_output *output, uint32_t *random)
{
	const struct output *base = output->output;
	const bool keeps = event_draw(random, 2);
	for (int i = 0; i < base->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(base->planes[i]);
		const struct buffer *set = plane->set.buffer;
		if (plane->base.type == PLANE_PRIMARY) {
			continue;
		}
		if (keeps && set && (set == plane->shown || set == plane->pending)) {
			keep_plane(frame, plane, random);
		} else if (!keeps && event_draw(random, 2)) {
			add_plane(frame, output, &plane->base, random);
		}
	}
}

/* The card has limits: the primary plane alone is always possible. */
static void simplify(struct event_frame *frame, const struct rig_output *output)
{
	const struct output *base = output->output;
	for (int i = 0; i < frame->state.n_planes; i++) {
		buffer_unlock(frame->buffers[i]);
	}
	struct buffer *buffer = rig_buffer(output->rig, base, base->mode.width, base->mode.height,
		DRM_FORMAT_XRGB8888, frame->pixels[0]);
	frame->buffers[0] = buffer_lock(buffer);
	buffer_drop(buffer);
	output_state_init(&frame->state);
	rig_fill_state(&frame->state, base, buffer);
}

void event_frame_init(struct event_frame *frame, struct rig_output *output, uint32_t *random,
	int fences[EVENT_FENCES])
{
	const struct output *base = output->output;
	*frame = (struct event_frame){0};
	output_state_init(&frame->state);
	pixman_region32_init_rect(&frame->damage, 4, 4, 8, 8);
	add_plane(frame, output, output_primary_plane(base), random);
	add_others(frame, output, random);
	if (!output_test(output->output, &frame->state)) {
		simplify(frame, output);
	}
	for (int i = 0; i < frame->state.n_planes; i++) {
		frame->state.planes[i].state.acquire_fence = draw_fence(random, fences);
		frame->state.planes[i].state.damage = event_draw(random, 2) ? &frame->damage : NULL;
	}
	frame->state.fields |= event_draw(random, 2) ? 0 : OUTPUT_TEARING;
}

void event_frame_finish(struct event_frame *frame)
{
	for (int i = 0; i < frame->state.n_planes; i++) {
		buffer_unlock(frame->buffers[i]);
	}
	pixman_region32_fini(&frame->damage);
}

uint64_t event_frame_count_clips(const struct event_frame *frame)
{
	uint64_t n = 0;
	for (int i = 0; i < frame->state.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(frame->state.planes[i].plane);
		const struct plane_state *state = &frame->state.planes[i].state;
		const bool whole = state->src.x == 0 && state->src.y == 0 && state->dst.x == 0 &&
				   state->dst.y == 0 && state->src.width == state->dst.width &&
				   state->src.height == state->dst.height;
		n += state->damage && whole && state->transform == WL_OUTPUT_TRANSFORM_NORMAL &&
		     plane->properties[PLANE_FB_DAMAGE_CLIPS].id;
	}
	return n;
}

static void expect(struct fake_card *card, const char *object, const char *property, uint64_t value)
{
	if (fake_has(card, object, property) && fake_get(card, object, property) != value) {
		fail_msg("%s of %s is %llx, not %llx", property, object,
			(unsigned long long)fake_get(card, object, property),
			(unsigned long long)value);
	}
}

static uint64_t rotation_of(enum wl_output_transform transform)
{
	static const uint64_t turns[] = {
		DRM_MODE_ROTATE_0, DRM_MODE_ROTATE_90, DRM_MODE_ROTATE_180, DRM_MODE_ROTATE_270};
	return turns[transform & 3] | (transform & 4 ? DRM_MODE_REFLECT_X : 0);
}

/* Returns the index of the shown plane, or -1. */
static int find(const struct event_frame *frame, const struct plane *plane)
{
	for (int i = 0; i < frame->state.n_planes; i++) {
		if (frame->state.planes[i].plane == plane) {
			return i;
		}
	}
	return -1;
}

static void check_plane(
	struct fake_card *card, const struct event_frame *frame, int i, const char *name)
{
	const struct plane *plane = frame->state.planes[i].plane;
	const struct plane_state *state = &frame->state.planes[i].state;
	const struct pixel_format *format = pixel_format_get(state->buffer->format);
	struct fake_scan scan;
	assert_true(fake_get_scan(card, name, &scan));
	assert_int_equal(scan.format, state->opaque ? format->opaque : state->buffer->format);
	if (!format->yuv && !frame->kept[i]) {
		assert_int_equal(fake_plane_pixel(card, name, 5, 5), frame->pixels[i]);
	}
	expect(card, name, "SRC_X", (uint64_t)llround(state->src.x * 65536));
	expect(card, name, "SRC_Y", (uint64_t)llround(state->src.y * 65536));
	expect(card, name, "SRC_W", (uint64_t)llround(state->src.width * 65536));
	expect(card, name, "SRC_H", (uint64_t)llround(state->src.height * 65536));
	expect(card, name, "CRTC_X", (uint64_t)state->dst.x);
	expect(card, name, "CRTC_Y", (uint64_t)state->dst.y);
	expect(card, name, "CRTC_W", (uint64_t)state->dst.width);
	expect(card, name, "CRTC_H", (uint64_t)state->dst.height);
	expect(card, name, "rotation", rotation_of(state->transform));
	expect(card, name, "alpha", state->alpha < 1 ? 0x8000 : 0xffff);
	expect(card, name, "HOTSPOT_X", (uint64_t)state->hotspot_x);
	expect(card, name, "HOTSPOT_Y", (uint64_t)state->hotspot_y);
	if (plane->zpos_min < plane->zpos_max) {
		expect(card, name, "zpos", (uint64_t)state->zpos);
	}
}

void event_frame_check(
	const struct event_frame *frame, const struct rig_output *output, struct fake_card *card)
{
	const struct output *base = output->output;
	assert_int_equal(drm_output_from_base(output->output)->blank.handle, 0);
	for (int i = 0; i < base->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(base->planes[i]);
		const int shown = find(frame, base->planes[i]);
		char name[16];
		snprintf(name, sizeof(name), "plane-%d",
			(int)(plane - drm_output_from_base(output->output)->card->planes));
		if (shown >= 0) {
			check_plane(card, frame, shown, name);
		} else {
			expect(card, name, "FB_ID", 0);
			expect(card, name, "CRTC_ID", 0);
		}
	}
}
