/* SPDX-License-Identifier: MIT */
/*
 * Vulkan copy queues: images and engines destroyed during copies, and lost devices. Functions of
 * the software driver are replaced to delay completion and to fail.
 */

#include "copy/vulkan/queue.h"
#include "copy/vulkan/device.h"
#include "gpu/format.h"
#include "harness/await.h"
#include "harness/mapped_dmabuf.h"
#include "harness/unit.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define SIDE 64

/* State of the replaced driver functions. */
static struct {
	struct vulkan_device real;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool held; /* submissions do not complete */
	/* Result of fences that have completed; VK_SUCCESS: no failure. */
	VkResult lost;
	VkResult refuses; /* result of the next submission; VK_SUCCESS: submits it */
	atomic_int n_memory, n_devices; /* allocated now */
	int n_recorded; /* command buffers so far */
	int n_ordered; /* barriers that the copies of the last one wait for */
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

static VkResult begin_commands(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
	driver.n_recorded++;
	driver.n_ordered = 0;
	return driver.real.call.BeginCommandBuffer(commands, info);
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
	VkPipelineStageFlags after, VkDependencyFlags flags, uint32_t n_memory,
	const VkMemoryBarrier *memory, uint32_t n_buffers, const VkBufferMemoryBarrier *buffers,
	uint32_t n_images, const VkImageMemoryBarrier *images)
{
	driver.n_ordered += after == VK_PIPELINE_STAGE_TRANSFER_BIT && n_memory > 0 &&
			    memory->srcAccessMask == VK_ACCESS_TRANSFER_WRITE_BIT;
	driver.real.call.CmdPipelineBarrier(commands, before, after, flags, n_memory, memory,
		n_buffers, buffers, n_images, images);
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
	device->call.BeginCommandBuffer = begin_commands;
	device->call.CmdPipelineBarrier = barrier;
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

struct queue_world {
	struct copy_engine *engine; /* NULL: destroyed */
	struct mapped_dmabuf source, destination;
	struct copy_request request;
	pixman_region32_t damage;
};

static void import(struct queue_world *world)
{
	assert_int_equal(copy_engine_import(world->engine, &world->source.dmabuf, COPY_SOURCE,
				 &world->request.source),
		0);
	assert_int_equal(copy_engine_import(world->engine, &world->destination.dmabuf,
				 COPY_DESTINATION, &world->request.destination),
		0);
}

static void drop(struct queue_world *world)
{
	copy_image_drop(world->request.source);
	copy_image_drop(world->request.destination);
}

static int submit(struct queue_world *world)
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
	static struct queue_world world;
	const struct vulkan_options options = {.queue = VULKAN_QUEUE_ANY};
	world = (struct queue_world){0};
	*state = &world;
	driver.held = false;
	driver.lost = driver.refuses = VK_SUCCESS;
	if (vulkan_engine_create(&options, &world.engine) < 0) {
		return 0;
	}
	mapped_dmabuf_init_linear(&world.source, DRM_FORMAT_XRGB8888, SIDE, SIDE, 4);
	mapped_dmabuf_init_linear(&world.destination, DRM_FORMAT_XRGB8888, SIDE, SIDE, 4);
	pixman_region32_init_rect(&world.damage, 0, 0, SIDE, SIDE);
	world.request = (struct copy_request){.damage = &world.damage, .wait_fd = -1};
	import(&world);
	assert_true(atomic_load(&driver.n_memory) > 0);
	return 0;
}

static struct queue_world *begin(void **state)
{
	struct queue_world *world = *state;
	if (!world->engine) {
		print_message("skip: there is no Vulkan software driver\n");
		skip();
	}
	return world;
}

/* Fails if the engine leaks memory or its device. */
static int tear_down(void **state)
{
	struct queue_world *world = *state;
	if (!world->source.map) {
		return 0;
	}
	hold(false, driver.lost);
	copy_engine_destroy(world->engine);
	await(atomic_load(&driver.n_devices) == 0, );
	assert_int_equal(atomic_load(&driver.n_memory), 0);
	mapped_dmabuf_finish(&world->source);
	mapped_dmabuf_finish(&world->destination);
	pixman_region32_fini(&world->damage);
	return 0;
}

/* Images dropped during a copy are freed once it ends. */
static void images_are_freed_after_their_copy(void **state)
{
	struct queue_world *world = begin(state);
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

/* Device and memory are kept until the copy ends. */
static void device_outlives_the_engine_until_its_copy_ends(void **state)
{
	struct queue_world *world = begin(state);
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

static void full_queue_refuses_copies_until_it_drains(void **state)
{
	struct queue_world *world = begin(state);
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
	/* The thread that signalled the last fence may still hold its job. */
	await((error = copy_engine_submit(world->engine, &world->request, &fences[0])) != -EBUSY, );
	assert_int_equal(error, 0);
	expect_end(fences[0], true);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

/* Clients that redraw whole buffers repeat their copies, which are recorded once. */
static void repeated_copy_is_recorded_once(void **state)
{
	struct queue_world *world = begin(state);
	driver.n_recorded = 0;
	for (int i = 0; i < 4 * VULKAN_JOBS_MAX; i++) {
		mapped_dmabuf_scramble(&world->source);
		expect_end(submit(world), true);
		assert_int_equal(copy_engine_reap(world->engine, 0), 0);
		assert_memory_equal(world->source.map + world->source.dmabuf.offset[0],
			world->destination.map + world->destination.dmabuf.offset[0], SIDE * 4);
	}
	assert_int_equal(driver.n_recorded, 1);
	/* Another region is another copy. */
	pixman_region32_fini(&world->damage);
	pixman_region32_init_rect(&world->damage, 0, 0, SIDE, 1);
	expect_end(submit(world), true);
	assert_int_equal(driver.n_recorded, 2);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

/* A copy to the same buffer waits for the one before it on the GPU. */
static void copies_in_flight_are_ordered(void **state)
{
	struct queue_world *world = begin(state);
	hold(true, VK_SUCCESS);
	int first = submit(world);
	assert_int_equal(driver.n_ordered, 0);
	int second = submit(world);
	assert_int_equal(driver.n_ordered, 1);
	hold(false, VK_SUCCESS);
	expect_end(first, true);
	expect_end(second, true);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

/* Copies in flight fail, and the engine is lost. */
static void lost_device_fails_copies_in_flight(void **state)
{
	struct queue_world *world = begin(state);
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

static void lost_device_refuses_submission(void **state)
{
	struct queue_world *world = begin(state);
	int fence;
	driver.refuses = VK_ERROR_DEVICE_LOST;
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &fence), -ENODEV);
	assert_int_equal(fence, -1);
	assert_true(world->engine->lost);
	assert_int_equal(world->engine->n_jobs, 0);
	drop(world);
}

/* Out of memory: the engine stays usable. */
static void failed_submission_keeps_the_engine(void **state)
{
	struct queue_world *world = begin(state);
	int fence;
	expect_end(submit(world), true);
	driver.refuses = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(copy_engine_submit(world->engine, &world->request, &fence), -ENOMEM);
	assert_false(world->engine->lost);
	mapped_dmabuf_scramble(&world->source);
	expect_end(submit(world), true);
	assert_memory_equal(world->source.map + world->source.dmabuf.offset[0],
		world->destination.map + world->destination.dmabuf.offset[0], SIDE * 4);
	assert_int_equal(copy_engine_reap(world->engine, 0), 0);
	drop(world);
}

static VkResult status_of(VkDevice device, VkFence fence)
{
	static const VkResult statuses[] = {VK_SUCCESS, VK_NOT_READY, VK_ERROR_DEVICE_LOST};

	return statuses[(uintptr_t)fence];
}

/*
 * Dropped images are freed once all jobs up to their serial have ended; later jobs do not matter.
 */
static void serial_ends_with_its_earlier_jobs(void **state)
{
	struct vulkan_device device = {.call.GetFenceStatus = status_of};
	struct vulkan_queue queue = {.device = &device, .serial = 7};

	assert_true(vulkan_queue_ended(&queue, 7));
	queue.jobs[0] = (struct vulkan_job){.serial = 5, .fence = (VkFence)(uintptr_t)0};
	queue.jobs[1] = (struct vulkan_job){.serial = 6, .fence = (VkFence)(uintptr_t)1};
	queue.jobs[2] = (struct vulkan_job){.serial = 7, .fence = (VkFence)(uintptr_t)1};
	assert_true(vulkan_queue_ended(&queue, 5));
	assert_false(vulkan_queue_ended(&queue, 6));
	assert_false(vulkan_queue_ended(&queue, 7));
	queue.jobs[1].fence = (VkFence)(uintptr_t)0;
	assert_true(vulkan_queue_ended(&queue, 6));
	queue.jobs[2].fence = (VkFence)(uintptr_t)2;
	assert_true(vulkan_queue_ended(&queue, 7));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_ends_with_its_earlier_jobs),
		TEST(images_are_freed_after_their_copy),
		TEST(device_outlives_the_engine_until_its_copy_ends),
		TEST(full_queue_refuses_copies_until_it_drains),
		TEST(repeated_copy_is_recorded_once),
		TEST(copies_in_flight_are_ordered),
		TEST(lost_device_fails_copies_in_flight),
		TEST(lost_device_refuses_submission),
		TEST(failed_submission_keeps_the_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
