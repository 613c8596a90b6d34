/* SPDX-License-Identifier: MIT */
/* Requests for text: a thread draws them one by one. */

#include "render/text.h"
#include "text_draw.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct text_request {
	struct text *text;
	struct wl_list link; /* text.requests */
	struct text_style style;
	char *string, *font;
	void (*done)(void *data, pixman_image_t *image); /* NULL: cancelled */
	void *data;
	pixman_image_t *image; /* result of the thread */
};

struct text {
	struct wl_event_loop *loop;
	struct wl_list requests; /* the first one is drawn while `running` */
	struct text_library *library; /* the thread's while it runs; NULL: not opened yet */
	pthread_t thread;
	bool running;
	bool warned; /* that this build draws no text */
	int fd; /* an eventfd: the thread has ended its work */
	struct wl_event_source *source;
};

#ifdef CAUSEWAY_FCFT

bool text_is_built(void)
{
	return true;
}

static void *run(void *data)
{
	struct text *text = data;
	struct text_request *request = wl_container_of(text->requests.next, request, link);
	if (!text->library) {
		text->library = text_library_open();
	}
	request->image = text_library_draw(text->library, &request->style, request->string);
	eventfd_write(text->fd, 1);
	return NULL;
}

static void close_library(struct text *text)
{
	if (text->library) {
		text_library_close(text->library);
	}
}

#else

bool text_is_built(void)
{
	return false;
}

static void *run(void *data)
{
	return NULL;
}

static void close_library(struct text *text)
{
}

#endif

static void request_destroy(struct text_request *request)
{
	wl_list_remove(&request->link);
	if (request->image) {
		pixman_image_unref(request->image);
	}
	free(request->string);
	free(request->font);
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
	close_library(text);
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
	if (!text->warned) {
		log_warn("cannot draw text: Causeway was built without fcft");
	}
	text->warned = true;
	return NULL;
#endif
	if (!watch_thread(text)) {
		return NULL;
	}
	struct text_request *request = xcalloc(1, sizeof(*request));
	request->text = text;
	request->style = *style;
	request->string = xstrdup(string);
	request->font = style->font ? xstrdup(style->font) : NULL;
	request->style.font = request->font;
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
