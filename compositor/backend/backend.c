/* SPDX-License-Identifier: MIT */
/* Common part of all backends: signals and destruction. */

#include "backend/backend.h"
#include <assert.h>

void backend_init(struct backend *backend, const struct backend_impl *impl)
{
	assert(impl->name && impl->start && impl->destroy);
	*backend = (struct backend){.impl = impl};
	signals_init(&backend->events, sizeof(backend->events));
}

void backend_finish(struct backend *backend)
{
	signal_emit(&backend->events.destroy, backend);
	assert(signals_are_unused(&backend->events, sizeof(backend->events)));
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
