/* SPDX-License-Identifier: MIT */
/*
 * GL calls of the GLES renderer: no redundant state, uploads before the pass, one pass, few draws,
 * and only the damaged bytes.
 */

#include "frame/frame.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "util/xalloc.h"
#include <GLES3/gl3.h>
#include <stdlib.h>
#include <string.h>

#define N_WINDOWS 4

/* State of GL, and counts since forget_counts(). */
static struct {
	GLuint program, framebuffer, texture, pixels;
	GLint row_length;
	GLint scissor[4], viewport[4];
	bool blend;
	/* counts */
	int uploads, draws, vertices, invalidated, lists, redundant, uploads_in_pass;
	int blend_changes;
	uint64_t bytes;
	bool drawing; /* a pass has begun */
} gl;

static void note(bool same)
{
	gl.redundant += same;
}

#define WRAP(name, parameters)                                                                     \
	void __real_##name parameters;                                                             \
	void __wrap_##name parameters;                                                             \
	void __wrap_##name parameters

WRAP(glUseProgram, (GLuint program))
{
	note(gl.program == program);
	gl.program = program;
	__real_glUseProgram(program);
}

WRAP(glBindFramebuffer, (GLenum target, GLuint framebuffer))
{
	note(gl.framebuffer == framebuffer);
	gl.framebuffer = framebuffer;
	__real_glBindFramebuffer(target, framebuffer);
}

WRAP(glBindTexture, (GLenum target, GLuint texture))
{
	note(target == GL_TEXTURE_2D && gl.texture == texture);
	gl.texture = target == GL_TEXTURE_2D ? texture : gl.texture;
	__real_glBindTexture(target, texture);
}

/* GL unbinds deleted textures. */
WRAP(glDeleteTextures, (GLsizei n, const GLuint *textures))
{
	for (GLsizei i = 0; i < n; i++) {
		gl.texture = gl.texture == textures[i] ? 0 : gl.texture;
	}
	__real_glDeleteTextures(n, textures);
}

static void set_capability(GLenum capability, bool on)
{
	if (capability == GL_BLEND) {
		note(gl.blend == on);
		gl.blend = on;
		gl.blend_changes++;
	}
}

WRAP(glEnable, (GLenum capability))
{
	set_capability(capability, true);
	__real_glEnable(capability);
}

WRAP(glDisable, (GLenum capability))
{
	set_capability(capability, false);
	__real_glDisable(capability);
}

WRAP(glPixelStorei, (GLenum name, GLint value))
{
	if (name == GL_UNPACK_ROW_LENGTH) {
		note(gl.row_length == value);
		gl.row_length = value;
	}
	__real_glPixelStorei(name, value);
}

WRAP(glScissor, (GLint x, GLint y, GLsizei width, GLsizei height))
{
	GLint box[4] = {x, y, width, height};
	note(memcmp(box, gl.scissor, sizeof(box)) == 0);
	memcpy(gl.scissor, box, sizeof(box));
	__real_glScissor(x, y, width, height);
}

WRAP(glViewport, (GLint x, GLint y, GLsizei width, GLsizei height))
{
	GLint box[4] = {x, y, width, height};
	note(memcmp(box, gl.viewport, sizeof(box)) == 0);
	memcpy(gl.viewport, box, sizeof(box));
	__real_glViewport(x, y, width, height);
}

WRAP(glInvalidateFramebuffer, (GLenum target, GLsizei n, const GLenum *attachments))
{
	gl.invalidated++;
	__real_glInvalidateFramebuffer(target, n, attachments);
}

WRAP(glBufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage))
{
	if (target == GL_ARRAY_BUFFER) {
		gl.lists++;
		gl.drawing = true;
	}
	__real_glBufferData(target, size, data, usage);
}

WRAP(glTexSubImage2D, (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height,
			      GLenum format, GLenum type, const void *pixels))
{
	gl.uploads++;
	gl.bytes += (uint64_t)width * (uint64_t)height * 4;
	gl.uploads_in_pass += gl.drawing;
	__real_glTexSubImage2D(target, level, x, y, width, height, format, type, pixels);
}

WRAP(glDrawArrays, (GLenum mode, GLint first, GLsizei count))
{
	gl.draws++;
	gl.vertices += count;
	__real_glDrawArrays(mode, first, count);
}

/* The end of a pass on software GL, which has no fences. */
WRAP(glFinish, (void))
{
	gl.drawing = false;
	__real_glFinish();
}

struct gl_world {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *windows[N_WINDOWS];
};

static void forget_counts(void)
{
	gl.uploads = gl.draws = gl.vertices = gl.invalidated = gl.lists = gl.redundant = 0;
	gl.uploads_in_pass = gl.blend_changes = 0;
	gl.bytes = 0;
}

/* Updates one window until every swapchain buffer lacks only its damage. */
static void age(struct gl_world *world, int i)
{
	for (int n = 0; n < 5; n++) {
		struct peer_window *window = world->windows[i];
		wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, 0, 0, 1, 1);
		wl_surface_commit(window->surface);
		fixture_frames(world->fixture, 2);
	}
	forget_counts();
}

static void set_opaque(struct gl_world *world)
{
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(region, 0, 0, 100, 80);
	for (int i = 0; i < N_WINDOWS; i++) {
		wl_surface_set_opaque_region(world->windows[i]->surface, region);
		wl_surface_commit(world->windows[i]->surface);
	}
	wl_region_destroy(region);
	fixture_frames(world->fixture, 2);
}

static int set_up(void **state)
{
	struct gl_world *world = xcalloc(1, sizeof(*world));
	memset(&gl, 0, sizeof(gl));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = RENDERER_GLES});
	world->peer = peer_create(world->fixture);
	/* Two rows of two, apart from each other. */
	for (int i = 0; i < N_WINDOWS; i++) {
		world->windows[i] = peer_window_create(world->peer, i % 2 * 160, i / 2 * 120, 100,
			80, 0xff000000u | (uint32_t)(i * 60 + 40));
		fixture_frames(world->fixture, 2);
		peer_window_place(world->windows[i], i % 2 * 160, i / 2 * 120);
	}
	age(world, 0);
	*state = world;
	return 0;
}

static void change(struct gl_world *world, int i, int x, int y, int width, int height)
{
	struct peer_window *window = world->windows[i];
	peer_buffer_fill(window->buffer, x, y, width, height, 0xffffffff);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, x, y, width, height);
	wl_surface_commit(window->surface);
}

/* One window changes: one upload, one draw in each buffer, and no redundant call. */
static void one_change_is_one_upload_and_one_draw(void **state)
{
	struct gl_world *world = *state;
	set_opaque(world);
	age(world, 1);
	change(world, 1, 0, 8, 16, 16);
	fixture_frames(world->fixture, 2);
	for (int i = 0; i < 6; i++) {
		forget_counts();
		change(world, 1, 4 * i, 8, 16, 16);
		fixture_frames(world->fixture, 2);
		assert_int_equal(gl.uploads, 1);
		assert_int_equal(gl.bytes, 16 * 16 * 4);
		assert_int_equal(gl.lists, 1);
		assert_int_equal(gl.uploads_in_pass, 0);
		assert_int_equal(gl.redundant, 0);
		assert_int_equal(gl.invalidated, 0);
		/* Only the window, where it was damaged in this frame or the one before. */
		assert_int_equal(gl.draws, 1);
		assert_in_range(gl.scissor[0], 160, 160 + 4 * i);
		assert_in_range(gl.scissor[2], 16, 20);
		assert_int_equal(gl.scissor[1], 8);
		assert_int_equal(gl.scissor[3], 16);
	}
}

/* All windows change: uploads come first, then one draw each. */
static void uploads_precede_the_pass(void **state)
{
	struct gl_world *world = *state;
	for (int round = 0; round < 4; round++) {
		forget_counts();
		for (int i = 0; i < N_WINDOWS; i++) {
			change(world, i, 0, 0, 100, 80);
		}
		fixture_frames(world->fixture, 2);
		assert_int_equal(gl.uploads, N_WINDOWS);
		assert_int_equal(gl.bytes, N_WINDOWS * 100 * 80 * 4);
		assert_int_equal(gl.uploads_in_pass, 0);
		assert_int_equal(gl.lists, 1);
		/* Windows with alpha blend with the cleared background. */
		assert_int_equal(gl.draws, N_WINDOWS + 1);
		assert_true(gl.blend_changes <= 2);
		assert_int_equal(gl.redundant, 0);
	}
}

/* A full repaint with several draws invalidates the buffer first. */
static void full_repaint_invalidates_the_buffer(void **state)
{
	struct gl_world *world = *state;
	for (int i = 0; i < 4; i++) {
		forget_counts();
		scene_output_damage_all(world->fixture->server->scene->outputs[0]);
		fixture_frames(world->fixture, 2);
		assert_int_equal(gl.uploads, 0);
		assert_int_equal(gl.lists, 1);
		assert_int_equal(gl.invalidated, 1);
		assert_int_equal(gl.redundant, 0);
		assert_int_equal(gl.scissor[2], 320);
		assert_int_equal(gl.scissor[3], 240);
	}
}

/* Opaque surfaces are drawn without blending, and occlude those below. */
static void opaque_surfaces_are_drawn_alone(void **state)
{
	struct gl_world *world = *state;
	set_opaque(world);
	for (int i = 0; i < N_WINDOWS; i++) {
		peer_window_place(world->windows[i], 0, 0);
	}
	fixture_frames(world->fixture, 2);
	age(world, N_WINDOWS - 1);
	for (int i = 0; i < N_WINDOWS; i++) {
		change(world, i, 0, 0, 100, 80);
	}
	fixture_frames(world->fixture, 2);
	assert_int_equal(gl.uploads, 1);
	assert_int_equal(gl.bytes, 100 * 80 * 4);
	assert_int_equal(gl.draws, 1);
	assert_int_equal(gl.vertices, 6);
	assert_int_equal(gl.blend_changes, 0);
	assert_false(gl.blend);
	assert_int_equal(gl.redundant, 0);
}

/* Without changes there are no GL calls. */
static void idle_output_calls_nothing(void **state)
{
	struct gl_world *world = *state;
	fixture_frames(world->fixture, 60);
	assert_int_equal(gl.draws + gl.uploads + gl.lists + gl.blend_changes, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_change_is_one_upload_and_one_draw),
		TEST(uploads_precede_the_pass),
		TEST(full_repaint_invalidates_the_buffer),
		TEST(opaque_surfaces_are_drawn_alone),
		TEST(idle_output_calls_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
