/* SPDX-License-Identifier: MIT */
/* Identities of shared libraries: build ids of ELF files. */

#include "gpu/library.h"
#include "util/fd.h"
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More program headers, or more bytes of notes, are not read. */
#define HEADERS_MAX 64
#define NOTES_MAX 4096

uint64_t library_hash(uint64_t hash, const void *data, uint64_t size)
{
	const unsigned char *bytes = data;
	for (uint64_t i = 0; i < size; i++) {
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

static uint64_t align(uint64_t size)
{
	return (size + 3) & ~UINT64_C(3);
}

/* Returns the hash of the build id among the notes, or 0. */
static uint64_t find_id(const char *notes, uint64_t size)
{
	ElfW(Nhdr) note;
	for (uint64_t at = 0; size - at >= sizeof(note);) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		uint64_t name = align(note.n_namesz), id = align(note.n_descsz);
		if (name > size - at || id > size - at - name) {
			return 0;
		}
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
			memcmp(notes + at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
			return library_hash(LIBRARY_HASH, notes + at + name, note.n_descsz);
		}
		at += name + id;
	}
	return 0;
}

static uint64_t read_id(int fd)
{
	ElfW(Ehdr) file;
	ElfW(Phdr) headers[HEADERS_MAX];
	if (!read_at(fd, &file, sizeof(file), 0) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
		file.e_phentsize != sizeof(headers[0]) || file.e_phnum > HEADERS_MAX ||
		!read_at(fd, headers, file.e_phnum * sizeof(headers[0]), file.e_phoff)) {
		return 0;
	}
	uint64_t hash = 0;
	for (int i = 0; i < file.e_phnum && hash == 0; i++) {
		char notes[NOTES_MAX];
		uint64_t size = headers[i].p_filesz;
		if (headers[i].p_type == PT_NOTE && size <= NOTES_MAX &&
			read_at(fd, notes, size, headers[i].p_offset)) {
			hash = find_id(notes, size);
		}
	}
	return hash;
}

static uint64_t hash_file(const char *path, const struct stat *file)
{
	char resolved[PATH_MAX];
	const char *name = realpath(path, resolved) ? resolved : path;
	const int64_t facts[] = {(int64_t)file->st_dev, (int64_t)file->st_ino, file->st_size,
		file->st_mtim.tv_sec, file->st_mtim.tv_nsec};
	return library_hash(library_hash(LIBRARY_HASH, name, strlen(name)), facts, sizeof(facts));
}

uint64_t library_identify(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		return 0;
	}
	uint64_t hash = 0;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		hash = read_id(fd);
		hash = hash ? hash : hash_file(path, &status);
	}
	fd_close(&fd);
	return hash;
}
