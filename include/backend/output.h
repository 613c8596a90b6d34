#pragma once

/**
 * An output: a screen, or what stands for one. What it shall do is described by a value, struct
 * output_state, that can be tested and committed. If a test says yes, a commit fails only on a
 * run-time error. Position, scale and transform are the scene's affair (scene/output.h): buffers
 * handed over here are in the output's own pixels.
 */

#include "buffer/buffer.h"
#include "gpu/format.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct output;

struct output_mode {
	int32_t width, height; /* pixels */
	int32_t refresh; /* mHz */
	bool preferred;
};

/** Of the same size and rate. */
static inline bool output_mode_equal(const struct output_mode *a, const struct output_mode *b)
{
	return a->width == b->width && a->height == b->height && a->refresh == b->refresh;
}

enum plane_type {
	PLANE_PRIMARY,
	PLANE_OVERLAY,
	PLANE_CURSOR,
};

/** A place where a buffer can be put to be scanned out. Every output has one primary plane. */
struct plane {
	enum plane_type type;
	int index; /* in output.planes */
	struct format_set formats;
	int zpos_min, zpos_max; /* equal: fixed; order of output.planes where the driver has none */
	int32_t max_width, max_height; /* cursor planes; 0: no limit */
	bool takes_opaque; /* plane_state.opaque can be asked for */
};

#define OUTPUT_MAX_PLANES 16

/** What one plane shall show. */
struct plane_state {
	/**
	 * NULL: nothing. Not locked by the state; a commit locks it until the `present` of the
	 * commit that replaces it, or the output is disabled.
	 */
	struct buffer *buffer;
	struct fbox src; /* buffer pixels */
	struct box dst; /* output pixels */
	enum wl_output_transform transform;
	float alpha;
	int zpos; /* from zpos_min to zpos_max of the plane */
	/** On cursor planes: where in dst it points, pixels. For virtual machines, whose host draws it. */
	int32_t hotspot_x, hotspot_y;
	/** What changed since this plane last showed something, output pixels; NULL: all. */
	const pixman_region32_t *damage;
	/** Signals when the buffer may be read; -1: now. Stays the caller's. */
	int acquire_fence;
	/** Takes the buffer as one of the same format without alpha (pixel_format.opaque). */
	bool opaque;
};

/** What the screen may be told that it shows, so that it treats it so. */
enum output_content {
	OUTPUT_CONTENT_NONE,
	OUTPUT_CONTENT_PHOTO,
	OUTPUT_CONTENT_VIDEO,
	OUTPUT_CONTENT_GAME,
};

enum output_field {
	OUTPUT_ENABLED = 1 << 0,
	OUTPUT_MODE = 1 << 1,
	OUTPUT_ADAPTIVE_SYNC = 1 << 2,
	OUTPUT_PLANES = 1 << 3, /* a new frame; all planes not named show nothing */
	/**
	 * Flip at once; only with OUTPUT_PLANES. A test says whether the output can at all: where a
	 * single frame cannot be shown so, since more changes than a buffer, it shows with the vblank.
	 */
	OUTPUT_TEARING = 1 << 4,
	OUTPUT_GAMMA = 1 << 5,
	OUTPUT_BIT_DEPTH = 1 << 6,
	OUTPUT_COLOR_MATRIX = 1 << 7,
	OUTPUT_CONTENT = 1 << 8,
};

struct output_state {
	uint32_t fields; /* which of the following are set; others stay as they are */
	bool enabled;
	struct output_mode mode; /* one of output.modes, or any size if output.custom_modes */
	bool adaptive_sync;
	/**
	 * The ramps of red, green and blue, output.gamma_size each; NULL: none, values are shown as they
	 * are. The caller's.
	 */
	const uint16_t *gamma;
	/** The most bits of a channel that go to the screen; 0: as the driver likes. */
	int32_t bit_depth;
	/**
	 * Nine numbers, row by row, that make red, green and blue out of red, green and blue, before
	 * gamma; NULL: none. The caller's.
	 */
	const double *color_matrix;
	enum output_content content;
	int n_planes;
	struct {
		const struct plane *plane;
		struct plane_state state;
	} planes[OUTPUT_MAX_PLANES];
};

enum present_flags {
	PRESENT_VSYNC = 1 << 0,
	PRESENT_HW_CLOCK = 1 << 1,
	PRESENT_HW_COMPLETION = 1 << 2,
	/** Buffers are scanned out as they were handed over. To clients it is said of their own only. */
	PRESENT_ZERO_COPY = 1 << 3,
};

/** A committed frame has turned to light, or never will. */
struct output_present {
	uint32_t commit; /* what output_commit() gave */
	bool presented; /* false: it was dropped (output disabled or lost) */
	int64_t when; /* ns of CLOCK_MONOTONIC, start of scan-out */
	uint32_t refresh; /* ns until the next is possible; 0: unknown or variable */
	uint64_t sequence; /* of the output's vblanks; 0 if it has no such counter */
	uint32_t flags; /* enum present_flags */
};

/** One of several outputs that are changed together, without frames. */
struct output_change {
	struct output *output;
	const struct output_state *state;
};

struct output_impl {
	/** Mandatory, all but the last. */
	void (*destroy)(struct output *output);
	bool (*test)(struct output *output, const struct output_state *state);
	/**
	 * Shows it. With OUTPUT_PLANES, exactly one events.present with the same number follows,
	 * never from within this call; until then another such commit fails. Nothing is waited for: what
	 * the device cannot take yet, it is given as soon as it can, in order; if it refuses that then, a
	 * frame is dropped, and an output whose mode was to change is disabled (events.changed).
	 * Colours, content and the variable rate go with the next frame, which is asked for
	 * (events.needs_frame), and are kept meanwhile, be it asleep.
	 */
	bool (*commit)(struct output *output, const struct output_state *state, uint32_t number);
	/**
	 * Several outputs of one GPU, in one step, which may be possible where one after the other is
	 * not; none of them has OUTPUT_PLANES. All or nothing. NULL: they are independent of each other.
	 */
	bool (*together)(const struct output_change *changes, size_t n, bool test);
};

struct output {
	const struct output_impl *impl;
	char *name; /* "DP-1", "HEADLESS-1"; unique */
	char *make, *model, *serial; /* NULL if unknown */
	char *description;
	int32_t physical_width, physical_height; /* mm, 0 if unknown */
	enum wl_output_subpixel subpixel;
	struct gpu *gpu; /* that drives it; NULL: none */
	bool non_desktop;
	bool built_in; /* the panel of a portable machine: may lie under a closed lid */
	/**
	 * The one who shows frames says when it wants the next, by `present`: they are drawn at
	 * once, since when it takes them is its own affair.
	 */
	bool host_paced;
	/** One vblank of its grid, ns, where that is known before anything was shown; 0: it is not. */
	int64_t vblank;
	double preferred_scale; /* what its host or whoever asked for it wishes; 0: unknown */

	struct output_mode *modes;
	size_t n_modes;
	bool custom_modes;
	uint32_t gamma_size; /* entries of a gamma ramp; 0: OUTPUT_GAMMA is impossible */
	int32_t max_bit_depth; /* 0: OUTPUT_BIT_DEPTH is impossible */
	bool has_color_matrix; /* else OUTPUT_COLOR_MATRIX is impossible */
	bool has_content; /* else OUTPUT_CONTENT is impossible */
	/** With adaptive sync, how long a frame may stay, ns, before the screen repeats it; 0: unknown. */
	int64_t longest_interval;
	struct plane *planes[OUTPUT_MAX_PLANES];
	int n_planes;

	/** As committed. */
	bool enabled;
	struct output_mode mode;
	bool adaptive_sync;
	int32_t bit_depth;
	enum output_content content;
	uint32_t last_commit;
	/** Its session is away: commits but of what goes with a frame fail until events.needs_frame. */
	bool asleep;
	/** Another program has it (backend/lease.h): tests and commits fail. */
	bool leased;

	struct addon_set addons;
	struct {
		struct wl_signal present; /* struct output_present */
		struct wl_signal
			needs_frame; /* what it shows was lost, or lacks something: draw again */
		struct wl_signal changed; /* modes, identity, or leased */
		struct wl_signal request_state; /* struct output_state: the host or monitor asks */
		struct wl_signal destroy;
	} events;
};

/** For backends. `name` is copied. */
void output_init(struct output *output, const struct output_impl *impl, const char *name);
void output_finish(struct output *output);
void output_destroy(struct output *output);

void output_state_init(struct output_state *state);
/** Adds a plane to state, zeroed but for alpha 1, the lowest zpos and no fence; sets OUTPUT_PLANES. */
struct plane_state *output_state_add_plane(struct output_state *state, const struct plane *plane);
/** Asks the backend, always. */
bool output_test(struct output *output, const struct output_state *state);
/** Returns the commit's number (never 0), or 0 on failure: then nothing changed. */
uint32_t output_commit(struct output *output, const struct output_state *state);
/** Those of one GPU at once: can all of it be? */
bool outputs_test(const struct output_change *changes, size_t n);
/**
 * Those of one GPU at once, where that is possible; false: nothing of what belongs to some GPU was
 * changed. No number is given, since there is nothing to present.
 */
bool outputs_commit(const struct output_change *changes, size_t n);
struct plane *output_primary_plane(const struct output *output);
