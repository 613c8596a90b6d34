/* SPDX-License-Identifier: MIT */
/*
 * copy-bench: cost of copies on the available GPUs. Command recording, choice of queues, submission
 * and waiting are those of the copy engines; images are allocated instead of imported.
 */

#include "bench.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char usage[] =
	"usage: copy-bench [--driver=KERNEL-DRIVER] [--gpu=N] [--json=FILE] "
	"[--only=TABLE[,TABLE...]]\n"
	"                  [--quick] [--one-gpu]\n"
	"\n"
	"KERNEL-DRIVER is amdgpu, i915, nvidia, ...; the default is a driver "
	"that renders in software\n"
	"Tables: check, import, cpu, linear, tiled, ratios, merging, load, pair. "
	"--one-gpu uses one GPU for both\n"
	"sides of the pair table.\n";

static bool selected(const char *only, const char *table)
{
	size_t length = strlen(table);

	for (const char *at = only; at && *at; at += strcspn(at, ","), at += *at == ',') {
		if (strcspn(at, ",") == length && strncmp(at, table, length) == 0) {
			return true;
		}
	}
	return !only;
}

static void open_gpus(struct bench *bench)
{
	bool any = false;

	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		struct vulkan_options options = bench->options;

		options.queue = (enum vulkan_queue_kind)kind;
		bench->has[kind] = target_gpu_init(&bench->gpus[kind], &options) == 0;
		if (bench->has[kind] && !any) {
			printf("%s\n", bench->gpus[kind].device.name);
			if (bench->json) {
				fprintf(bench->json, ",\n\t\"gpu\": \"%s\"",
					bench->gpus[kind].device.name);
			}
		}
		any |= bench->has[kind];
	}
	if (!any) {
		target_fail("GPU %u with driver %s not found", bench->options.index,
			bench->options.kernel_driver ? bench->options.kernel_driver
						     : "in software");
	}
}

static int run(struct bench *bench, const char *only)
{
	static const struct {
		const char *name;
		void (*run)(struct bench *bench);
	} tables[] = {{"cpu", bench_cpu}, {"linear", bench_linear}, {"tiled", bench_tiled},
		{"ratios", bench_goals}, {"merging", bench_merging}, {"load", bench_load},
		{"pair", bench_pair}};
	int failed = selected(only, "check") ? bench_check(bench) : 0;

	failed += selected(only, "import") ? bench_import(bench) : 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (selected(only, tables[i].name)) {
			tables[i].run(bench);
		}
	}
	return failed;
}

static void parse(struct bench *bench, int argc, char **argv, const char **json, const char **only)
{
	static const struct option options[] = {
		{"driver", required_argument, NULL, 'd'},
		{"gpu", required_argument, NULL, 'g'},
		{"json", required_argument, NULL, 'j'},
		{"only", required_argument, NULL, 'o'},
		{"quick", no_argument, NULL, 'q'},
		{"one-gpu", no_argument, NULL, '1'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd': bench->options.kernel_driver = optarg; break;
		case 'g': bench->options.index = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'j': *json = optarg; break;
		case 'o': *only = optarg; break;
		case 'q': bench->quick = true; break;
		case '1': bench->one_gpu = true; break;
		default: fputs(usage, stderr); exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	const char *json = NULL, *only = NULL;
	struct utsname machine;
	int failed;

	parse(&bench, argc, argv, &json, &only);
	uname(&machine);
	if (json) {
		bench.json = fopen(json, "we");
		if (!bench.json) {
			target_fail("cannot write %s", json);
		}
		fprintf(bench.json, "{\n\t\"kernel\": \"%s\"", machine.release);
	}
	if (selected(only, "load")) {
		bench.load = load_create(&bench.options);
	}
	open_gpus(&bench);
	failed = run(&bench, only);
	load_destroy(bench.load);
	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		if (bench.has[kind]) {
			target_gpu_finish(&bench.gpus[kind]);
		}
	}
	if (bench.json) {
		fprintf(bench.json, "\n}\n");
		fclose(bench.json);
	}
	return failed != 0;
}
