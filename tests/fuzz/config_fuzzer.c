/* Fuzz target: configuration files. */

#include "fuzz/target.h"
#include "shell/config.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Compiling a keymap takes a hundred times as long as everything else. */
	setenv("XKB_CONFIG_ROOT", "/nonexistent", 1);
	char *error = NULL;
	FILE *stream = target_open(data, size);
	struct config *config = config_parse("/nonexistent/causeway.ini", stream, &error);
	fclose(stream);
	if (!config != (error != NULL)) {
		abort(); /* an error without a message, or a message without an error */
	}
	config_destroy(config);
	free(error);
	return 0;
}
