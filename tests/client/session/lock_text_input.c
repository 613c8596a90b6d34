/* SPDX-License-Identifier: MIT */
/* Text input while locked: input methods reach no field, and get no events of the locker. */

#include "harness/client/locker.h"
#include "harness/client/text_input.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

static void input_method_is_inactive_while_locked(void **state)
{
	struct locked_world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct typist *typist = typist_create(other);
	struct field *field = field_create(world->peer);
	struct wl_surface *surface = wl_compositor_create_surface(other->compositor);
	zwp_input_method_v2_get_input_popup_surface(typist->method, surface);
	struct peer_buffer *buffer = peer_buffer_create(other, 60, 40, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(surface, buffer);
	hide_pointer(world);
	field_enable(field);
	heard(field, "enter; ");
	heard(typist, "activate; done; ");

	struct locker *locker = locker_create(world);
	heard(field, "leave; ");
	heard(typist, "deactivate; done; ");
	/* The lock surface has a text field, of which the input method gets no events. */
	struct field *password = field_create(locker->peer);
	locker_show(locker, BLUE);
	heard(password, "enter; ");
	zwp_text_input_v3_enable(password->input);
	zwp_text_input_v3_set_surrounding_text(password->input, "pass", 4, 4);
	zwp_text_input_v3_commit(password->input);
	zwp_input_method_v2_commit_string(typist->method, "word");
	typist_commit(typist);
	heard(typist, "");
	heard(password, "");
	peer_surface_show(surface, buffer);
	fixture_frames(world->fixture, 3);
	expect_all(world, 0, BLUE);
	/* A new input method gets none, either. */
	typist_destroy(typist);
	typist = typist_create(other);
	heard(typist, "");

	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	heard(password, "leave; ");
	heard(typist, "");
	heard(field, "enter; ");
	field_enable(field);
	heard(typist, "activate; done; ");
	field_destroy(field);
	typist_destroy(typist);
	locker_destroy(locker);
	free(password);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			input_method_is_inactive_while_locked, set_up, fixture_tear_down),
	};
	return cmocka_run_group_tests_name("session/lock_text_input", tests, NULL, NULL);
}
