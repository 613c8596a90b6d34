/* Emulated GPUs as parts of this machine: their names, numbers and layouts. */

#include "emulated.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last numbers that render nodes have: real ones do not come so far. */
#define LAST_MINOR 191

/* As Mesa lists layouts: what is compressed first. */
static const struct emulated_gpu kinds[] = {
	{.chip = "raven", .device = 0x15d8, .integrated = true, .modifiers = {0x0200000000401a01}},
	{.chip = "navi21", .device = 0x73bf, .modifiers = {0x0200000020802b03, 0x0200000020801b03}},
};

static struct emulated_gpu gpus[EMULATED_MAX];
static unsigned n_gpus;

static void add(const char *name)
{
	struct emulated_gpu *gpu = &gpus[n_gpus];
	const struct emulated_gpu *kind = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].chip, name) == 0) {
			kind = &kinds[i];
		}
	}
	if (!kind || n_gpus == EMULATED_MAX) {
		fprintf(stderr, "%s: '%s' is one too many, or unknown\n", EMULATED_VARIABLE, name);
		exit(EXIT_FAILURE);
	}
	*gpu = *kind;
	gpu->minor = LAST_MINOR - n_gpus;
	snprintf(gpu->path, sizeof(gpu->path), "/dev/dri/renderD%u", gpu->minor);
	snprintf(gpu->slot, sizeof(gpu->slot), "0000:f%u:00.0", n_gpus);
	fake_gpu_set_path(fake_gpu_create(fake_chip_find(name)), gpu->path);
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
