import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Bank } from '../bank/bank.ts';
import { readIfThere } from '../bank/bank-orders.ts';
import { isBankError, undefinedIf } from '../bank/errors.ts';
import { referenceForm } from '../domain/reference-form.ts';
import type { Log } from '../domain/settings.ts';
import type { Store, StoreIdentity } from '../store/store.ts';
import { StoreIdentityError } from '../store/store-errors.ts';
import { assertSameIdentity } from '../store/store-identity.ts';
import { bankIdentity } from './config/bank.ts';
import type { Config } from './config.ts';

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
  /** As `assert` last found it: once it fits, no store and no bank is asked. For callers that ask those by themselves. */
  assertOnce(): Promise<void>;
}

interface StoreBindingDeps {
  config: Config;
  store: Store;
  bank: Bank;
  temporal: Pick<StoreIdentity, 'cluster' | 'namespace'>;
}

/**
 * Compares at once what can be compared without the bank. The store belongs to a bank from the first time that it shows its accounts:
 * an address or a key that is wrong never answers with any.
 */
export async function bindStore({ config, store, bank, temporal }: StoreBindingDeps): Promise<StoreBinding> {
  const known = { bank: bankIdentity(config), ...temporal };
  assertSameIdentity(await store.identity(), known);
  await store.identify(temporal);
  const accounts = accountsSeen(store, bank);
  const key = keyShown(config, store, bank);
  let fits = false;
  const assert = async (): Promise<void> => {
    try {
      await store.identify({ ...known, accounts: await accounts.get() });
      await key();
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
  const firstRead = binding.assert().catch((error: unknown) => {
    if (!isBankError(error)) throw error;
    log.warn({ error }, 'the bank has not shown its accounts yet: nothing is sent until it does');
  });
  firstRead.catch(() => {});
  await Promise.race([firstRead, setTimeout(FIRST_READ_MS, undefined, { ref: false })]);
}

/**
 * Compares a command's key, and the accounts that it sees, with those on record, without recording any, since the command may only read.
 * If the bank does not answer, the command's next call reports that.
 */
export async function assertBankFits(config: KeyConfig, store: Store, bank: Bank): Promise<void> {
  const { accounts, key } = await store.identity();
  if (accounts === undefined) return;
  const seen = await undefinedIf(isBankError, () =>
    bank.accounts.master({ signal: AbortSignal.timeout(FIRST_READ_MS) }),
  );
  if (seen !== undefined) await store.identify({ accounts: digests(store, seen) });
  if (key === undefined || config.bank.relay !== undefined || key.includes(keyDigest(config, store))) return;
  await undefinedIf(isBankError, () => assertKeyFits(store, bank));
}

/** With a relay the process has no key: the workers' key is the one that is compared. */
type KeyConfig = { bank: Config['bank'] };

/** Accepts the configured key without proof. */
export async function acceptKey(config: KeyConfig, store: Store): Promise<void> {
  if (config.bank.relay === undefined) await store.addKey(keyDigest(config, store));
}

/**
 * A key counts once the bank has shown with it the order that it accepted last: account numbers of two customers may coincide, and
 * then a list of the other one's would prove that nothing was sent. Before the first order a store takes one key, the first.
 */
async function recordKey(config: KeyConfig, store: Store, bank: Bank): Promise<void> {
  if (config.bank.relay !== undefined) return;
  const digest = keyDigest(config, store);
  if ((await store.identity()).key?.includes(digest)) return;
  if ((await store.lastOrder()) === undefined && (await store.addFirstKey(digest))) return;
  await assertKeyFits(store, bank);
  await store.addKey(digest);
}

async function assertKeyFits(store: Store, bank: Bank): Promise<void> {
  const last = await store.lastOrder();
  if (last === undefined || last === 'in-doubt') {
    throw new StoreIdentityError('key', 'what was sent from it', 'one that cannot be compared, as no order is known');
  }
  const shown = (await readIfThere({ bank }, last.orderId))?.client_order_id;
  if (shown !== undefined && referenceForm(shown, last.reference) !== 'other') return;
  throw new StoreIdentityError('key', 'its last order under its reference', 'one that does not');
}

/** The check of the key, made until it fits; one that did not fit is not asked again at once. */
function keyShown(config: KeyConfig, store: Store, bank: Bank): () => Promise<void> {
  let checked: { at: number; done: Promise<void> } | undefined;
  return () => {
    if (checked !== undefined && performance.now() - checked.at < READ_AGAIN_MS) return checked.done;
    const done = recordKey(config, store, bank);
    checked = { at: performance.now(), done };
    done.then(
      () => {
        checked = { at: Number.POSITIVE_INFINITY, done };
      },
      (error: unknown) => {
        if (!(error instanceof StoreIdentityError)) checked = undefined;
      },
    );
    return done;
  };
}

const keyDigest = ({ bank }: KeyConfig, { id }: Store): string =>
  hash('sha256', JSON.stringify([id, 'key', bank.key.reveal()]));

/** The accounts that this process's key saw first: one read shared by all callers, repeated only if they did not match. */
function accountsSeen(store: Store, bank: Bank): { get(): Promise<readonly string[]>; doubt(): void } {
  let seen: { at: number; accounts: Promise<readonly string[]> } | undefined;
  const readAgain = () => {
    const accounts = bank.accounts.master().then((shown) => digests(store, shown));
    seen = { at: performance.now(), accounts };
    accounts.catch(() => {
      seen = undefined;
    });
    return accounts;
  };
  return {
    get: () => seen?.accounts ?? readAgain(),
    doubt() {
      if (seen !== undefined && performance.now() - seen.at > READ_AGAIN_MS) seen = undefined;
    },
  };
}

/** A digest for each account, different in each store: account numbers are few enough to be guessed. */
function digests({ id }: Store, accounts: readonly { uid: string; account_id: string }[]): readonly string[] {
  return accounts.map(({ uid, account_id: accountId }) => hash('sha256', JSON.stringify([id, uid, accountId])));
}
