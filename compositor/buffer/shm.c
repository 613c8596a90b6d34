/* SPDX-License-Identifier: MIT */
/* Shared-memory pools of clients, and the buffers in them. */

#include "buffer/shm.h"
#include "gpu/format.h"
#include "sigbus.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/** Charged for a pool. */
#define POOL_BYTES 512

/*
 * A mapping of the pool's file. A resize replaces it; accesses in progress keep the old one. The
 * count is not atomic: an atomic operation would wait until all preceding stores have left the
 * core.
 */
struct mapping {
	struct sigbus_range range;
	int n_refs; /* the pool's and one of each access */
	bool writable;
};

struct shm_pool {
	int n_refs;
	int fd; /* -1: pending */
	int32_t size;
	struct mapping *mapping;
	struct account *account; /* NULL: none */
	/*
	 * Initial storage of `mapping`, until a resize needs another. An access holds a buffer,
	 * which holds the pool.
	 */
	struct mapping first;
	struct wl_signal opened; /* the pool is no longer pending */
};

struct shm_buffer {
	struct buffer base;
	struct shm_pool *pool;
	int32_t offset, stride;
	atomic_bool fault;
};

/* Returns false with errno set on failure. */
static bool map(struct mapping *mapping, int fd, int seals, int32_t bytes)
{
	bool writable = true;
	size_t page = fd_page_size(fd), size = fd_whole_pages((size_t)bytes, page);
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED && (errno == EACCES || errno == EPERM)) {
		/* The client's descriptor is read-only. */
		writable = false;
		base = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (base == MAP_FAILED && errno == EPERM) {
		/* Before Linux 6.7, files sealed against writing have no shared mappings. */
		base = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (base == MAP_FAILED) {
		return false;
	}
	mapping->range.base = base;
	mapping->range.size = size;
	mapping->range.page = page;
	mapping->range.guaranteed = fd_seals_keep(fd, seals, bytes);
	atomic_init(&mapping->range.missing_from, SIZE_MAX);
	mapping->n_refs = 1;
	mapping->writable = writable;
	return true;
}

static void unref_mapping(struct shm_pool *pool, struct mapping *mapping)
{
	if (--mapping->n_refs == 0) {
		munmap(mapping->range.base, mapping->range.size);
		account_uncharge(pool->account, ACCOUNT_MAPPINGS, 1);
		if (mapping != &pool->first) {
			free(mapping);
		}
	}
}

static void replace_mapping(struct shm_pool *pool, struct mapping *mapping)
{
	account_charge(pool->account, ACCOUNT_MAPPINGS, 1);
	unref_mapping(pool, pool->mapping);
	pool->mapping = mapping;
}

/*
 * Maps zeros, so that accesses need no special case for a pending pool. Returns false with errno
 * set.
 */
static bool map_zeros(struct mapping *mapping, int32_t size)
{
	void *base = mmap(
		NULL, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		return false;
	}
	mapping->range.base = base;
	mapping->range.size = (size_t)size;
	mapping->range.guaranteed = true;
	atomic_init(&mapping->range.missing_from, SIZE_MAX);
	mapping->n_refs = 1;
	return true;
}

struct shm_pool *shm_pool_create(int fd, int32_t size)
{
	struct shm_pool *pool = xcalloc(1, sizeof(*pool));
	int seals = fcntl(fd, F_GET_SEALS);
	int error;
	errno = EINVAL;
	if (size <= 0 || seals < 0 || !map(&pool->first, fd, seals, size)) {
		error = errno;
		fd_close(&fd);
		free(pool);
		errno = error;
		return NULL;
	}
	pool->n_refs = 1;
	pool->fd = fd;
	wl_signal_init(&pool->opened);
	pool->size = size;
	pool->mapping = &pool->first;
	return pool;
}

struct shm_pool *shm_pool_create_pending(int32_t size)
{
	struct shm_pool *pool = xcalloc(1, sizeof(*pool));
	if (!map_zeros(&pool->first, size)) {
		int error = errno;
		free(pool);
		errno = error;
		return NULL;
	}
	pool->n_refs = 1;
	pool->fd = -1;
	wl_signal_init(&pool->opened);
	pool->size = size;
	pool->mapping = &pool->first;
	return pool;
}

int shm_pool_open(struct shm_pool *pool, int fd)
{
	struct mapping *mapping = xcalloc(1, sizeof(*mapping));
	assert(pool->fd < 0);
	if (!map(mapping, fd, fcntl(fd, F_GET_SEALS), pool->size)) {
		int error = errno;
		free(mapping);
		return -error;
	}
	replace_mapping(pool, mapping);
	pool->fd = fd;
	signal_emit(&pool->opened, NULL);
	return 0;
}

void shm_pool_charge(struct shm_pool *pool, struct account *account)
{
	assert(!pool->account);
	pool->account = account_ref(account);
	account_charge(account, ACCOUNT_BYTES, POOL_BYTES);
	account_charge(account, ACCOUNT_DESCRIPTORS, 1);
	account_charge(account, ACCOUNT_MAPPINGS, 1);
}

struct shm_pool *shm_pool_ref(struct shm_pool *pool)
{
	pool->n_refs++;
	return pool;
}

void shm_pool_unref(struct shm_pool *pool)
{
	if (!pool) {
		return;
	}
	assert(pool->n_refs > 0);
	pool->n_refs--;
	if (pool->n_refs == 0) {
		unref_mapping(pool, pool->mapping);
		fd_close(&pool->fd);
		account_uncharge(pool->account, ACCOUNT_DESCRIPTORS, 1);
		account_uncharge(pool->account, ACCOUNT_BYTES, POOL_BYTES);
		account_unref(pool->account);
		free(pool);
	}
}

int shm_pool_resize(struct shm_pool *pool, int32_t size)
{
	struct mapping *mapping = pool->mapping;
	int error;
	if (size < pool->size) {
		return -EINVAL;
	}
	if (size == pool->size) {
		return 0;
	}
	/*
	 * An unused mapping without holes can be moved, which keeps its pages. The kernel cannot
	 * grow mappings of huge pages.
	 */
	if (pool->fd < 0) {
		mapping = xcalloc(1, sizeof(*mapping));
		if (!map_zeros(mapping, size)) {
			error = errno;
			free(mapping);
			return -error;
		}
		replace_mapping(pool, mapping);
	} else if (mapping->n_refs == 1 && mapping->range.missing_from == SIZE_MAX &&
		   mapping->range.page <= (size_t)getpagesize()) {
		void *base = mremap(mapping->range.base, mapping->range.size,
			fd_whole_pages((size_t)size, mapping->range.page), MREMAP_MAYMOVE);
		if (base == MAP_FAILED) {
			return -errno;
		}
		mapping->range.base = base;
		mapping->range.size = fd_whole_pages((size_t)size, mapping->range.page);
		mapping->range.guaranteed = fd_cannot_shrink_below(pool->fd, size);
	} else {
		mapping = xcalloc(1, sizeof(*mapping));
		if (!map(mapping, pool->fd, fcntl(pool->fd, F_GET_SEALS), size)) {
			error = errno;
			free(mapping);
			return -error;
		}
		replace_mapping(pool, mapping);
	}
	pool->size = size;
	return 0;
}

int32_t shm_pool_size(const struct shm_pool *pool)
{
	return pool->size;
}

static const struct buffer_impl impl;

static struct shm_buffer *shm_from_buffer(struct buffer *buffer)
{
	assert(buffer->impl == &impl);
	struct shm_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy(struct buffer *buffer)
{
	struct shm_buffer *shm = shm_from_buffer(buffer);
	buffer_finish(buffer);
	shm_pool_unref(shm->pool);
	free(shm);
}

/* Returns true if the ending access found all memory of the buffer. */
static bool was_whole(struct shm_buffer *shm, const struct sigbus_range *range)
{
	const struct pixel_format *format = pixel_format_get(shm->base.format);
	size_t size = (size_t)pixel_format_size(format, (size_t)shm->stride, shm->base.height);
	size_t end = (size_t)shm->offset + size;
	bool whole = end <= atomic_load(&range->missing_from);
	if (!whole) {
		atomic_store(&shm->fault, true);
		sigbus_count_failed();
	}
	return whole;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct shm_buffer *shm = shm_from_buffer(buffer);
	struct mapping *mapping = shm->pool->mapping;
	if ((access & BUFFER_WRITE) && !mapping->writable) {
		return -EACCES;
	}
	if (!sigbus_begin(buffer, &mapping->range)) {
		return -EBUSY;
	}
	mapping->n_refs++;
	*data = (char *)mapping->range.base + shm->offset;
	*stride = (size_t)shm->stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	struct shm_buffer *shm = shm_from_buffer(buffer);
	struct sigbus_range *range = sigbus_end(buffer);
	struct mapping *mapping = wl_container_of(range, mapping, range);
	bool whole = was_whole(shm, range);
	unref_mapping(shm->pool, mapping);
	return whole;
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.begin_access = begin_access,
	.end_access = end_access,
};

const char *shm_buffer_check(const struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format)
{
	const struct pixel_format *info = pixel_format_get(format);
	if (!info) {
		return "unknown format";
	}
	if (width <= 0 || height <= 0) {
		return "width and height must be positive";
	}
	if (width > INT32_MAX / 16 || stride < pixel_format_min_stride(info, 0, width)) {
		return "the stride is shorter than a row";
	}
	if (offset < 0) {
		return "the offset is negative";
	}
	for (int i = 1; i < info->n_planes; i++) {
		if ((int32_t)pixel_format_plane_stride(info, i, (size_t)stride) <
			pixel_format_min_stride(info, i, width)) {
			return "the stride is too short for a row of chroma";
		}
	}
	if (pixel_format_size(info, (size_t)stride, height) > (int64_t)pool->size - offset) {
		return "the buffer exceeds its pool";
	}
	return NULL;
}

struct buffer *shm_buffer_create(struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format)
{
	struct shm_buffer *shm = xcalloc(1, sizeof(*shm));
	assert(offset >= 0 && width > 0 && height > 0 && stride > 0);
	buffer_init(&shm->base, &impl, width, height, format);
	shm->pool = shm_pool_ref(pool);
	shm->offset = offset;
	shm->stride = stride;
	return &shm->base;
}

int shm_buffer_place(struct buffer *buffer, int32_t *offset, int32_t *stride)
{
	struct shm_buffer *shm = shm_from_buffer(buffer);
	*offset = shm->offset;
	*stride = shm->stride;
	return shm->pool->fd;
}

struct wl_signal *buffer_known_signal(struct buffer *buffer)
{
	if (buffer_is_shm(buffer)) {
		struct shm_pool *pool = shm_from_buffer(buffer)->pool;
		return pool->fd < 0 ? &pool->opened : NULL;
	}
	return buffer->pending ? &buffer->events.known : NULL;
}

struct shm_hold {
	struct shm_buffer *shm;
	struct mapping *mapping;
};

struct shm_hold *shm_buffer_hold(struct buffer *buffer, const void **data, size_t *stride)
{
	struct shm_hold *hold = xcalloc(1, sizeof(*hold));
	hold->shm = shm_from_buffer(buffer);
	hold->mapping = hold->shm->pool->mapping;
	hold->mapping->n_refs++;
	*data = (const char *)hold->mapping->range.base + hold->shm->offset;
	*stride = (size_t)hold->shm->stride;
	return hold;
}

bool shm_hold_begin(struct shm_hold *hold)
{
	return sigbus_begin(hold, &hold->mapping->range);
}

bool shm_hold_end(struct shm_hold *hold)
{
	return was_whole(hold->shm, sigbus_end(hold));
}

void shm_hold_release(struct shm_hold *hold)
{
	if (hold) {
		unref_mapping(hold->shm->pool, hold->mapping);
		free(hold);
	}
}

bool buffer_is_shm(const struct buffer *buffer)
{
	return buffer->impl == &impl;
}

bool shm_buffer_take_fault(struct buffer *buffer)
{
	atomic_bool *fault = &shm_from_buffer(buffer)->fault;
	return atomic_load(fault) && atomic_exchange(fault, false);
}

unsigned shm_n_faults(void)
{
	return sigbus_n_failed();
}
