/* SPDX-License-Identifier: MIT */
/*
 * Cost of the routes of content/route.c on a GPU: passes that read a texture and write a target in
 * the GPU's memory, and uploads of damage from system memory. Uses an EGL device, so that it runs
 * without a DRM node. Prints medians of nine in microseconds, and the resulting bytes per ns.
 */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 9
#define REPEATS 32

static const char vertex_source[] = "#version 300 es\n"
				    "out vec2 at;\n"
				    "void main() {\n"
				    "	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
				    "	at = corner;\n"
				    "	gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);\n"
				    "}\n";

static const char fragment_source[] = "#version 300 es\n"
				      "precision highp float;\n"
				      "uniform sampler2D image;\n"
				      "in vec2 at;\n"
				      "out vec4 pixel;\n"
				      "void main() {\n"
				      "	pixel = texture(image, at);\n"
				      "}\n";

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return first < second ? -1 : first > second;
}

static EGLDisplay find_display(void)
{
	PFNEGLQUERYDEVICESEXTPROC query =
		(PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
	PFNEGLGETPLATFORMDISPLAYEXTPROC get =
		(PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
	EGLDeviceEXT devices[16];
	EGLint n = 0;
	if (query && get && query(16, devices, &n)) {
		for (EGLint i = 0; i < n; i++) {
			EGLDisplay display = get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
			if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) {
				return display;
			}
		}
	}
	return EGL_NO_DISPLAY;
}

static int start(void)
{
	static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
	EGLDisplay display = find_display();
	EGLContext context;
	if (display == EGL_NO_DISPLAY || !eglBindAPI(EGL_OPENGL_ES_API)) {
		return -1;
	}
	context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
	if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
		return -1;
	}
	printf("%s, %s\n", (const char *)glGetString(GL_RENDERER),
		(const char *)glGetString(GL_VERSION));
	return 0;
}

static GLuint compile(GLenum kind, const char *source)
{
	GLuint shader = glCreateShader(kind);
	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	return shader;
}

static void use_program(void)
{
	GLuint program = glCreateProgram();
	glAttachShader(program, compile(GL_VERTEX_SHADER, vertex_source));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment_source));
	glLinkProgram(program);
	glUseProgram(program);
}

static GLuint create_texture(int width, int height)
{
	GLuint texture;
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return texture;
}

struct job {
	int width, height;
	GLuint source, framebuffer;
	uint8_t *pixels;
};

static void draw(const struct job *job)
{
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void upload(const struct job *job)
{
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, job->width, job->height, GL_RGBA, GL_UNSIGNED_BYTE,
		job->pixels);
}

/* Average over many in sequence; `each`: with a wait after each one. */
static double measure(const struct job *job, void (*work)(const struct job *job), int each)
{
	double times[ROUNDS];
	for (int round = 0; round < ROUNDS; round++) {
		glFinish();
		double begun = now_us();
		for (int i = 0; i < REPEATS; i++) {
			work(job);
			if (each) {
				glFinish();
			}
		}
		glFinish();
		times[round] = (now_us() - begun) / REPEATS;
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare);
	return times[ROUNDS / 2];
}

static void run(int width, int height)
{
	struct job job = {.width = width, .height = height};
	double bytes = (double)width * height * 4;
	job.pixels = calloc((size_t)width * (size_t)height, 4);
	GLuint target = create_texture(width, height);
	job.source = create_texture(width, height);
	glGenFramebuffers(1, &job.framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, job.framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
	glViewport(0, 0, width, height);
	glBindTexture(GL_TEXTURE_2D, job.source);
	upload(&job);
	draw(&job);
	double drawn = measure(&job, draw, 0), waited = measure(&job, draw, 1);
	double uploaded = measure(&job, upload, 0), sent = measure(&job, upload, 1);
	printf("%4dx%-4d draw %9.2f us (%6.1f bytes/ns), waited for %9.2f us; upload %9.2f us "
	       "(%5.2f bytes/ns), waited for %9.2f us\n",
		width, height, drawn, 2 * bytes / drawn / 1e3, waited, uploaded,
		bytes / uploaded / 1e3, sent);
	glDeleteFramebuffers(1, &job.framebuffer);
	glDeleteTextures(1, &target);
	glDeleteTextures(1, &job.source);
	free(job.pixels);
}

int main(void)
{
	static const int sizes[][2] = {{64, 64}, {256, 256}, {512, 512}, {1024, 1024}, {1920, 1080},
		{2560, 1440}, {3840, 2160}};
	if (start() < 0) {
		fprintf(stderr, "route-costs: no EGL device can render\n");
		return 77;
	}
	use_program();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		run(sizes[i][0], sizes[i][1]);
	}
	return glGetError() == GL_NO_ERROR ? 0 : 1;
}
