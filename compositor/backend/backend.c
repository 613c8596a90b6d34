/* SPDX-License-Identifier: MIT */
/* Common part of all backends: signals and destruction. */

#include "backend/backend.h"
#include <assert.h>

void backend_init(struct backend *backend, const struct backend_impl *impl)
{
	assert(impl->name && impl->start && impl->destroy);
	*backend = (struct backend){.impl = impl};
	wl_signal_init(&backend->events.new_output);
	wl_signal_init(&backend->events.new_input);
	wl_signal_init(&backend->events.ended);
	wl_signal_init(&backend->events.destroy);
}

void backend_finish(struct backend *backend)
{
	signal_emit(&backend->events.destroy, backend);
	assert(wl_list_empty(&backend->events.new_output.listener_list));
	assert(wl_list_empty(&backend->events.new_input.listener_list));
	assert(wl_list_empty(&backend->events.ended.listener_list));
	assert(wl_list_empty(&backend->events.destroy.listener_list));
}

bool backend_start(struct backend *backend)
{
	return backend->impl->start(backend);
}

void backend_destroy(struct backend *backend)
{
	if (backend) {
		backend->impl->destroy(backend);
	}
}
