/* SPDX-License-Identifier: MIT */
/* Subsurfaces: synchronised commits, atomic updates of trees, stacking, and visibility. */

#include "harness/subsurface_tree.h"

#include "harness/growth.h"
#include "util/xalloc.h"
#include <malloc.h>
#include <stdlib.h>

static void surfaces_map_in_any_order(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	surface_map(s[PARENT]);
	tree_commit_content(tree, CHILD);
	assert_false(surface_has_content(s[CHILD]));
	assert_false(tree->subsurfaces[CHILD]->added);
	tree_commit_content(tree, PARENT);
	assert_true(tree->subsurfaces[CHILD]->added);
	assert_true(s[CHILD]->mapped);
	/* Added to the tree, but without content. */
	assert_true(tree->subsurfaces[SIBLING]->added);
	assert_false(s[SIBLING]->mapped);
	subsurface_set_sync(tree->subsurfaces[SIBLING], false);
	tree_commit_content(tree, SIBLING);
	assert_true(s[SIBLING]->mapped);

	/* Descendants are unmapped and mapped with the parent. */
	tree_commit_content(tree, GRANDCHILD);
	tree_commit(tree, CHILD);
	tree_commit(tree, PARENT);
	assert_true(s[GRANDCHILD]->mapped);
	surface_unmap(s[PARENT]);
	assert_false(s[CHILD]->mapped || s[SIBLING]->mapped || s[GRANDCHILD]->mapped);
	surface_map(s[PARENT]);
	assert_true(s[CHILD]->mapped && s[SIBLING]->mapped && s[GRANDCHILD]->mapped);

	/* A surface without content is hidden, with its subsurfaces. */
	attach(s[CHILD], NULL);
	tree_commit(tree, CHILD);
	assert_true(s[CHILD]->mapped);
	tree_commit(tree, PARENT);
	assert_false(s[CHILD]->mapped || s[GRANDCHILD]->mapped);
	assert_int_equal(tree->watches[GRANDCHILD].n_map, 2);
	assert_int_equal(tree->watches[GRANDCHILD].n_unmap, 2);
}

static void synchronised_commit_waits_for_the_parent(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	tree_commit_next(tree, CHILD);
	tree_commit(tree, CHILD);
	assert_int_equal(tree->surfaces[CHILD]->n_queued, 1);
	assert_false(tree_shows_next(tree, CHILD));
	tree_commit(tree, SIBLING);
	assert_false(tree_shows_next(tree, CHILD));
	tree_commit(tree, PARENT);
	assert_true(tree_shows_next(tree, CHILD));
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
	assert_int_equal(tree->watches[PARENT].n_applied, 1);
	/* The state is applied only once. */
	tree_commit(tree, PARENT);
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
}

static void desynchronised_commit_applies_at_once(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	tree_commit_next(tree, CHILD);
	assert_true(tree_shows_next(tree, CHILD));
	assert_int_equal(tree->watches[PARENT].n_applied, 0);
}

/* A synchronised parent also delays its desynchronised children. */
static void sync_mode_is_inherited(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], false);
	assert_true(subsurface_is_sync(tree->subsurfaces[GRANDCHILD]));
	tree_commit_next(tree, GRANDCHILD);
	assert_false(tree_shows_next(tree, GRANDCHILD));
	/* The commit waits for CHILD's next update: PARENT's commit alone does not apply it. */
	tree_commit(tree, PARENT);
	assert_false(tree_shows_next(tree, GRANDCHILD));
	tree_commit(tree, CHILD);
	assert_false(tree_shows_next(tree, GRANDCHILD));
	tree_commit(tree, PARENT);
	assert_true(tree_shows_next(tree, GRANDCHILD));
}

/* A surface below one in sync mode stays in sync mode, also with an update that waits already. */
static void update_stays_cached_below_a_synchronised_surface(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	tree_commit_next(tree, GRANDCHILD);
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], false);
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 0);
	assert_int_equal(tree->surfaces[GRANDCHILD]->n_queued, 1);
	tree_commit(tree, CHILD);
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 0);
	tree_commit(tree, PARENT);
	assert_true(tree_shows_next(tree, GRANDCHILD));
}

static void leaving_sync_mode_applies_cached_state(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], false);
	tree_commit_next(tree, GRANDCHILD);
	tree_commit_next(tree, CHILD);
	tree_commit_next(tree, SIBLING);
	tree_commit(tree, GRANDCHILD);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	/* The update cached in CHILD's update applies with it, and the later one by itself. */
	assert_true(tree_shows_next(tree, CHILD));
	assert_true(tree_shows_next(tree, GRANDCHILD));
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 2);
	assert_false(tree_shows_next(tree, SIBLING));
	assert_int_equal(tree->surfaces[GRANDCHILD]->n_queued, 0);

	/* A grandchild in sync mode still waits. */
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], true);
	subsurface_set_sync(tree->subsurfaces[CHILD], true);
	tree_commit(tree, GRANDCHILD);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 2);
}

static void cached_update_stays_with_its_parent(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	tree_commit_next(tree, CHILD);
	tree_commit(tree, PARENT);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	assert_false(tree_shows_next(tree, CHILD));
	/* Later updates stay in order. */
	tree_commit_content(tree, CHILD);
	assert_int_equal(tree->watches[CHILD].n_applied, 0);
	assert_int_equal(tree->surfaces[CHILD]->n_queued, 2);
	gate_pass(&gate);
	assert_int_equal(tree->watches[CHILD].n_applied, 2);
	assert_false(tree_shows_next(tree, CHILD));
	assert_int_equal(tree->next->base.n_locks, 0);
	gate_finish(&gate);
}

/* A blocker anywhere in the tree delays the whole tree, which then applies atomically. */
struct atomic_check {
	struct tree *tree;
	int n_told;
};

static struct atomic_check *checking;

static void check_all_new(struct test_watch *watch)
{
	for (int i = 0; i < N_SURFACES; i++) {
		assert_true(tree_shows_next(checking->tree, i));
	}
	if (watch->surface == checking->tree->surfaces[PARENT]) {
		assert_int_equal(checking->n_told, N_SURFACES - 1);
	}
	checking->n_told++;
}

static void tree_applies_atomically(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	struct atomic_check check = {.tree = tree};
	tree_show(tree);
	for (int blocked = 0; blocked < N_SURFACES; blocked++) {
		for (int i = 0; i < N_SURFACES; i++) {
			tree_commit_content(tree, N_SURFACES - 1 - i);
		}
		gate_init(&gate, tree->surfaces[blocked]);
		for (int i = 0; i < N_SURFACES; i++) {
			tree->watches[i].on_applied = check_all_new;
		}
		check.n_told = 0;
		checking = &check;
		for (int i = N_SURFACES - 1; i >= 0; i--) {
			tree_commit_next(tree, i);
		}
		for (int i = 0; i < N_SURFACES; i++) {
			assert_false(tree_shows_next(tree, i));
		}
		assert_int_equal(check.n_told, 0);
		gate_pass(&gate);
		assert_int_equal(check.n_told, N_SURFACES);
		gate_finish(&gate);
		for (int i = 0; i < N_SURFACES; i++) {
			tree->watches[i].on_applied = NULL;
		}
	}
}

/* An older blocked update of a child delays the tree, too. */
static void older_update_of_a_child_delays_the_tree(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	tree_show(tree);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	gate_init(&gate, tree->surfaces[CHILD]);
	tree_commit_next(tree, CHILD);
	gate.closed = false;
	subsurface_set_sync(tree->subsurfaces[CHILD], true);
	tree_commit_content(tree, CHILD);
	tree_commit_next(tree, PARENT);
	assert_false(tree_shows_next(tree, PARENT));
	gate_pass(&gate);
	assert_true(tree_shows_next(tree, PARENT));
	assert_int_equal(tree->watches[CHILD].n_applied, 2);
	assert_ptr_equal(tree->surfaces[CHILD]->current.buffer, &tree->buffers[CHILD]->base);
	gate_finish(&gate);
}

/* The parent's update is not blocked itself. */
static void destroyed_child_ends_the_wait_of_its_parent(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, tree->surfaces[CHILD]);
	tree_commit_next(tree, CHILD);
	tree_commit_next(tree, PARENT);
	assert_false(tree_shows_next(tree, PARENT));
	tree_destroy_subsurface(tree, CHILD);
	assert_true(tree_shows_next(tree, PARENT));
	assert_int_equal(tree->surfaces[PARENT]->n_queued, 0);
	gate_pass(&gate);
	gate_finish(&gate);
}

/* Several blocked updates of the parent, each with its own update of the child. */
static void queued_updates_keep_their_children(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	for (int i = 0; i < 5; i++) {
		subsurface_set_position(tree->subsurfaces[CHILD], i, -i);
		tree->surfaces[CHILD]->pending.dx = i;
		tree_commit(tree, CHILD);
		tree_commit(tree, PARENT);
	}
	for (int i = 0; i < 5; i++) {
		gate_pass(&gate);
		assert_int_equal(tree->watches[PARENT].n_applied, i + 1);
		assert_int_equal(tree->watches[CHILD].n_applied, i + 1);
		assert_int_equal(tree->subsurfaces[CHILD]->x, i);
		assert_int_equal(tree->subsurfaces[CHILD]->y, -i);
	}
	gate_finish(&gate);
}

/* A blocked parent with a child that keeps committing: waiting updates are merged in order. */
static void number_of_queued_updates_is_bounded(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	gate.fields = SURFACE_SCALE;
	for (int i = 0; i < 2000; i++) {
		tree_commit_next(tree, GRANDCHILD);
		tree_commit_next(tree, CHILD);
		if (i % 3 == 0) {
			/* A desynchronised update between synchronised ones. */
			subsurface_set_sync(tree->subsurfaces[CHILD], false);
			tree_commit_next(tree, CHILD);
			subsurface_set_sync(tree->subsurfaces[CHILD], true);
		}
		tree_commit_content(tree, CHILD);
		tree->surfaces[PARENT]->pending.fields |= SURFACE_SCALE;
		tree_commit(tree, PARENT);
		assert_true(tree->surfaces[PARENT]->n_queued <= UPDATE_QUEUE_MAX);
		assert_true(tree->surfaces[CHILD]->n_queued <= 2 * UPDATE_QUEUE_MAX + 1);
		assert_true(tree->surfaces[GRANDCHILD]->n_queued <= 3 * UPDATE_QUEUE_MAX + 1);
	}
	while (gate.n_blockers > 0) {
		gate_pass(&gate);
	}
	for (int i = 0; i < N_SURFACES; i++) {
		assert_int_equal(tree->surfaces[i]->n_queued, 0);
	}
	assert_ptr_equal(tree->surfaces[CHILD]->current.buffer, &tree->buffers[CHILD]->base);
	assert_true(tree_shows_next(tree, GRANDCHILD));
	gate_finish(&gate);
}

static void cached_commits_are_merged(void **state)
{
	struct tree *tree = *state;
	size_t before = 0;
	tree_show(tree);
	for (int i = 0; i < 100000; i++) {
		attach(tree->surfaces[CHILD], i % 2 ? tree->next : tree->buffers[CHILD]);
		tree_commit(tree, CHILD);
		assert_int_equal(tree->surfaces[CHILD]->n_queued, 1);
		if (i == 1000) {
			before = mallinfo2().uordblks;
		}
	}
	assert_true(mallinfo2().uordblks <= before);
	tree_commit(tree, PARENT);
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
	assert_true(tree_shows_next(tree, CHILD));
	assert_int_equal(tree->buffers[CHILD]->base.n_locks, 0);
}

static int order(const struct tree *tree, int i)
{
	const struct surface_state *state = &tree->surfaces[PARENT]->current;
	for (int at = 0; at < state->n_children; at++) {
		if (state->children[at].subsurface == (i == PARENT ? NULL : tree->subsurfaces[i])) {
			return at;
		}
	}
	return -1;
}

static void stacking_applies_with_the_parent(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	struct subsurface **sub = tree->subsurfaces;
	tree_show(tree);
	assert_int_equal(order(tree, PARENT), 0);
	assert_int_equal(order(tree, CHILD), 1);
	assert_int_equal(order(tree, SIBLING), 2);

	assert_true(subsurface_place(sub[SIBLING], s[PARENT], false));
	assert_int_equal(order(tree, SIBLING), 2);
	tree_commit(tree, PARENT);
	assert_int_equal(order(tree, SIBLING), 0);
	assert_int_equal(order(tree, PARENT), 1);
	assert_int_equal(order(tree, CHILD), 2);

	assert_true(subsurface_place(sub[SIBLING], s[CHILD], true));
	assert_true(subsurface_place(sub[CHILD], s[SIBLING], true));
	assert_true(subsurface_place(sub[SIBLING], s[PARENT], true));
	tree_commit(tree, PARENT);
	assert_int_equal(order(tree, PARENT), 0);
	assert_int_equal(order(tree, SIBLING), 1);
	assert_int_equal(order(tree, CHILD), 2);

	/* The surface itself, a grandchild and an unrelated surface are no siblings. */
	struct surface *stranger = surface_create(tree->loop, NULL);
	assert_false(subsurface_place(sub[CHILD], s[CHILD], true));
	assert_false(subsurface_place(sub[CHILD], s[GRANDCHILD], true));
	assert_false(subsurface_place(sub[GRANDCHILD], s[PARENT], true));
	assert_false(subsurface_place(sub[CHILD], stranger, false));
	surface_destroy(stranger);

	/* The position applies with the parent's commit even if the child is desynchronised. */
	subsurface_set_sync(sub[CHILD], false);
	subsurface_set_position(sub[CHILD], 7, 8);
	tree_commit(tree, CHILD);
	assert_int_equal(sub[CHILD]->x, 0);
	tree_commit(tree, PARENT);
	assert_int_equal(sub[CHILD]->x, 7);
	assert_int_equal(sub[CHILD]->y, 8);
}

/* Destroys surfaces and role objects in every order at each stage of a blocked tree. */
static void destroy_in_order(struct tree *tree, const int order[N_SURFACES], unsigned roles_first)
{
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		tree_commit_next(tree, i);
	}
	tree_commit_next(tree, CHILD);
	tree_commit_next(tree, GRANDCHILD);
	gate_finish(&gate);
	for (int i = 0; i < N_SURFACES; i++) {
		int which = order[i];
		if (which != PARENT && (roles_first & (1u << which))) {
			tree_destroy_subsurface(tree, which);
			assert_false(tree->surfaces[which]->mapped);
			assert_null(tree->surfaces[which]->subsurface);
			/* The surface's committed updates are no longer delayed. */
			assert_int_equal(tree->surfaces[which]->n_queued, 0);
			assert_true(tree_shows_next(tree, which));
		}
		tree_destroy_surface(tree, which);
	}
	assert_int_equal(gate.n_blockers, 0);
	assert_int_equal(tree->next->base.n_locks, 0);
}

static void trees_can_be_destroyed_in_every_order(void **state)
{
	for (int a = 0; a < N_SURFACES; a++) {
		for (int b = 0; b < N_SURFACES; b++) {
			for (int c = 0; c < N_SURFACES; c++) {
				if (a == b || a == c || b == c) {
					continue;
				}
				int order[N_SURFACES] = {
					a, b, c, PARENT + CHILD + SIBLING + GRANDCHILD - a - b - c};
				for (unsigned roles = 0; roles < 1 << N_SURFACES; roles += 2) {
					void *tree;
					tree_set_up(&tree);
					destroy_in_order(tree, order, roles);
					tree_tear_down(&tree);
				}
			}
		}
	}
}

/*
 * Destroying the role removes the child from the parent's pending, queued and current state; it can
 * be recreated.
 */
static void role_can_be_recreated(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	struct test_gate gate;
	tree_show(tree);
	gate_init(&gate, s[PARENT]);
	subsurface_set_position(tree->subsurfaces[CHILD], 5, 5);
	tree_commit(tree, PARENT);
	tree_destroy_subsurface(tree, CHILD);
	assert_int_equal(s[PARENT]->pending.n_children, 2);
	assert_int_equal(s[PARENT]->current.n_children, 2);
	gate_pass(&gate);
	assert_int_equal(s[PARENT]->current.n_children, 2);
	assert_false(s[CHILD]->mapped || s[GRANDCHILD]->mapped);
	assert_ptr_equal(surface_root(s[GRANDCHILD]), s[CHILD]);

	gate.closed = false;
	tree->subsurfaces[CHILD] = subsurface_create(s[CHILD], s[SIBLING]);
	assert_non_null(tree->subsurfaces[CHILD]);
	assert_null(subsurface_create(s[CHILD], s[PARENT]));
	assert_ptr_equal(surface_root(s[GRANDCHILD]), s[PARENT]);
	assert_false(s[CHILD]->mapped);
	tree_commit(tree, SIBLING);
	tree_commit(tree, PARENT);
	assert_true(s[CHILD]->mapped && s[GRANDCHILD]->mapped);
	gate_finish(&gate);
}

/* A subsurface without its parent is hidden, applies commits at once, and ignores requests. */
static void subsurface_without_parent_is_hidden(void **state)
{
	struct tree *tree = *state;
	tree_show(tree);
	tree_commit_next(tree, CHILD);
	tree_commit_next(tree, GRANDCHILD);
	tree_destroy_surface(tree, PARENT);
	assert_false(tree->surfaces[CHILD]->mapped || tree->surfaces[GRANDCHILD]->mapped);
	assert_true(tree_shows_next(tree, CHILD));
	assert_false(tree_shows_next(tree, GRANDCHILD));
	assert_null(tree->subsurfaces[CHILD]->parent);
	assert_false(subsurface_is_sync(tree->subsurfaces[CHILD]));
	subsurface_set_position(tree->subsurfaces[CHILD], 1, 1);
	assert_false(subsurface_place(tree->subsurfaces[CHILD], tree->surfaces[SIBLING], true));
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	tree_commit_content(tree, CHILD);
	assert_false(tree_shows_next(tree, CHILD));
	assert_true(tree_shows_next(tree, GRANDCHILD));
}

static void depth_is_bounded(void **state)
{
	struct tree *tree = *state;
	enum { N = SUBSURFACE_LEVELS_MAX };
	struct surface *chain[N + 1];
	for (int i = 0; i <= N; i++) {
		chain[i] = surface_create(tree->loop, NULL);
	}
	/* Leaves first: each new parent extends the tree at its root. */
	for (int i = N - 1; i > 0; i--) {
		assert_true(subsurface_fits(chain[i], chain[i - 1]));
		subsurface_create(chain[i], chain[i - 1]);
	}
	assert_false(subsurface_fits(chain[0], chain[N]));
	assert_false(subsurface_fits(chain[N], chain[N - 1]));
	assert_true(subsurface_fits(chain[N], chain[N - 2]));
	for (int i = 0; i <= N; i++) {
		surface_destroy(chain[i]);
	}
}

/* Measures n synchronised children that have each committed before their parent. */
static int64_t measure_held(void *data, int n)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct surface *parent = surface_create(loop, NULL);
	struct surface **children = xcalloc((size_t)n, sizeof(struct surface *));
	for (int i = 0; i < n; i++) {
		children[i] = surface_create(loop, NULL);
		subsurface_create(children[i], parent);
		assert_true(derive_and_commit(children[i]));
	}
	int64_t begun = growth_clock();
	assert_true(derive_and_commit(parent));
	int64_t time = growth_clock() - begun;
	for (int i = 0; i < n; i++) {
		assert_true(wl_list_empty(&children[i]->queue));
	}
	surface_destroy(parent);
	for (int i = 0; i < n; i++) {
		surface_destroy(children[i]);
	}
	free(children);
	wl_event_loop_destroy(loop);
	return time;
}

static void cached_children_take_linear_time(void **state)
{
	assert_true(growth_is_linear(measure_held, NULL, 4000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, tree_set_up, tree_tear_down)
		TEST(surfaces_map_in_any_order),
		TEST(synchronised_commit_waits_for_the_parent),
		TEST(desynchronised_commit_applies_at_once),
		TEST(sync_mode_is_inherited),
		TEST(update_stays_cached_below_a_synchronised_surface),
		TEST(leaving_sync_mode_applies_cached_state),
		TEST(cached_update_stays_with_its_parent),
		TEST(tree_applies_atomically),
		TEST(older_update_of_a_child_delays_the_tree),
		TEST(destroyed_child_ends_the_wait_of_its_parent),
		TEST(queued_updates_keep_their_children),
		TEST(number_of_queued_updates_is_bounded),
		TEST(cached_commits_are_merged),
		TEST(stacking_applies_with_the_parent),
		TEST(role_can_be_recreated),
		TEST(subsurface_without_parent_is_hidden),
		TEST(depth_is_bounded),
		TEST(cached_children_take_linear_time),
		cmocka_unit_test(trees_can_be_destroyed_in_every_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
