/* SPDX-License-Identifier: MIT */
/*
 * Passes of the GLES renderer. Draws are recorded and issued together on submission: all rectangles
 * in one vertex buffer, and one draw call for each texture.
 */

#include "render/gles/gles_renderer.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES_PER_RECT 6
/* A small pass draws less than this fraction of its target. */
#define SMALL_PASS 16

/* A recorded draw. */
struct op {
	enum gles_program_kind kind;
	struct gles_image *image; /* NULL: solid */
	bool nearest, blend;
	struct gles_uniforms uniforms;
	GLint first;
	GLsizei n_vertices;
};

struct gles_pass {
	struct render_pass base;
	struct wl_list link;
	struct gles_target *target;
	struct op *ops;
	size_t n_ops, max_ops;
	struct gles_vertex *vertices;
	size_t n_vertices, max_vertices;
	pixman_box32_t extents; /* of the vertices */
	pixman_region32_t drawn; /* what is read back */
	bool started; /* something has been drawn */
	uint64_t number; /* stats.passes, with it */
	uint64_t area; /* pixels drawn, overdraw counted */
};

static struct gles_renderer *get_renderer(struct gles_pass *pass)
{
	struct gles_renderer *renderer = wl_container_of(pass->base.renderer, renderer, base);
	return renderer;
}

void gles_pass_free(struct gles_pass *pass)
{
	if (pass) {
		free(pass->ops);
		free(pass->vertices);
		free(pass);
	}
}

static void clear_ops(struct gles_pass *pass)
{
	pass->n_ops = pass->n_vertices = 0;
	pass->extents = (pixman_box32_t){INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
}

struct render_pass *gles_pass_begin(struct renderer *base, struct buffer *target, int fence)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	struct gles_target *gles_target = renderer->lost ? NULL : gles_target_get(renderer, target);
	if (!gles_target || (fence >= 0 && !gles_enter(renderer))) {
		return NULL;
	}
	egl_wait_fence(renderer->egl, fence);
	struct gles_pass *pass = renderer->spare;
	renderer->spare = NULL;
	if (!pass) {
		pass = xcalloc(1, sizeof(*pass));
		clear_ops(pass);
	}
	pass->base = (struct render_pass){.renderer = base, .target = buffer_lock(target)};
	pass->target = gles_target;
	pass->started = false;
	pass->area = 0;
	pixman_region32_init(&pass->drawn);
	wl_list_insert(&renderer->passes, &pass->link);
	pass->number = ++base->stats.passes;
	return &pass->base;
}

static void add_vertices(struct gles_pass *pass, const pixman_box32_t *rect)
{
	if (pass->n_vertices + VERTICES_PER_RECT > pass->max_vertices) {
		pass->max_vertices = pass->max_vertices ? 2 * pass->max_vertices : 192;
		pass->vertices =
			xrealloc(pass->vertices, pass->max_vertices, sizeof(*pass->vertices));
	}
	pixman_box32_t *extents = &pass->extents;
	extents->x1 = rect->x1 < extents->x1 ? rect->x1 : extents->x1;
	extents->y1 = rect->y1 < extents->y1 ? rect->y1 : extents->y1;
	extents->x2 = rect->x2 > extents->x2 ? rect->x2 : extents->x2;
	extents->y2 = rect->y2 > extents->y2 ? rect->y2 : extents->y2;
	int16_t x1 = (int16_t)rect->x1, y1 = (int16_t)rect->y1;
	int16_t x2 = (int16_t)rect->x2, y2 = (int16_t)rect->y2;
	struct gles_vertex *vertex = &pass->vertices[pass->n_vertices];
	vertex[0] = (struct gles_vertex){x1, y1};
	vertex[1] = (struct gles_vertex){x2, y1};
	vertex[2] = (struct gles_vertex){x1, y2};
	vertex[3] = (struct gles_vertex){x1, y2};
	vertex[4] = (struct gles_vertex){x2, y1};
	vertex[5] = (struct gles_vertex){x2, y2};
	pass->n_vertices += VERTICES_PER_RECT;
}

/* Returns NULL if no pixel is touched; else a new op with its rectangles filled in. */
static struct op *add_op(
	struct gles_pass *pass, const pixman_region32_t *region, const struct box *box)
{
	struct buffer *target = pass->base.target;
	struct clip clip;
	clip_init(&clip, region, box, target->width, target->height);
	uint64_t area = clip_area(clip);
	if (area == 0) {
		return NULL;
	}
	pass->area += area;
	pass->base.renderer->stats.pixels_drawn += area;
	++pass->base.renderer->stats.draws;
	if (pass->n_ops == pass->max_ops) {
		pass->max_ops = pass->max_ops ? 2 * pass->max_ops : 32;
		pass->ops = xrealloc(pass->ops, pass->max_ops, sizeof(*pass->ops));
	}
	struct op *op = &pass->ops[pass->n_ops++];
	*op = (struct op){
		.first = (GLint)pass->n_vertices,
		.uniforms.scale = {2.0f / target->width, 2.0f / target->height},
	};
	pixman_box32_t rect;
	while (clip_next(&clip, &rect)) {
		add_vertices(pass, &rect);
	}
	op->n_vertices = (GLsizei)pass->n_vertices - op->first;
	return op;
}

/* Merges the last op with the one before if their GL state is equal. */
static void merge_last(struct gles_pass *pass)
{
	struct op *last = &pass->ops[pass->n_ops - 1], *before = last - 1;
	if (pass->n_ops < 2 || last->kind != before->kind || last->image != before->image ||
		last->nearest != before->nearest || last->blend != before->blend ||
		memcmp(&last->uniforms, &before->uniforms, sizeof(last->uniforms)) != 0) {
		return;
	}
	before->n_vertices += last->n_vertices;
	--pass->n_ops;
	--pass->base.renderer->stats.draws;
}

static void add_solid(struct gles_pass *pass, const float color[static 4], const struct box *box,
	const pixman_region32_t *region, bool overwrite)
{
	struct op *op = add_op(pass, region, box);
	if (op) {
		op->kind = GLES_PROGRAM_SOLID;
		op->blend = color[3] < 1 && !overwrite;
		memcpy(op->uniforms.color, color, sizeof(op->uniforms.color));
		merge_last(pass);
	}
}

void gles_pass_add_rect(struct render_pass *base, const struct render_rect_options *options)
{
	struct gles_pass *pass = wl_container_of(base, pass, base);
	add_solid(pass, options->color, &options->box, options->clip, options->overwrite);
}

/*
 * Returns the limits of coordinates within which filtering reads only texels of a part. Half a
 * texel inside, it reads that texel alone. Chroma samples that several texels share are filtered
 * with the same coordinates: the limit is their centre, where luma mixes two texels. At its own
 * edges, the texture repeats the last sample of each plane.
 */
static void set_limits(float limits[static 2], int start, int length, int size, int shared)
{
	double first = start + 0.5, last = start + length - 0.5;
	/* A single texel has no coordinate for both; luma is seen better. */
	shared = length > 1 ? shared : 1;
	if (start > 0) {
		first = fmax(first, (start / shared + 0.5) * shared);
	}
	if (start + length < size) {
		last = fmin(last, ((start + length - 1) / shared + 0.5) * shared);
	}
	limits[0] = (float)(first / size);
	limits[1] = (float)(last / size);
}

/*
 * Texture coordinates of a target pixel, and their limits. `w` and `h` are the size of the
 * texture's image.
 */
static void set_coordinates(struct gles_uniforms *uniforms, const struct sampling *s,
	const struct box *dst, int w, int h, const struct pixel_format *format)
{
	uniforms->u[0] = (float)(s->ux / w);
	uniforms->u[1] = (float)(s->uy / w);
	uniforms->u[2] = (float)((s->u0 - s->ux * dst->x - s->uy * dst->y) / w);
	uniforms->v[0] = (float)(s->vx / h);
	uniforms->v[1] = (float)(s->vy / h);
	uniforms->v[2] = (float)((s->v0 - s->vx * dst->x - s->vy * dst->y) / h);
	float x[2], y[2];
	set_limits(x, s->bounds.x, s->bounds.width, w, s->nearest ? 1 : format->hsub);
	set_limits(y, s->bounds.y, s->bounds.height, h, s->nearest ? 1 : format->vsub);
	uniforms->clamp[0] = x[0];
	uniforms->clamp[1] = y[0];
	uniforms->clamp[2] = x[1];
	uniforms->clamp[3] = y[1];
}

static void add_image(struct gles_pass *pass, struct gles_texture *texture,
	const struct render_texture_options *options, const struct sampling *sampling)
{
	struct op *op = add_op(pass, options->clip, &options->dst);
	if (!op) {
		return;
	}
	bool imported = texture->kind == GLES_TEXTURE_IMPORT;
	op->image = imported ? &texture->import->texture : &texture->upload;
	op->nearest = sampling->nearest;
	struct box all = {0, 0, imported ? texture->import->width : texture->base.width,
		imported ? texture->import->height : texture->base.height};
	bool whole = sampling->exact || box_equal(&sampling->bounds, &all);
	if (sampling->sharp) {
		op->kind = op->image->target == GL_TEXTURE_2D ? GLES_PROGRAM_SHARP
							      : GLES_PROGRAM_EXTERNAL_SHARP;
		op->nearest = true; /* the taps are at centres of texels */
		const float texels[] = {(float)all.width, (float)all.height,
			1.0f / (float)all.width, 1.0f / (float)all.height};
		memcpy(op->uniforms.texels, texels, sizeof(texels));
	} else if (op->image->target == GL_TEXTURE_2D) {
		op->kind = whole ? GLES_PROGRAM_TEXTURE : GLES_PROGRAM_TEXTURE_CLAMPED;
	} else {
		op->kind = whole ? GLES_PROGRAM_EXTERNAL : GLES_PROGRAM_EXTERNAL_CLAMPED;
	}
	const struct pixel_format *format = pixel_format_get(texture->format);
	bool opaque = options->opaque || !format->has_alpha;
	op->blend = !opaque || options->alpha < 1;
	set_coordinates(&op->uniforms, sampling, &options->dst, all.width, all.height, format);
	for (int i = 0; i < 4; ++i) {
		op->uniforms.color[i] = options->alpha < 1 ? options->alpha : 1;
	}
	merge_last(pass);
}

void gles_pass_add_texture(struct render_pass *base, const struct render_texture_options *options)
{
	struct gles_pass *pass = wl_container_of(base, pass, base);
	struct gles_texture *texture = wl_container_of(options->texture, texture, base);
	struct sampling sampling;
	if (!sampling_init(&sampling, options) || !(options->alpha > 0)) {
		return;
	}
	float color[4];
	switch (texture->kind) {
	case GLES_TEXTURE_NONE: break;
	case GLES_TEXTURE_COLOR:
		for (int i = 0; i < 4; ++i) {
			color[i] = texture->color[i] * (options->alpha < 1 ? options->alpha : 1);
		}
		add_solid(pass, color, &options->dst, options->clip, false);
		break;
	case GLES_TEXTURE_UPLOAD:
	case GLES_TEXTURE_IMPORT: add_image(pass, texture, options, &sampling); break;
	}
}

/* Region of rectangles that replace the target's pixels. */
static size_t find_opaque(const struct gles_pass *pass, pixman_box32_t *rects, uint64_t *area)
{
	size_t n = 0;
	*area = 0;
	for (size_t i = 0; i < pass->n_ops; ++i) {
		const struct op *op = &pass->ops[i];
		for (GLsizei v = 0; !op->blend && v < op->n_vertices; v += VERTICES_PER_RECT) {
			const struct gles_vertex *vertex = &pass->vertices[op->first + v];
			pixman_box32_t rect = {vertex[0].x, vertex[0].y, vertex[5].x, vertex[5].y};
			*area += (uint64_t)(rect.x2 - rect.x1) * (uint64_t)(rect.y2 - rect.y1);
			if (rects) {
				rects[n] = rect;
			}
			++n;
		}
	}
	return n;
}

/* Returns whether the pass overwrites the whole target: tiling GPUs then need not load it. */
static bool overwrites_all(const struct gles_pass *pass)
{
	const struct buffer *target = pass->base.target;
	uint64_t all = (uint64_t)target->width * (uint64_t)target->height, area;
	size_t n = find_opaque(pass, NULL, &area);
	if (area < all) {
		return false;
	}
	if (n == 1) {
		return true;
	}
	pixman_box32_t *rects = xcalloc(n, sizeof(*rects));
	pixman_region32_t region;
	find_opaque(pass, rects, &area);
	pixman_region32_init_rects(&region, rects, (int)n);
	struct box extents = region_extents(&region);
	bool whole = pixman_region32_n_rects(&region) == 1 && extents.width == target->width &&
		     extents.height == target->height;
	pixman_region32_fini(&region);
	free(rects);
	return whole;
}

/* Limits drawing: tiling GPUs skip tiles outside. */
static void set_scissor(struct gles_renderer *renderer, const pixman_box32_t *box)
{
	pixman_box32_t *set = &renderer->state.scissor;
	if (set->x1 != box->x1 || set->y1 != box->y1 || set->x2 != box->x2 || set->y2 != box->y2) {
		glScissor(box->x1, box->y1, box->x2 - box->x1, box->y2 - box->y1);
		*set = *box;
	}
}

static void bind_target(struct gles_renderer *renderer, struct gles_pass *pass)
{
	struct buffer *target = pass->base.target;
	gles_bind_target(pass->target);
	if (renderer->state.width != target->width || renderer->state.height != target->height) {
		glViewport(0, 0, target->width, target->height);
		renderer->state.width = target->width;
		renderer->state.height = target->height;
	}
	if (!pass->started && overwrites_all(pass)) {
		static const GLenum attachment = GL_COLOR_ATTACHMENT0;
		glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, &attachment);
	}
	set_scissor(renderer, &pass->extents);
	pass->started = true;
}

static void draw(struct gles_renderer *renderer, const struct op *op)
{
	struct gles_program *program = gles_use_program(renderer, op->kind);
	if (!program) {
		return;
	}
	gles_set_uniforms(program, &op->uniforms);
	if (op->image) {
		gles_bind_texture(renderer, op->image->target, op->image->id);
		gles_set_filter(renderer, op->image, op->nearest ? GL_NEAREST : GL_LINEAR);
	}
	if (renderer->state.blend != op->blend) {
		(op->blend ? glEnable : glDisable)(GL_BLEND);
		renderer->state.blend = op->blend;
	}
	glDrawArrays(GL_TRIANGLES, op->first, op->n_vertices);
}

static void add_drawn(struct gles_pass *pass)
{
	for (size_t v = 0; v < pass->n_vertices; v += VERTICES_PER_RECT) {
		const struct gles_vertex *first = &pass->vertices[v], *last = first + 5;
		pixman_region32_union_rect(&pass->drawn, &pass->drawn, first->x, first->y,
			(unsigned)(last->x - first->x), (unsigned)(last->y - first->y));
	}
}

/* Small passes often draw what the pass before drew. */
static void set_vertices(struct gles_renderer *renderer, const struct gles_pass *pass)
{
	size_t n = pass->n_vertices, size = n * sizeof(*pass->vertices);
	if (n == renderer->state.n_vertices &&
		memcmp(renderer->state.vertices, pass->vertices, size) == 0) {
		return;
	}
	/* New storage each time: GL need not wait for the last pass. */
	glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, pass->vertices, GL_STREAM_DRAW);
	renderer->state.n_vertices = n <= GLES_KEPT_VERTICES ? n : 0;
	memcpy(renderer->state.vertices, pass->vertices,
		renderer->state.n_vertices * sizeof(*pass->vertices));
}

static void flush(struct gles_pass *pass)
{
	struct gles_renderer *renderer = get_renderer(pass);
	if (pass->n_ops > 0) {
		bind_target(renderer, pass);
		set_vertices(renderer, pass);
		for (size_t i = 0; i < pass->n_ops; ++i) {
			draw(renderer, &pass->ops[i]);
		}
		if (pass->target->memory) {
			add_drawn(pass);
		}
	}
	clear_ops(pass);
}

void gles_flush_passes(struct gles_renderer *renderer)
{
	struct gles_pass *pass;
	wl_list_for_each (pass, &renderer->passes, link) {
		flush(pass);
	}
}

static bool is_small(const struct gles_pass *pass)
{
	const struct buffer *target = pass->base.target;
	return pass->area * SMALL_PASS < (uint64_t)target->width * (uint64_t)target->height;
}

/*
 * Stores the fence of the drawing, or of its copy to memory; -1: none is needed. Returns false if
 * the event loop would have to wait for the device.
 */
static bool end(struct gles_pass *pass, int *fence)
{
	struct gles_renderer *renderer = get_renderer(pass);
	*fence = -1;
	if (!pass->target->memory) {
		return egl_create_fence(renderer->egl, fence);
	}
	gles_bind_target(pass->target);
	return gles_read_back(renderer, pass->target->memory, &pass->drawn, fence);
}

bool gles_pass_submit(struct render_pass *base, int *fence)
{
	struct gles_pass *pass = wl_container_of(base, pass, base);
	struct gles_renderer *renderer = get_renderer(pass);
	bool ok = gles_enter(renderer);
	*fence = -1;
	if (ok) {
		/* Excludes draws flushed before the end: rare, and timers do not nest. */
		gles_timer_start(renderer, pass->number, is_small(pass));
		flush(pass);
		gles_timer_stop(renderer);
		bool ended = end(pass, fence);
		ok = !gles_check_lost(renderer) && ended;
	}
	clear_ops(pass);
	pixman_region32_fini(&pass->drawn);
	wl_list_remove(&pass->link);
	buffer_unlock(base->target);
	gles_pass_free(renderer->spare);
	renderer->spare = pass;
	return ok;
}
