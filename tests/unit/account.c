/* Resource accounts: limits of one account, of the sum, and accounts that outlive their client. */

#include "util/account.h"
#include "unit.h"
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

static void test_limit_closes_its_account_once(void **state)
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

/* The newcomer that makes the sum too large is served; the account with most of it is closed. */
static void test_total_closes_largest_account(void **state)
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
	/* A closed account will be empty soon, and counts no more. */
	assert_true(account_charge(accounts[2], ACCOUNT_MAPPINGS, 1));
	assert_int_equal(n_closed, 1);
	destroy_account(accounts[0], 9);
	destroy_account(accounts[1], 10);
	destroy_account(accounts[2], 2);
	destroy_account(accounts[3], 2);
	account_ledger_unref(ledger);
}

static void test_buffer_keeps_account_of_gone_client(void **state)
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

static void test_strings_are_charged(void **state)
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
		cmocka_unit_test(test_limit_closes_its_account_once),
		cmocka_unit_test(test_total_closes_largest_account),
		cmocka_unit_test(test_buffer_keeps_account_of_gone_client),
		cmocka_unit_test(test_strings_are_charged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
