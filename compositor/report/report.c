/* SPDX-License-Identifier: MIT */
/* Hardware report: collects the sections and writes them. */

#include "report/report.h"
#include "buffer/udmabuf.h"
#include "gpu/quirks.h"
#include "gpu/version.h"
#include "internal.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void add_system(struct record *record, const char *version)
{
	struct record *system = record_add(record, "system");
	struct utsname name;
	record_text(system, "causeway", "%s", version);
	if (uname(&name) == 0) {
		record_text(system, "kernel", "%s %s %s", name.sysname, name.release, name.machine);
	}
	char *software = gpu_software_version();
	record_text(system, "software", "%s", software ? software : "unknown");
	free(software);
	record_number(system, "memory_mib",
		(int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20);
	record_text(system, "udmabuf", "%s",
		access("/dev/udmabuf", F_OK) != 0          ? "absent"
		: access("/dev/udmabuf", R_OK | W_OK) != 0 ? "not permitted"
							   : "usable");
	record_number(system, "udmabuf_mib", (int64_t)(udmabuf_max_size() >> 20));
}

/* The decisions that the driver's name alone makes. */
static void add_rules(struct record *record, const struct gpu *gpu)
{
	struct record *rules = record_add(record, "rules");
	record_flag(rules, "samples_pages_that_the_cpu_writes", gpu_samples_cpu_writes(gpu));
	record_flag(rules, "scans_out_system_memory", gpu_scans_out_system_memory(gpu));
	record_flag(rules, "shares_linear_memory", gpu_shares_linear_memory(gpu));
}

static void add_layouts(struct record *record, const struct gpu_facts *facts)
{
	struct record *layouts = record_add(record, "sampled_layouts");
	char name[5];
	record_shorten(layouts);
	for (size_t i = 0; i < facts->sampling.n_formats; i++) {
		const struct format_modifiers *format = &facts->sampling.formats[i];
		struct record *list =
			record_add_list(layouts, pixel_format_name(format->format, name));
		for (size_t m = 0; m < format->n_modifiers; m++) {
			record_text(list, NULL, "0x%llx", (unsigned long long)format->modifiers[m]);
		}
	}
}

static void add_identity(struct record *record, const struct gpu *gpu)
{
	char state[GPU_POWER_SIZE];
	record_text(record, "name", "%s", gpu->bus_id);
	record_text(record, "driver", "%s", gpu->driver);
	if (gpu->driver_version) {
		record_text(record, "driver_version", "%s", gpu->driver_version);
	}
	record_text(record, "id", "%04x:%04x", gpu->vendor, gpu->device);
	record_flag(record, "integrated", gpu->integrated);
	record_flag(record, "boot_vga", gpu->boot_vga);
	/* Before anything below wakes it. */
	record_text(record, "power", "%s", gpu_read_power(gpu, state) ? state : "unknown");
	record_flag(record, "can_sleep", gpu_can_sleep(gpu));
}

/* Returns the number of GPUs. */
static size_t add_gpus(struct record *record)
{
	struct gpu_list gpus;
	gpu_list_init(&gpus);
	size_t n = (size_t)wl_list_length(&gpus.gpus), i = 0;
	struct report_device *devices = xcalloc(n ? n : 1, sizeof(*devices));
	struct record **records = xcalloc(n ? n : 1, sizeof(struct record *));
	struct record *list = record_add_list(record, "gpus");
	struct gpu *gpu;
	wl_list_for_each (gpu, &gpus.gpus, link) {
		records[i] = record_add(list, NULL);
		add_identity(records[i], gpu);
		add_rules(records[i], gpu);
		report_kms(records[i], gpu);
		i++;
	}
	i = 0;
	wl_list_for_each (gpu, &gpus.gpus, link) {
		report_device_init(&devices[i], gpu);
		if (devices[i].error < 0) {
			record_error(records[i], "not_opened", devices[i].error);
		}
		add_layouts(records[i], &devices[i].facts);
		i++;
	}
	for (i = 0; i < n; i++) {
		report_engines(records[i], devices, n, i);
	}
	for (i = 0; i < n; i++) {
		report_device_finish(&devices[i]);
	}
	free(records);
	free(devices);
	gpu_list_finish(&gpus);
	return n;
}

static void write_json(FILE *file, const void *data)
{
	record_print_json(data, file);
}

int hardware_report(const char *version, const char *path)
{
	struct record *record = record_create();
	add_system(record, version);
	size_t n_gpus = add_gpus(record);
	report_platforms(record, n_gpus == 0);
	record_print(record, stdout);
	int error = file_replace(path, write_json, record);
	if (error < 0) {
		fprintf(stderr, "causeway: cannot write %s: %s\n", path, strerror(-error));
	}
	record_destroy(record);
	return error < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
