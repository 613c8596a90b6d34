/*
 * Tests of the Vulkan engine's ends: what goes while its copies are under way, and a device that is lost. The
 * driver is the one that renders in software; that its queue takes long, or is lost, is put in between.
 */

#include "copy/vulkan/device.h"
#include "copy_picture.h"
#include "gpu/format.h"
#include "harness/await.h"
#include "unit.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define SIDE 64

/* What is between the engine and its driver. */
static struct {
	struct vulkan_device real;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool held; /* nothing that was submitted ends */
	/* What is said of the end of all else, once that has come: it is worked on until then. */
	VkResult lost;
	VkResult refuses; /* the next submission; VK_SUCCESS: none */
	atomic_int n_memory, n_devices; /* that exist */
} driver = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static VkResult get_fence_status(VkDevice device, VkFence fence)
{
	pthread_mutex_lock(&driver.mutex);
	bool held = driver.held;
	VkResult lost = driver.lost;
	pthread_mutex_unlock(&driver.mutex);
	VkResult result = held ? VK_NOT_READY : driver.real.call.GetFenceStatus(device, fence);
	return result == VK_SUCCESS ? lost : result;
}

static VkResult wait_for_fences(
	VkDevice device, uint32_t n, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
	pthread_mutex_lock(&driver.mutex);
	while (driver.held) {
		pthread_cond_wait(&driver.changed, &driver.mutex);
	}
	VkResult lost = driver.lost;
	pthread_mutex_unlock(&driver.mutex);
	VkResult result = driver.real.call.WaitForFences(device, n, fences, all, timeout);
	return result == VK_SUCCESS ? lost : result;
}

static VkResult queue_submit(VkQueue queue, uint32_t n, const VkSubmitInfo *infos, VkFence fence)
{
	VkResult refused = driver.refuses;
	driver.refuses = VK_SUCCESS;
	return refused ? refused : driver.real.call.QueueSubmit(queue, n, infos, fence);
}

static VkResult allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory)
{
	VkResult result = driver.real.call.AllocateMemory(device, info, callbacks, memory);
	driver.n_memory += result == VK_SUCCESS;
	return result;
}

static void free_memory(
	VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks)
{
	driver.n_memory -= memory != VK_NULL_HANDLE;
	driver.real.call.FreeMemory(device, memory, callbacks);
}

static void destroy_device(VkDevice device, const VkAllocationCallbacks *callbacks)
{
	driver.real.call.DestroyDevice(device, callbacks);
	driver.n_devices--;
}

int __real_vulkan_device_init(struct vulkan_device *device, const struct vulkan_options *options);
int __wrap_vulkan_device_init(struct vulkan_device *device, const struct vulkan_options *options);

int __wrap_vulkan_device_init(struct vulkan_device *device, const struct vulkan_options *options)
{
	int error = __real_vulkan_device_init(device, options);
	if (error < 0) {
		return error;
	}
	driver.real = *device;
	device->call.GetFenceStatus = get_fence_status;
	device->call.WaitForFences = wait_for_fences;
	device->call.QueueSubmit = queue_submit;
	device->call.AllocateMemory = allocate_memory;
	device->call.FreeMemory = free_memory;
	device->call.DestroyDevice = destroy_device;
	device->has.make_sync_file = device->has.wait_sync_file = false;
	driver.n_devices++;
	return 0;
}

static void hold(bool held, VkResult lost)
{
	pthread_mutex_lock(&driver.mutex);
	driver.held = held;
	driver.lost = lost;
	pthread_cond_broadcast(&driver.changed);
	pthread_mutex_unlock(&driver.mutex);
}

struct world {
	struct copy_engine *engine; /* NULL: gone */
	struct copy_picture source, destination;
	struct copy_request request;
	pixman_region32_t damage;
};

static void import(struct world *world)
{
	assert_int_equal(copy_engine_import(world->engine, &world->source.dmabuf, COPY_SOURCE,
				 &world->request.source),
		0);
	assert_int_equal(copy_engine_import(world->engine, &world->destination.dmabuf,
				 COPY_DESTINATION, &world->request.destination),
		0);
}

static void drop(struct world *world)
{
	copy_image_drop(world->request.source);
	copy_image_drop(world->request.destination);
}

static int submit(struct world *world)
{
	int fence = -1;
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &fence), 0);
	assert_true(fence >= 0);
	return fence;
}

static void expect_end(int fence, bool good)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};
	assert_int_equal(poll(&poller, 1, -1), 1);
	assert_int_equal(fence_status(fence) > 0, good);
	close(fence);
}

static int set_up(void **state)
{
	static struct world world;
	const struct vulkan_options options = {.queue = VULKAN_QUEUE_ANY};
	world = (struct world){0};
	*state = &world;
	driver.held = false;
	driver.lost = driver.refuses = VK_SUCCESS;
	if (vulkan_engine_create(&options, &world.engine) < 0) {
		return 0;
	}
	copy_picture_init_linear(&world.source, DRM_FORMAT_XRGB8888, SIDE, SIDE, 4);
	copy_picture_init_linear(&world.destination, DRM_FORMAT_XRGB8888, SIDE, SIDE, 4);
	pixman_region32_init_rect(&world.damage, 0, 0, SIDE, SIDE);
	world.request = (struct copy_request){.damage = &world.damage, .wait_fd = -1};
	import(&world);
	assert_true(atomic_load(&driver.n_memory) > 0);
	return 0;
}

static struct world *begin(void **state)
{
	struct world *world = *state;
	if (!world->engine) {
		print_message("skip: there is no Vulkan driver that renders in software\n");
		skip();
	}
	return world;
}

/* Whatever became of the engine, nothing of it is left. */
static int tear_down(void **state)
{
	struct world *world = *state;
	if (!world->source.map) {
		return 0;
	}
	hold(false, driver.lost);
	copy_engine_destroy(world->engine);
	await(atomic_load(&driver.n_devices) == 0, );
	assert_int_equal(atomic_load(&driver.n_memory), 0);
	copy_picture_finish(&world->source);
	copy_picture_finish(&world->destination);
	pixman_region32_fini(&world->damage);
	return 0;
}

/* What is dropped while a copy uses it is freed after that, and not before. */
static void test_dropped_in_flight(void **state)
{
	struct world *world = begin(state);
	int held = atomic_load(&driver.n_memory);
	hold(true, VK_SUCCESS);
	int fence = submit(world);
	drop(world);
	assert_int_equal(copy_engine_reap(world->engine, 0), 1);
	assert_int_equal(atomic_load(&driver.n_memory), held);
	hold(false, VK_SUCCESS);
	expect_end(fence, true);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	assert_int_equal(atomic_load(&driver.n_memory), 0);
	assert_true(wl_list_empty(&world->engine->images));
}

/* The engine goes before its copy has ended: device and memory stay until then. */
static void test_gone_in_flight(void **state)
{
	struct world *world = begin(state);
	int held = atomic_load(&driver.n_memory);
	hold(true, VK_SUCCESS);
	int fence = submit(world);
	drop(world);
	copy_engine_destroy(world->engine);
	world->engine = NULL;
	assert_int_equal(atomic_load(&driver.n_memory), held);
	assert_int_equal(atomic_load(&driver.n_devices), 1);
	assert_int_equal(fence_status(fence), 0);
	hold(false, VK_SUCCESS);
	expect_end(fence, true);
}

/* As many as it takes are refused only for now. */
static void test_busy(void **state)
{
	struct world *world = begin(state);
	int fences[COPY_JOBS_MAX], n = 0, error;
	hold(true, VK_SUCCESS);
	while ((error = copy_engine_submit(world->engine, &world->request, &fences[n])) == 0) {
		assert_true(++n < COPY_JOBS_MAX);
	}
	assert_int_equal(error, -EBUSY);
	assert_int_equal(copy_engine_reap(world->engine, 0), n);
	hold(false, VK_SUCCESS);
	for (int i = 0; i < n; i++) {
		expect_end(fences[i], true);
	}
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	/* The thread that told of the last one may not be done with it. */
	await((error = copy_engine_submit(world->engine, &world->request, &fences[0])) != -EBUSY, );
	assert_int_equal(error, 0);
	expect_end(fences[0], true);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

/* Lost under a copy: that has failed, and the engine with it. */
static void test_lost(void **state)
{
	struct world *world = begin(state);
	hold(true, VK_SUCCESS);
	int first = submit(world), second = submit(world);
	hold(false, VK_ERROR_DEVICE_LOST);
	expect_end(first, false);
	expect_end(second, false);
	assert_int_equal(copy_engine_reap(world->engine, 0), -ENODEV);
	assert_true(world->engine->lost && world->engine->reset);
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &first), -ENODEV);
	drop(world);
}

/* Lost before: the copy is not begun. */
static void test_lost_at_submission(void **state)
{
	struct world *world = begin(state);
	int fence;
	driver.refuses = VK_ERROR_DEVICE_LOST;
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &fence), -ENODEV);
	assert_int_equal(fence, -1);
	assert_true(world->engine->lost);
	assert_int_equal(world->engine->n_jobs, 0);
	drop(world);
}

/* A passing want is the end of nothing. */
static void test_refused_submission(void **state)
{
	struct world *world = begin(state);
	int fence;
	expect_end(submit(world), true);
	driver.refuses = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &fence), -ENOMEM);
	assert_false(world->engine->lost);
	copy_picture_scramble(&world->source);
	expect_end(submit(world), true);
	assert_memory_equal(world->source.map + world->source.dmabuf.offset[0],
		world->destination.map + world->destination.dmabuf.offset[0], SIDE * 4);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dropped_in_flight),
		TEST(test_gone_in_flight),
		TEST(test_busy),
		TEST(test_lost),
		TEST(test_lost_at_submission),
		TEST(test_refused_submission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
