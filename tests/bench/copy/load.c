/* SPDX-License-Identifier: MIT */
/*
 * Paced copies while another process keeps the graphics queue busy: their latency, and the
 * remaining speed of the other process.
 */

#include "bench.h"
#include "load_shader.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PACE_HZ 144
#define NS 1000000000
#define DISPATCH_NS 10000000 /* target duration of a dispatch: about that of a frame */
#define GROUPS 4096
#define IN_FLIGHT 3
#define WAIT_NS 20000000000
#define SAMPLES_MAX 2048

/* Shared with the load process. */
struct shared {
	int wanted; /* run */
	int ready; /* 1: ready or running; -1: the load is unavailable */
	uint64_t done; /* dispatches */
	int64_t last; /* end of the last dispatch in ns */
};

struct load {
	pid_t pid;
	struct shared *shared;
};

/* Vulkan functions of the load that the engine does not use. */
struct calls {
	PFN_vkCreateShaderModule create_shader;
	PFN_vkCreateDescriptorSetLayout create_set_layout;
	PFN_vkCreatePipelineLayout create_layout;
	PFN_vkCreateComputePipelines create_pipelines;
	PFN_vkCreateDescriptorPool create_pool;
	PFN_vkAllocateDescriptorSets allocate_sets;
	PFN_vkUpdateDescriptorSets update_sets;
	PFN_vkCmdBindPipeline bind_pipeline;
	PFN_vkCmdBindDescriptorSets bind_sets;
	PFN_vkCmdPushConstants push_constants;
	PFN_vkCmdDispatch dispatch;
};

struct program {
	struct target_gpu gpu;
	struct calls call;
	struct target_linear result;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorSet set;
};

#define LOAD(member, name)                                                                         \
	(program->call.member = (PFN_##name)device->call.GetDeviceProcAddr(device->handle, #name))

static void load_calls(struct program *program)
{
	const struct vulkan_device *device = &program->gpu.device;

	LOAD(create_shader, vkCreateShaderModule);
	LOAD(create_set_layout, vkCreateDescriptorSetLayout);
	LOAD(create_layout, vkCreatePipelineLayout);
	LOAD(create_pipelines, vkCreateComputePipelines);
	LOAD(create_pool, vkCreateDescriptorPool);
	LOAD(allocate_sets, vkAllocateDescriptorSets);
	LOAD(update_sets, vkUpdateDescriptorSets);
	LOAD(bind_pipeline, vkCmdBindPipeline);
	LOAD(bind_sets, vkCmdBindDescriptorSets);
	LOAD(push_constants, vkCmdPushConstants);
	LOAD(dispatch, vkCmdDispatch);
}

static VkDescriptorSetLayout create_set(struct program *program)
{
	VkDevice handle = program->gpu.device.handle;
	VkDescriptorSetLayoutBinding binding = {
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.descriptorCount = 1,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
	};
	VkDescriptorSetLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
	VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
	};
	VkDescriptorBufferInfo buffer = {program->result.surface.buffer, 0, VK_WHOLE_SIZE};
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &buffer,
	};
	VkDescriptorSetLayout layout = VK_NULL_HANDLE;

	program->call.create_set_layout(handle, &layout_info, NULL, &layout);
	program->call.create_pool(handle, &pool_info, NULL, &info.descriptorPool);
	info.pSetLayouts = &layout;
	program->call.allocate_sets(handle, &info, &program->set);
	write.dstSet = program->set;
	program->call.update_sets(handle, 1, &write, 0, NULL);
	return layout;
}

static bool init_program(struct program *program, const struct vulkan_options *options)
{
	struct vulkan_options graphics = *options;
	VkShaderModuleCreateInfo shader = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(load_shader),
		.pCode = load_shader,
	};
	VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push,
	};
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage =
			{
				.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
				.stage = VK_SHADER_STAGE_COMPUTE_BIT,
				.pName = "main",
			},
	};
	VkDescriptorSetLayout set_layout;
	VkDevice handle;

	graphics.queue = VULKAN_QUEUE_GRAPHICS;
	if (target_gpu_init(&program->gpu, &graphics) < 0 ||
		target_linear_init(&program->result, &program->gpu, TARGET_CACHED, 4, 64, 1) < 0) {
		return false;
	}
	handle = program->gpu.device.handle;
	load_calls(program);
	set_layout = create_set(program);
	layout.pSetLayouts = &set_layout;
	program->call.create_layout(handle, &layout, NULL, &program->layout);
	pipeline.layout = program->layout;
	program->call.create_shader(handle, &shader, NULL, &pipeline.stage.module);
	return program->call.create_pipelines(handle, VK_NULL_HANDLE, 1, &pipeline, NULL,
		       &program->pipeline) == VK_SUCCESS;
}

static void submit(struct program *program, int slot, uint32_t n)
{
	const struct vulkan_device *device = &program->gpu.device;
	struct vulkan_job *job = &program->gpu.queue.jobs[slot];
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &job->commands,
	};

	device->call.ResetFences(device->handle, 1, &job->fence);
	device->call.BeginCommandBuffer(job->commands, &begin);
	program->call.bind_pipeline(
		job->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
	program->call.bind_sets(job->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0,
		1, &program->set, 0, NULL);
	program->call.push_constants(
		job->commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(n), &n);
	program->call.dispatch(job->commands, GROUPS, 1, 1);
	device->call.EndCommandBuffer(job->commands);
	if (device->call.QueueSubmit(device->queue, 1, &info, job->fence) != VK_SUCCESS) {
		target_fail("cannot submit the load");
	}
}

static void wait_for(struct program *program, int slot)
{
	if (vulkan_job_wait(&program->gpu.device, &program->gpu.queue.jobs[slot], WAIT_NS) < 0) {
		target_fail("the load did not complete");
	}
}

/* Returns the number of shader loop iterations that a dispatch needs for its duration. */
static uint32_t calibrate(struct program *program)
{
	uint32_t n = 16;

	for (;;) {
		int64_t start = target_now(), took;

		submit(program, 0, n);
		wait_for(program, 0);
		took = target_now() - start;
		if (took > DISPATCH_NS / 4 || n > 1u << 26) {
			return (uint32_t)((double)n * DISPATCH_NS / (double)took) + 1;
		}
		n *= 4;
	}
}

static void run_load(struct shared *shared, const struct vulkan_options *options)
{
	struct program *program = calloc(1, sizeof(*program));
	int slot = 0;
	uint32_t n;

	if (!program || !init_program(program, options)) {
		__atomic_store_n(&shared->ready, -1, __ATOMIC_RELEASE);
		return;
	}
	calibrate(program); /* raise the clocks */
	n = calibrate(program);
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		while (!__atomic_load_n(&shared->wanted, __ATOMIC_ACQUIRE)) {
			usleep(1000);
		}
		for (int i = 0; i < IN_FLIGHT; i++) {
			submit(program, i, n);
		}
		while (__atomic_load_n(&shared->wanted, __ATOMIC_ACQUIRE)) {
			wait_for(program, slot);
			__atomic_store_n(&shared->last, target_now(), __ATOMIC_RELAXED);
			__atomic_add_fetch(&shared->done, 1, __ATOMIC_RELEASE);
			submit(program, slot, n);
			slot = (slot + 1) % IN_FLIGHT;
		}
		for (int i = 0; i < IN_FLIGHT; i++) {
			wait_for(program, i);
		}
		slot = 0;
	}
}

struct load *load_create(const struct vulkan_options *options)
{
	struct load *load = calloc(1, sizeof(*load));
	struct shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = load && shared != MAP_FAILED ? fork() : -1;

	if (pid < 0) {
		free(load);
		return NULL;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_load(shared, options);
		_exit(0);
	}
	load->pid = pid;
	load->shared = shared;
	return load;
}

void load_destroy(struct load *load)
{
	if (!load) {
		return;
	}
	kill(load->pid, SIGKILL);
	waitpid(load->pid, NULL, 0);
	munmap(load->shared, sizeof(*load->shared));
	free(load);
}

static void sleep_until(int64_t time)
{
	struct timespec until = {time / NS, time % NS};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void start_load(struct load *load)
{
	__atomic_store_n(&load->shared->wanted, 1, __ATOMIC_RELEASE);
	sleep_until(target_now() + NS / 5);
}

static void stop_load(struct load *load)
{
	__atomic_store_n(&load->shared->wanted, 0, __ATOMIC_RELEASE);
	sleep_until(target_now() + NS / 5);
}

/* Speed of the load between two calls, in dispatches per second. */
struct speed {
	uint64_t done;
	int64_t last;
};

static struct speed read_speed(struct load *load)
{
	return (struct speed){
		.done = __atomic_load_n(&load->shared->done, __ATOMIC_ACQUIRE),
		.last = __atomic_load_n(&load->shared->last, __ATOMIC_RELAXED),
	};
}

static double speed_since(struct load *load, const struct speed *before)
{
	struct speed now = read_speed(load);

	return (double)(now.done - before->done) / ((double)(now.last - before->last) / NS);
}

static double speed_alone(struct load *load, int64_t duration)
{
	struct speed before = read_speed(load);

	sleep_until(target_now() + duration);
	return speed_since(load, &before);
}

/* Copies at the pace for `duration`; returns the number of copies. */
static size_t pace(
	struct target_gpu *gpu, const struct vulkan_copy *copy, int64_t duration, double *latencies)
{
	int64_t start = target_now() + NS / PACE_HZ;
	size_t n = 0;

	for (; n < SAMPLES_MAX && (int64_t)n * NS / PACE_HZ < duration; n++) {
		struct vulkan_job *job;
		int64_t before;

		sleep_until(start + (int64_t)n * NS / PACE_HZ);
		before = target_now();
		if (vulkan_queue_copy(&gpu->queue, copy, 1, -1, &job) < 0 ||
			vulkan_job_wait(&gpu->device, job, WAIT_NS) < 0) {
			target_fail("a copy failed");
		}
		latencies[n] = (double)(target_now() - before) / 1e6;
	}
	return n;
}

struct outcome {
	double p50[BENCH_ROUNDS], p99[BENCH_ROUNDS], most[BENCH_ROUNDS], keeps[BENCH_ROUNDS];
};

static void run_round(struct bench *bench, struct target_gpu *gpu, const struct vulkan_copy *copy,
	bool loaded, struct outcome *outcome, int round)
{
	static const int64_t long_enough = 2 * (int64_t)NS, quick = NS / 4;
	int64_t duration = bench->quick ? quick : long_enough;
	double latencies[SAMPLES_MAX], alone = 0;
	struct speed before = {0};
	size_t n;

	if (loaded) {
		start_load(bench->load);
		alone = speed_alone(bench->load, duration / 2);
		before = read_speed(bench->load);
	}
	n = pace(gpu, copy, duration, latencies);
	outcome->keeps[round] = NAN;
	if (loaded) {
		outcome->keeps[round] = speed_since(bench->load, &before);
		/* Clocks drift, so the load alone is measured before and after. */
		alone = (alone + speed_alone(bench->load, duration / 2)) / 2;
		outcome->keeps[round] *= 100 / alone;
		stop_load(bench->load);
	}
	outcome->p50[round] = table_quantile(latencies, n, 0.5);
	outcome->p99[round] = table_quantile(latencies, n, 0.99);
	outcome->most[round] = latencies[n - 1];
}

static void run_rows(struct bench *bench, struct table *table, uint32_t width, uint32_t height)
{
	struct outcome outcomes[BENCH_KINDS][2];
	struct vulkan_plane images[BENCH_KINDS];
	struct target_linear hosts[BENCH_KINDS];
	pixman_box32_t box = {0, 0, (int32_t)width, (int32_t)height};

	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		struct target_gpu *gpu = &bench->gpus[kind];

		if (bench->has[kind] && (target_image_init(&images[kind], gpu,
						 VK_FORMAT_B8G8R8A8_UNORM, 4, width, height) < 0 ||
						target_linear_init(&hosts[kind], gpu, TARGET_CACHED,
							4, width, height) < 0)) {
			target_fail("no memory");
		}
	}
	for (int i = 0; i < BENCH_ROUNDS * BENCH_KINDS * 2; i++) {
		int kind = i / 2 % BENCH_KINDS, round = i / 2 / BENCH_KINDS;
		struct vulkan_copy copy = {
			.source = &images[kind],
			.destination = &hosts[kind].surface,
			.boxes = &box,
			.n_boxes = 1,
		};

		if (bench->has[kind]) {
			run_round(bench, &bench->gpus[kind], &copy, i % 2, &outcomes[kind][i % 2],
				round);
		}
	}
	for (int i = 0; i < BENCH_KINDS * 2; i++) {
		struct outcome *outcome = &outcomes[i / 2][i % 2];
		double values[4];
		char name[64];

		if (!bench->has[i / 2]) {
			continue;
		}
		values[0] = table_median(outcome->p50, BENCH_ROUNDS);
		values[1] = table_median(outcome->p99, BENCH_ROUNDS);
		values[2] = table_median(outcome->most, BENCH_ROUNDS);
		values[3] = i % 2 ? table_median(outcome->keeps, BENCH_ROUNDS) : NAN;
		snprintf(name, sizeof(name), "%ux%u %s, %s", width, height,
			vulkan_queue_kind_name((enum vulkan_queue_kind)(i / 2)),
			i % 2 ? "loaded" : "idle");
		table_row(table, name, values);
	}
	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		if (bench->has[kind]) {
			target_image_finish(&images[kind], &bench->gpus[kind]);
			target_linear_finish(&hosts[kind], &bench->gpus[kind]);
		}
	}
}

void bench_load(struct bench *bench)
{
	static const char *const names[] = {
		"copy", "p50 ms", "p99 ms", "max ms", "load keeps %", NULL};
	struct table table;
	int ready = 0;

	for (int i = 0; bench->load && i < 300 && ready == 0; i++) {
		sleep_until(target_now() + NS / 10);
		ready = __atomic_load_n(&bench->load->shared->ready, __ATOMIC_ACQUIRE);
	}
	if (ready != 1) {
		printf("\nThe load is unavailable: copies beside a load are not measured.\n");
		return;
	}
	table_begin(&table, bench->json, "load",
		"Tiled to linear, 144 per second, while another process fills the graphics queue",
		names);
	run_rows(bench, &table, 256, 256);
	if (!bench->quick) {
		run_rows(bench, &table, 3840, 2160);
	}
	table_end(&table);
}
