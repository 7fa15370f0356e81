import type { Bank } from '../../bank/bank.ts';
import { isJudged, undefinedIf } from '../../bank/errors.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import type { Assessment } from '../../domain/gates.ts';
import type { PayeeAsked, PayoutRecord } from '../../store/store.ts';
import { askedAbout, flagsOf } from '../payee-flags.ts';
import { askedOf, asPayee } from './asked.ts';
import type { VerdictDeps } from './verdict.ts';

export interface PlanDeps extends VerdictDeps {
  bank: Bank;
}

/**
 * Predicts what a row will ask people before it has been assessed, from the row, its account and, if it names one by id, its
 * payee. Each is read once, however many rows share it. The later assessment may differ; it then asks again.
 *
 * Undefined if it cannot be predicted: the bank refuses to show the account or the payee, or there is no account to pay from. A
 * payee given by its details counts as new.
 */
export function foresight(
  deps: PlanDeps,
  payeeOf: (id: string) => Promise<Beneficiary>,
): (row: PayoutRecord) => Promise<Assessment | undefined> {
  const { accounts } = deps.bank;
  const accountOf = once((accountId) => accounts.get(accountId));
  const accountsOf = once((uid) => accounts.ofUser(uid));
  const historyOf = once((asked) => deps.store.payeeHistory(JSON.parse(asked) as PayeeAsked));
  return (row) =>
    undefinedIf(isJudged, async () => {
      if (deps.settings.policy === undefined) return undefined;
      const { uid, account_id: accountId, currency, beneficiary_id: payeeId, paying_account_id: id } = row.instruction;
      const named = await accountOf(accountId);
      const paying =
        named.currency === currency
          ? named
          : (await accountsOf(uid)).find(
              (it) => it.currency === currency && (id === undefined || it.account_id === id),
            );
      if (paying === undefined) return undefined;
      const payee = payeeId === undefined ? undefined : await payeeOf(payeeId);
      const history = await historyOf(JSON.stringify(askedAbout(row, payee)));
      const flags = flagsOf(deps, history, row, payee);
      const shown = payee && asPayee(payee);
      const payingAccountId = paying.account_id;
      return {
        ...askedOf(deps, row, { payee: shown, payingAccountId }, flags),
        beneficiary: shown === undefined ? { known: false } : { known: true, ...shown },
        payingAccountId,
        ...(named.currency !== currency && { soldCurrency: named.currency }),
        flags,
      };
    });
}

/** Reads each key once. */
export function once<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const reading = known.get(key) ?? read(key);
    known.set(key, reading);
    return reading;
  };
}
