import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Bank } from '../api/bank.ts';
import { isBankError, undefinedIf } from '../api/errors.ts';
import { bankIdentity } from '../config/bank.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StoreIdentityError } from '../store/errors.ts';
import type { Store, StoreIdentity } from '../store/store.ts';

/** How long a starting process waits for the bank to show its accounts. */
const FIRST_READ_MS = 5_000;
/** At least this long between two reads of accounts that do not match, however many orders are refused meanwhile. */
const READ_AGAIN_MS = 10_000;

/**
 * Bank, accounts and Temporal that the store belongs to, checked before this process sends anything. Throws a
 * `StoreIdentityError` that names the differing part, and a `BankError` until the bank has shown its accounts.
 */
export interface StoreBinding {
  assert(): Promise<void>;
  /** As `assert` last found it: once it fits, no store and no bank is asked. For whoever asks those by themselves. */
  assertOnce(): Promise<void>;
}

interface StoreBindingDeps {
  config: Config;
  store: Store;
  bank: Bank;
  temporal: Pick<StoreIdentity, 'cluster' | 'namespace'>;
}

/** Compares at once what can be compared without the bank. */
export async function bindStore({ config, store, bank, temporal }: StoreBindingDeps): Promise<StoreBinding> {
  const known = { bank: bankIdentity(config), ...temporal };
  await store.identify(known);
  const accounts = accountsSeen(store, bank);
  let fits = false;
  const assert = async (): Promise<void> => {
    try {
      await store.identify({ ...known, accounts: await accounts.get() });
      fits = true;
    } catch (error) {
      if (error instanceof StoreIdentityError) fits = false;
      if (error instanceof StoreIdentityError && error.part === 'accounts') accounts.doubt();
      throw error;
    }
  };
  return {
    assert,
    assertOnce: async () => {
      if (!fits) await assert();
    },
  };
}

/** Checks the bank's accounts when a process starts. If the bank does not show them in time, only orders have to wait. */
export async function checkAtStart(binding: StoreBinding, log: Log): Promise<void> {
  const looked = binding.assert().catch((error: unknown) => {
    if (!isBankError(error)) throw error;
    log.warn({ error }, 'the bank has not shown its accounts yet: nothing is sent until it does');
  });
  looked.catch(() => {});
  await Promise.race([looked, setTimeout(FIRST_READ_MS, undefined, { ref: false })]);
}

/**
 * Compares the accounts that a command's key sees with those on record, without recording any, since the command may only read.
 * If the bank does not answer, the command's next call reports that.
 */
export async function assertBankFits(store: Store, bank: Bank): Promise<void> {
  if ((await store.identity()).accounts === undefined) return;
  const seen = await undefinedIf(isBankError, () =>
    bank.accounts.master({ signal: AbortSignal.timeout(FIRST_READ_MS) }),
  );
  if (seen !== undefined) await store.identify({ accounts: digests(store, seen) });
}

/** Compares the accounts with those on record, or records them. */
export async function recordAccounts(store: Store, bank: Bank): Promise<void> {
  await store.identify({ accounts: digests(store, await bank.accounts.master()) });
}

/** The accounts that this process's key saw first: one read shared by all callers, repeated only if they did not match. */
function accountsSeen(store: Store, bank: Bank): { get(): Promise<readonly string[]>; doubt(): void } {
  let seen: { at: number; accounts: Promise<readonly string[]> } | undefined;
  const look = () => {
    const accounts = bank.accounts.master().then((shown) => digests(store, shown));
    seen = { at: performance.now(), accounts };
    accounts.catch(() => {
      seen = undefined;
    });
    return accounts;
  };
  return {
    get: () => seen?.accounts ?? look(),
    doubt() {
      if (seen !== undefined && performance.now() - seen.at > READ_AGAIN_MS) seen = undefined;
    },
  };
}

/** A digest for each account, different in each store: account numbers are few enough to be guessed. */
function digests({ id }: Store, accounts: readonly { uid: string; account_id: string }[]): readonly string[] {
  return accounts.map(({ uid, account_id: accountId }) => hash('sha256', JSON.stringify([id, uid, accountId])));
}
