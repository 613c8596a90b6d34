/* SPDX-License-Identifier: MIT */
/* Identities of drivers, which key caches: they change with the content of libraries. */

#include "gpu/version.h"
#include "gpu/library.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ELF_BYTES 512
#define ID_AT 200

struct folder {
	char path[64];
	char *file;
};

static int set_up(void **state)
{
	static struct folder folder;
	strcpy(folder.path, "/tmp/causeway-drivers-XXXXXX");
	assert_non_null(mkdtemp(folder.path));
	folder.file = xasprintf("%s/libgallium-25.0.7.so", folder.path);
	*state = &folder;
	return 0;
}

static int tear_down(void **state)
{
	struct folder *folder = *state;
	unlink(folder->file);
	rmdir(folder->path);
	free(folder->file);
	return 0;
}

/* Writes a new file, with the time that images of systems give to all files. */
static void write_library(const char *path, const void *data, size_t size)
{
	const struct timespec epoch[] = {{.tv_sec = 1}, {.tv_sec = 1}};
	char *temporary = xasprintf("%s.new", path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(futimens(fd, epoch), 0);
	close(fd);
	assert_int_equal(rename(temporary, path), 0);
	free(temporary);
}

/* Writes an ELF file with one note. */
static void write_elf(const char *path, const char *id, const char *content)
{
	char bytes[ELF_BYTES] = {0};
	ElfW(Ehdr) file = {.e_phentsize = sizeof(ElfW(Phdr)), .e_phnum = 1, .e_phoff = 64};
	memcpy(file.e_ident, ELFMAG, SELFMAG);
	ElfW(Nhdr) note = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID};
	ElfW(Phdr)
		header = {.p_type = PT_NOTE, .p_offset = ID_AT, .p_filesz = sizeof(note) + 4 + 20};
	memcpy(bytes, &file, sizeof(file));
	memcpy(bytes + file.e_phoff, &header, sizeof(header));
	memcpy(bytes + ID_AT, &note, sizeof(note));
	memcpy(bytes + ID_AT + sizeof(note), ELF_NOTE_GNU, 4);
	strncpy(bytes + ID_AT + sizeof(note) + 4, id, 20);
	strncpy(bytes + 400, content, 20);
	write_library(path, bytes, sizeof(bytes));
}

/* All sizes, times and names are equal, as on ostree after an update. */
static void drivers_are_known_by_their_build_ids(void **state)
{
	const struct folder *folder = *state;
	uint64_t none = gpu_identify_drivers(folder->path);
	write_elf(folder->file, "one", "content");
	/* An open file keeps the inode from being used again: another inode changes nothing. */
	int first = open(folder->file, O_RDONLY | O_CLOEXEC);
	uint64_t one = gpu_identify_drivers(folder->path);
	assert_int_not_equal(one, none);
	write_elf(folder->file, "two", "content");
	assert_int_not_equal(gpu_identify_drivers(folder->path), one);
	/* Installed again. */
	write_elf(folder->file, "one", "content");
	assert_int_equal(gpu_identify_drivers(folder->path), one);
	close(first);
}

static void vulkan_drivers_count(void **state)
{
	const struct folder *folder = *state;
	char *file = xasprintf("%s/libvulkan_radeon.so", folder->path);
	char *other = xasprintf("%s/libpng.so", folder->path);
	write_elf(folder->file, "one", "");
	uint64_t before = gpu_identify_drivers(folder->path);
	write_elf(other, "one", "");
	assert_int_equal(gpu_identify_drivers(folder->path), before);
	write_elf(file, "one", "");
	uint64_t with = gpu_identify_drivers(folder->path);
	assert_int_not_equal(with, before);
	write_elf(file, "two", "");
	assert_int_not_equal(gpu_identify_drivers(folder->path), with);
	unlink(file);
	unlink(other);
	free(file);
	free(other);
}

static void libraries_without_build_ids_are_known_by_their_inodes(void **state)
{
	const struct folder *folder = *state;
	assert_int_equal(library_identify(folder->file), 0);
	write_library(folder->file, "content 1", 9);
	int old = open(folder->file, O_RDONLY | O_CLOEXEC); /* its inode is not used again */
	uint64_t one = library_identify(folder->file);
	assert_int_not_equal(one, 0);
	assert_int_equal(library_identify(folder->file), one);
	write_library(folder->file, "content 2", 9);
	assert_int_not_equal(library_identify(folder->file), one);
	close(old);
}

static void broken_libraries_are_survived(void **state)
{
	const struct folder *folder = *state;
	for (size_t at = 0; at < ELF_BYTES; at++) {
		char bytes[ELF_BYTES];
		write_elf(folder->file, "one", "");
		int fd = open(folder->file, O_RDWR | O_CLOEXEC);
		assert_int_equal(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
		bytes[at] = (char)(bytes[at] ^ 0xff);
		assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
		if (at % 2) {
			assert_int_equal(ftruncate(fd, (off_t)at), 0);
		}
		close(fd);
		assert_int_not_equal(library_identify(folder->file), 0);
	}
}

static void software_is_found_quickly(void **state)
{
	struct timespec before, after;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	char *version = gpu_software_version();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	assert_non_null(strstr(version, "kernel"));
	int64_t us =
		(after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
	print_message("%s: %ld us\n", version, (long)us);
	char *again = gpu_software_version();
	assert_string_equal(again, version);
	free(again);
	free(version);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(drivers_are_known_by_their_build_ids),
		TEST(vulkan_drivers_count),
		TEST(libraries_without_build_ids_are_known_by_their_inodes),
		TEST(broken_libraries_are_survived),
		cmocka_unit_test(software_is_found_quickly),
	};

	return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
