import type { SignedDecision } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import type { TakeOptions } from '../../files/intake/read-input.ts';
import { type VerdictDeps, whyDecisionIsVoid } from '../../people/decisions/verdict.ts';
import type { App, StoreReader } from '../../platform/app.ts';
import { untilTrue } from '../../platform/temporal/workflow-executions.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from './callers.ts';
import { maySee } from './may-see.ts';

/** Files of one caller that are read at once: each holds the process and the bank busy for seconds if it is large. */
const AT_ONCE = 2;

/** By caller: how many files are being read, and what goes on with the ones that wait. */
const reading = new Map<string, { open: number; waiting: (() => void)[] }>();

/** Has a file of a caller taken when it is its turn. How many may wait is limited by the requests of the caller at once. */
export async function takeInTurn<Taken>(
  gateway: App,
  caller: Caller,
  take: (handedBy: HandedBy) => Promise<Taken>,
): Promise<Taken> {
  const who = caller.name ?? '';
  await entered(who);
  try {
    return await take(handedByOf(gateway.store, caller));
  } finally {
    leave(who);
  }
}

async function entered(who: string): Promise<void> {
  const mine = reading.get(who) ?? { open: 0, waiting: [] };
  reading.set(who, mine);
  if (mine.open >= AT_ONCE) await new Promise<void>((resolve) => mine.waiting.push(resolve));
  else mine.open += 1;
}

/** The place of a file that has been read goes to the one that waits longest. */
function leave(who: string): void {
  const mine = reading.get(who);
  const next = mine?.waiting.shift();
  if (next !== undefined) next();
  else if (mine !== undefined && mine.open > 1) mine.open -= 1;
  else reading.delete(who);
}

export type HandedBy = Pick<TakeOptions, 'maker' | 'mayDiscloseOf'>;

/** A caller who hands over a row of somebody else's batch does not learn which one it is. */
export const handedByOf = (store: Store, caller: Caller): HandedBy => ({
  maker: caller.name,
  async mayDiscloseOf(batchId) {
    const batch = await store.batch(batchId);
    return batch !== undefined && maySee(caller, store, batch);
  },
});

/**
 * The id of the batch that a maker has signed the rows of. Throws a `Problem` if the signature is not theirs, or if the batch is
 * somebody else's.
 */
export async function batchSigned(authority: VerdictDeps, caller: Caller, signed: SignedDecision): Promise<string> {
  const { reference, subject } = signed;
  const made = await authority.store.batch(reference);
  const isTheirs = subject === caller.name && (made === undefined || made.by === subject);
  const why = isTheirs ? await whyDecisionIsVoid(authority, signed) : 'it is not in your name';
  if (why === undefined) return reference;
  throw new Problem('forbidden', 'decision-refused', `The signature does not count: ${why}.`, {
    hint: 'Nothing was taken. Plan the file again, and sign what the plan shows.',
  });
}

/** For taking rows that their maker has signed, or is about to sign once the plan is known. */
export function signedIntake(
  willSign: boolean,
  signed: SignedDecision | undefined,
  quotes: TakeOptions['quotes'] = [],
): Pick<TakeOptions, 'sign' | 'willSign' | 'quotes'> {
  if (signed === undefined) return { willSign };
  const sign: TakeOptions['sign'] = ({ storeId, reference, digest }) => {
    if (signed.storeId === storeId && signed.reference === reference && signed.digest === digest) return signed;
    throw new Problem('conflict', 'signed-something-else', 'What was signed is not what would be paid now.', {
      hint: 'Read the plan again, and sign its rows; with exchanges, send its `quotes` as well.',
    });
  };
  return { sign, quotes };
}

/** Longer than a row takes to ask at a bank that answers, and shorter than clients wait for an answer. */
const ASKS_WITHIN_MS = 2_000;

/**
 * Where people approve, the answer comes once the rows ask, so that a client finds the question when it has the answer. What is
 * not started yet, or waits for a slow bank, is answered as it is: `received` or `preparing`.
 */
export async function untilAsked({ store, config: { settings }, now }: StoreReader, batchId: string): Promise<void> {
  if (settings.policy === undefined && settings.approvalRules.length === 0) return;
  const { heldUntil = null } = (await store.batch(batchId)) ?? {};
  if (heldUntil !== null && heldUntil > now()) return;
  await untilTrue(async () => {
    const counts = await store.stateCounts(batchId);
    return !counts.has('received') && !counts.has('preparing');
  }, ASKS_WITHIN_MS);
}
