/* SPDX-License-Identifier: MIT */
/* zwp_text_input_v3 and zwp_input_method_v2: focus, state, text and the end of either client. */

#include "harness/client/text_input.h"
#include "shell/window.h"
#include <stdlib.h>
#include <unistd.h>

struct test {
	struct fixture *fixture;
	struct peer *writer;
	struct peer_window *window; /* the writer's, with the keyboard focus */
	struct field *field; /* the writer's */
	struct peer *other; /* the input method's client */
	struct typist *typist;
};

static int set_up(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->writer = peer_create(test->fixture);
	test->window = peer_window_create(test->writer, 0, 0, 100, 80, 0xff336699);
	test->field = field_create(test->writer);
	test->other = peer_create(test->fixture);
	test->typist = typist_create(test->other);
	heard(test->field, "enter; ");
	heard(test->typist, "");
	*state = test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test->field);
	free(test->typist);
	free(test);
	return 0;
}

/* All fields of a client follow the keyboard focus. */
static void all_fields_of_a_client_follow_the_keyboard_focus(void **state)
{
	struct test *test = *state;
	assert_ptr_equal(test->field->entered, test->window->surface);
	struct field *second = field_create(test->writer);
	heard(second, "enter; ");

	struct peer *reader = peer_create(test->fixture);
	struct field *third = field_create(reader);
	heard(third, "");
	struct peer_window *beside = peer_window_create(reader, 120, 0, 50, 50, 0xffffffff);
	heard(test->field, "leave; ");
	heard(second, "leave; ");
	heard(third, "enter; ");

	/* From one window of a client to another. */
	struct peer_window *another = peer_window_create(reader, 180, 0, 50, 50, 0xffffffff);
	heard(third, "leave; enter; ");
	assert_ptr_equal(third->entered, another->surface);
	window_focus(peer_window_find(beside));
	heard(third, "leave; enter; ");
	assert_ptr_equal(third->entered, beside->surface);
	peer_window_destroy(beside);
	heard(third, "leave; enter; ");
	peer_destroy(reader);
	heard(test->field, "enter; ");
	heard(second, "enter; ");
	field_destroy(second);
	free(third);
}

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_keyboard_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	notes_add(data, "keyboard; ");
}

static void handle_keyboard_leave(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	notes_add(data, "no keyboard; ");
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_keyboard_enter,
	.leave = handle_keyboard_leave,
	.key = handle_key,
	.modifiers = handle_modifiers,
};

/* A keyboard created late gets its enter event before the field does. */
static void enter_follows_that_of_late_keyboards(void **state)
{
	struct test *test = *state;
	struct wl_seat *seat = peer_bind(test->writer, &wl_seat_interface, 1);
	struct wl_keyboard *keyboard = wl_seat_get_keyboard(seat);
	wl_keyboard_add_listener(keyboard, &keyboard_listener, &test->field->notes);
	heard(test->field, "leave; keyboard; enter; ");
	peer_window_create(test->other, 120, 0, 50, 50, 0xffffffff);
	heard(test->field, "leave; no keyboard; ");
	window_focus(peer_window_find(test->window));
	heard(test->field, "keyboard; enter; ");
	/* One more changes nothing. */
	keyboard = wl_seat_get_keyboard(seat);
	wl_keyboard_add_listener(keyboard, &keyboard_listener, &test->field->notes);
	heard(test->field, "keyboard; ");
}

static void enable_and_disable_apply_at_commit(void **state)
{
	struct test *test = *state;
	/* State is pending until the commit. */
	zwp_text_input_v3_enable(test->field->input);
	heard(test->typist, "");
	zwp_text_input_v3_commit(test->field->input);
	heard(test->typist, "activate; done; ");
	zwp_text_input_v3_disable(test->field->input);
	heard(test->typist, "");
	zwp_text_input_v3_commit(test->field->input);
	heard(test->typist, "deactivate; done; ");
	field_disable(test->field);
	heard(test->typist, "");
	/* The last request counts. */
	zwp_text_input_v3_disable(test->field->input);
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	zwp_text_input_v3_enable(test->field->input);
	field_disable(test->field);
	heard(test->typist, "deactivate; done; ");
	heard(test->field, "");
}

static void state_persists_except_for_the_cause(void **state)
{
	struct test *test = *state;
	struct zwp_text_input_v3 *input = test->field->input;
	zwp_text_input_v3_set_content_type(input, 1, 1); /* ignored: enable resets it */
	zwp_text_input_v3_enable(input);
	zwp_text_input_v3_set_surrounding_text(input, "some text", 2, 1);
	zwp_text_input_v3_set_text_change_cause(input, ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_OTHER);
	heard(test->typist, "");
	zwp_text_input_v3_commit(input);
	heard(test->typist, "activate; around some text 2 1; cause 1; done; ");
	/* State persists, except for the cause. */
	zwp_text_input_v3_set_content_type(input, 0xffffffff, 99);
	zwp_text_input_v3_commit(input);
	heard(test->typist, "around some text 2 1; cause 0; type 3ff 0; done; ");
	zwp_text_input_v3_set_surrounding_text(input, "\xc3\xa9t\xc3\xa9", 2, 5);
	zwp_text_input_v3_set_content_type(input, 0, ZWP_TEXT_INPUT_V3_CONTENT_PURPOSE_TERMINAL);
	zwp_text_input_v3_commit(input);
	heard(test->typist, "around \xc3\xa9t\xc3\xa9 2 5; cause 0; type 0 13; done; ");
	zwp_text_input_v3_set_text_change_cause(input, ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_INPUT_METHOD);
	zwp_text_input_v3_commit(input);
	heard(test->typist, "around \xc3\xa9t\xc3\xa9 2 5; cause 0; type 0 13; done; ");
	/* Unknown causes are other causes than the input method. */
	zwp_text_input_v3_set_text_change_cause(input, 7);
	zwp_text_input_v3_commit(input);
	heard(test->typist, "around \xc3\xa9t\xc3\xa9 2 5; cause 1; type 0 13; done; ");
	/* The text of the previous field is not sent for a new one. */
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	zwp_text_input_v3_set_surrounding_text(input, "x", 0, 0);
	field_disable(test->field);
	heard(test->typist, "deactivate; done; ");
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
}

/* A cursor outside the text, or inside a character, is not passed on. */
static void cursor_outside_the_text_is_not_passed_on(void **state)
{
	struct test *test = *state;
	static const int32_t nowhere[] = {-1, 4, INT32_MIN, INT32_MAX, 1};
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		zwp_text_input_v3_enable(test->field->input);
		zwp_text_input_v3_set_surrounding_text(
			test->field->input, "\xc3\xa9t", nowhere[i], 0);
		zwp_text_input_v3_commit(test->field->input);
		heard(test->typist, "activate; done; ");
		zwp_text_input_v3_set_surrounding_text(
			test->field->input, "\xc3\xa9t", 3, nowhere[i]);
		zwp_text_input_v3_commit(test->field->input);
		heard(test->typist, "done; ");
	}
	zwp_text_input_v3_set_surrounding_text(test->field->input, "\xc3\xa9t", 3, 2);
	zwp_text_input_v3_commit(test->field->input);
	heard(test->typist, "around \xc3\xa9t 3 2; cause 0; done; ");
}

/* One field is active at a time: a second one is ignored until the first is disabled. */
static void one_field_is_active_at_a_time(void **state)
{
	struct test *test = *state;
	struct field *second = field_create(test->writer);
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	field_enable(second);
	zwp_text_input_v3_set_surrounding_text(second->input, "x", 0, 0);
	zwp_text_input_v3_commit(second->input);
	field_disable(second);
	heard(test->typist, "");
	field_disable(test->field);
	heard(test->typist, "deactivate; done; ");
	field_enable(second);
	heard(test->typist, "activate; done; ");
	forget(second);
	zwp_input_method_v2_commit_string(test->typist->method, "a");
	typist_commit(test->typist);
	heard(second, "insert a; done 4; ");
	heard(test->field, "");
	field_destroy(second);
	heard(test->typist, "deactivate; done; ");
}

static void text_is_applied_at_commit_once(void **state)
{
	struct test *test = *state;
	struct zwp_input_method_v2 *method = test->typist->method;
	/* Without an active field. */
	zwp_input_method_v2_commit_string(method, "lost");
	typist_commit(test->typist);
	field_enable(test->field);
	fixture_pump(test->fixture);
	heard(test->field, "");

	zwp_input_method_v2_set_preedit_string(method, "ni", 0, 2);
	heard(test->field, "");
	typist_commit(test->typist);
	heard(test->field, "preedit ni 0 2; done 1; ");
	zwp_input_method_v2_set_preedit_string(method, "nih", 1, 1);
	zwp_input_method_v2_set_preedit_string(method, "niha", -1, -1);
	typist_commit(test->typist);
	heard(test->field, "preedit niha -1 -1; done 1; ");
	/* The field receives its events in the order in which it applies them. */
	zwp_text_input_v3_commit(test->field->input);
	fixture_pump(test->fixture);
	zwp_input_method_v2_commit_string(method, "x");
	zwp_input_method_v2_commit_string(method, "\xe4\xbd\xa0");
	zwp_input_method_v2_delete_surrounding_text(method, 1, 2);
	typist_commit(test->typist);
	heard(test->field, "insert \xe4\xbd\xa0; delete 1 2; done 2; ");
	/* Each request applies to one commit only. */
	typist_commit(test->typist);
	heard(test->field, "done 2; ");
}

/*
 * Text typed while the field updates its state arrives; text meant for the previous field does not.
 */
static void stale_serials_type_into_no_field(void **state)
{
	struct test *test = *state;
	struct zwp_input_method_v2 *method = test->typist->method;
	field_enable(test->field);
	uint32_t first = test->typist->n_done;
	zwp_text_input_v3_set_surrounding_text(test->field->input, "a", 1, 1);
	zwp_text_input_v3_commit(test->field->input);
	fixture_pump(test->fixture);
	zwp_input_method_v2_commit_string(method, "b");
	zwp_input_method_v2_commit(method, first);
	heard(test->field, "insert b; done 2; ");

	zwp_input_method_v2_set_preedit_string(method, "old", 0, 0);
	fixture_pump(test->fixture);
	field_disable(test->field);
	field_enable(test->field);
	uint32_t late = first + 1;
	zwp_input_method_v2_commit(method, late);
	zwp_input_method_v2_commit_string(method, "older");
	zwp_input_method_v2_commit(method, late);
	heard(test->field, "");
	/* The same when the field is enabled again without being disabled. */
	late = test->typist->n_done;
	field_enable(test->field);
	zwp_input_method_v2_commit_string(method, "older");
	zwp_input_method_v2_commit(method, late);
	heard(test->field, "");
	zwp_input_method_v2_commit_string(method, "new");
	typist_commit(test->typist);
	heard(test->field, "insert new; done 5; ");
	/* Requests pending for the previous field are dropped, too. */
	zwp_input_method_v2_commit_string(method, "older");
	fixture_pump(test->fixture);
	field_enable(test->field);
	typist_commit(test->typist);
	heard(test->field, "done 6; ");
}

/* Without the keyboard focus a field sends no state; its commits are still counted. */
static void unfocused_field_reaches_no_input_method(void **state)
{
	struct test *test = *state;
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	struct peer *reader = peer_create(test->fixture);
	peer_window_create(reader, 120, 0, 50, 50, 0xffffffff);
	heard(test->field, "leave; ");
	heard(test->typist, "deactivate; done; ");
	field_enable(test->field);
	zwp_text_input_v3_set_surrounding_text(test->field->input, "secret", 0, 0);
	zwp_text_input_v3_commit(test->field->input);
	zwp_text_input_v3_enable(test->field->input);
	heard(test->typist, "");
	peer_destroy(reader);
	heard(test->field, "enter; ");
	zwp_text_input_v3_commit(test->field->input);
	heard(test->typist, "activate; done; "); /* enabled after its leave event, committed here */
	zwp_input_method_v2_commit_string(test->typist->method, "a");
	typist_commit(test->typist);
	heard(test->field, "insert a; done 4; ");
}

static void late_input_method_gets_the_state(void **state)
{
	struct test *test = *state;
	typist_destroy(test->typist);
	zwp_text_input_v3_enable(test->field->input);
	zwp_text_input_v3_set_content_type(test->field->input, 0, 3);
	zwp_text_input_v3_commit(test->field->input);
	heard(test->field, "");
	test->typist = typist_create(test->other);
	heard(test->typist, "activate; type 0 3; done; ");
}

static void second_input_method_is_unavailable_and_ignored(void **state)
{
	struct test *test = *state;
	struct typist *second = typist_create(test->writer);
	heard(second, "unavailable; ");
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	/* All requests are accepted and ignored. */
	zwp_input_method_v2_commit_string(second->method, "a");
	zwp_input_method_v2_set_preedit_string(second->method, "a", 0, 0);
	zwp_input_method_v2_delete_surrounding_text(second->method, 1, 1);
	typist_commit(second);
	struct wl_surface *surface = wl_compositor_create_surface(test->writer->compositor);
	struct zwp_input_popup_surface_v2 *popup =
		zwp_input_method_v2_get_input_popup_surface(second->method, surface);
	struct peer_buffer *buffer = peer_buffer_create(test->writer, 10, 10, 0);
	peer_surface_show(surface, buffer);
	struct zwp_input_method_keyboard_grab_v2 *keyboard =
		zwp_input_method_v2_grab_keyboard(second->method);
	heard(second, "");
	heard(test->field, "");
	zwp_input_method_v2_destroy(test->typist->method);
	heard(test->field, "preedit  0 0; done 1; ");
	heard(second, "");
	zwp_input_method_v2_destroy(second->method);
	zwp_input_method_keyboard_grab_v2_release(keyboard);
	zwp_input_popup_surface_v2_destroy(popup);
	wl_surface_destroy(surface);
	assert_true(peer_alive(test->writer));
	free(second);
	second = typist_create(test->writer);
	heard(second, "activate; done; ");
	typist_destroy(second);
}

/* A vanished input method leaves no preedit text. */
static void preedit_is_cleared_when_the_input_method_dies(void **state)
{
	struct test *test = *state;
	field_enable(test->field);
	zwp_input_method_v2_set_preedit_string(test->typist->method, "ni", 0, 2);
	typist_commit(test->typist);
	zwp_input_method_v2_commit_string(test->typist->method, "never");
	heard(test->field, "preedit ni 0 2; done 1; ");
	peer_destroy(test->other);
	heard(test->field, "preedit  0 0; done 1; ");
	/* The field works on with the next input method. */
	zwp_text_input_v3_set_surrounding_text(test->field->input, "a", 1, 1);
	zwp_text_input_v3_commit(test->field->input);
	struct peer *next = peer_create(test->fixture);
	struct typist *typist = typist_create(next);
	heard(typist, "activate; around a 1 1; cause 0; done; ");
	zwp_input_method_v2_commit_string(typist->method, "b");
	typist_commit(typist);
	heard(test->field, "insert b; done 2; ");
	typist_destroy(typist);
}

static void input_method_is_deactivated_when_the_field_goes(void **state)
{
	struct test *test = *state;
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	zwp_text_input_v3_set_surrounding_text(test->field->input, "a", 1, 1);
	field_destroy(test->field);
	heard(test->typist, "deactivate; done; ");

	test->field = field_create(test->writer);
	zwp_text_input_v3_set_surrounding_text(test->field->input, "a", 1, 1);
	field_enable(test->field);
	heard(test->typist, "activate; done; ");
	peer_window_destroy(test->window);
	heard(test->field, "enter; leave; ");
	heard(test->typist, "deactivate; done; ");

	peer_window_create(test->writer, 0, 0, 50, 50, 0xffffffff);
	heard(test->field, "enter; ");
	zwp_text_input_v3_enable(test->field->input);
	zwp_text_input_v3_set_surrounding_text(test->field->input, "a", 1, 1);
	zwp_text_input_v3_commit(test->field->input);
	heard(test->typist, "activate; around a 1 1; cause 0; done; ");
	peer_destroy(test->writer);
	heard(test->typist, "deactivate; done; ");
	zwp_input_method_v2_commit_string(test->typist->method, "a");
	typist_commit(test->typist);
	assert_true(peer_alive(test->other));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(all_fields_of_a_client_follow_the_keyboard_focus),
		TEST(enter_follows_that_of_late_keyboards),
		TEST(enable_and_disable_apply_at_commit),
		TEST(state_persists_except_for_the_cause),
		TEST(cursor_outside_the_text_is_not_passed_on),
		TEST(one_field_is_active_at_a_time),
		TEST(text_is_applied_at_commit_once),
		TEST(stale_serials_type_into_no_field),
		TEST(unfocused_field_reaches_no_input_method),
		TEST(late_input_method_gets_the_state),
		TEST(second_input_method_is_unavailable_and_ignored),
		TEST(preedit_is_cleared_when_the_input_method_dies),
		TEST(input_method_is_deactivated_when_the_field_goes),
	};
	return cmocka_run_group_tests_name("input/text_input", tests, NULL, NULL);
}
