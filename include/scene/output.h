/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Scene outputs: position, scale and transform in the global space, the list of visible entries,
 * and damage.
 */

#include "backend/output.h"
#include "util/box.h"
#include "util/region.h"
#include "util/signal.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

#define SCENE_OUTPUTS_MAX 32
/**
 * Maximum number of entries in the list of an output or snapshot. Nodes below those are left out.
 */
#define SCENE_ENTRIES_MAX 65536

struct scene;
struct scene_node;
struct scene_tree;

/**
 * Buffer of the output that holds an entry's pixels. Changes of an entry in the composed buffer go
 * to scene_output.damage, others to scene_output.direct.
 */
enum scene_place {
	PLACE_COMPOSED, /* in the composed buffer */
	PLACE_OVER, /* on a plane above the primary one; absent from the composed buffer */
	/** On a plane below the primary one, visible through a hole in the composed buffer. */
	PLACE_UNDER,
	PLACE_PRIMARY, /* scanned out on the primary plane; there is no composed buffer */
};

/** A node as displayed on one output. Boxes and regions in output pixels. */
struct scene_entry {
	struct scene_node *node; /* NULL: destroyed since the list was made */
	struct box dst;
	struct fbox src; /* buffer pixels; unused for rects */
	/** From the contents of `src`, or of an upright rect, to those of `dst`. */
	enum wl_output_transform transform;
	bool unscaled; /* one buffer pixel is one output pixel: neighbours are not sampled */
	bool sharp; /* enlarged by the filter that follows edges: neighbours at 2 are sampled */
	/** `src` exceeds `shown`, the pixels of the surface, which repeat those at its edge. */
	bool padded;
	struct box shown; /* buffer pixels; set if `padded` */
	float alpha;
	pixman_region32_t visible; /* never empty */
	pixman_region32_t opaque;
	bool all_opaque; /* the whole visible region is opaque */
	bool clipped; /* `visible` lacks pixels that surface.clip leaves out: not for planes */
	bool cursor;
	bool black; /* in a capture: part of a secret tree */
	bool matched; /* used while lists are compared */
	/** Set by scene_entry_move(), kept when the list is rebuilt. */
	enum scene_place place;
	/**
	 * Owned by the user of the list, and opaque to the scene: kept when the list is rebuilt, 0
	 * for new entries.
	 */
	uint32_t user;
	bool fresh; /* content or look changed; cleared by the user of the list */
};

/**
 * Maps buffer pixels to the output pixels that show them, rounded outward and clipped to the
 * visible region.
 */
void scene_entry_to_pixels(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *buffer_region);
/** Maps output pixels to the buffer pixels that they sample, rounded outward. */
void scene_entry_to_buffer(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *pixel_region);

/**
 * Mapping from the global space to the pixels of an output or a capture. Pixels are counted from an
 * origin: the top left corner, or within a tree that was snapped, that of the tree.
 */
struct scene_view {
	int x, y; /* logical, global: the origin */
	int left, top; /* pixels of the origin, with the transform undone */
	double scale;
	enum wl_output_transform transform;
	int32_t width, height; /* pixels, as stored: with the transform applied */
};

/**
 * Rounds a logical length to pixels: half away from zero, as fractional-scale-v1 asks for. Scales
 * of its precision are exact.
 */
int scene_pixels(double length, double scale);
/**
 * Maps a global logical box to pixels. Edges are rounded by their distance to the origin, so
 * adjacent boxes stay adjacent.
 */
struct box scene_view_to_pixels(const struct scene_view *view, const struct box *global);
/**
 * Moves the origin to a global logical point, drawn at the whole pixel that is nearest to the point
 * plus the shift.
 */
void scene_view_snap(struct scene_view *view, int x, int y, double shift_x, double shift_y);
/** Computes the size in pixels with the transform undone, as a viewer sees it. */
void scene_view_upright_size(const struct scene_view *view, int *width, int *height);

/**
 * Entries of an arbitrary view, topmost first, for captures. Making one leaves the scene unchanged.
 * `root` NULL: the whole scene.
 */
struct scene_snapshot {
	struct scene_entry *entries;
	int n_entries, max_entries;
	pixman_region32_t uncovered;
};

void scene_snapshot_init(struct scene_snapshot *snapshot, struct scene *scene,
	struct scene_tree *root, const struct scene_view *view, bool cursor);
void scene_snapshot_finish(struct scene_snapshot *snapshot);

/**
 * Magnification of an output: its pixel at x, y is drawn at x * factor - lens.x, y * factor -
 * lens.y. Entries, damage and captures are those of the unmagnified output.
 */
struct scene_lens {
	double factor; /* above 1; 0: the output is not magnified */
	int x, y;
};

struct scene_output {
	struct scene *scene;
	struct output *output;
	int index; /* in scene.outputs; the bit in surface.outputs */
	int x, y; /* logical, global */
	double scale;
	enum wl_output_transform transform;
	struct scene_lens lens; /* scene_output_set_lens() */

	/** Topmost first; every entry with a visible pixel. Valid after scene_update(). */
	struct scene_entry *entries;
	int n_entries, max_entries;
	struct scene_entry *spare; /* the previous list; its memory is reused for the next one */
	int n_spare, max_spare;
	/** Region without opaque entries, where the background is visible. */
	pixman_region32_t uncovered;
	bool dirty; /* the list must be rebuilt */
	bool cursor_dirty; /* the cursors in the list must be rebuilt */
	/** Frames are drawn for this output: set by scene_output_set_awake(). */
	bool awake;
	bool animated; /* scene_output_animate() */
	/** Surfaces with this primary output that wait for a frame: scene_surface.waiting_link. */
	struct wl_list waiting;
	/**
	 * Surfaces with this primary output that changed since their last frame:
	 * scene_surface.unshown_link.
	 */
	struct wl_list unshown;
	/** Changes whenever the list is rebuilt, except for cursor motion. */
	uint64_t generation;

	/**
	 * Pending damage in output pixels, consumed by frame/: `damage` has to be composed,
	 * `direct` belongs to entries on planes.
	 */
	pixman_region32_t damage, direct;
	/** Within scene_update(): damage of surface contents, not yet added to `damage`. */
	struct region_sum changed;
	struct {
		/** There is damage, or a surface was added to the list `waiting`. */
		struct wl_signal needs_frame;
		struct wl_signal destroy;
	} events;
};

/** Adds an enabled output at 0, 0. Returns NULL if there are SCENE_OUTPUTS_MAX already. */
struct scene_output *scene_output_create(struct scene *scene, struct output *output);
void scene_output_destroy(struct scene_output *output);
void scene_output_set_position(struct scene_output *output, int x, int y);
/** Sets the scale, rounded to 1/120, the precision of fractional-scale-v1. */
void scene_output_set_scale(struct scene_output *output, double scale);
void scene_output_set_transform(struct scene_output *output, enum wl_output_transform transform);
/** Updates the scene after a change of the output's mode. */
void scene_output_mode_changed(struct scene_output *output);
void scene_output_damage_all(struct scene_output *output);
/** Moves an entry to another place, and damages the composed buffer where that changes it. */
void scene_entry_move(
	struct scene_output *output, struct scene_entry *entry, enum scene_place place);
/**
 * Sets whether frames are drawn for the output. A sleeping output is never a primary output: its
 * surfaces follow the frames of another output that shows them, or count as hidden.
 */
void scene_output_set_awake(struct scene_output *output, bool awake);
/** Requests a frame, which will begin with scene.events.animate. */
void scene_output_animate(struct scene_output *output);
/**
 * Announces a frame of an animated output to the animations, before scene_update(). `when` (ns) is
 * its expected presentation.
 */
void scene_output_begin_frame(struct scene_output *output, int64_t when);
/** Returns the number of cursor entries, which precede all others. */
int scene_output_cursors(const struct scene_output *output);
/** Returns whether damage is pending. */
bool scene_output_is_damaged(const struct scene_output *output);

/** Returns the output's logical box in the global space. */
struct box scene_output_box(const struct scene_output *output);
struct scene_view scene_output_view(const struct scene_output *output);
struct coord_global scene_output_to_global(
	const struct scene_output *output, struct coord_output at);
/**
 * Magnifies the output by `factor` around the point nearest to `at`, which stays where it is; 1:
 * ends the magnification. Returns whether that changed: then the whole output has to be drawn
 * again.
 */
bool scene_output_set_lens(struct scene_output *output, double factor, struct coord_global at);
static inline bool scene_output_is_magnified(const struct scene_output *output)
{
	return output->lens.factor > 1;
}
/** Returns the point of the scene that a magnified output shows at `at`; elsewhere, `at` itself. */
struct coord_global scene_seen_at(struct scene *scene, struct coord_global at);
/** Computes the pixels of a magnified output that damage of its scene changes. */
void scene_lens_damage(
	const struct scene_output *output, pixman_region32_t *out, const pixman_region32_t *damage);
/** Fills the snapshot with the entries in `damage`, pixels of the magnified output. */
void scene_snapshot_magnify(struct scene_snapshot *snapshot, const struct scene_output *output,
	const pixman_region32_t *damage);
/** Returns the output at the point, else the nearest one, or NULL if there are none. */
struct scene_output *scene_output_nearest(struct scene *scene, struct coord_global at);
/** Return the scene output of a backend output, or of a name; NULL if there is none. */
struct scene_output *scene_output_find(struct scene *scene, const struct output *output);
struct scene_output *scene_output_find_name(struct scene *scene, const char *name);
/** Returns the point of any output that is closest to `at`; without outputs, `at` itself. */
struct coord_global scene_layout_clamp(struct scene *scene, struct coord_global at);
/**
 * Returns the end of a relative motion of the pointer to `to`: the closest point of any output, or
 * the other side of a gap between outputs that the motion is directed to (crossing.c).
 */
struct coord_global scene_layout_step(struct scene *scene, struct coord_global to);
/** Returns the smallest box that contains all outputs; empty without outputs. */
struct box scene_layout_box(const struct scene *scene);
