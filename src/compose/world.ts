import { createHash } from 'node:crypto';
import type { Bank } from '../api/bank.ts';
import { isBankError, unless } from '../api/errors.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { StoreIdentityError } from '../store/errors.ts';
import type { Store, StoreIdentity } from '../store/store.ts';
import { bankMark } from './bank-mark.ts';

/** How long a process that comes up waits for the bank to show its accounts. */
const FIRST_LOOK_MS = 5_000;
/** Accounts that do not fit are read again, but not for every order that is refused meanwhile. */
const LOOK_AGAIN_MS = 10_000;

/**
 * What the store must belong to before a byte of this process leaves. Throws a `StoreIdentityError` that names the part which
 * differs, and a `BankError` while the bank has not shown its accounts.
 */
export interface World {
  assert(): Promise<void>;
  /** As `assert` last found it: once it fits, no store and no bank is asked. For whoever asks those by themselves. */
  assertFound(): Promise<void>;
}

interface WorldDeps {
  config: Config;
  store: Store;
  bank: Bank;
  temporal: Pick<StoreIdentity, 'cluster' | 'namespace'>;
}

/** Compares what is known without the bank at once. */
export async function openWorld({ config, store, bank, temporal }: WorldDeps): Promise<World> {
  const known = { bank: bankMark(config), ...temporal };
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
    assertFound: async () => {
      if (!fits) await assert();
    },
  };
}

/** Looks at the bank's accounts when a process comes up. A bank that does not show them in time stops nothing but orders. */
export async function lookAtWorld(world: World, log: Log): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, FIRST_LOOK_MS);
  const looked = world.assert().catch((error: unknown) => {
    if (!isBankError(error)) throw error;
    log.warn({ error }, 'the bank has not shown its accounts yet: nothing is sent until it does');
  });
  looked.catch(() => {});
  await Promise.race([looked, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Compares the accounts that a command's key sees with those on record; a command that only reads records none. A bank that does
 * not answer is told of by the call that follows.
 */
export async function assertBankFits(store: Store, bank: Bank): Promise<void> {
  if ((await store.identity()).accounts === undefined) return;
  const seen = await unless(isBankError, () => bank.accounts.master({ signal: AbortSignal.timeout(FIRST_LOOK_MS) }));
  if (seen !== undefined) await store.identify({ accounts: digests(store, seen) });
}

/** Compares the accounts with those on record, or records them. */
export async function recordAccounts(store: Store, bank: Bank): Promise<void> {
  await store.identify({ accounts: digests(store, await bank.accounts.master()) });
}

/** The accounts as this process and its key saw them first: one read, whoever asks, and again only when they did not fit. */
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
      if (seen !== undefined && performance.now() - seen.at > LOOK_AGAIN_MS) seen = undefined;
    },
  };
}

/** One for each account, told apart from those of other stores: account numbers are few enough to be guessed. */
function digests({ id }: Store, accounts: readonly { uid: string; account_id: string }[]): readonly string[] {
  return accounts.map(({ uid, account_id: accountId }) =>
    createHash('sha256')
      .update(JSON.stringify([id, uid, accountId]))
      .digest('hex'),
  );
}
