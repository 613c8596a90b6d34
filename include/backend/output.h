/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * An output: a screen, a window or a virtual screen. Changes are described by a value, struct
 * output_state, that can be tested and committed; after a successful test, a commit fails only by a
 * run-time error. Position, scale and transform belong to the scene (scene/output.h): buffers have
 * the output's own pixels.
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
	int32_t refresh; /* mHz; of fields, if interlaced */
	bool preferred;
	bool interlaced;
	/** Tells listed modes of equal size and rate apart, as by blanking; 0: a custom mode. */
	uint32_t timing;
};

static inline bool output_mode_equal(const struct output_mode *a, const struct output_mode *b)
{
	return a->width == b->width && a->height == b->height && a->refresh == b->refresh &&
	       a->timing == b->timing;
}

enum plane_type {
	PLANE_PRIMARY,
	PLANE_OVERLAY,
	PLANE_CURSOR,
};

struct plane_size {
	int32_t width, height;
};

#define PLANE_SIZES_MAX 16

/** A plane that scans out a buffer. Every output has one primary plane. */
struct plane {
	enum plane_type type;
	int index; /* in output.planes */
	struct format_set formats;
	int zpos_min,
		zpos_max; /* equal: fixed; the order of output.planes if the driver has no zpos */
	int32_t max_width, max_height; /* cursor planes; 0: no limit */
	struct plane_size sizes[PLANE_SIZES_MAX]; /* cursor planes; none: squares up to the limit */
	int n_sizes;
	bool takes_opaque; /* plane_state.opaque is supported */
};

#define OUTPUT_PLANES_MAX 16

/** The state of one plane in a commit. */
struct plane_state {
	/**
	 * NULL: the plane is off. The state holds no lock; a commit locks the buffer until the
	 * `present` event of the commit that replaces it, or until the output is disabled.
	 */
	struct buffer *buffer;
	struct fbox src; /* buffer pixels */
	struct box dst; /* output pixels */
	struct color_coding coding; /* of a YUV buffer, as its surface shows it */
	enum wl_output_transform transform;
	float alpha;
	int zpos; /* from zpos_min to zpos_max of the plane */
	/**
	 * Cursor planes: the hotspot in dst, pixels, for virtual machines whose host draws the
	 * cursor.
	 */
	int32_t hotspot_x, hotspot_y;
	/** Changes since this plane's previous buffer, output pixels; NULL: full damage. */
	const pixman_region32_t *damage;
	/** Fence to wait for before the buffer is read; -1: none. The caller keeps it. */
	int acquire_fence;
	/** Ignore alpha: scan out as the format without alpha (pixel_format.opaque). */
	bool opaque;
};

/** Content type, announced to the screen for its image processing. */
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
	OUTPUT_PLANES = 1 << 3, /* a new frame; planes without a state are turned off */
	/**
	 * Async page flip; only with OUTPUT_PLANES. A test says whether the output supports it; a
	 * frame that changes more than a buffer waits for the vblank nevertheless.
	 */
	OUTPUT_TEARING = 1 << 4,
	OUTPUT_GAMMA = 1 << 5,
	OUTPUT_BIT_DEPTH = 1 << 6,
	OUTPUT_COLOR_MATRIX = 1 << 7,
	OUTPUT_CONTENT = 1 << 8,
};

struct output_state {
	uint32_t fields; /* valid members below; others stay as they are */
	bool enabled;
	struct output_mode mode; /* one of output.modes, or any size if output.custom_modes */
	bool adaptive_sync;
	/**
	 * Gamma ramps of red, green and blue, output.gamma_size entries each; NULL: identity. The
	 * caller keeps them.
	 */
	const uint16_t *gamma;
	/** Maximum bits per channel on the link; 0: the driver's default. */
	int32_t bit_depth;
	/**
	 * 3x3 matrix, row by row, applied to RGB before gamma; NULL: identity. The caller keeps it.
	 */
	const double *color_matrix;
	enum output_content content;
	int n_planes;
	struct {
		const struct plane *plane;
		struct plane_state state;
	} planes[OUTPUT_PLANES_MAX];
};

enum present_flags {
	PRESENT_VSYNC = 1 << 0,
	PRESENT_HW_CLOCK = 1 << 1,
	PRESENT_HW_COMPLETION = 1 << 2,
	/** Scanned out without a copy; clients see it for surfaces on a plane only. */
	PRESENT_ZERO_COPY = 1 << 3,
};

/** Result of a committed frame: presented or dropped. */
struct output_present {
	uint32_t commit; /* number returned by output_commit() */
	bool presented; /* false: dropped (output disabled or removed) */
	int64_t when; /* ns of CLOCK_MONOTONIC, start of scan-out */
	uint32_t refresh; /* ns until the next vblank; 0: unknown or variable */
	uint64_t sequence; /* vblank counter; 0 if the output has none */
	uint32_t flags; /* enum present_flags */
};

/** A change of one output in a commit of several, without frames. */
struct output_change {
	struct output *output;
	const struct output_state *state;
};

struct output_impl {
	/** All are mandatory except `together` and `lacks`. */
	void (*destroy)(struct output *output);
	/** Sets output.refusal_may_pass, which is false before the call. */
	bool (*test)(struct output *output, const struct output_state *state);
	/**
	 * Commits the state without waiting. With OUTPUT_PLANES, exactly one events.present with
	 * the same number follows, after this call has returned; until then, further commits with
	 * OUTPUT_PLANES fail. State that the device cannot take yet is queued in order. If the
	 * device refuses it later, a frame is dropped, and an output with a new mode is disabled
	 * (events.changed). Colours, content type and adaptive sync go with the next frame, which
	 * is requested (events.needs_frame); they are kept while the output is asleep.
	 */
	bool (*commit)(struct output *output, const struct output_state *state, uint32_t number);
	/**
	 * Tests or commits states of several outputs of one GPU as one transaction, without
	 * OUTPUT_PLANES; this can succeed where single commits in sequence fail. NULL: outputs are
	 * independent.
	 */
	bool (*together)(const struct output_change *changes, size_t n, bool test);
	/**
	 * Returns the reason, for the user, for which a disabled output cannot be enabled in any
	 * mode now; NULL: it may be possible. The end of that state is announced by
	 * events.reconsider. NULL: there are no such reasons.
	 */
	const char *(*lacks)(const struct output *output);
};

struct output {
	const struct output_impl *impl;
	char *name; /* "DP-1", "HEADLESS-1"; unique */
	char *make, *model, *serial; /* NULL if unknown */
	char *description;
	int32_t physical_width, physical_height; /* mm, 0 if unknown */
	enum wl_output_subpixel subpixel;
	struct gpu *gpu; /* drives the output; NULL: none */
	bool non_desktop;
	bool uncertain; /* the connector cannot tell whether a screen is plugged in */
	bool built_in; /* the panel of a portable machine, perhaps under a closed lid */
	/**
	 * A host compositor requests frames by `present`: draw at once, since it decides when to
	 * take them.
	 */
	bool host_paced;
	/** Time (ns) of a past vblank, if known before the first frame; 0: unknown. */
	int64_t vblank;
	double preferred_scale; /* requested by the host or the user; 0: unknown */

	struct output_mode *modes;
	size_t n_modes;
	bool custom_modes;
	uint32_t gamma_size; /* entries of a gamma ramp; 0: OUTPUT_GAMMA is unsupported */
	int32_t max_bit_depth; /* 0: OUTPUT_BIT_DEPTH is unsupported */
	bool has_color_matrix; /* supports OUTPUT_COLOR_MATRIX */
	bool has_content; /* supports OUTPUT_CONTENT */
	/** With adaptive sync: ns until the screen must repeat a frame; 0: unknown. */
	int64_t longest_interval;
	/** May change while the output is disabled, or, with events.changed, enabled. */
	struct plane *planes[OUTPUT_PLANES_MAX];
	int n_planes;
	uint32_t planes_id; /* differs after such a change */

	/** Committed state; the mode of a disabled output is the last or the planned one. */
	bool enabled;
	struct output_mode mode;
	bool adaptive_sync;
	int32_t bit_depth;
	enum output_content content;
	uint32_t last_commit;
	/**
	 * The session is inactive: commits fail until events.needs_frame, except for changes that
	 * go with a frame.
	 */
	bool asleep;
	/** Leased to another program (backend/lease.h): tests and commits fail. */
	bool leased;
	/** The last output_test() returned false for a reason that may pass in the same state. */
	bool refusal_may_pass;

	struct addon_set addons;
	struct {
		struct wl_signal present; /* struct output_present */
		struct wl_signal needs_frame; /* screen contents lost or incomplete: draw */
		struct wl_signal changed; /* modes, identity, or leased */
		struct wl_signal request_state; /* struct output_state: by host or monitor */
		/**
		 * The device may accept a state that it has refused: connectors, links or leases
		 * may have changed.
		 */
		struct wl_signal reconsider;
		struct wl_signal destroy;
	} events;
};

/** For backends. Copies `name`. */
void output_init(struct output *output, const struct output_impl *impl, const char *name);
void output_finish(struct output *output);
void output_destroy(struct output *output);

void output_state_init(struct output_state *state);
/** Adds a zeroed plane state with alpha 1, the lowest zpos and no fence; sets OUTPUT_PLANES. */
struct plane_state *output_state_add_plane(struct output_state *state, const struct plane *plane);
/**
 * Enlarges a size to the smallest that the cursor plane takes. Returns false if the plane takes
 * none of that size.
 */
bool plane_fit(const struct plane *plane, int32_t *width, int32_t *height);

/** Returns output_impl.lacks of a disabled output; NULL: none. */
const char *output_lacks(const struct output *output);
/**
 * Returns true if the backend can commit `state`; every call asks the backend. Sets
 * output.refusal_may_pass.
 */
bool output_test(struct output *output, const struct output_state *state);
/**
 * Commits `state`. Returns the commit's number (never 0), or 0 on failure, with the state
 * unchanged.
 */
uint32_t output_commit(struct output *output, const struct output_state *state);
/** Tests changes of several outputs, those of each GPU as one transaction. */
bool outputs_test(const struct output_change *changes, size_t n);
/**
 * Commits changes of several outputs, those of each GPU as one transaction if the backend supports
 * it. Returns false at the first GPU that refuses its changes; its outputs and those of later GPUs
 * are unchanged. Commits without frames have no number, since they emit no `present`.
 */
bool outputs_commit(const struct output_change *changes, size_t n);
struct plane *output_primary_plane(const struct output *output);
