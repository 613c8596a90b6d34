/* SPDX-License-Identifier: MIT */
/* Emulated GPUs of an environment variable: names, node numbers and modifiers. */

#include "emulated.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Highest number of a render node; real nodes count from 128. */
#define LAST_MINOR 191

/* In the order of Mesa's lists: compressed layouts first. */
static const struct emulated_gpu kinds[] = {
	{.name = "raven",
		.chip = "raven",
		.driver = "amdgpu",
		.vendor = 0x1002,
		.device = 0x15d8,
		.integrated = true,
		.modifiers = {0x0200000000401a01}},
	{.name = "navi21",
		.chip = "navi21",
		.driver = "amdgpu",
		.vendor = 0x1002,
		.device = 0x73bf,
		.modifiers = {0x0200000020802b03, 0x0200000020801b03}},
	/* Other vendors, for their identity only: their nodes are those of an AMD GPU. */
	{.name = "intel",
		.chip = "raven",
		.driver = "i915",
		.vendor = 0x8086,
		.device = 0x46a6,
		.integrated = true,
		.slot = "0000:00:02.0"},
	{.name = "nvidia",
		.chip = "navi21",
		.driver = "nvidia",
		.vendor = 0x10de,
		.device = 0x2684},
};

static struct emulated_gpu gpus[EMULATED_MAX];
static unsigned n_gpus;

static void add(const char *name)
{
	struct emulated_gpu *gpu = &gpus[n_gpus];
	const struct emulated_gpu *kind = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			kind = &kinds[i];
		}
	}
	if (!kind || n_gpus == EMULATED_MAX) {
		fprintf(stderr, "%s: '%s' is unknown, or one GPU too many\n", EMULATED_VARIABLE,
			name);
		exit(EXIT_FAILURE);
	}
	*gpu = *kind;
	gpu->minor = LAST_MINOR - n_gpus;
	snprintf(gpu->path, sizeof(gpu->path), "/dev/dri/renderD%u", gpu->minor);
	if (gpu->slot[0] == '\0') {
		snprintf(gpu->slot, sizeof(gpu->slot), "0000:f%u:00.0", n_gpus);
	}
	fake_gpu_set_path(fake_gpu_create(fake_chip_find(gpu->chip)), gpu->path);
	n_gpus++;
}

void emulated_start(void)
{
	const char *list = getenv(EMULATED_VARIABLE);
	char *copy = list ? strdup(list) : NULL, *rest = NULL;

	for (char *name = copy ? strtok_r(copy, " ", &rest) : NULL; name;
		name = strtok_r(NULL, " ", &rest)) {
		add(name);
	}
	free(copy);
}

const struct emulated_gpu *emulated_at(unsigned i)
{
	return i < n_gpus ? &gpus[i] : NULL;
}

const struct emulated_gpu *emulated_find(unsigned minor)
{
	for (unsigned i = 0; i < n_gpus; i++) {
		if (gpus[i].minor == minor) {
			return &gpus[i];
		}
	}
	return NULL;
}
