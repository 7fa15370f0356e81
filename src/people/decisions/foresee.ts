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
  payeeOf: ReturnType<typeof payeeReader>,
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
      const payee = payeeId === undefined ? undefined : await payeeOf(payeeId, uid);
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

/** Payees of a user that are read one by one. */
const SINGLE_MAX = 50;

/**
 * Payees by id, each read once. For more than a few of a user the whole list is read instead, a page at a time: a payroll has
 * thousands, and as many calls would take minutes. What the list does not show is read by its id.
 */
export function payeeReader({ beneficiaries }: PlanDeps['bank']): (id: string, uid: string) => Promise<Beneficiary> {
  const asked = new Map<string, number>();
  const listOf = once(async (uid) => {
    const list = await undefinedIf(isJudged, () => beneficiaries.listAll({ uid }));
    return new Map(list?.beneficiaries.map((it) => [it.id, it]));
  });
  return once(async (id, uid: string) => {
    const count = (asked.get(uid) ?? 0) + 1;
    asked.set(uid, count);
    const listed = count > SINGLE_MAX ? (await listOf(uid)).get(id) : undefined;
    return listed ?? beneficiaries.get(id);
  });
}

/** Reads each key once, with what the first caller says of it. */
function once<T, More extends readonly unknown[]>(
  read: (key: string, ...more: More) => Promise<T>,
): (key: string, ...more: More) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key, ...more) => {
    const reading = known.get(key) ?? read(key, ...more);
    known.set(key, reading);
    return reading;
  };
}
