/* SPDX-License-Identifier: MIT */
/* The headless backend: outputs and input devices created on request. */

#include "headless.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct headless_input {
	struct input_device base;
	struct headless_backend *backend;
	struct wl_list link;
};

static const struct backend_impl backend_impl;

static struct headless_backend *headless_from_base(struct backend *backend)
{
	assert(backend->impl == &backend_impl);
	return wl_container_of(backend, (struct headless_backend *)NULL, base);
}

static bool start(struct backend *base)
{
	struct headless_backend *backend = headless_from_base(base);
	backend->started = true;
	struct headless_output *output;
	wl_list_for_each (output, &backend->outputs, link) {
		signal_emit(&base->events.new_output, &output->base);
	}
	struct headless_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		signal_emit(&base->events.new_input, &input->base);
	}
	return true;
}

static void destroy_input(struct headless_input *input)
{
	wl_list_remove(&input->link);
	input_device_finish(&input->base);
	free(input);
}

static void destroy(struct backend *base)
{
	struct headless_backend *backend = headless_from_base(base);
	struct headless_output *output, *next_output;
	wl_list_for_each_safe (output, next_output, &backend->outputs, link) {
		headless_output_destroy(output);
	}
	struct headless_input *input, *next_input;
	wl_list_for_each_safe (input, next_input, &backend->inputs, link) {
		destroy_input(input);
	}
	backend_finish(base);
	free(backend);
}

static const struct backend_impl backend_impl = {
	.name = "headless",
	.start = start,
	.destroy = destroy,
};

struct backend *headless_backend_create(struct wl_event_loop *loop, struct clock *clock)
{
	struct headless_backend *backend = xcalloc(1, sizeof(*backend));
	backend_init(&backend->base, &backend_impl);
	backend->loop = loop;
	backend->clock = clock;
	wl_list_init(&backend->outputs);
	wl_list_init(&backend->inputs);
	return &backend->base;
}

struct input_device *headless_add_input(
	struct backend *base, enum input_type type, const char *name)
{
	struct headless_backend *backend = headless_from_base(base);
	struct headless_input *input = xcalloc(1, sizeof(*input));
	input_device_init(&input->base, type, name);
	input->backend = backend;
	wl_list_insert(backend->inputs.prev, &input->link);
	if (backend->started) {
		signal_emit(&base->events.new_input, &input->base);
	}
	return &input->base;
}

void headless_remove_input(struct input_device *device)
{
	struct headless_input *input = wl_container_of(device, input, base);
	destroy_input(input);
}
