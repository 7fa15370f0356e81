import type { Bank } from '../../api/bank.ts';
import { isJudged, unless } from '../../api/errors.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { type SignedTerms, signedTerms, type TermsOf } from '../payout/signed-terms.ts';

/**
 * What a row will ask people, told before anybody has read the bank for it: made of the row, its account and, where it names one by
 * its id, its payee. Each of these is read once, however many rows share it. What the reading of the row shows may differ; then it
 * asks anew.
 */
export class Foresight {
  readonly #account: (accountId: string) => ReturnType<Bank['accounts']['get']>;
  readonly #accounts: (uid: string) => ReturnType<Bank['accounts']['ofUser']>;
  readonly #payee: (id: string) => ReturnType<Bank['beneficiaries']['get']>;
  readonly #termsOf: TermsOf;

  constructor({ accounts, beneficiaries }: Pick<Bank, 'accounts' | 'beneficiaries'>, termsOf: TermsOf) {
    this.#account = once((accountId) => accounts.get(accountId));
    this.#accounts = once((uid) => accounts.ofUser(uid));
    this.#payee = once((id) => beneficiaries.get(id));
    this.#termsOf = termsOf;
  }

  /**
   * Undefined where that cannot be told: the bank refuses to show the account or the payee, or has no account to pay from. A payee
   * named by its details counts as new.
   */
  of(row: PayoutRecord): Promise<SignedTerms | undefined> {
    return unless(isJudged, async () => {
      const { uid, account_id: accountId, currency, beneficiary_id: payeeId } = row.instruction;
      const named = await this.#account(accountId);
      const paying = named.currency === currency ? named : await this.#accountIn(uid, currency);
      if (paying === undefined) return undefined;
      const payee = payeeId === undefined ? undefined : await this.#payee(payeeId);
      return signedTerms(this.#termsOf, row, { payee, payingAccountId: paying.account_id });
    });
  }

  async #accountIn(uid: string, currency: string) {
    return (await this.#accounts(uid)).find((account) => account.currency === currency);
  }
}

function once<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const reading = known.get(key) ?? read(key);
    known.set(key, reading);
    return reading;
  };
}
