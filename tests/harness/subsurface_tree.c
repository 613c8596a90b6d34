/* SPDX-License-Identifier: MIT */
/* Trees of subsurfaces for tests. */

#include "harness/subsurface_tree.h"
#include "util/xalloc.h"
#include <stdlib.h>

int tree_set_up(void **state)
{
	struct tree *tree = xcalloc(1, sizeof(*tree));
	tree->loop = wl_event_loop_create();
	for (int i = 0; i < N_SURFACES; i++) {
		tree->surfaces[i] = surface_create(tree->loop, NULL);
		tree->buffers[i] = test_buffer_create(10 + i, 10 + i);
		watch_init(&tree->watches[i], tree->surfaces[i]);
	}
	tree->next = test_buffer_create(50, 50);
	struct surface **s = tree->surfaces;
	tree->subsurfaces[CHILD] = subsurface_create(s[CHILD], s[PARENT]);
	tree->subsurfaces[SIBLING] = subsurface_create(s[SIBLING], s[PARENT]);
	tree->subsurfaces[GRANDCHILD] = subsurface_create(s[GRANDCHILD], s[CHILD]);
	*state = tree;
	return 0;
}

void tree_destroy_surface(struct tree *tree, int i)
{
	if (tree->surfaces[i]) {
		watch_finish(&tree->watches[i]);
		surface_destroy(tree->surfaces[i]);
		tree->surfaces[i] = NULL;
		tree->subsurfaces[i] = NULL; /* destroyed with it */
	}
}

void tree_destroy_subsurface(struct tree *tree, int i)
{
	subsurface_destroy(tree->subsurfaces[i]);
	tree->subsurfaces[i] = NULL;
}

int tree_tear_down(void **state)
{
	struct tree *tree = *state;
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		tree_destroy_surface(tree, i);
		assert_int_equal(tree->buffers[i]->base.n_locks, 0);
		buffer_drop(&tree->buffers[i]->base);
	}
	buffer_drop(&tree->next->base);
	wl_event_loop_destroy(tree->loop);
	free(tree);
	return 0;
}

void tree_commit(struct tree *tree, int i)
{
	assert_true(derive_and_commit(tree->surfaces[i]));
}

void tree_commit_content(struct tree *tree, int i)
{
	attach(tree->surfaces[i], tree->buffers[i]);
	tree_commit(tree, i);
}

void tree_show(struct tree *tree)
{
	tree_commit_content(tree, GRANDCHILD);
	tree_commit_content(tree, CHILD);
	tree_commit_content(tree, SIBLING);
	tree_commit_content(tree, PARENT);
	surface_map(tree->surfaces[PARENT]);
	for (int i = 0; i < N_SURFACES; i++) {
		assert_true(tree->surfaces[i]->mapped);
		tree->watches[i].n_applied = 0;
	}
}

bool tree_shows_next(struct tree *tree, int i)
{
	return tree->surfaces[i]->current.buffer == &tree->next->base;
}

void tree_commit_next(struct tree *tree, int i)
{
	attach(tree->surfaces[i], tree->next);
	tree_commit(tree, i);
}
