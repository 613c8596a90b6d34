/* SPDX-License-Identifier: MIT */
/* GL state cache: programs, bindings, and parameters already set. */

#include "render/gles/gles_renderer.h"
#include <GLES2/gl2ext.h>
#include <stdio.h>
#include <string.h>

/* Memory row 0 of a dma-buf is GL's row 0, so nothing is turned upside down. */
static const char vertex_source[] =
	"#version 300 es\n"
	"precision highp float;\n"
	"uniform vec2 scale;\n"
	"uniform vec3 u, v;\n"
	"layout(location = 0) in vec2 position;\n"
	"out vec2 at;\n"
	"void main() {\n"
	"	at = vec2(dot(u, vec3(position, 1.0)), dot(v, vec3(position, 1.0)));\n"
	"	gl_Position = vec4(position * scale - 1.0, 0.0, 1.0);\n"
	"}\n";

/* Format arguments: the extension, the type of the sampler and the coordinates of the lookup. */
static const char texture_source[] = "#version 300 es\n"
				     "%s"
				     "precision highp float;\n"
				     "uniform highp %s image;\n"
				     "uniform vec4 color, limits;\n"
				     "in vec2 at;\n"
				     "out vec4 pixel;\n"
				     "void main() {\n"
				     "	pixel = texture(image, %s) * color;\n"
				     "}\n";

static const char solid_source[] = "#version 300 es\n"
				   "precision highp float;\n"
				   "uniform vec4 color;\n"
				   "out vec4 pixel;\n"
				   "void main() {\n"
				   "	pixel = color;\n"
				   "}\n";

static bool is_external(enum gles_program_kind kind)
{
	return kind == GLES_PROGRAM_EXTERNAL || kind == GLES_PROGRAM_EXTERNAL_CLAMPED ||
	       kind == GLES_PROGRAM_EXTERNAL_SHARP;
}

static GLuint link_program(struct egl *egl, enum gles_program_kind kind)
{
	static const char extension[] = "#extension GL_OES_EGL_image_external_essl3 : require\n";
	if (kind == GLES_PROGRAM_SOLID) {
		return egl_link_program(egl, vertex_source, solid_source);
	}
	const bool external = is_external(kind);
	const char *sampler = external ? "samplerExternalOES" : "sampler2D";
	bool sharp = kind == GLES_PROGRAM_SHARP || kind == GLES_PROGRAM_EXTERNAL_SHARP;
	bool clamped =
		kind == GLES_PROGRAM_TEXTURE_CLAMPED || kind == GLES_PROGRAM_EXTERNAL_CLAMPED;
	char source[4096];
	const int length =
		sharp ? snprintf(source, sizeof(source),
				"#version 300 es\n%sprecision highp float;\n"
				"uniform highp %s image;\n%s",
				external ? extension : "", sampler, gles_sharp_source)
		      : snprintf(source, sizeof(source), texture_source, external ? extension : "",
				sampler, clamped ? "clamp(at, limits.xy, limits.zw)" : "at");
	return length < (int)sizeof(source) ? egl_link_program(egl, vertex_source, source) : 0;
}

struct gles_program *gles_use_program(struct gles_renderer *renderer, enum gles_program_kind kind)
{
	struct gles_program *program = &renderer->programs[kind];
	if (program->id == 0) {
		program->id = link_program(renderer->egl, kind);
		if (program->id == 0) {
			return NULL;
		}
		program->location.scale = glGetUniformLocation(program->id, "scale");
		program->location.u = glGetUniformLocation(program->id, "u");
		program->location.v = glGetUniformLocation(program->id, "v");
		program->location.clamp = glGetUniformLocation(program->id, "limits");
		program->location.color = glGetUniformLocation(program->id, "color");
		program->location.texels = glGetUniformLocation(program->id, "texels");
	}
	if (renderer->state.program != program->id) {
		glUseProgram(program->id);
		renderer->state.program = program->id;
	}
	return program;
}

static bool changed(const struct gles_program *program, GLint location, float *cached,
	const float *value, size_t n)
{
	if (location < 0 || (program->set && memcmp(cached, value, n * sizeof(*value)) == 0)) {
		return false;
	}
	memcpy(cached, value, n * sizeof(*value));
	return true;
}

void gles_set_uniforms(struct gles_program *program, const struct gles_uniforms *uniforms)
{
	struct gles_uniforms *cached = &program->uniforms;
	if (changed(program, program->location.scale, cached->scale, uniforms->scale, 2)) {
		glUniform2fv(program->location.scale, 1, uniforms->scale);
	}
	if (changed(program, program->location.u, cached->u, uniforms->u, 3)) {
		glUniform3fv(program->location.u, 1, uniforms->u);
	}
	if (changed(program, program->location.v, cached->v, uniforms->v, 3)) {
		glUniform3fv(program->location.v, 1, uniforms->v);
	}
	if (changed(program, program->location.clamp, cached->clamp, uniforms->clamp, 4)) {
		glUniform4fv(program->location.clamp, 1, uniforms->clamp);
	}
	if (changed(program, program->location.color, cached->color, uniforms->color, 4)) {
		glUniform4fv(program->location.color, 1, uniforms->color);
	}
	if (changed(program, program->location.texels, cached->texels, uniforms->texels, 4)) {
		glUniform4fv(program->location.texels, 1, uniforms->texels);
	}
	program->set = true;
}

void gles_clear_errors(void)
{
	/* A lost context may report errors without end. */
	for (int i = 0; i < 8 && glGetError() != GL_NO_ERROR; i++) {
	}
}

static GLuint *bound_texture(struct gles_renderer *renderer, GLenum target)
{
	return &renderer->state.texture[target == GL_TEXTURE_EXTERNAL_OES];
}

void gles_bind_texture(struct gles_renderer *renderer, GLenum target, GLuint id)
{
	GLuint *bound = bound_texture(renderer, target);
	if (*bound != id) {
		glBindTexture(target, id);
		*bound = id;
	}
}

void gles_bind_framebuffer(struct gles_renderer *renderer, GLuint id)
{
	if (renderer->state.framebuffer != id) {
		glBindFramebuffer(GL_FRAMEBUFFER, id);
		renderer->state.framebuffer = id;
	}
}

void gles_set_row_length(struct gles_renderer *renderer, GLint pixels)
{
	if (renderer->state.row_length != pixels) {
		glPixelStorei(GL_UNPACK_ROW_LENGTH, pixels);
		renderer->state.row_length = pixels;
	}
}

void gles_image_init(struct gles_renderer *renderer, struct gles_image *image, GLenum target)
{
	*image = (struct gles_image){.target = target, .filter = GL_LINEAR};
	glGenTextures(1, &image->id);
	gles_bind_texture(renderer, target, image->id);
	glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

void gles_image_finish(struct gles_renderer *renderer, struct gles_image *image)
{
	if (image->id == 0) {
		return;
	}
	/* Deleting a texture unbinds it. */
	GLuint *bound = bound_texture(renderer, image->target);
	if (*bound == image->id) {
		*bound = 0;
	}
	glDeleteTextures(1, &image->id);
	*image = (struct gles_image){0};
}

void gles_set_filter(struct gles_renderer *renderer, struct gles_image *image, GLint filter)
{
	if (image->filter != filter) {
		gles_bind_texture(renderer, image->target, image->id);
		glTexParameteri(image->target, GL_TEXTURE_MIN_FILTER, filter);
		glTexParameteri(image->target, GL_TEXTURE_MAG_FILTER, filter);
		image->filter = filter;
	}
}
