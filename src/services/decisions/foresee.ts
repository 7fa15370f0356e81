import type { Bank } from '../../api/bank.ts';
import { isJudged, undefinedIf } from '../../api/errors.ts';
import type { Flag } from '../../domain/flags.ts';
import type { PayeeAsked, PayoutRecord, Store } from '../../store/store.ts';
import { askedAbout, flagsOf } from '../payout/payee-flags.ts';
import { type SignedTerms, signedTerms, type TermsOf } from '../payout/signed-terms.ts';

export interface ForesightDeps extends TermsOf {
  bank: Pick<Bank, 'accounts' | 'beneficiaries' | 'clock'>;
  store: Pick<Store, 'payeeHistory'>;
  now: () => number;
}

type Foreseen = SignedTerms & { flags: readonly Flag[] };

/**
 * Predicts what a row will ask people before it has been assessed, from the row, its account and, if it names one by id, its payee.
 * Each is read once, however many rows share it. The later assessment may differ; it then asks again.
 */
export class Foresight {
  readonly #account: (accountId: string) => ReturnType<Bank['accounts']['get']>;
  readonly #accounts: (uid: string) => ReturnType<Bank['accounts']['ofUser']>;
  readonly #payee: (id: string) => ReturnType<Bank['beneficiaries']['get']>;
  readonly #history: (asked: string) => ReturnType<Store['payeeHistory']>;
  readonly #deps: ForesightDeps;

  constructor(deps: ForesightDeps) {
    const { accounts, beneficiaries } = deps.bank;
    this.#account = once((accountId) => accounts.get(accountId));
    this.#accounts = once((uid) => accounts.ofUser(uid));
    this.#payee = once((id) => beneficiaries.get(id));
    this.#history = once((asked) => deps.store.payeeHistory(JSON.parse(asked) as PayeeAsked));
    this.#deps = deps;
  }

  /**
   * Undefined if it cannot be predicted: the bank refuses to show the account or the payee, or there is no account to pay from. A
   * payee given by its details counts as new.
   */
  of(row: PayoutRecord): Promise<Foreseen | undefined> {
    return undefinedIf(isJudged, async () => {
      const { uid, account_id: accountId, currency, beneficiary_id: payeeId } = row.instruction;
      const named = await this.#account(accountId);
      const paying = named.currency === currency ? named : await this.#accountIn(uid, currency);
      if (paying === undefined) return undefined;
      const payee = payeeId === undefined ? undefined : await this.#payee(payeeId);
      const history = await this.#history(JSON.stringify(askedAbout(row, payee)));
      const flags = flagsOf(this.#deps, history, row, payee);
      const terms = signedTerms(this.#deps, row, { payee, payingAccountId: paying.account_id }, flags);
      return terms && { ...terms, flags };
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
