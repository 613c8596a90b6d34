/* SPDX-License-Identifier: MIT */
#pragma once

/** Window of another GPU, whose client draws in buffers of changing size, format and coding. */

#include "harness/unit.h"
#include "pixel_code.h"
#include "viewporter-client-protocol.h"

struct wp_color_representation_manager_v1;
struct wp_color_representation_surface_v1;

/* Of each output. */
#define WIDTH 72
#define HEIGHT 72
#define SIDE_LEAST 50 /* of the window */
/* Buffers whose coding, if unknown, is that of larger video; and of the widest smaller video. */
#define WIDEST 1280
#define WIDE_HEIGHT 6
#define N_OUTPUTS 2
#define N_CANVASES 4 /* of the client, of one size, format and layout */
#define N_OLD 64 /* replaced ones that are not released */
#define EPOCHS_MAX 512

/* Frames until the newest pixels are presented when nothing delays copies. */
#define FRAMES_MAX 6
#define VERSIONS (FRAMES_MAX + 1)

/* Commits with buffers of one size, format and coding. */
struct epoch {
	int width, height;
	struct color_coding asked; /* by the client */
	struct pixel_code code;
	uint32_t first; /* commit, whose size and format the buffers have */
	bool recoded; /* without a buffer: late pixels are shown in the new colours, too */
};

/* An output, as it was presented last. */
struct screen {
	uint32_t pixels[HEIGHT][WIDTH]; /* 0x00RRGGBB */
	bool changed[HEIGHT]; /* rows, in the last frame */
	bool had[HEIGHT][WIDTH]; /* it shows the window there */
	int hidden[HEIGHT][WIDTH]; /* last frame in which the window was not there, or covered */
	bool seen; /* some of it was presented, and neither window nor cover moved */
	bool settled; /* all rows were checked with this window, cover and epoch */
	int epoch;
};

struct life {
	struct world *world;
	struct peer_window *window, *cover;
	const struct window *shown_window;
	struct wp_viewporter *viewporter;
	struct wp_viewport *viewport;
	struct canvas canvases[N_CANVASES];
	pixman_region32_t missing[N_CANVASES]; /* drawn since the canvas was committed last */
	bool used[N_CANVASES]; /* committed and not released */
	int n_canvases, n_released[N_CANVASES];
	struct canvas *old[N_OLD];
	int n_old;
	struct wp_color_representation_manager_v1 *codings;
	struct wp_color_representation_surface_v1 *coding; /* NULL: unspecified */
	bool linear, held;
	bool scaled, is_scaled; /* by the client's last request; as applied */
	struct fake_gpu *held_gpu;
	int n_held; /* frames */
	int x, y; /* of the window, global */
	struct box covered; /* global */
	uint32_t version; /* commits so far */
	struct epoch epochs[EPOCHS_MAX];
	int n_epochs;
	uint32_t content[HEIGHT][WIDEST]; /* commit that drew each pixel last */
	/* The same as presented last, by each device. */
	uint32_t shown[N_OUTPUTS][HEIGHT][WIDEST];
	struct screen screens[N_OUTPUTS];
	bool late[N_OUTPUTS][HEIGHT]; /* rows of the window that may lack the newest pixels */
	int calm; /* frames since the last change, without held copies */
	int n_free; /* frames since copies were held or went on */
	int moved; /* frames since window, cover or scale changed last */
	bool moved_window; /* since the last frame */
	uint32_t versions[VERSIONS]; /* before the last frames, by their numbers */
	uint32_t due; /* commit that is presented where it is visible for some frames */
	int seed, step, n_frames, n_newest;
};

static inline bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

static inline struct epoch *last_epoch(struct life *life)
{
	return &life->epochs[life->n_epochs - 1];
}

static inline bool is_alike(const struct epoch *a, const struct epoch *b)
{
	return a->width == b->width && a->height == b->height && a->code.format == b->code.format;
}

/** Destroys old canvases that were released. */
void life_forget_old(struct life *life);
/**
 * The next buffers have another size, format, coding or layout; the layout alone makes no new
 * content.
 */
void life_begin_epoch(struct life *life);
/** Requests the size of the surface. */
void life_set_destination(struct life *life);
/** Draws some or all pixels, and commits a canvas that is free, if there is one. */
void life_commit(struct life *life);
/** The same pixels are shown in other colours, or other pixels in the colours of their buffer. */
void life_recode(struct life *life);
/** Destroys all canvases, which must have been released. */
void life_finish_canvases(struct life *life);
