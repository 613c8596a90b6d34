/* SPDX-License-Identifier: MIT */
/*
 * Text drawing with fcft. The library is loaded at the first request instead of linked: it brings
 * fontconfig, FreeType and HarfBuzz, which are useless to a session without messages.
 */

#include "render/text.h"
#include "text_layout.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#ifdef CAUSEWAY_FCFT
#include <fcft/fcft.h>
#endif

struct text_request {
	struct text *text;
	struct wl_list link; /* text.requests */
	struct text_style style;
	char *string;
	void (*done)(void *data, pixman_image_t *image); /* NULL: cancelled */
	void *data;
	pixman_image_t *image; /* result of the thread */
};

struct library; /* owned by the thread while it runs */

struct text {
	struct wl_event_loop *loop;
	struct wl_list requests; /* the first one is drawn while `running` */
	struct library *library; /* NULL: not opened yet */
	pthread_t thread;
	bool running;
	int fd; /* an eventfd: the thread has ended its work */
	struct wl_event_source *source;
};

#ifdef CAUSEWAY_FCFT

struct library {
	void *handle;
	__typeof__(fcft_init) *init;
	__typeof__(fcft_fini) *fini;
	__typeof__(fcft_from_name) *from_name;
	__typeof__(fcft_destroy) *destroy;
	__typeof__(fcft_rasterize_char_utf32) *rasterize;
};

static void library_close(struct library *library)
{
	if (library->handle) {
		if (library->fini) {
			library->fini();
		}
		dlclose(library->handle);
	}
	free(library);
}

static bool find(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);
	*(void **)function = symbol;
	return symbol;
}

/* Returns a library without a handle if it cannot be opened, so that this is tried only once. */
static struct library *library_open(void)
{
	struct library *library = xcalloc(1, sizeof(*library));
	library->handle = dlopen("libfcft.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library->handle) {
		log_warn("cannot draw text: %s", dlerror());
		return library;
	}
	if (!find(library->handle, "fcft_init", &library->init) ||
		!find(library->handle, "fcft_from_name", &library->from_name) ||
		!find(library->handle, "fcft_destroy", &library->destroy) ||
		!find(library->handle, "fcft_rasterize_char_utf32", &library->rasterize) ||
		!library->init(FCFT_LOG_COLORIZE_NEVER, false, FCFT_LOG_CLASS_NONE)) {
		log_warn("cannot draw text: libfcft.so.4 has an unknown interface");
		dlclose(library->handle);
		library->handle = NULL;
		return library;
	}
	find(library->handle, "fcft_fini", &library->fini);
	return library;
}

static void draw_glyph(
	pixman_image_t *image, pixman_image_t *color, const struct fcft_glyph *glyph, int x, int y)
{
	bool colored = pixman_image_get_format(glyph->pix) == PIXMAN_a8r8g8b8;
	pixman_image_composite32(PIXMAN_OP_OVER, colored ? glyph->pix : color,
		colored ? NULL : glyph->pix, image, 0, 0, 0, 0, x + glyph->x, y - glyph->y,
		glyph->width, glyph->height);
}

static pixman_image_t *draw_lines(const struct fcft_font *font, uint32_t rgb,
	const struct fcft_glyph *const *glyphs, const struct text_line *lines, size_t n_lines,
	const struct fcft_glyph *ellipsis)
{
	int width = 1;
	for (size_t i = 0; i < n_lines; i++) {
		int extra = lines[i].ellipsis && ellipsis ? ellipsis->advance.x : 0;
		width = lines[i].width + extra > width ? lines[i].width + extra : width;
	}
	pixman_image_t *image = pixman_image_create_bits(
		PIXMAN_a8r8g8b8, width, font->height * (int)n_lines, NULL, 0);
	pixman_color_t value = {
		.red = (uint16_t)((rgb >> 16 & 0xff) * 0x101),
		.green = (uint16_t)((rgb >> 8 & 0xff) * 0x101),
		.blue = (uint16_t)((rgb & 0xff) * 0x101),
		.alpha = 0xffff,
	};
	pixman_image_t *color = image ? pixman_image_create_solid_fill(&value) : NULL;
	for (size_t i = 0; color && i < n_lines; i++) {
		int x = 0, y = font->height * (int)i + font->ascent;
		for (size_t at = lines[i].start; at < lines[i].end; at++) {
			if (glyphs[at]) {
				draw_glyph(image, color, glyphs[at], x, y);
				x += glyphs[at]->advance.x;
			}
		}
		if (lines[i].ellipsis && ellipsis) {
			draw_glyph(image, color, ellipsis, x, y);
		}
	}
	if (color) {
		pixman_image_unref(color);
	}
	return image;
}

struct paragraph {
	uint32_t codepoints[TEXT_MAX_CODEPOINTS];
	const struct fcft_glyph *glyphs[TEXT_MAX_CODEPOINTS];
	int advances[TEXT_MAX_CODEPOINTS];
	struct text_line lines[TEXT_MAX_LINES];
};

static pixman_image_t *draw(
	const struct library *library, const struct text_style *style, const char *string)
{
	char attributes[32];
	const char *names[] = {"sans-serif"};
	snprintf(attributes, sizeof(attributes), "pixelsize=%d", style->size);
	struct fcft_font *font = library->from_name(1, names, attributes);
	if (!font) {
		log_warn("cannot draw text: no font is installed");
		return NULL;
	}
	struct paragraph *self = xcalloc(1, sizeof(*self));
	size_t n = text_decode(string, self->codepoints, TEXT_MAX_CODEPOINTS);
	for (size_t i = 0; i < n; i++) {
		self->glyphs[i] =
			self->codepoints[i] == '\n'
				? NULL
				: library->rasterize(font, self->codepoints[i], FCFT_SUBPIXEL_NONE);
		self->advances[i] = self->glyphs[i] ? self->glyphs[i]->advance.x : 0;
	}
	const struct fcft_glyph *ellipsis = library->rasterize(font, 0x2026, FCFT_SUBPIXEL_NONE);
	size_t most = style->max_lines < TEXT_MAX_LINES ? (size_t)style->max_lines : TEXT_MAX_LINES;
	size_t n_lines = text_break(self->codepoints, self->advances, n, style->max_width,
		ellipsis ? ellipsis->advance.x : 0, most, self->lines);
	pixman_image_t *image = n_lines == 0 ? NULL
					     : draw_lines(font, style->color, self->glyphs,
						       self->lines, n_lines, ellipsis);
	free(self);
	library->destroy(font);
	return image;
}

static void *run(void *data)
{
	struct text *text = data;
	struct text_request *request = wl_container_of(text->requests.next, request, link);
	if (!text->library) {
		text->library = library_open();
	}
	if (text->library->handle) {
		request->image = draw(text->library, &request->style, request->string);
	}
	eventfd_write(text->fd, 1);
	return NULL;
}

#else

static void library_close(struct library *library)
{
}

static void *run(void *data)
{
	return NULL;
}

#endif

static void request_destroy(struct text_request *request)
{
	wl_list_remove(&request->link);
	if (request->image) {
		pixman_image_unref(request->image);
	}
	free(request->string);
	free(request);
}

static void start_next(struct text *text)
{
	while (!text->running && !wl_list_empty(&text->requests)) {
		struct text_request *request = wl_container_of(text->requests.next, request, link);
		text->running = thread_start(&text->thread, run, text);
		if (text->running) {
			return;
		}
		void (*done)(void *, pixman_image_t *) = request->done;
		void *data = request->data;
		request_destroy(request);
		if (done) {
			done(data, NULL);
		}
	}
}

static int handle_done(int fd, uint32_t mask, void *data)
{
	struct text *text = data;
	struct text_request *request = wl_container_of(text->requests.next, request, link);
	eventfd_t count;
	if (!text->running || eventfd_read(fd, &count) != 0) {
		return 0;
	}
	pthread_join(text->thread, NULL);
	text->running = false;
	pixman_image_t *image = request->image;
	void (*done)(void *, pixman_image_t *) = request->done;
	void *done_data = request->data;
	request->image = NULL;
	request_destroy(request);
	if (done) {
		done(done_data, image);
	} else if (image) {
		pixman_image_unref(image);
	}
	start_next(text);
	return 0;
}

struct text *text_create(struct wl_event_loop *loop)
{
	struct text *text = xcalloc(1, sizeof(*text));
	text->loop = loop;
	text->fd = -1;
	wl_list_init(&text->requests);
	return text;
}

void text_destroy(struct text *text)
{
	if (!text) {
		return;
	}
	if (text->running) {
		pthread_join(text->thread, NULL);
	}
	struct text_request *request, *next;
	wl_list_for_each_safe (request, next, &text->requests, link) {
		request_destroy(request);
	}
	if (text->source) {
		wl_event_source_remove(text->source);
		close(text->fd);
	}
	if (text->library) {
		library_close(text->library);
	}
	free(text);
}

bool text_is_busy(const struct text *text)
{
	return text && text->running;
}

static bool watch_thread(struct text *text)
{
	if (text->source) {
		return true;
	}
	text->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (text->fd >= 0) {
		text->source = wl_event_loop_add_fd(
			text->loop, text->fd, WL_EVENT_READABLE, handle_done, text);
	}
	if (text->fd >= 0 && !text->source) {
		close(text->fd);
	}
	return text->source;
}

struct text_request *text_draw(struct text *text, const struct text_style *style,
	const char *string, void (*done)(void *data, pixman_image_t *image), void *data)
{
#ifndef CAUSEWAY_FCFT
	return NULL;
#endif
	if (!watch_thread(text)) {
		return NULL;
	}
	struct text_request *request = xcalloc(1, sizeof(*request));
	request->text = text;
	request->style = *style;
	request->string = xstrdup(string);
	request->done = done;
	request->data = data;
	wl_list_insert(text->requests.prev, &request->link);
	if (!text->running) {
		text->running = thread_start(&text->thread, run, text);
	}
	if (!text->running) {
		request_destroy(request);
		return NULL;
	}
	return request;
}

void text_cancel(struct text_request *request)
{
	if (!request) {
		return;
	}
	request->done = NULL;
	if (!request->text->running || request->text->requests.next != &request->link) {
		request_destroy(request);
	}
}
