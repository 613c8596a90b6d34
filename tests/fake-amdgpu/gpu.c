/* SPDX-License-Identifier: MIT */
/* Emulated GPUs: chips, resets, failures and unplugging. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct wl_list fake_gpus = {&fake_gpus, &fake_gpus};

static const struct fake_chip chips[] = {
	{"vega10", AMDGPU_FAMILY_AI, 4, 0, 0x3, 0x2a114042, 0x900, 0x01, 0x687f, false},
	{"raven", AMDGPU_FAMILY_RV, 4, 1, 0x1, 0x24000042, 0x901, 0x01, 0x15dd, true},
	{"navi10", AMDGPU_FAMILY_NV, 5, 0, 0x3, 0x00100044, 0xa01, 0x01, 0x731f, false},
	{"navi21", AMDGPU_FAMILY_NV, 5, 2, 0x3, 0x00000444, 0xa03, 0x28, 0x73bf, false},
	{"navi24", AMDGPU_FAMILY_NV, 5, 2, 0x1, 0x00000242, 0xa03, 0x46, 0x743f, false},
	{"vangogh", AMDGPU_FAMILY_VGH, 5, 2, 0x1, 0x00000142, 0xa03, 0x01, 0x163f, true},
	{"navi31", AMDGPU_FAMILY_GC_11_0_0, 6, 0, 0x3, 0x00000545, 0xb00, 0x01, 0x744c, false},
	{"phoenix", AMDGPU_FAMILY_GC_11_0_1, 6, 0, 0x2, 0x00000242, 0xb00, 0x01, 0x15bf, true},
	{"strix", AMDGPU_FAMILY_GC_11_5_0, 6, 1, 0x1, 0x00000242, 0xb05, 0x01, 0x150e, true},
	{"navi48", AMDGPU_FAMILY_GC_12_0_0, 7, 0, 0x3, 0x00000404, 0xc00, 0x50, 0x7550, false},
	/* Chips that the engine refuses: before GFX9, without rings, or newer than supported. */
	{"polaris10", AMDGPU_FAMILY_VI, 3, 1, 0x3, 0x22011003, 0x800, 0x50, 0x67df, false},
	{"ringless", AMDGPU_FAMILY_NV, 5, 2, 0x0, 0x00000444, 0xa03, 0x28, 0x73bf, false},
	{"future", AMDGPU_FAMILY_GC_12_0_0, 8, 0, 0x3, 0x00000404, 0xc00, 0x50, 0x7550, false},
};

const struct fake_chip *fake_chip_at(size_t i)
{
	return i < COUNT(chips) ? &chips[i] : NULL;
}

const struct fake_chip *fake_chip_find(const char *name)
{
	for (size_t i = 0; fake_chip_at(i); i++) {
		if (strcmp(chips[i].name, name) == 0) {
			return &chips[i];
		}
	}
	return NULL;
}

struct fake_gpu *fake_gpu_create(const struct fake_chip *chip)
{
	struct fake_gpu *gpu = calloc(1, sizeof(*gpu));

	assert(gpu && chip);
	gpu->chip = chip;
	gpu->credit = -1;
	wl_list_init(&gpu->files);
	wl_list_init(&gpu->jobs);
	wl_list_insert(&fake_gpus, &gpu->link);
	return gpu;
}

int fake_gpu_open(struct fake_gpu *gpu)
{
	struct rlimit limit;
	struct stat stat;
	int fd, opened;
	char name[64];

	if (gpu->unplugged) {
		return -ENODEV;
	}
	snprintf(name, sizeof(name), FAKE_NODE_NAME "%s", gpu->path ? gpu->path : "");
	limit = fake_limit_lift();
	fd = fake_limit_keep(&limit, memfd_create(name, MFD_CLOEXEC));
	setrlimit(RLIMIT_NOFILE, &limit);
	assert(fd >= 0 && fstat(fd, &stat) == 0);
	opened = dup(fd);
	if (opened < 0) {
		opened = -errno;
		close(fd);
		return opened;
	}
	fake_file_new(gpu, fd, stat.st_ino);
	return opened;
}

/* Opens a file of sysfs about power management; the GPU is active while a node is open. */
static int open_power(const struct fake_gpu *gpu, const char *name)
{
	const char *state = fake_gpu_counts(gpu).files > 0 ? "active\n" : "suspended\n";
	const char *text = strcmp(name, "control") == 0 ? "auto\n" : state;
	int fd = memfd_create("fake-power", MFD_CLOEXEC);

	assert(fd >= 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
	return fd;
}

int fake_open(const char *path)
{
	struct fake_gpu *gpu;
	char power[64];

	wl_list_for_each (gpu, &fake_gpus, link) {
		const char *number = gpu->path ? strrchr(gpu->path, 'D') : NULL;

		if (gpu->path && strcmp(gpu->path, path) == 0) {
			fake_gpu_wait(gpu, FAKE_BLOCK_OPEN, NULL);
			return fake_gpu_open(gpu);
		}
		snprintf(power, sizeof(power), "/sys/dev/char/226:%s/device/power/",
			number ? number + 1 : "");
		if (strncmp(power, path, strlen(power)) == 0) {
			return open_power(gpu, path + strlen(power));
		}
	}
	return -ENOENT;
}

void fake_gpu_set_path(struct fake_gpu *gpu, const char *path)
{
	gpu->path = path;
}

void fake_gpu_refuse(struct fake_gpu *gpu, unsigned refusals)
{
	gpu->refusals = refusals;
}

void fake_gpu_misread(struct fake_gpu *gpu, size_t right)
{
	fake_lock();
	gpu->misreads_beyond = right;
	fake_unlock();
}

void fake_gpu_hold(struct fake_gpu *gpu)
{
	fake_lock();
	gpu->credit = 0;
	fake_unlock();
}

void fake_gpu_step(struct fake_gpu *gpu, int n_jobs)
{
	fake_lock();
	gpu->credit += n_jobs;
	fake_progress();
	fake_unlock();
}

void fake_gpu_release(struct fake_gpu *gpu)
{
	fake_lock();
	gpu->credit = -1;
	fake_progress();
	fake_unlock();
}

void fake_gpu_reset(struct fake_gpu *gpu)
{
	struct fake_file *file;

	fake_lock();
	wl_list_for_each (file, &gpu->files, link) {
		for (size_t i = 0; i < COUNT(file->contexts); i++) {
			file->contexts[i].guilty = file->contexts[i].used;
		}
	}
	fake_jobs_fail(gpu, -ECANCELED);
	fake_unlock();
}

void fake_gpu_unplug(struct fake_gpu *gpu)
{
	fake_lock();
	gpu->unplugged = true;
	fake_jobs_fail(gpu, -ENODEV);
	fake_unlock();
}

void fake_gpu_block(struct fake_gpu *gpu, unsigned blocks)
{
	fake_lock();
	gpu->blocks = blocks;
	fake_unlock();
}

bool fake_wait_more(uint64_t deadline)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	if ((uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec >= deadline) {
		return false;
	}
	fake_unlock();
	poll(NULL, 0, 1);
	fake_lock();
	return true;
}

static bool has_jobs(const struct fake_gpu *gpu, const struct fake_context *context)
{
	const struct fake_job *job;

	wl_list_for_each (job, &gpu->jobs, link) {
		if (job->context == context) {
			return true;
		}
	}
	return false;
}

void fake_gpu_wait(
	const struct fake_gpu *gpu, enum fake_block call, const struct fake_context *context)
{
	while (gpu->blocks & call && (!context || has_jobs(gpu, context))) {
		fake_unlock();
		poll(NULL, 0, 1);
		fake_lock();
	}
}

void fake_gpu_fail_next(struct fake_gpu *gpu, int error, int n_submissions)
{
	fake_lock();
	gpu->fail_next = error;
	fake_unlock();
	gpu->n_fail = n_submissions;
}

void fake_gpu_fail_jobs(struct fake_gpu *gpu, int n_jobs)
{
	fake_lock();
	gpu->n_fail_jobs = n_jobs;
	fake_unlock();
}

void fake_gpu_fail_imports(struct fake_gpu *gpu, int error, int n_imports)
{
	fake_lock();
	gpu->fail_import = error;
	gpu->n_fail_imports = n_imports;
	fake_unlock();
}

const char *fake_gpu_fault(struct fake_gpu *gpu)
{
	static char message[256];
	char *fault;

	fake_lock();
	fault = gpu->fault;
	gpu->fault = NULL;
	fake_unlock();
	if (!fault) {
		return NULL;
	}
	strncpy(message, fault, sizeof(message) - 1);
	free(fault);
	return message;
}

struct fake_counts fake_gpu_counts(const struct fake_gpu *gpu)
{
	fake_lock();
	struct fake_counts counts = {
		.jobs = gpu->n_jobs,
		.packets = gpu->n_packets,
		.bytes = gpu->n_bytes,
		.opened = gpu->n_opened,
		.imported = gpu->n_imported,
	};
	struct fake_file *file;

	wl_list_for_each (file, &gpu->files, link) {
		bool alive = false;

		counts.mappings += wl_list_length(&file->mappings);
		for (size_t i = 1; i < FAKE_HANDLES_MAX; i++) {
			counts.buffers += file->handles[i] != NULL;
		}
		for (size_t i = 0; i < COUNT(file->contexts); i++) {
			counts.contexts += file->contexts[i].used;
			alive |= file->contexts[i].used;
		}
		for (size_t i = 0; i < COUNT(file->syncobjs); i++) {
			counts.syncobjs += file->syncobjs[i].used;
		}
		counts.files += alive;
	}
	fake_unlock();
	return counts;
}

void fake_reset_all(void)
{
	struct fake_gpu *gpu, *next;
	struct fake_file *file, *next_file;

	/* A thread of the test may still close descriptors. */
	fake_lock();
	wl_list_for_each_safe (gpu, next, &fake_gpus, link) {
		fake_jobs_fail(gpu, -ENODEV);
		wl_list_for_each_safe (file, next_file, &gpu->files, link) {
			fake_file_forget(file);
		}
		free(gpu->fault);
		free(gpu);
	}
	wl_list_init(&fake_gpus);
	fake_bos_forget();
	fake_timelines_forget();
	fake_fences_forget();
	fake_unlock();
}
