/* SPDX-License-Identifier: MIT */
/*
 * Player for fuzz targets without an engine: play FILE-OR-FOLDER... runs the target on each file
 * once, in builds by any compiler.
 */

#include "fuzz/target.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int n_played;

static int play_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	if (!file || fstat(fileno(file), &status) < 0) {
		perror(path);
		return 1;
	}
	/* Exact size, so that a sanitizer detects reads beyond the end. */
	size_t size = (size_t)status.st_size;
	uint8_t *data = xcalloc(size ? size : 1, 1);
	bool read = fread(data, 1, size, file) == size;
	fclose(file);
	if (read) {
		printf("%s\n", path);
		LLVMFuzzerTestOneInput(data, size);
		n_played++;
	}
	free(data);
	return read ? 0 : 1;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int play(const char *path)
{
	struct dirent **entries;
	struct stat status;
	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) {
		return play_file(path);
	}
	int n = scandir(path, &entries, is_visible, alphasort), failed = n < 0;
	for (int i = 0; i < n; i++) {
		char *name = xasprintf("%s/%s", path, entries[i]->d_name);
		failed |= play_file(name);
		free(name);
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		failed |= play(argv[i]);
	}
	printf("%d passed, %d failed\n", n_played, failed);
	return failed || n_played == 0;
}
