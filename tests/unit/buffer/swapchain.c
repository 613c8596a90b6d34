/* SPDX-License-Identifier: MIT */
/* Swapchains: buffer ages and exhaustion. */

#include "buffer/allocator.h"
#include "harness/unit.h"
#include <errno.h>
#include <limits.h>

static const struct format_modifiers format = {.format = DRM_FORMAT_XRGB8888};

static void age_counts_frames_since_the_buffer_was_presented(void **state)
{
	struct allocator *allocator = memory_allocator_create();
	struct swapchain *swapchain = swapchain_create(allocator, 8, 8, &format);
	struct buffer *a, *b;
	int age = -1;

	a = swapchain_acquire(swapchain, &age);
	assert_int_equal(age, 0);
	assert_int_equal(a->n_locks, 1);
	swapchain_submitted(swapchain, a);
	b = swapchain_acquire(swapchain, &age); /* a is presented */
	assert_ptr_not_equal(a, b);
	assert_int_equal(age, 0);
	swapchain_submitted(swapchain, b);
	buffer_unlock(a);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), a);
	assert_int_equal(age, 2);
	swapchain_submitted(swapchain, a);
	buffer_unlock(a);
	buffer_unlock(b);
	/* Both buffers are free: the younger one needs less drawing. */
	assert_ptr_equal(swapchain_acquire(swapchain, &age), a);
	assert_int_equal(age, 1);
	/* A frame without a buffer of this swapchain lies between. */
	buffer_unlock(a);
	swapchain_submitted(swapchain, a);
	swapchain_submitted(swapchain, NULL);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), a);
	assert_int_equal(age, 2);
	swapchain_submitted(swapchain, a);
	buffer_unlock(a);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), a);
	assert_int_equal(age, 1);
	/* Acquired but never submitted: the content is unknown. */
	buffer_unlock(a);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), b);
	assert_int_equal(age, 5);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), a);
	assert_int_equal(age, 0);
	swapchain_submitted(swapchain, a);
	swapchain_submitted(swapchain, b);
	buffer_unlock(a);
	/* A reader may outlive the swapchain. */
	swapchain_destroy(swapchain);
	assert_int_equal(b->n_locks, 1);
	buffer_unlock(b);
	allocator_destroy(allocator);
}

static void acquire_fails_when_all_buffers_are_locked(void **state)
{
	struct allocator *allocator = memory_allocator_create();
	struct swapchain *swapchain = swapchain_create(allocator, 8, 8, &format);
	struct buffer *buffers[SWAPCHAIN_LENGTH];
	int age;

	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		buffers[i] = swapchain_acquire(swapchain, &age);
		assert_non_null(buffers[i]);
	}
	assert_null(swapchain_acquire(swapchain, &age));
	assert_int_equal(errno, EBUSY);
	buffer_unlock(buffers[2]);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), buffers[2]);
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		buffer_unlock(buffers[i]);
	}
	swapchain_destroy(swapchain);
	swapchain_destroy(NULL);

	swapchain = swapchain_create(allocator, -1, 8, &format);
	assert_null(swapchain_acquire(swapchain, &age));
	assert_int_equal(errno, EINVAL);
	swapchain_destroy(swapchain);
	allocator_destroy(allocator);
}

/* Each buffer stores its frame's number; frames stay presented for random times. */
static void ages_match_the_buffers_content(void **state)
{
	struct allocator *allocator = memory_allocator_create();
	struct swapchain *swapchain = swapchain_create(allocator, 8, 8, &format);
	struct buffer *shown[SWAPCHAIN_LENGTH - 1] = {0};
	int with_age = 0;

	for (int frame = 1; frame <= 500; frame++) {
		struct buffer **place = &shown[random_between(0, SWAPCHAIN_LENGTH - 2)];
		struct buffer *buffer;
		size_t stride;
		void *data;
		int age;

		buffer_unlock(*place);
		*place = NULL;
		buffer = swapchain_acquire(swapchain, &age);
		assert_non_null(buffer);
		assert_int_equal(buffer->n_locks, 1);
		assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), 0);
		if (age > 0) {
			assert_int_equal(*(int *)data, frame - age);
			with_age++;
		}
		*(int *)data = random_between(0, 9) > 0 ? frame : -1;
		if (*(int *)data == frame) {
			swapchain_submitted(swapchain, buffer);
			*place = buffer;
		} else {
			frame--; /* given up after drawing */
			buffer_unlock(buffer);
		}
		buffer_end_access(buffer);
	}
	assert_true(with_age > 300);
	for (int i = 0; i < SWAPCHAIN_LENGTH - 1; i++) {
		buffer_unlock(shown[i]);
	}
	swapchain_destroy(swapchain);
	allocator_destroy(allocator);
}

/* An idle slot of a screen at 144 Hz, after 170 days. */
static void age_of_an_unused_buffer_does_not_overflow(void **state)
{
	struct allocator *allocator = memory_allocator_create();
	struct swapchain *swapchain = swapchain_create(allocator, 8, 8, &format);
	struct buffer *buffers[2];
	int age;
	for (int i = 0; i < 2; i++) {
		buffers[i] = swapchain_acquire(swapchain, &age);
		swapchain_submitted(swapchain, buffers[i]);
	}
	swapchain->slots[0].age = INT_MAX - 1;
	for (int i = 0; i < 3; i++) {
		swapchain_submitted(swapchain, buffers[1]);
	}
	buffer_unlock(buffers[0]);
	assert_ptr_equal(swapchain_acquire(swapchain, &age), buffers[0]);
	assert_int_equal(age, INT_MAX);
	buffer_unlock(buffers[0]);
	buffer_unlock(buffers[1]);
	swapchain_destroy(swapchain);
	allocator_destroy(allocator);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(age_counts_frames_since_the_buffer_was_presented),
		cmocka_unit_test(acquire_fails_when_all_buffers_are_locked),
		cmocka_unit_test(ages_match_the_buffers_content),
		cmocka_unit_test(age_of_an_unused_buffer_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
