/* SPDX-License-Identifier: MIT */
/* A Wayland program that shows one picture by RADV's swapchain. */

#include "mesa_program.h"
#include "copy/vulkan/driver.h"
#include "util/xalloc.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_wayland.h>
#include <wayland-client.h>

#define WIDTH MESA_PROGRAM_WIDTH
#define HEIGHT MESA_PROGRAM_HEIGHT
#define GPUS_MAX 16
#define IMAGES_MAX 8

#define CALLS(X)                                                                                   \
	X(AcquireNextImageKHR)                                                                     \
	X(AllocateCommandBuffers)                                                                  \
	X(AllocateMemory)                                                                          \
	X(BeginCommandBuffer)                                                                      \
	X(BindBufferMemory)                                                                        \
	X(CmdCopyBufferToImage)                                                                    \
	X(CmdPipelineBarrier)                                                                      \
	X(CreateBuffer)                                                                            \
	X(CreateCommandPool)                                                                       \
	X(CreateDevice)                                                                            \
	X(CreateSemaphore)                                                                         \
	X(CreateSwapchainKHR)                                                                      \
	X(CreateWaylandSurfaceKHR)                                                                 \
	X(DestroyBuffer)                                                                           \
	X(DestroyCommandPool)                                                                      \
	X(DestroyDevice)                                                                           \
	X(DestroyInstance)                                                                         \
	X(DestroySemaphore)                                                                        \
	X(DestroySurfaceKHR)                                                                       \
	X(DestroySwapchainKHR)                                                                     \
	X(DeviceWaitIdle)                                                                          \
	X(EndCommandBuffer)                                                                        \
	X(EnumeratePhysicalDevices)                                                                \
	X(FreeMemory)                                                                              \
	X(GetBufferMemoryRequirements)                                                             \
	X(GetDeviceQueue)                                                                          \
	X(GetPhysicalDeviceMemoryProperties)                                                       \
	X(GetPhysicalDeviceProperties2)                                                            \
	X(GetPhysicalDeviceQueueFamilyProperties)                                                  \
	X(GetSwapchainImagesKHR)                                                                   \
	X(MapMemory)                                                                               \
	X(QueuePresentKHR)                                                                         \
	X(QueueSubmit)

struct mesa_program {
	pthread_t thread;
	int fd;
	unsigned minor;
	atomic_bool presented, ends, ended;
	const char *error;

	struct wl_display *display;
	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct xdg_wm_base *base;
	struct wl_surface *window;
	struct xdg_surface *role;
	struct xdg_toplevel *toplevel;
	bool configured;

	struct vulkan_driver driver;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	uint32_t family;
	VkQueue queue;
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkImage image;
	uint32_t index; /* of the image */
	VkBuffer upload;
	VkDeviceMemory memory;
	VkCommandPool pool;
	VkSemaphore acquired, drawn;
	struct {
#define X(name) PFN_vk##name name;
		CALLS(X)
#undef X
	} vk;
};

uint32_t mesa_program_pixel(int x, int y)
{
	return 0x400000u + (uint32_t)y * 0x10100u + (uint32_t)x;
}

/* Wayland */

static void handle_ping(void *data, struct xdg_wm_base *base, uint32_t serial)
{
	xdg_wm_base_pong(base, serial);
}

static const struct xdg_wm_base_listener base_listener = {.ping = handle_ping};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct mesa_program *program = data;

	if (strcmp(interface, wl_compositor_interface.name) == 0) {
		program->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, xdg_wm_base_interface.name) == 0) {
		program->base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(program->base, &base_listener, program);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void handle_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
	struct mesa_program *program = data;

	xdg_surface_ack_configure(surface, serial);
	program->configured = true;
}

static const struct xdg_surface_listener surface_listener = {.configure = handle_configure};

static void handle_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_size,
	.close = handle_close,
};

static bool open_window(struct mesa_program *program)
{
	program->registry = wl_display_get_registry(program->display);
	wl_registry_add_listener(program->registry, &registry_listener, program);
	if (wl_display_roundtrip(program->display) < 0 || !program->compositor || !program->base) {
		return false;
	}
	program->window = wl_compositor_create_surface(program->compositor);
	program->role = xdg_wm_base_get_xdg_surface(program->base, program->window);
	xdg_surface_add_listener(program->role, &surface_listener, program);
	program->toplevel = xdg_surface_get_toplevel(program->role);
	xdg_toplevel_add_listener(program->toplevel, &toplevel_listener, program);
	wl_surface_commit(program->window);
	while (!program->configured) {
		if (wl_display_dispatch(program->display) < 0) {
			return false;
		}
	}
	return true;
}

/* Vulkan */

static bool create_instance(struct mesa_program *program)
{
	static const char *const names[] = {
		VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME};
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.apiVersion = VK_API_VERSION_1_1,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = 2,
		.ppEnabledExtensionNames = names,
	};

	if (vulkan_driver_init(&program->driver, "amdgpu", 0) < 0) {
		return false;
	}
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)program->driver.get(NULL, "vkCreateInstance");
	if (create(&info, NULL, &program->instance) != VK_SUCCESS) {
		return false;
	}
#define X(name) program->vk.name = (PFN_vk##name)program->driver.get(program->instance, "vk" #name);
	CALLS(X)
#undef X
	return true;
}

static bool choose_gpu(struct mesa_program *program)
{
	VkPhysicalDevice gpus[GPUS_MAX];
	uint32_t n = GPUS_MAX;

	if (program->vk.EnumeratePhysicalDevices(program->instance, &n, gpus) < 0) {
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		VkPhysicalDeviceDrmPropertiesEXT drm = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
		VkPhysicalDeviceProperties2 properties = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &drm};

		program->vk.GetPhysicalDeviceProperties2(gpus[i], &properties);
		if (drm.renderMinor == program->minor) {
			program->physical = gpus[i];
			return true;
		}
	}
	return false;
}

static bool choose_family(struct mesa_program *program)
{
	VkQueueFamilyProperties families[GPUS_MAX];
	uint32_t n = GPUS_MAX;

	program->vk.GetPhysicalDeviceQueueFamilyProperties(program->physical, &n, families);
	for (uint32_t i = 0; i < n; i++) {
		if (families[i].queueFlags & VK_QUEUE_TRANSFER_BIT &&
			!(families[i].queueFlags &
				(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT))) {
			program->family = i;
			return true;
		}
	}
	return false;
}

static bool create_device(struct mesa_program *program)
{
	static const char *const name = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = program->family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = &name,
	};
	VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};

	if (program->vk.CreateDevice(program->physical, &info, NULL, &program->device) < 0) {
		return false;
	}
	program->vk.GetDeviceQueue(program->device, program->family, 0, &program->queue);
	return program->vk.CreateSemaphore(program->device, &semaphore, NULL, &program->acquired) >=
		       0 &&
	       program->vk.CreateSemaphore(program->device, &semaphore, NULL, &program->drawn) >= 0;
}

static bool create_swapchain(struct mesa_program *program)
{
	VkWaylandSurfaceCreateInfoKHR surface = {
		.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR,
		.display = program->display,
		.surface = program->window,
	};
	VkImage images[IMAGES_MAX];
	uint32_t n = IMAGES_MAX;

	if (program->vk.CreateWaylandSurfaceKHR(
		    program->instance, &surface, NULL, &program->surface) < 0) {
		return false;
	}
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = program->surface,
		.minImageCount = 4,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageExtent = {WIDTH, HEIGHT},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	if (program->vk.CreateSwapchainKHR(program->device, &info, NULL, &program->swapchain) < 0 ||
		program->vk.GetSwapchainImagesKHR(program->device, program->swapchain, &n, images) <
			0 ||
		program->vk.AcquireNextImageKHR(program->device, program->swapchain, UINT64_MAX,
			program->acquired, VK_NULL_HANDLE, &program->index) < 0) {
		return false;
	}
	program->image = images[program->index];
	return true;
}

static bool create_upload(struct mesa_program *program)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = WIDTH * HEIGHT * 4,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkPhysicalDeviceMemoryProperties types;
	VkMemoryRequirements needs;
	void *map;

	if (program->vk.CreateBuffer(program->device, &info, NULL, &program->upload) < 0) {
		return false;
	}
	program->vk.GetBufferMemoryRequirements(program->device, program->upload, &needs);
	program->vk.GetPhysicalDeviceMemoryProperties(program->physical, &types);
	while (!(needs.memoryTypeBits & 1u << memory.memoryTypeIndex) ||
		!(types.memoryTypes[memory.memoryTypeIndex].propertyFlags &
			VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) {
		memory.memoryTypeIndex++;
	}
	memory.allocationSize = needs.size;
	if (program->vk.AllocateMemory(program->device, &memory, NULL, &program->memory) < 0 ||
		program->vk.BindBufferMemory(program->device, program->upload, program->memory, 0) <
			0 ||
		program->vk.MapMemory(program->device, program->memory, 0, VK_WHOLE_SIZE, 0, &map) <
			0) {
		return false;
	}
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		((uint32_t *)map)[i] = mesa_program_pixel(i % WIDTH, i / WIDTH) | 0xff000000;
	}
	return true;
}

static void change_layout(struct mesa_program *program, VkCommandBuffer commands,
	VkImageLayout from, VkImageLayout to)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = program->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	program->vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static bool draw(struct mesa_program *program)
{
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = program->family,
	};
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {WIDTH, HEIGHT, 1},
	};
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkCommandBuffer commands;

	if (program->vk.CreateCommandPool(program->device, &pool, NULL, &program->pool) < 0) {
		return false;
	}
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = program->pool,
		.commandBufferCount = 1,
	};
	if (program->vk.AllocateCommandBuffers(program->device, &allocate, &commands) < 0) {
		return false;
	}
	program->vk.BeginCommandBuffer(commands, &begin);
	change_layout(
		program, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	program->vk.CmdCopyBufferToImage(commands, program->upload, program->image,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
	change_layout(program, commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	program->vk.EndCommandBuffer(commands);
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &program->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &program->drawn,
	};
	return program->vk.QueueSubmit(program->queue, 1, &submit, VK_NULL_HANDLE) >= 0;
}

static bool present(struct mesa_program *program)
{
	VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &program->drawn,
		.swapchainCount = 1,
		.pSwapchains = &program->swapchain,
		.pImageIndices = &program->index,
	};

	return program->vk.QueuePresentKHR(program->queue, &info) >= 0 &&
	       program->vk.DeviceWaitIdle(program->device) >= 0;
}

static void finish(struct mesa_program *program)
{
	if (program->device) {
		program->vk.DestroyCommandPool(program->device, program->pool, NULL);
		program->vk.DestroyBuffer(program->device, program->upload, NULL);
		program->vk.FreeMemory(program->device, program->memory, NULL);
		program->vk.DestroySwapchainKHR(program->device, program->swapchain, NULL);
		program->vk.DestroySemaphore(program->device, program->acquired, NULL);
		program->vk.DestroySemaphore(program->device, program->drawn, NULL);
		program->vk.DestroyDevice(program->device, NULL);
	}
	if (program->instance) {
		program->vk.DestroySurfaceKHR(program->instance, program->surface, NULL);
		program->vk.DestroyInstance(program->instance, NULL);
	}
	if (program->driver.library) {
		vulkan_driver_finish(&program->driver);
	}
	if (program->toplevel) {
		xdg_toplevel_destroy(program->toplevel);
		xdg_surface_destroy(program->role);
		wl_surface_destroy(program->window);
		xdg_wm_base_destroy(program->base);
		wl_compositor_destroy(program->compositor);
	}
	wl_registry_destroy(program->registry);
	wl_display_disconnect(program->display);
}

static void *run(void *data)
{
	static const struct {
		const char *name;
		bool (*run)(struct mesa_program *program);
	} steps[] = {
		{"window", open_window},
		{"instance", create_instance},
		{"GPU", choose_gpu},
		{"queue family", choose_family},
		{"device", create_device},
		{"swapchain", create_swapchain},
		{"buffer", create_upload},
		{"copy", draw},
		{"presentation", present},
	};
	struct mesa_program *program = data;

	program->display = wl_display_connect_to_fd(program->fd);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !program->error; i++) {
		if (!steps[i].run(program)) {
			program->error = steps[i].name;
		}
	}
	atomic_store(&program->presented, true);
	while (!atomic_load(&program->ends)) {
		wl_display_roundtrip(program->display);
		poll(NULL, 0, 1);
	}
	finish(program);
	atomic_store(&program->ended, true);
	return NULL;
}

struct mesa_program *mesa_program_start(int fd, unsigned minor)
{
	struct mesa_program *program = xcalloc(1, sizeof(*program));

	program->fd = fd;
	program->minor = minor;
	if (pthread_create(&program->thread, NULL, run, program) != 0) {
		abort();
	}
	return program;
}

bool mesa_program_presented(const struct mesa_program *program)
{
	return atomic_load(&program->presented);
}

const char *mesa_program_error(const struct mesa_program *program)
{
	return program->error;
}

void mesa_program_end(struct mesa_program *program)
{
	atomic_store(&program->ends, true);
}

bool mesa_program_ended(const struct mesa_program *program)
{
	return atomic_load(&program->ended);
}

void mesa_program_destroy(struct mesa_program *program)
{
	pthread_join(program->thread, NULL);
	free(program);
}
