/* SPDX-License-Identifier: MIT */
#pragma once

/** Trees of subsurfaces for tests. */

#include "harness/surface.h"

enum { PARENT, CHILD, SIBLING, GRANDCHILD, N_SURFACES };

/**
 * PARENT with subsurfaces CHILD and SIBLING, and GRANDCHILD on CHILD; all have content but are not
 * mapped yet.
 */
struct tree {
	struct wl_event_loop *loop;
	struct surface *surfaces[N_SURFACES];
	struct subsurface *subsurfaces[N_SURFACES];
	struct test_watch watches[N_SURFACES];
	struct test_buffer *buffers[N_SURFACES];
	struct test_buffer *next;
};

/** Set-up and tear-down for cmocka. */
int tree_set_up(void **state);
int tree_tear_down(void **state);

/** Destroys a surface and its role. */
void tree_destroy_surface(struct tree *tree, int i);
/** Destroys the role of a surface. */
void tree_destroy_subsurface(struct tree *tree, int i);
/** Commits a surface. */
void tree_commit(struct tree *tree, int i);
/** Attaches the surface's own buffer and commits. */
void tree_commit_content(struct tree *tree, int i);
/** Maps all surfaces, leaves first, as toolkits do. */
void tree_show(struct tree *tree);
/** Attaches the buffer `next` and commits. */
void tree_commit_next(struct tree *tree, int i);
/** Returns whether `next` is the surface's current buffer. */
bool tree_shows_next(struct tree *tree, int i);
