/* Tests of subsurfaces: what is held back for a parent, what applies together, what shows. */

#include "surface_common.h"

#include "harness/growth.h"
#include "util/xalloc.h"
#include <malloc.h>
#include <stdlib.h>

enum { PARENT, CHILD, SIBLING, GRANDCHILD, N_SURFACES };

/* PARENT with CHILD and SIBLING on it, GRANDCHILD on CHILD; all have content but show nothing yet. */
struct tree {
	struct wl_event_loop *loop;
	struct surface *surfaces[N_SURFACES];
	struct subsurface *subsurfaces[N_SURFACES];
	struct test_watch watches[N_SURFACES];
	struct test_buffer *buffers[N_SURFACES];
	struct test_buffer *next;
};

static int set_up(void **state)
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

static void destroy_surface(struct tree *tree, int i)
{
	if (tree->surfaces[i]) {
		watch_finish(&tree->watches[i]);
		surface_destroy(tree->surfaces[i]);
		tree->surfaces[i] = NULL;
		tree->subsurfaces[i] = NULL; /* went with it */
	}
}

static void destroy_subsurface(struct tree *tree, int i)
{
	subsurface_destroy(tree->subsurfaces[i]);
	tree->subsurfaces[i] = NULL;
}

static int tear_down(void **state)
{
	struct tree *tree = *state;
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		destroy_surface(tree, i);
		assert_int_equal(tree->buffers[i]->base.n_locks, 0);
		buffer_drop(&tree->buffers[i]->base);
	}
	buffer_drop(&tree->next->base);
	wl_event_loop_destroy(tree->loop);
	free(tree);
	return 0;
}

static void commit(struct tree *tree, int i)
{
	assert_true(derive_and_commit(tree->surfaces[i]));
}

static void commit_content(struct tree *tree, int i)
{
	attach(tree->surfaces[i], tree->buffers[i]);
	commit(tree, i);
}

/* Everything mapped, leaves first, as toolkits do. */
static void show(struct tree *tree)
{
	commit_content(tree, GRANDCHILD);
	commit_content(tree, CHILD);
	commit_content(tree, SIBLING);
	commit_content(tree, PARENT);
	surface_map(tree->surfaces[PARENT]);
	for (int i = 0; i < N_SURFACES; i++) {
		assert_true(tree->surfaces[i]->mapped);
		tree->watches[i].n_applied = 0;
	}
}

static bool shows_next(struct tree *tree, int i)
{
	return tree->surfaces[i]->current.buffer == &tree->next->base;
}

static void commit_next(struct tree *tree, int i)
{
	attach(tree->surfaces[i], tree->next);
	commit(tree, i);
}

static void test_maps_in_any_order(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	surface_map(s[PARENT]);
	commit_content(tree, CHILD);
	assert_false(surface_has_content(s[CHILD]));
	assert_false(tree->subsurfaces[CHILD]->added);
	commit_content(tree, PARENT);
	assert_true(tree->subsurfaces[CHILD]->added);
	assert_true(s[CHILD]->mapped);
	/* Placed, but without content. */
	assert_true(tree->subsurfaces[SIBLING]->added);
	assert_false(s[SIBLING]->mapped);
	subsurface_set_sync(tree->subsurfaces[SIBLING], false);
	commit_content(tree, SIBLING);
	assert_true(s[SIBLING]->mapped);

	/* What is below goes and comes with the parent. */
	commit_content(tree, GRANDCHILD);
	commit(tree, CHILD);
	commit(tree, PARENT);
	assert_true(s[GRANDCHILD]->mapped);
	surface_unmap(s[PARENT]);
	assert_false(s[CHILD]->mapped || s[SIBLING]->mapped || s[GRANDCHILD]->mapped);
	surface_map(s[PARENT]);
	assert_true(s[CHILD]->mapped && s[SIBLING]->mapped && s[GRANDCHILD]->mapped);

	/* Losing its content hides it, and what is placed on it. */
	attach(s[CHILD], NULL);
	commit(tree, CHILD);
	assert_true(s[CHILD]->mapped);
	commit(tree, PARENT);
	assert_false(s[CHILD]->mapped || s[GRANDCHILD]->mapped);
	assert_int_equal(tree->watches[GRANDCHILD].n_map, 2);
	assert_int_equal(tree->watches[GRANDCHILD].n_unmap, 2);
}

static void test_sync_waits_for_parent(void **state)
{
	struct tree *tree = *state;
	show(tree);
	commit_next(tree, CHILD);
	commit(tree, CHILD);
	assert_int_equal(tree->surfaces[CHILD]->n_queued, 1);
	assert_false(shows_next(tree, CHILD));
	commit(tree, SIBLING);
	assert_false(shows_next(tree, CHILD));
	commit(tree, PARENT);
	assert_true(shows_next(tree, CHILD));
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
	assert_int_equal(tree->watches[PARENT].n_applied, 1);
	/* No old state is applied again. */
	commit(tree, PARENT);
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
}

static void test_desync_applies_at_once(void **state)
{
	struct tree *tree = *state;
	show(tree);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	commit_next(tree, CHILD);
	assert_true(shows_next(tree, CHILD));
	assert_int_equal(tree->watches[PARENT].n_applied, 0);
}

/* A parent in sync mode holds back children that are not. */
static void test_sync_is_inherited(void **state)
{
	struct tree *tree = *state;
	show(tree);
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], false);
	assert_true(subsurface_is_sync(tree->subsurfaces[GRANDCHILD]));
	commit_next(tree, GRANDCHILD);
	assert_false(shows_next(tree, GRANDCHILD));
	/* Held for CHILD's next update: PARENT alone does not bring it. */
	commit(tree, PARENT);
	assert_false(shows_next(tree, GRANDCHILD));
	commit(tree, CHILD);
	assert_false(shows_next(tree, GRANDCHILD));
	commit(tree, PARENT);
	assert_true(shows_next(tree, GRANDCHILD));
}

static void test_leaving_sync_applies_what_was_held(void **state)
{
	struct tree *tree = *state;
	show(tree);
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], false);
	commit_next(tree, GRANDCHILD);
	commit_next(tree, CHILD);
	commit_next(tree, SIBLING);
	commit(tree, GRANDCHILD);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	/* The one that CHILD took along, with it; the one after, too, by itself. */
	assert_true(shows_next(tree, CHILD));
	assert_true(shows_next(tree, GRANDCHILD));
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 2);
	assert_false(shows_next(tree, SIBLING));
	assert_int_equal(tree->surfaces[GRANDCHILD]->n_queued, 0);

	/* Its own mode still holds a grandchild back. */
	subsurface_set_sync(tree->subsurfaces[GRANDCHILD], true);
	subsurface_set_sync(tree->subsurfaces[CHILD], true);
	commit(tree, GRANDCHILD);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	assert_int_equal(tree->watches[GRANDCHILD].n_applied, 2);
}

static void test_taken_along_stays_so(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	commit_next(tree, CHILD);
	commit(tree, PARENT);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	assert_false(shows_next(tree, CHILD));
	/* And what follows comes after it. */
	commit_content(tree, CHILD);
	assert_int_equal(tree->watches[CHILD].n_applied, 0);
	assert_int_equal(tree->surfaces[CHILD]->n_queued, 2);
	gate_pass(&gate);
	assert_int_equal(tree->watches[CHILD].n_applied, 2);
	assert_false(shows_next(tree, CHILD));
	assert_int_equal(tree->next->base.n_locks, 0);
	gate_finish(&gate);
}

/* A blocker anywhere in the tree holds all of it, and it applies in one step. */
struct atomic_check {
	struct tree *tree;
	int n_told;
};

static struct atomic_check *checking;

static void check_all_new(struct test_watch *watch)
{
	for (int i = 0; i < N_SURFACES; i++) {
		assert_true(shows_next(checking->tree, i));
	}
	if (watch->surface == checking->tree->surfaces[PARENT]) {
		assert_int_equal(checking->n_told, N_SURFACES - 1);
	}
	checking->n_told++;
}

static void test_atomic(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	struct atomic_check check = {.tree = tree};
	show(tree);
	for (int blocked = 0; blocked < N_SURFACES; blocked++) {
		for (int i = 0; i < N_SURFACES; i++) {
			commit_content(tree, N_SURFACES - 1 - i);
		}
		gate_init(&gate, tree->surfaces[blocked]);
		for (int i = 0; i < N_SURFACES; i++) {
			tree->watches[i].on_applied = check_all_new;
		}
		check.n_told = 0;
		checking = &check;
		for (int i = N_SURFACES - 1; i >= 0; i--) {
			commit_next(tree, i);
		}
		for (int i = 0; i < N_SURFACES; i++) {
			assert_false(shows_next(tree, i));
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

/* A child's own older update that still waits keeps the tree waiting too. */
static void test_older_update_of_child(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	show(tree);
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	gate_init(&gate, tree->surfaces[CHILD]);
	commit_next(tree, CHILD);
	gate.closed = false;
	subsurface_set_sync(tree->subsurfaces[CHILD], true);
	commit_content(tree, CHILD);
	commit_next(tree, PARENT);
	assert_false(shows_next(tree, PARENT));
	gate_pass(&gate);
	assert_true(shows_next(tree, PARENT));
	assert_int_equal(tree->watches[CHILD].n_applied, 2);
	assert_ptr_equal(tree->surfaces[CHILD]->current.buffer, &tree->buffers[CHILD]->base);
	gate_finish(&gate);
}

/* Several updates of the parent wait, each with its own of the child. */
static void test_generations(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	for (int i = 0; i < 5; i++) {
		subsurface_set_position(tree->subsurfaces[CHILD], i, -i);
		tree->surfaces[CHILD]->pending.dx = i;
		commit(tree, CHILD);
		commit(tree, PARENT);
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

/* A blocked parent with a child that keeps committing: what waits is merged, in order. */
static void test_generations_are_bounded(void **state)
{
	struct tree *tree = *state;
	struct test_gate gate;
	show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	gate.fields = SURFACE_SCALE;
	for (int i = 0; i < 2000; i++) {
		commit_next(tree, GRANDCHILD);
		commit_next(tree, CHILD);
		if (i % 3 == 0) {
			/* Between what the parent takes along. */
			subsurface_set_sync(tree->subsurfaces[CHILD], false);
			commit_next(tree, CHILD);
			subsurface_set_sync(tree->subsurfaces[CHILD], true);
		}
		commit_content(tree, CHILD);
		tree->surfaces[PARENT]->pending.fields |= SURFACE_SCALE;
		commit(tree, PARENT);
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
	assert_true(shows_next(tree, GRANDCHILD));
	gate_finish(&gate);
}

static void test_unclaimed_commits_are_merged(void **state)
{
	struct tree *tree = *state;
	size_t before = 0;
	show(tree);
	for (int i = 0; i < 100000; i++) {
		attach(tree->surfaces[CHILD], i % 2 ? tree->next : tree->buffers[CHILD]);
		commit(tree, CHILD);
		assert_int_equal(tree->surfaces[CHILD]->n_queued, 1);
		if (i == 1000) {
			before = mallinfo2().uordblks;
		}
	}
	assert_true(mallinfo2().uordblks <= before);
	commit(tree, PARENT);
	assert_int_equal(tree->watches[CHILD].n_applied, 1);
	assert_true(shows_next(tree, CHILD));
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

static void test_stacking(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	struct subsurface **sub = tree->subsurfaces;
	show(tree);
	assert_int_equal(order(tree, PARENT), 0);
	assert_int_equal(order(tree, CHILD), 1);
	assert_int_equal(order(tree, SIBLING), 2);

	assert_true(subsurface_place(sub[SIBLING], s[PARENT], false));
	assert_int_equal(order(tree, SIBLING), 2);
	commit(tree, PARENT);
	assert_int_equal(order(tree, SIBLING), 0);
	assert_int_equal(order(tree, PARENT), 1);
	assert_int_equal(order(tree, CHILD), 2);

	assert_true(subsurface_place(sub[SIBLING], s[CHILD], true));
	assert_true(subsurface_place(sub[CHILD], s[SIBLING], true));
	assert_true(subsurface_place(sub[SIBLING], s[PARENT], true));
	commit(tree, PARENT);
	assert_int_equal(order(tree, PARENT), 0);
	assert_int_equal(order(tree, SIBLING), 1);
	assert_int_equal(order(tree, CHILD), 2);

	/* Neither itself nor a grandchild nor a stranger is a sibling. */
	struct surface *stranger = surface_create(tree->loop, NULL);
	assert_false(subsurface_place(sub[CHILD], s[CHILD], true));
	assert_false(subsurface_place(sub[CHILD], s[GRANDCHILD], true));
	assert_false(subsurface_place(sub[GRANDCHILD], s[PARENT], true));
	assert_false(subsurface_place(sub[CHILD], stranger, false));
	surface_destroy(stranger);

	/* A desynchronised child's position is still the parent's to apply. */
	subsurface_set_sync(sub[CHILD], false);
	subsurface_set_position(sub[CHILD], 7, 8);
	commit(tree, CHILD);
	assert_int_equal(sub[CHILD]->x, 0);
	commit(tree, PARENT);
	assert_int_equal(sub[CHILD]->x, 7);
	assert_int_equal(sub[CHILD]->y, 8);
}

/* Each surface and role object goes at each point of a blocked tree's life, in every order. */
static void destroy_in_order(struct tree *tree, const int order[N_SURFACES], unsigned roles_first)
{
	struct test_gate gate;
	show(tree);
	gate_init(&gate, tree->surfaces[PARENT]);
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		commit_next(tree, i);
	}
	commit_next(tree, CHILD);
	commit_next(tree, GRANDCHILD);
	gate_finish(&gate);
	for (int i = 0; i < N_SURFACES; i++) {
		int which = order[i];
		if (which != PARENT && (roles_first & (1u << which))) {
			destroy_subsurface(tree, which);
			assert_false(tree->surfaces[which]->mapped);
			assert_null(tree->surfaces[which]->subsurface);
			/* Nothing holds back what it had committed. */
			assert_int_equal(tree->surfaces[which]->n_queued, 0);
			assert_true(shows_next(tree, which));
		}
		destroy_surface(tree, which);
	}
	assert_int_equal(gate.n_blockers, 0);
	assert_int_equal(tree->next->base.n_locks, 0);
}

static void test_destroy_in_every_order(void **state)
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
					set_up(&tree);
					destroy_in_order(tree, order, roles);
					tear_down(&tree);
				}
			}
		}
	}
}

/* It is taken out of what the parent has pending, queued and current, and can come back. */
static void test_role_again(void **state)
{
	struct tree *tree = *state;
	struct surface **s = tree->surfaces;
	struct test_gate gate;
	show(tree);
	gate_init(&gate, s[PARENT]);
	subsurface_set_position(tree->subsurfaces[CHILD], 5, 5);
	commit(tree, PARENT);
	destroy_subsurface(tree, CHILD);
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
	commit(tree, SIBLING);
	commit(tree, PARENT);
	assert_true(s[CHILD]->mapped && s[GRANDCHILD]->mapped);
	gate_finish(&gate);
}

/* Without its parent it is hidden, holds nothing back, and asks in vain. */
static void test_parent_goes(void **state)
{
	struct tree *tree = *state;
	show(tree);
	commit_next(tree, CHILD);
	commit_next(tree, GRANDCHILD);
	destroy_surface(tree, PARENT);
	assert_false(tree->surfaces[CHILD]->mapped || tree->surfaces[GRANDCHILD]->mapped);
	assert_true(shows_next(tree, CHILD));
	assert_false(shows_next(tree, GRANDCHILD));
	assert_null(tree->subsurfaces[CHILD]->parent);
	assert_false(subsurface_is_sync(tree->subsurfaces[CHILD]));
	subsurface_set_position(tree->subsurfaces[CHILD], 1, 1);
	assert_false(subsurface_place(tree->subsurfaces[CHILD], tree->surfaces[SIBLING], true));
	subsurface_set_sync(tree->subsurfaces[CHILD], false);
	commit_content(tree, CHILD);
	assert_false(shows_next(tree, CHILD));
	assert_true(shows_next(tree, GRANDCHILD));
}

static void test_depth_is_bounded(void **state)
{
	struct tree *tree = *state;
	enum { N = SUBSURFACE_LEVELS_MAX };
	struct surface *chain[N + 1];
	for (int i = 0; i <= N; i++) {
		chain[i] = surface_create(tree->loop, NULL);
	}
	/* Leaves first: each new parent lengthens the tree at its root. */
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

/* Synchronised children that have each committed before their parent does. */
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

static void test_held_children_are_linear(void **state)
{
	assert_true(growth_is_linear(measure_held, NULL, 4000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
		TEST(test_maps_in_any_order),
		TEST(test_sync_waits_for_parent),
		TEST(test_desync_applies_at_once),
		TEST(test_sync_is_inherited),
		TEST(test_leaving_sync_applies_what_was_held),
		TEST(test_taken_along_stays_so),
		TEST(test_atomic),
		TEST(test_older_update_of_child),
		TEST(test_generations),
		TEST(test_generations_are_bounded),
		TEST(test_unclaimed_commits_are_merged),
		TEST(test_stacking),
		TEST(test_role_again),
		TEST(test_parent_goes),
		TEST(test_depth_is_bounded),
		TEST(test_held_children_are_linear),
		cmocka_unit_test(test_destroy_in_every_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
