/* SPDX-License-Identifier: MIT */
/* KMS atomic commits: an output state as properties of one request, tested or committed. */

#include "commit.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>
#include <math.h>

static void set(drmModeAtomicReq *request, uint32_t object, const struct drm_property *property,
	uint64_t value)
{
	if (property->id) {
		drmModeAtomicAddProperty(request, object, property->id, value);
	}
}

static void add_resets(drmModeAtomicReq *request, uint32_t object, const struct drm_resets *resets)
{
	for (int i = 0; i < resets->n; i++) {
		set(request, object, &resets->list[i], resets->list[i].value);
	}
}

static const struct plane_state *find_state(
	const struct output_state *state, const struct plane *plane)
{
	for (int i = 0; state->fields & OUTPUT_PLANES && i < state->n_planes; i++) {
		if (state->planes[i].plane == plane && state->planes[i].state.buffer) {
			return &state->planes[i].state;
		}
	}
	return NULL;
}

/* Maps a transform to DRM_MODE_ROTATE_*, which turns counter-clockwise after reflection. */
static uint32_t rotation_of(enum wl_output_transform transform)
{
	uint32_t rotation = DRM_MODE_ROTATE_0 << (transform & 3);
	return transform & WL_OUTPUT_TRANSFORM_FLIPPED ? rotation | DRM_MODE_REFLECT_X : rotation;
}

static void plane_off(drmModeAtomicReq *request, const struct drm_plane *plane)
{
	set(request, plane->id, &plane->properties[PLANE_FB_ID], 0);
	set(request, plane->id, &plane->properties[PLANE_CRTC_ID], 0);
}

static void plane_box(drmModeAtomicReq *request, const struct drm_plane *plane,
	const struct fbox *src, const struct box *dst)
{
	const struct drm_property *properties = plane->properties;
	const double fixed = 65536;
	set(request, plane->id, &properties[PLANE_SRC_X], (uint64_t)llround(src->x * fixed));
	set(request, plane->id, &properties[PLANE_SRC_Y], (uint64_t)llround(src->y * fixed));
	set(request, plane->id, &properties[PLANE_SRC_W], (uint64_t)llround(src->width * fixed));
	set(request, plane->id, &properties[PLANE_SRC_H], (uint64_t)llround(src->height * fixed));
	set(request, plane->id, &properties[PLANE_CRTC_X], (uint64_t)dst->x);
	set(request, plane->id, &properties[PLANE_CRTC_Y], (uint64_t)dst->y);
	set(request, plane->id, &properties[PLANE_CRTC_W], (uint64_t)dst->width);
	set(request, plane->id, &properties[PLANE_CRTC_H], (uint64_t)dst->height);
}

static struct color_coding coding_of(const struct buffer *buffer)
{
	return color_coding_resolve(buffer->coding, buffer->width, buffer->height);
}

static bool is_yuv(const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return format && format->yuv;
}

/*
 * Returns false for a YUV buffer on a plane without a property for its encoding or range: the
 * driver would then choose.
 */
static bool knows_coding(const struct drm_plane *plane, const struct buffer *buffer)
{
	struct color_coding coding = coding_of(buffer);
	return !is_yuv(buffer) ||
	       (plane->encodings[coding.matrix] >= 0 && plane->ranges[coding.range] >= 0);
}

/* Sets encoding and range for YUV. Another DRM master may have left different values. */
static void plane_coding(const struct drm_card *card, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct buffer *buffer)
{
	struct color_coding coding = coding_of(buffer);
	int64_t encoding = plane->encodings[coding.matrix], range = plane->ranges[coding.range];
	if (is_yuv(buffer)) {
		set(request, plane->id, &plane->properties[PLANE_COLOR_ENCODING],
			(uint64_t)encoding);
		set(request, plane->id, &plane->properties[PLANE_COLOR_RANGE], (uint64_t)range);
	} else if (drm_card_has_quirk(card, DRM_QUIRK_RGB_RANGE) &&
		   plane->ranges[COLOR_RANGE_FULL] >= 0) {
		set(request, plane->id, &plane->properties[PLANE_COLOR_RANGE],
			(uint64_t)plane->ranges[COLOR_RANGE_FULL]);
	}
}

static bool is_whole(double value)
{
	return (llround(value * 65536) & 0xffff) == 0;
}

/*
 * Rejects boxes with fractions of pixels: the kernel lets drivers round them (drm_plane.h on
 * SRC_X), and nvidia-drm truncates them (plane_req_config_update()), so that the content would
 * shift when it moves to or from a plane.
 */
static bool has_whole_source(const struct plane_state *state)
{
	const struct fbox *src = &state->src;
	return src->x >= 0 && src->y >= 0 && is_whole(src->x) && is_whole(src->y) &&
	       is_whole(src->width) && is_whole(src->height);
}

/* Checks the state against the plane's properties: transforms and alpha need one. */
static bool possible(const struct drm_plane *plane, const struct plane_state *state)
{
	uint32_t rotation = rotation_of(state->transform);
	return (plane->rotations & rotation) == rotation &&
	       (state->alpha >= 1 || plane->properties[PLANE_ALPHA].id) &&
	       has_whole_source(state) && knows_coding(plane, state->buffer);
}

/* Returns a blob of the buffer's damage, for devices that copy frames; 0: the whole buffer. */
static uint32_t make_damage(
	const struct drm_plane *plane, const struct plane_state *state, struct drm_card *card)
{
	bool direct = state->src.x == 0 && state->src.y == 0 && state->dst.x == 0 &&
		      state->dst.y == 0 && state->src.width == state->dst.width &&
		      state->src.height == state->dst.height &&
		      state->transform == WL_OUTPUT_TRANSFORM_NORMAL;
	uint32_t blob = 0;
	int n;
	if (!state->damage || !direct || !plane->properties[PLANE_FB_DAMAGE_CLIPS].id) {
		return 0;
	}
	/* struct drm_mode_rect has the layout of pixman_box32_t. */
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)state->damage, &n);
	_Static_assert(
		sizeof(*boxes) == sizeof(struct drm_mode_rect), "both are four 32-bit edges");
	/* No list means full damage, and an empty list is refused: use a single pixel. */
	const pixman_box32_t least = {0, 0, 1, 1};
	boxes = n > 0 ? boxes : &least;
	n = n > 0 ? n : 1;
	drmModeCreatePropertyBlob(card->fd, boxes, (size_t)n * sizeof(*boxes), &blob);
	return blob;
}

static void plane_fence(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state)
{
	if (state->acquire_fence >= 0 && drm_plane_takes_fence(commit->output->card, plane)) {
		set(request, plane->id, &plane->properties[PLANE_IN_FENCE_FD],
			(uint64_t)state->acquire_fence);
	}
}

static bool plane_on(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state, uint32_t damage)
{
	const struct drm_property *properties = plane->properties;
	uint32_t framebuffer =
		drm_framebuffer_get(commit->output->card, state->buffer, state->opaque);
	if (!framebuffer || !possible(plane, state)) {
		return false;
	}
	set(request, plane->id, &properties[PLANE_FB_ID], framebuffer);
	set(request, plane->id, &properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &state->src, &state->dst);
	set(request, plane->id, &properties[PLANE_ROTATION], rotation_of(state->transform));
	set(request, plane->id, &properties[PLANE_ALPHA], (uint64_t)lrintf(state->alpha * 0xffff));
	if (plane->zpos_mutable) {
		set(request, plane->id, &properties[PLANE_ZPOS], (uint64_t)state->zpos);
	}
	set(request, plane->id, &properties[PLANE_BLEND_MODE], properties[PLANE_BLEND_MODE].value);
	plane_coding(commit->output->card, request, plane, state->buffer);
	set(request, plane->id, &properties[PLANE_HOTSPOT_X], (uint64_t)state->hotspot_x);
	set(request, plane->id, &properties[PLANE_HOTSPOT_Y], (uint64_t)state->hotspot_y);
	set(request, plane->id, &properties[PLANE_FB_DAMAGE_CLIPS], damage);
	plane_fence(commit, request, plane, state);
	return true;
}

/*
 * Shows black until the first frame: some devices refuse an enabled CRTC without a primary plane.
 */
static void plane_blank(
	const struct drm_commit *commit, drmModeAtomicReq *request, const struct drm_plane *plane)
{
	const struct drm_blank *blank =
		commit->blank.framebuffer ? &commit->blank : &commit->output->blank;
	struct fbox src = {0, 0, blank->width, blank->height};
	struct box dst = {0, 0, blank->width, blank->height};
	set(request, plane->id, &plane->properties[PLANE_FB_ID], blank->framebuffer);
	set(request, plane->id, &plane->properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &src, &dst);
	set(request, plane->id, &plane->properties[PLANE_ROTATION], DRM_MODE_ROTATE_0);
	set(request, plane->id, &plane->properties[PLANE_ALPHA], 0xffff);
}

/* Adds all planes; fills `damages` with blobs. NULL: the commit has no frame. */
static bool add_planes(
	const struct drm_commit *commit, drmModeAtomicReq *request, uint32_t *damages)
{
	struct output *base = &commit->output->base;
	bool wanted = commit->state->fields & OUTPUT_PLANES;
	for (int i = 0; i < base->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(base->planes[i]);
		const struct plane_state *state = find_state(commit->state, &plane->base);
		if (commit->modeset) {
			add_resets(request, plane->id, &plane->resets);
		}
		if (commit->enabled && state) {
			uint32_t damage = commit->modeset || !damages
						  ? 0
						  : make_damage(plane, state, commit->output->card);
			if (damages) {
				damages[i] = damage;
			}
			if (!plane_on(commit, request, plane, state, damage)) {
				return false;
			}
		} else if (commit->enabled && commit->modeset &&
			   plane->base.type == PLANE_PRIMARY) {
			plane_blank(commit, request, plane);
		} else if (commit->modeset ||
			   (wanted && (plane->set.buffer || plane->base.type == PLANE_PRIMARY))) {
			/*
			 * Planes that are already off stay out of the request: the kernel finishes
			 * such a plane a little later than the flip event, and would refuse the
			 * next flip.
			 */
			plane_off(request, plane);
		}
	}
	return true;
}

static void add_colors(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_crtc *crtc = output->crtc;
	uint32_t gamma = commit->gamma ? commit->gamma_blob : output->gamma_blob;
	uint32_t matrix = commit->matrix ? commit->matrix_blob : output->matrix_blob;
	set(request, crtc->id, &crtc->properties[CRTC_GAMMA_LUT], commit->enabled ? gamma : 0);
	set(request, crtc->id, &crtc->properties[CRTC_CTM], commit->enabled ? matrix : 0);
}

/* Connector properties: bpc and link status. */
static void add_link(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_property *bpc = &output->properties[CONNECTOR_MAX_BPC];
	set(request, output->connector, bpc,
		commit->bit_depth ? (uint64_t)commit->bit_depth : output->usual_bpc);
	set(request, output->connector, &output->properties[CONNECTOR_LINK_STATUS],
		DRM_MODE_LINK_STATUS_GOOD);
}

static void add_content(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	static const uint64_t values[] = {
		[OUTPUT_CONTENT_NONE] = DRM_MODE_CONTENT_TYPE_NO_DATA,
		[OUTPUT_CONTENT_PHOTO] = DRM_MODE_CONTENT_TYPE_PHOTO,
		[OUTPUT_CONTENT_VIDEO] = DRM_MODE_CONTENT_TYPE_CINEMA,
		[OUTPUT_CONTENT_GAME] = DRM_MODE_CONTENT_TYPE_GAME,
	};
	const struct drm_output *output = commit->output;
	enum output_content content = commit->state->fields & OUTPUT_CONTENT
					      ? commit->state->content
					      : output->base.content;
	set(request, output->connector, &output->properties[CONNECTOR_CONTENT_TYPE],
		values[content]);
}

static void add_modeset(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_crtc *crtc = output->crtc;
	if (!crtc) {
		/* Another output has the CRTC by now. */
		set(request, output->connector, &output->properties[CONNECTOR_CRTC_ID], 0);
		return;
	}
	uint32_t blob = commit->mode_blob ? commit->mode_blob : output->mode_blob;
	set(request, output->connector, &output->properties[CONNECTOR_CRTC_ID],
		commit->enabled ? crtc->id : 0);
	if (commit->enabled) {
		add_link(commit, request);
		add_resets(request, output->connector, &output->resets);
	}
	set(request, crtc->id, &crtc->properties[CRTC_ACTIVE], commit->enabled);
	set(request, crtc->id, &crtc->properties[CRTC_MODE_ID], commit->enabled ? blob : 0);
	add_resets(request, crtc->id, &crtc->resets);
	add_colors(commit, request);
}

/*
 * Returns the changes in DRM_WITH_FRAME that a frame leaves to a later one: a new content type
 * needs the lock of all connectors, and on amdgpu the others do, too (amdgpu_dm_atomic_check() adds
 * the CRTC's connectors).
 */
static uint32_t find_deferred(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	return !commit->modeset && drm_card_holds_connectors(output->card)
		       ? (commit->state->fields | output->stale) & DRM_WITH_FRAME
		       : 0;
}

bool drm_commit_is_blocked(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	return drm_output_is_blocked(output) ||
	       (drm_card_holds_connectors(output->card) && commit->modeset);
}

static bool fill(const struct drm_commit *commit, drmModeAtomicReq *request, uint32_t *damages)
{
	const struct drm_crtc *crtc = commit->output->crtc;
	const struct output_state *state = commit->state;
	uint32_t fields = (state->fields | commit->output->stale) & ~find_deferred(commit);
	if (commit->modeset) {
		add_modeset(commit, request);
	} else if (commit->enabled && fields & DRM_COLORS) {
		add_colors(commit, request);
	}
	bool modesets = drm_card_has_quirk(commit->output->card, DRM_QUIRK_CONTENT_MODESET);
	if (commit->enabled && (commit->modeset || (fields & OUTPUT_CONTENT && !modesets))) {
		add_content(commit, request);
	}
	if (commit->enabled && (commit->modeset || fields & OUTPUT_ADAPTIVE_SYNC)) {
		bool on = state->fields & OUTPUT_ADAPTIVE_SYNC ? state->adaptive_sync
							       : commit->output->base.adaptive_sync;
		set(request, crtc->id, &crtc->properties[CRTC_VRR_ENABLED], on);
	}
	if (commit->out_fence) {
		set(request, crtc->id, &crtc->properties[CRTC_OUT_FENCE_PTR],
			(uint64_t)(uintptr_t)commit->out_fence);
	}
	return add_planes(commit, request, damages);
}

static bool make_mode(struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	drmModeModeInfo mode;
	if (output->mode_blob && !(commit->state->fields & OUTPUT_MODE)) {
		return true; /* the connector may no longer list this mode */
	}
	if (!drm_mode_find(output, &commit->mode, &mode)) {
		return false;
	}
	commit->refresh = drm_mode_refresh(&mode);
	return drmModeCreatePropertyBlob(
		       output->card->fd, &mode, sizeof(mode), &commit->mode_blob) == 0;
}

static bool make_blank(struct drm_commit *commit)
{
	const struct drm_blank *have = &commit->output->blank;
	int32_t width = commit->mode.width, height = commit->mode.height;
	return (have->framebuffer && have->width == width && have->height == height) ||
	       drm_blank_init(commit->output->card, &commit->blank, width, height);
}

static bool changes_mode(const struct drm_commit *commit)
{
	const struct output *base = &commit->output->base;
	return commit->enabled != base->enabled ||
	       (commit->enabled && (!output_mode_equal(&commit->mode, &base->mode) ||
					   commit->bit_depth != base->bit_depth));
}

bool drm_commit_init(
	struct drm_commit *commit, struct drm_output *output, const struct output_state *state)
{
	const struct output *base = &output->base;
	*commit = (struct drm_commit){
		.output = output,
		.state = state,
		.enabled = state->fields & OUTPUT_ENABLED ? state->enabled : base->enabled,
		.mode = state->fields & OUTPUT_MODE ? state->mode : base->mode,
		.bit_depth = state->fields & OUTPUT_BIT_DEPTH ? state->bit_depth : base->bit_depth,
	};
	commit->modeset = output->due || output->left || changes_mode(commit);
	if ((commit->enabled && !output->crtc) ||
		((state->fields & OUTPUT_ADAPTIVE_SYNC) && state->adaptive_sync &&
			!output->vrr_capable) ||
		commit->bit_depth > base->max_bit_depth || !drm_commit_make_colors(commit)) {
		return false;
	}
	return !commit->modeset || !commit->enabled || (make_mode(commit) && make_blank(commit));
}

static void replace_blob(struct drm_output *output, uint32_t *blob, uint32_t *by)
{
	if (*blob) {
		drmModeDestroyPropertyBlob(output->card->fd, *blob);
	}
	*blob = *by;
	*by = 0;
}

void drm_commit_keep(struct drm_commit *commit, bool done)
{
	struct drm_output *output = commit->output;
	if (commit->mode_blob) {
		replace_blob(output, &output->mode_blob, &commit->mode_blob);
		output->refresh = commit->refresh;
	}
	if (commit->gamma) {
		replace_blob(output, &output->gamma_blob, &commit->gamma_blob);
	}
	if (commit->matrix) {
		replace_blob(output, &output->matrix_blob, &commit->matrix_blob);
	}
	/* Until the commit is done, the previous blank buffer is scanned out. */
	if (done && commit->blank.framebuffer) {
		drm_blank_finish(output->card, &output->blank);
		output->blank = commit->blank;
		commit->blank = (struct drm_blank){0};
	}
}

void drm_commit_finish(struct drm_commit *commit)
{
	struct drm_card *card = commit->output->card;
	uint32_t *blobs[] = {&commit->mode_blob, &commit->gamma_blob, &commit->matrix_blob};
	for (size_t i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++) {
		if (*blobs[i]) {
			drmModeDestroyPropertyBlob(card->fd, *blobs[i]);
			*blobs[i] = 0;
		}
	}
	drm_blank_finish(card, &commit->blank);
}

static void destroy_damages(struct drm_card *card, const uint32_t damages[OUTPUT_PLANES_MAX])
{
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		if (damages[i]) {
			drmModeDestroyPropertyBlob(card->fd, damages[i]);
		}
	}
}

static int run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial)
{
	struct drm_card *card = commits[0].output->card;
	uint32_t damages[OUTPUT_PLANES_MAX] = {0};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	if (!request) {
		return -ENOMEM;
	}
	int error = 0;
	for (size_t i = 0; error == 0 && i < n; i++) {
		/* A commit of several outputs has no frames. */
		error = fill(&commits[i], request, n == 1 ? damages : NULL) ? 0 : -EINVAL;
		flags |= commits[i].modeset ? DRM_MODE_ATOMIC_ALLOW_MODESET : 0;
	}
	if (error == 0) {
		error = drmModeAtomicCommit(card->fd, request, flags, (void *)(uintptr_t)serial);
	}
	for (size_t i = 0; error == 0 && !(flags & DRM_MODE_ATOMIC_TEST_ONLY) && i < n; i++) {
		uint32_t kept = commits[i].enabled ? 0 : commits[i].output->stale;
		commits[i].output->stale = kept | find_deferred(&commits[i]);
	}
	destroy_damages(card, damages);
	drmModeAtomicFree(request);
	return error;
}

static bool names_fence(const struct drm_commit *commit)
{
	for (int i = 0; i < commit->output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(commit->output->base.planes[i]);
		const struct plane_state *state = find_state(commit->state, &plane->base);
		if (state && state->acquire_fence >= 0 &&
			drm_plane_takes_fence(commit->output->card, plane)) {
			return true;
		}
	}
	return false;
}

/*
 * Finds out with a test whether IN_FENCE_FD is the reason for -EPERM. Returns the result that the
 * commit has without fences.
 */
static int test_without_fence(struct drm_commit *commit)
{
	struct drm_card *card = commit->output->card;
	int32_t *out_fence = commit->out_fence;
	card->quirks |= DRM_QUIRK_NO_IN_FENCE;
	commit->out_fence = NULL;
	int error = run(commit, 1, DRM_MODE_ATOMIC_TEST_ONLY, 0);
	commit->out_fence = out_fence;
	if (error < 0) {
		card->quirks &= ~(uint32_t)DRM_QUIRK_NO_IN_FENCE;
	} else {
		log_info("%s: the driver %s refuses IN_FENCE_FD: frames wait for their fences "
			 "before the commit",
			card->gpu->bus_id, card->gpu->driver);
	}
	return error;
}

/*
 * Repeats a refused request without the colours that earlier commits have left to it: the driver
 * would refuse all later ones. Tests of planes keep them.
 */
static int run_without_colors(struct drm_commit *commit, uint32_t flags, uint32_t serial, int error)
{
	bool gamma = commit->gamma, matrix = commit->matrix;
	if ((flags & DRM_MODE_ATOMIC_TEST_ONLY && !commit->modeset) ||
		(error != -EINVAL && error != -ERANGE) || !drm_commit_omit_colors(commit)) {
		return error;
	}
	error = run(commit, 1, flags, serial);
	if (error < 0 && error != -EBUSY) {
		commit->gamma = gamma;
		commit->matrix = matrix;
	}
	return error;
}

int drm_commits_run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial)
{
	int error = run(commits, n, flags, serial);
	error = n == 1 ? run_without_colors(&commits[0], flags, serial, error) : error;
	if (error == -EPERM && n == 1 && names_fence(&commits[0])) {
		error = test_without_fence(&commits[0]);
		if (error == 0 && !(flags & DRM_MODE_ATOMIC_TEST_ONLY)) {
			error = -EAGAIN;
		}
	}
	return error;
}

static bool same_place(const struct plane_state *a, const struct plane_state *b)
{
	return fbox_equal(&a->src, &b->src) && box_equal(&a->dst, &b->dst) &&
	       a->transform == b->transform && a->alpha == b->alpha && a->zpos == b->zpos;
}

/* Returns true if only the primary plane's buffer changes. */
static bool changes_buffer_only(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	bool only = !commit->modeset && !((commit->state->fields | output->stale) & DRM_WITH_FRAME);
	for (int i = 0; only && i < output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		const struct plane_state *state = find_state(commit->state, &plane->base);
		bool primary = plane->base.type == PLANE_PRIMARY;
		const struct buffer *buffer = state ? state->buffer : NULL;
		only = primary ? state && plane->set.buffer && same_place(state, &plane->set) &&
					 !is_yuv(buffer) /* needs its encoding, too */
			       : buffer == plane->set.buffer &&
					 (!state || same_place(state, &plane->set));
	}
	return only;
}

int drm_commit_run_async(struct drm_commit *commit, uint32_t flags, uint32_t serial)
{
	const struct drm_output *output = commit->output;
	const struct drm_plane *plane = drm_plane_from_base(output_primary_plane(&output->base));
	if (!output->card->async_flips || !changes_buffer_only(commit)) {
		return -EINVAL;
	}
	const struct plane_state *state = find_state(commit->state, &plane->base);
	uint32_t framebuffer = drm_framebuffer_get(output->card, state->buffer, state->opaque);
	drmModeAtomicReq *request = framebuffer ? drmModeAtomicAlloc() : NULL;
	if (!request) {
		return -EINVAL;
	}
	/* The kernel refuses an async flip with properties of any other plane. */
	set(request, plane->id, &plane->properties[PLANE_FB_ID], framebuffer);
	plane_fence(commit, request, plane, state);
	int error = drmModeAtomicCommit(output->card->fd, request, flags | DRM_MODE_PAGE_FLIP_ASYNC,
		(void *)(uintptr_t)serial);
	drmModeAtomicFree(request);
	return error;
}

drmModeAtomicReq *drm_output_make_off(struct drm_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	struct drm_commit commit = {.output = output, .state = &state, .modeset = true};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	if (request) {
		fill(&commit, request, NULL);
	}
	return request;
}
