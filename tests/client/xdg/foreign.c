/* SPDX-License-Identifier: MIT */
/* xdg-foreign: handles of windows, and parents that belong to another client. */

#include "harness/client/xdg_peer.h"
#include "shell/geometry/private.h"
#include "shell/window.h"
#include "xdg-foreign-unstable-v1-client-protocol.h"
#include "xdg-foreign-unstable-v2-client-protocol.h"
#include <string.h>

struct handle {
	char text[64];
};

static void handle_handle(void *data, struct zxdg_exported_v2 *exported, const char *text)
{
	struct handle *handle = data;
	assert_true(strlen(text) < sizeof(handle->text));
	strcpy(handle->text, text);
}

static const struct zxdg_exported_v2_listener exported_listener = {.handle = handle_handle};

static void handle_handle_v1(void *data, struct zxdg_exported_v1 *exported, const char *text)
{
	handle_handle(data, NULL, text);
}

static const struct zxdg_exported_v1_listener exported_v1_listener = {.handle = handle_handle_v1};

static void handle_destroyed(void *data, struct zxdg_imported_v2 *imported)
{
	(*(int *)data)++;
}

static const struct zxdg_imported_v2_listener imported_listener = {.destroyed = handle_destroyed};

static void handle_destroyed_v1(void *data, struct zxdg_imported_v1 *imported)
{
	(*(int *)data)++;
}

static const struct zxdg_imported_v1_listener imported_v1_listener = {
	.destroyed = handle_destroyed_v1,
};

/* A program's window and a dialog of another program. */
struct pair {
	struct peer *other;
	struct peer_window *window, *dialog;
	struct zxdg_exported_v2 *exported;
	struct zxdg_imported_v2 *imported;
	struct handle handle;
	int n_destroyed;
};

static struct zxdg_exported_v2 *export(
	struct peer *peer, struct wl_surface *surface, struct handle *handle)
{
	struct zxdg_exporter_v2 *exporter = peer_bind(peer, &zxdg_exporter_v2_interface, 0);
	struct zxdg_exported_v2 *exported = zxdg_exporter_v2_export_toplevel(exporter, surface);
	zxdg_exported_v2_add_listener(exported, &exported_listener, handle);
	fixture_pump(peer->fixture);
	return exported;
}

static struct zxdg_imported_v2 *import(
	struct peer *peer, const struct handle *handle, int *n_destroyed)
{
	struct zxdg_importer_v2 *importer = peer_bind(peer, &zxdg_importer_v2_interface, 0);
	struct zxdg_imported_v2 *imported =
		zxdg_importer_v2_import_toplevel(importer, handle->text);
	zxdg_imported_v2_add_listener(imported, &imported_listener, n_destroyed);
	fixture_pump(peer->fixture);
	return imported;
}

static void pair_init(struct pair *pair, struct test *test)
{
	*pair = (struct pair){.other = peer_create(test->fixture)};
	pair->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff00ff00);
	pair->dialog = peer_window_create(pair->other, 50, 50, 40, 40, 0xffff0000);
	pair->exported = export(test->peer, pair->window->surface, &pair->handle);
	assert_int_equal(strlen(pair->handle.text), 32);
	pair->imported = import(pair->other, &pair->handle, &pair->n_destroyed);
	zxdg_imported_v2_set_parent_of(pair->imported, pair->dialog->surface);
	fixture_pump(test->fixture);
	assert_int_equal(pair->n_destroyed, 0);
	assert_ptr_equal(peer_window_find(pair->dialog)->parent, peer_window_find(pair->window));
}

/* Ends the client whose listeners refer to the pair. */
static void pair_finish(struct pair *pair)
{
	peer_destroy(pair->other);
}

static struct window *parent_of(struct peer_window *window)
{
	return peer_window_find(window)->parent;
}

/* As with xdg_toplevel.set_parent, an unmapped parent is none. */
static void unmapped_import_replaces_the_parent(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	struct peer_window *unmapped = peer_window_create_unmapped(test->peer);
	struct handle handle;
	export(test->peer, unmapped->surface, &handle);
	int n_destroyed = 0;
	struct zxdg_imported_v2 *imported = import(pair.other, &handle, &n_destroyed);
	zxdg_imported_v2_set_parent_of(imported, pair.dialog->surface);
	fixture_pump(test->fixture);
	assert_null(parent_of(pair.dialog));
	pair_finish(&pair);
}

static void parent_lasts_until_the_import_is_destroyed(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	/* The same parent by another import: the first one no longer has a say. */
	int n_destroyed = 0;
	struct zxdg_imported_v2 *second = import(pair.other, &pair.handle, &n_destroyed);
	zxdg_imported_v2_set_parent_of(second, pair.dialog->surface);
	zxdg_imported_v2_destroy(pair.imported);
	fixture_pump(test->fixture);
	assert_ptr_equal(parent_of(pair.dialog), peer_window_find(pair.window));
	zxdg_imported_v2_destroy(second);
	fixture_pump(test->fixture);
	assert_null(parent_of(pair.dialog));
	assert_int_equal(pair.n_destroyed + n_destroyed, 0);
	pair_finish(&pair);
}

static void parent_of_the_same_client_replaces_an_imported_one(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	struct peer_window *own = peer_window_create(pair.other, 0, 0, 40, 40, 0xffff0000);
	xdg_toplevel_set_parent(pair.dialog->toplevel, own->toplevel);
	zxdg_imported_v2_destroy(pair.imported);
	fixture_pump(test->fixture);
	assert_ptr_equal(parent_of(pair.dialog), peer_window_find(own));
	pair_finish(&pair);
}

static void end_of_the_export_is_reported(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	zxdg_exported_v2_destroy(pair.exported);
	fixture_pump(test->fixture);
	assert_int_equal(pair.n_destroyed, 1);
	assert_null(parent_of(pair.dialog));
	/* Without effect; the handle is unknown. */
	zxdg_imported_v2_set_parent_of(pair.imported, pair.dialog->surface);
	import(pair.other, &pair.handle, &pair.n_destroyed);
	assert_int_equal(pair.n_destroyed, 2);
	assert_null(parent_of(pair.dialog));
	assert_true(peer_alive(pair.other));
	pair_finish(&pair);
}

static void end_of_the_window_is_reported(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	peer_window_destroy(pair.window);
	fixture_pump(test->fixture);
	assert_int_equal(pair.n_destroyed, 1);
	assert_null(parent_of(pair.dialog));
	zxdg_exported_v2_destroy(pair.exported); /* inert */
	assert_true(peer_alive(test->peer));
	pair_finish(&pair);
}

static void either_client_can_disconnect(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	peer_destroy(pair.other);
	fixture_pump(test->fixture);
	assert_int_equal(peer_window_find(pair.window)->private->n_below, 0);

	pair_init(&pair, test);
	peer_destroy(test->peer);
	test->peer = NULL;
	fixture_pump(test->fixture);
	assert_int_equal(pair.n_destroyed, 1);
	assert_null(parent_of(pair.dialog));
	pair_finish(&pair);
}

static void unmapped_dialog_loses_its_parent(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	wl_surface_attach(pair.dialog->surface, NULL, 0, 0);
	wl_surface_commit(pair.dialog->surface);
	fixture_pump(test->fixture);
	assert_null(parent_of(pair.dialog));
	zxdg_imported_v2_destroy(pair.imported);
	assert_true(peer_alive(pair.other));
	pair_finish(&pair);
}

static void both_versions_share_handles(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	struct zxdg_importer_v1 *importer = peer_bind(pair.other, &zxdg_importer_v1_interface, 0);
	struct zxdg_imported_v1 *imported = zxdg_importer_v1_import(importer, pair.handle.text);
	int n_destroyed = 0;
	zxdg_imported_v1_add_listener(imported, &imported_v1_listener, &n_destroyed);
	struct peer_window *dialog = peer_window_create(pair.other, 0, 0, 40, 40, 0xffff0000);
	zxdg_imported_v1_set_parent_of(imported, dialog->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(parent_of(dialog), peer_window_find(pair.window));
	zxdg_exported_v2_destroy(pair.exported);
	fixture_pump(test->fixture);
	assert_int_equal(n_destroyed, 1);

	struct zxdg_exporter_v1 *exporter = peer_bind(test->peer, &zxdg_exporter_v1_interface, 0);
	struct zxdg_exported_v1 *exported = zxdg_exporter_v1_export(exporter, pair.window->surface);
	zxdg_exported_v1_add_listener(exported, &exported_v1_listener, &pair.handle);
	fixture_pump(test->fixture);
	import(pair.other, &pair.handle, &n_destroyed);
	assert_int_equal(n_destroyed, 1);
	pair_finish(&pair);
}

/* The other client's windows can exhaust a family, which must not disconnect anyone. */
static void full_family_causes_no_errors(void **state)
{
	struct test *test = *state;
	struct pair pair;
	pair_init(&pair, test);
	struct peer_window *last = pair.dialog;
	for (int i = 2; i < WINDOW_LEVELS_MAX; i++) {
		struct peer_window *window = peer_window_create(pair.other, 0, 0, 20, 20, ~0u);
		xdg_toplevel_set_parent(window->toplevel, last->toplevel);
		last = window;
	}
	struct handle handle = {0};
	export(pair.other, last->surface, &handle);
	int n_destroyed = 0;
	struct zxdg_imported_v2 *imported = import(test->peer, &handle, &n_destroyed);
	struct peer_window *above = peer_window_create(test->peer, 0, 0, 20, 20, ~0u);

	/* Too deep, then a loop, by either request. */
	zxdg_imported_v2_set_parent_of(imported, above->surface);
	zxdg_imported_v2_set_parent_of(imported, pair.window->surface);
	xdg_toplevel_set_parent(pair.window->toplevel, above->toplevel);
	assert_true(peer_alive(test->peer));
	assert_null(parent_of(above));
	assert_null(parent_of(pair.window));
	assert_int_equal(peer_window_find(pair.window)->private->n_below, WINDOW_LEVELS_MAX - 1);
	peer_destroy(pair.other);
	fixture_pump(test->fixture);
	assert_int_equal(peer_window_find(pair.window)->private->n_below, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unmapped_import_replaces_the_parent),
		TEST(parent_lasts_until_the_import_is_destroyed),
		TEST(parent_of_the_same_client_replaces_an_imported_one),
		TEST(end_of_the_export_is_reported),
		TEST(end_of_the_window_is_reported),
		TEST(either_client_can_disconnect),
		TEST(unmapped_dialog_loses_its_parent),
		TEST(both_versions_share_handles),
		TEST(full_family_causes_no_errors),
	};
	return cmocka_run_group_tests_name("xdg/foreign", tests, NULL, NULL);
}
