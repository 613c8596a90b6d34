#pragma once

/**
 * An output's place in the scene: position, scale and transform, its list of what it shows, its
 * damage.
 */

#include "backend/output.h"
#include "util/box.h"
#include "util/region.h"
#include <pixman.h>
#include <stdbool.h>
#include <wayland-server-core.h>

#define SCENE_MAX_OUTPUTS 32
/** Entries in the list of an output or a snapshot. Nodes below those are not shown. */
#define SCENE_MAX_ENTRIES 65536

struct scene;
struct scene_node;
struct scene_tree;

/** Where an entry's pixels are, as frame/ has decided it. */
enum scene_place {
	PLACE_COMPOSED, /* in the composed picture */
	PLACE_OVER, /* on a plane above the composed picture, which has none of it */
	PLACE_UNDER, /* on a plane below, seen through a hole in the composed picture */
	PLACE_PRIMARY, /* in place of the composed picture */
};

/** A node as it shows on one output. Boxes and regions in output pixels. */
struct scene_entry {
	struct scene_node *node; /* NULL: it went away since the list was made */
	struct box dst;
	struct fbox src; /* buffer pixels; unused for rects */
	/** From the content of src to what dst shows. */
	enum wl_output_transform transform;
	bool unscaled; /* one buffer pixel is one output pixel: no neighbour is read for it */
	float alpha;
	pixman_region32_t visible; /* never empty */
	pixman_region32_t opaque;
	bool all_opaque; /* all that is visible is opaque */
	bool cursor;
	bool matched; /* while lists are compared */
	/** frame/'s, kept from list to list: its place, and why not a better one (enum route_reason). */
	enum scene_place place;
	int reason;
	int tint; /* the overlay's last, 0: none; frame/'s, kept from list to list */
	bool fresh; /* its content or look changed since frame/ said that it did not */
};

/** Buffer pixels to the output pixels that show them, rounded outward; only what is visible. */
void scene_entry_to_pixels(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *buffer_region);
/** Output pixels to the buffer pixels they are drawn from, rounded outward. */
void scene_entry_to_buffer(const struct scene_entry *entry, pixman_region32_t *out,
	const pixman_region32_t *pixel_region);

/** How the global space maps to pixels: an output's way, or a capture's. */
struct scene_view {
	int x, y; /* logical, global: top left corner */
	double scale;
	enum wl_output_transform transform;
	int32_t width, height; /* pixels, as stored: with the transform applied */
};

/** Global logical box to pixels: edges are rounded, so neighbours meet. */
struct box scene_view_to_pixels(const struct scene_view *view, const struct box *global);
/** Size in pixels as a viewer sees it: the transform undone. */
void scene_view_upright_size(const struct scene_view *view, int *width, int *height);

/**
 * What a view shows that is no output's, top first: for captures. Changes nothing in the scene. `root`
 * NULL: all of it.
 */
struct scene_snapshot {
	struct scene_entry *entries;
	int n_entries, max_entries;
	pixman_region32_t uncovered;
};

void scene_snapshot_init(struct scene_snapshot *snapshot, struct scene *scene,
	struct scene_tree *root, const struct scene_view *view, bool cursor);
void scene_snapshot_finish(struct scene_snapshot *snapshot);

struct scene_output {
	struct scene *scene;
	struct output *output;
	int index; /* in scene.outputs; the bit in surface.outputs */
	int x, y; /* logical, global */
	double scale;
	enum wl_output_transform transform;

	/** Top first; everything that shows any pixel. Valid after scene_update(). */
	struct scene_entry *entries;
	int n_entries, max_entries;
	struct scene_entry *spare; /* the list before, its memory used for the next */
	int n_spare, max_spare;
	/** What no opaque entry covers: the background shows. */
	pixman_region32_t uncovered;
	bool dirty; /* the list must be rebuilt */
	bool cursor_dirty; /* or just the cursors in it */
	/** Frames are drawn for it: set by scene_output_set_awake(). */
	bool awake;
	/** Surfaces that show most here and wait for a frame: scene_surface.waiting_link. */
	struct wl_list waiting;
	/** Surfaces that show most here and have changed since a frame showed them: scene_surface.unshown_link. */
	struct wl_list unshown;
	uint64_t
		generation; /* of the list: another one whenever it was rebuilt, unless cursors only moved */

	/**
	 * Not yet shown, output pixels; frame/ takes it. `damage` has to be composed, `direct` is of
	 * what is on planes.
	 */
	pixman_region32_t damage, direct;
	/** Within scene_update(): what surfaces add to damage. */
	struct region_sum changed;
	struct {
		struct wl_signal
			needs_frame; /* damage, or somebody was put on the list `waiting` */
		struct wl_signal destroy;
	} events;
};

/** Adds an enabled output at x, y. NULL if SCENE_MAX_OUTPUTS are there. */
struct scene_output *scene_output_create(struct scene *scene, struct output *output);
void scene_output_destroy(struct scene_output *output);
void scene_output_set_position(struct scene_output *output, int x, int y);
/** Scale is rounded to 1/120, the precision of fractional-scale-v1. */
void scene_output_set_scale(struct scene_output *output, double scale);
void scene_output_set_transform(struct scene_output *output, enum wl_output_transform transform);
/** After a change of the output's mode. */
void scene_output_mode_changed(struct scene_output *output);
void scene_output_damage_all(struct scene_output *output);
/**
 * Whether frames are drawn for it. One that sleeps is nobody's primary output: what waits there goes on
 * by the frames of another that shows it, or is as good as hidden.
 */
void scene_output_set_awake(struct scene_output *output, bool awake);
/** How many of the entries are cursors: they are the first. */
int scene_output_cursors(const struct scene_output *output);
/** Is there anything to show that is not shown yet? */
bool scene_output_is_damaged(const struct scene_output *output);

/** Logical box in the global space. */
struct box scene_output_box(const struct scene_output *output);
struct scene_view scene_output_view(const struct scene_output *output);
struct coord_global scene_output_to_global(
	const struct scene_output *output, struct coord_output at);
/** The output at the point, or the nearest; NULL if there are none. */
struct scene_output *scene_output_nearest(struct scene *scene, struct coord_global at);
/** By backend output or by name; NULL if there is none. */
struct scene_output *scene_output_find(struct scene *scene, const struct output *output);
struct scene_output *scene_output_find_name(struct scene *scene, const char *name);
/** Moves the point into the nearest output. */
struct coord_global scene_layout_clamp(struct scene *scene, struct coord_global at);
struct box scene_layout_box(const struct scene *scene);
