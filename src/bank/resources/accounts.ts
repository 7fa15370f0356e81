import { dataOf } from '../answers.ts';
import type { Bank } from '../bank.ts';
import type { Calls } from '../calls.ts';
import { accountBalance, accountBalances } from '../schemas/accounts.ts';

const ACCOUNTS = '/v1/banking/accounts';

/** Accounts (interface section 4). */
export function accountsResource({ read }: Calls): Bank['accounts'] {
  return {
    /** GET /v1/banking/accounts: the master institution's balances. */
    master: (options) => read({ path: ACCOUNTS }, dataOf(accountBalances), options),

    ofUser: (uid, options) => read({ path: '/v1/banking/users/{uid}', ids: { uid } }, dataOf(accountBalances), options),

    /** GET /v1/banking/accounts/{account_id}: one balance, checked to be of this account. */
    get: (accountId, options) => {
      const asked = accountBalance.refine(({ account_id }) => account_id === accountId, { path: ['account_id'] });
      return read({ path: `${ACCOUNTS}/{account_id}`, ids: { account_id: accountId } }, dataOf(asked), options);
    },
  };
}
