/* SPDX-License-Identifier: MIT */
/* Headless outputs with overlay and cursor planes. */

#include "harness/client/plane_screen.h"
#include "surface/surface.h"
#include <drm_fourcc.h>

static struct {
	const struct output_impl *real;
	struct output_impl impl;
	struct plane planes[2];
	int n_planes;
	const struct surface *refused; /* NULL: none */
} screen;

/* The headless output takes the state of its own plane only. */
static bool ask_real(struct output *output, const struct output_state *state, uint32_t number)
{
	struct output_state own = *state;
	own.n_planes = state->n_planes > 0 ? 1 : 0;
	output->impl = screen.real;
	bool done = number ? screen.real->commit(output, &own, number)
			   : screen.real->test(output, &own);
	output->impl = &screen.impl;
	return done;
}

static bool test_state(struct output *output, const struct output_state *state)
{
	bool taken = true;
	for (int i = 0; i < state->n_planes; i++) {
		const struct plane_state *plane = &state->planes[i].state;
		taken &= !screen.refused || plane->buffer != screen.refused->current.buffer;
		taken &= plane->src.width == plane->dst.width;
	}
	return taken && ask_real(output, state, 0);
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	return test_state(output, state) && ask_real(output, state, number);
}

void plane_screen_begin(struct output *output)
{
	screen.real = output->impl;
	screen.impl = *output->impl;
	screen.impl.test = test_state;
	screen.impl.commit = commit_state;
	screen.refused = NULL;
	output->impl = &screen.impl;
}

void plane_screen_end(struct output *output)
{
	output->impl = screen.real;
	output->n_planes -= screen.n_planes;
	while (screen.n_planes > 0) {
		format_set_finish(&screen.planes[--screen.n_planes].formats);
	}
}

void plane_screen_add(struct output *output, enum plane_type type)
{
	struct plane *plane = &screen.planes[screen.n_planes++];
	*plane = (struct plane){.type = type,
		.index = output->n_planes,
		.zpos_min = output->n_planes,
		.zpos_max = output->n_planes};
	format_set_add(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&plane->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR);
	if (type == PLANE_CURSOR) {
		plane->max_width = plane->max_height = PLANE_SCREEN_CURSOR;
	}
	output->planes[output->n_planes++] = plane;
}

void plane_screen_refuse(const struct surface *surface)
{
	screen.refused = surface;
}
