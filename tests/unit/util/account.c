/* SPDX-License-Identifier: MIT */
/* Resource accounts: limits of one account, of the sum, and accounts that outlive their client. */

#include "util/account.h"
#include "harness/unit.h"
#include <stdlib.h>

static struct account *closed_account;
static enum account_kind closed_kind;
static bool closed_total;
static int n_closed;

static void handle_closed(struct account *account, enum account_kind kind, bool total)
{
	closed_account = account;
	closed_kind = kind;
	closed_total = total;
	n_closed++;
}

static struct account_ledger *create_ledger(void)
{
	struct account_ledger *ledger = account_ledger_create(handle_closed);
	ledger->account_limit[ACCOUNT_MAPPINGS] = 10;
	ledger->total_limit[ACCOUNT_MAPPINGS] = 20;
	closed_account = NULL;
	n_closed = 0;
	return ledger;
}

static void destroy_account(struct account *account, int64_t mappings)
{
	account_uncharge(account, ACCOUNT_MAPPINGS, mappings);
	account_unref(account);
}

static void account_over_its_limit_is_closed_once(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *account = account_create(ledger, ledger);
	struct account *other = account_create(ledger, ledger);
	assert_true(account_charge(account, ACCOUNT_MAPPINGS, 10));
	assert_false(account_charge(account, ACCOUNT_MAPPINGS, 1));
	assert_ptr_equal(closed_account, account);
	assert_int_equal(closed_kind, ACCOUNT_MAPPINGS);
	assert_false(closed_total);
	assert_false(account_charge(account, ACCOUNT_MAPPINGS, 1));
	assert_int_equal(n_closed, 1);
	assert_true(account_charge(other, ACCOUNT_MAPPINGS, 1));
	destroy_account(account, 12);
	destroy_account(other, 1);
	account_ledger_unref(ledger);
}

static void scale_multiplies_the_limits_of_an_account(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *account = account_create(ledger, ledger);
	account->scale = 2;
	assert_true(account_charge(account, ACCOUNT_MAPPINGS, 20));
	assert_int_equal(n_closed, 0);
	ledger->total_limit[ACCOUNT_MAPPINGS] = 100;
	assert_false(account_charge(account, ACCOUNT_MAPPINGS, 1));
	assert_false(closed_total);
	destroy_account(account, 21);
	account_ledger_unref(ledger);
}

/* The charge that exceeds the total succeeds; the account with the largest share is closed. */
static void largest_account_is_closed_over_the_total(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *accounts[4];
	const int64_t amounts[] = {9, 10, 1, 2};
	for (int i = 0; i < 4; i++) {
		accounts[i] = account_create(ledger, ledger);
		assert_true(account_charge(accounts[i], ACCOUNT_MAPPINGS, amounts[i]));
	}
	assert_ptr_equal(closed_account, accounts[1]);
	assert_true(closed_total);
	/*
	 * A closed account no longer counts towards the total: its client is about to be
	 * disconnected.
	 */
	assert_true(account_charge(accounts[2], ACCOUNT_MAPPINGS, 1));
	assert_int_equal(n_closed, 1);
	destroy_account(accounts[0], 9);
	destroy_account(accounts[1], 10);
	destroy_account(accounts[2], 2);
	destroy_account(accounts[3], 2);
	account_ledger_unref(ledger);
}

/* An X server may use more than the programs of its neighbours. */
static void largest_account_is_the_one_nearest_to_its_limit(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *many = account_create(ledger, ledger);
	struct account *one = account_create(ledger, ledger);
	many->scale = ACCOUNT_SCALE_MANY;
	assert_true(account_charge(one, ACCOUNT_MAPPINGS, 5));
	assert_true(account_charge(many, ACCOUNT_MAPPINGS, 16));
	assert_ptr_equal(closed_account, one);
	assert_true(closed_total);
	destroy_account(many, 16);
	destroy_account(one, 5);
	account_ledger_unref(ledger);
}

static void abandoned_account_lives_until_its_last_reference(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *account = account_create(ledger, ledger), *ref = account_ref(account);
	account_charge(ref, ACCOUNT_MAPPINGS, 10);
	account_abandon(account);
	account_unref(account);
	account_ledger_unref(ledger);
	assert_false(account_charge(ref, ACCOUNT_MAPPINGS, 1));
	assert_int_equal(n_closed, 0);
	destroy_account(ref, 11);
}

static void strings_are_charged_with_their_terminator(void **state)
{
	struct account_ledger *ledger = create_ledger();
	struct account *account = account_create(ledger, ledger);
	char *string = account_strdup(account, "text/plain");
	assert_string_equal(string, "text/plain");
	assert_int_equal(account->used[ACCOUNT_BYTES], 11);
	account_free_string(account, string);
	assert_int_equal(account->used[ACCOUNT_BYTES], 0);
	account_unref(account);
	account_ledger_unref(ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(account_over_its_limit_is_closed_once),
		cmocka_unit_test(scale_multiplies_the_limits_of_an_account),
		cmocka_unit_test(largest_account_is_closed_over_the_total),
		cmocka_unit_test(largest_account_is_the_one_nearest_to_its_limit),
		cmocka_unit_test(abandoned_account_lives_until_its_last_reference),
		cmocka_unit_test(strings_are_charged_with_their_terminator),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
