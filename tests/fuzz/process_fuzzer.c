/* SPDX-License-Identifier: MIT */
/* Fuzz target: files of /proc/PID. The first byte chooses the file. */

#include "fuzz/target.h"
#include "util/process_text.h"
#include <stdlib.h>
#include <string.h>

static void parse(const char *text, size_t length, int kind)
{
	pid_t parent;
	uint64_t start;
	const char *value;
	switch (kind) {
	case 0: process_text_stat(text, &parent, &start); break;
	case 1: free(process_text_cmdline(text, length)); break;
	case 2: free(process_text_unit(text)); break;
	default:
		value = process_text_variable(text, length, "GIO_LAUNCHED_DESKTOP_FILE");
		if (value) {
			free(process_text_desktop_id(value));
		}
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0) {
		return 0;
	}
	char *text = target_text(data + 1, size - 1);
	parse(text, size - 1, data[0] % 4);
	free(text);
	return 0;
}
