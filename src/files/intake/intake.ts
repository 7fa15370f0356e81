import { v7 } from 'uuid';
import type { Bank } from '../../bank/bank.ts';
import { conditionOf } from '../../bank/errors.ts';
import { type SignedDecision, type Statement, scopeFactsOf } from '../../domain/authority.ts';
import { aboutFile, type Finding } from '../../domain/finding.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import type { PayeeDetails } from '../../domain/payee.ts';
import type { BankCondition } from '../../domain/submission.ts';
import { signablePlan } from '../../people/signing/plan.ts';
import type { ClaimRow, Store } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { FindingList } from '../rules/finding-list.ts';
import { isOurs } from '../rules/findings-of-ours.ts';
import { type BankLists, dropPaid } from './at-bank.ts';
import { checkFile } from './check-file.ts';
import type { CheckedFile, KnownRows, MayTellOf } from './checked-file.ts';
import {
  INPUT_INVALID,
  IntakeRefusal,
  ifIdsRepeat,
  invalidInput,
  misusedIds,
  OTHER_PLAN,
  type UnansweredMessage,
} from './intake-refusal.ts';
import { dropKnown } from './known-rows.ts';
import { lookAlikesSince, markLookAlikes } from './look-alikes.ts';
import { assertMaker, assertScope } from './maker.ts';
import type { ApprovalTerms } from './outlook.ts';
import { type Plan, planOf, type StoreUse } from './plan.ts';

/**
 * A message id is used once: another file with the same id is refused, whatever its rows. The same bytes may be submitted again
 * for the rows that were refused the first time, and only for those: then this returns false.
 */
export async function messageIsNew(
  store: Store,
  { file, sha256, staged }: CheckedFile,
  mayTellOf: MayTellOf = async () => true,
): Promise<boolean> {
  const messageId = staged.original?.messageId;
  if (messageId === undefined) return false;
  const earlier = await store.batchOfMessage(messageId);
  if (earlier === undefined) return true;
  const refused = new Set<number>();
  if (earlier.sha256 === sha256) for await (const { row } of store.refusedRows(earlier.batchId)) refused.add(row);
  if (refused.size > 0 && (await isEvery(itemsInTurns(staged.claims()), ({ row }) => refused.has(row)))) return false;
  const found = new FindingList();
  const mayTell = await mayTellOf(earlier.batchId);
  const whose = mayTell ? `batch ${earlier.batchId} (${earlier.file})` : 'another batch';
  const message = `this message id was already used by ${whose}; a new file needs a new message id`;
  found.add({ file, ...aboutFile(1, 'message-id-reused', message), column: 'MsgId' });
  throw invalidInput(found, mayTell ? `payouts report ${earlier.batchId} shows its outcome.` : 'Give it a new one.');
}

async function isEvery<T>(items: AsyncIterable<T>, holds: (item: T) => boolean): Promise<boolean> {
  for await (const item of items) if (!holds(item)) return false;
  return true;
}

/**
 * Limit of ids looked up (an id named by two users counts twice). With more, unknown payees are left to the payouts, which are
 * then held.
 */
const LOOK_UPS_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

/**
 * Turns rows whose account or beneficiary the bank does not know into findings: better reported before than held later. Warns of
 * those that belong to another user than the row's. What is learnt of the payees stays with the file.
 */
async function dropUnknown(bank: Bank, { file, staged }: CheckedFile): Promise<FindingList> {
  const found = new FindingList();
  const details = new Map<string, PayeeDetails>();
  const look = async (column: NamedColumn, rule: BankCondition, ownerOf: (id: string) => Promise<string>) => {
    const named = await staged.idsNamed(column, LOOK_UPS_MAX);
    const { owners, missing } = await lookedUp(new Set(named.map(({ id }) => id)), rule, ownerOf);
    const foreign = named.filter(({ id, uid }) => (owners.get(id) ?? uid) !== uid);
    staged.warning(
      ...foreign.map(({ id, row }) => ({ ...otherUser(column, id), file, line: staged.lineOf(row), row })),
    );
    return missing;
  };
  const accounts = await look('account_id', NOT_FOUND.account.rule, async (id) => (await bank.accounts.get(id)).uid);
  const payees = await look('beneficiary_id', NOT_FOUND.beneficiary.rule, async (id) => {
    const { items, uid } = await bank.beneficiaries.get(id);
    details.set(id, items);
    return uid;
  });
  staged.payees = details;
  if (accounts.size + payees.size === 0) return found;
  for await (const { row, instruction } of itemsInTurns(staged.claims())) {
    const { account_id: account, beneficiary_id: payee } = instruction;
    const findings: Finding[] = [];
    const at = { file, line: staged.lineOf(row), row };
    if (accounts.has(account)) findings.push({ ...at, ...NOT_FOUND.account, value: account });
    if (payee !== undefined && payees.has(payee)) findings.push({ ...at, ...NOT_FOUND.beneficiary, value: payee });
    if (findings.length === 0) continue;
    found.add(...findings);
    staged.finding(...findings);
    staged.drop(row);
  }
  return found;
}

const NOT_FOUND = {
  account: {
    column: 'account_id',
    rule: 'account-not-found',
    message: 'the bank does not know this account; correct the id',
  },
  beneficiary: {
    column: 'beneficiary_id',
    rule: 'beneficiary-not-found',
    message: 'the bank does not know this beneficiary; correct the id',
  },
} as const;

type NamedColumn = 'account_id' | 'beneficiary_id';

const otherUser = (column: NamedColumn, value: string) => ({
  column,
  rule: 'other-user',
  message: `the bank has it under another user; check uid and ${column}`,
  value,
});

/** The owner of each id, and the ids that the bank refuses with `condition`; other refusals prove nothing here. */
async function lookedUp(
  ids: ReadonlySet<string>,
  condition: BankCondition,
  ownerOf: (id: string) => Promise<string>,
): Promise<{ owners: ReadonlyMap<string, string>; missing: ReadonlySet<string> }> {
  const owners = new Map<string, string>();
  const missing = new Set<string>();
  await someAtOnce([...ids], LOOK_UPS_AT_ONCE, async (id) => {
    try {
      owners.set(id, await ownerOf(id));
    } catch (error) {
      const told = conditionOf(error);
      if (told === undefined) throw error;
      if (told === condition) missing.add(id);
    }
  });
  return { owners, missing };
}

/** Dependencies of taking a file, through any channel: the command, HTTP, the drop folder and its schedule. */
export interface IntakeDeps extends ApprovalTerms {
  store: Store;
  lists: BankLists;
  /** Answers required-details, and which accounts and payees exist. */
  bank: Bank;
  context: MessageContext;
  /**
   * How many days back a payout with the same payee, amount and currency makes a row a look-alike, which is held; 0 switches this
   * off.
   */
  lookAlikeDays: number;
  /** The day on which a row with this execution date is sent. */
  dueDate(executeOn: string, currency: string): string;
  now(): number;
  /** Who hands files over, as proven at the channel; used under a policy. */
  maker?: string;
  /** Signs as that maker, where the channel can; absent: it has no key of theirs. */
  sign?: (about: MakerSigns) => SignedDecision;
  /** Absent: of every batch. */
  mayTellOf?: MayTellOf;
  /** What the plan says of the store. */
  storeUse(): Promise<StoreUse>;
  /** Rejects if Temporal or the bank cannot be used now. */
  assertReady(): Promise<void>;
  /** Starts the workflow of a batch unless it is running. If that fails, a worker starts the claimed batch. */
  startBatch(batchId: string, file: string): Promise<void>;
}

type MakerSigns = Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'>;

export interface IntakeOptions {
  /** `stop`: one bad row stops the file; `skip`: the others are paid. */
  invalid: 'stop' | 'skip';
  /** Number of rows that are paid first, alone. */
  canary?: number;
  /** Look-alikes are intended: they are not held. */
  allowLookAlikes?: boolean;
  /** The maker. */
  by?: string;
  dryRun?: boolean;
  /** Id of the batch, for a caller that may have to find it again; absent: a new one. */
  batchId?: string;
}

/** A file that was read, checked and compared with what was taken before; nothing is claimed yet. */
export interface Prepared extends Disposable {
  checked: CheckedFile;
  known: KnownRows;
  /** Null if every row was taken before: there is nothing to pay. */
  plan: Plan | null;
}

/**
 * Reads, validates and plans a file. Throws an `IntakeRefusal` for whatever stops it, and a `Problem` for somebody who may not
 * hand over files, before any of it is read. The caller disposes of the result.
 */
export async function prepareFile(deps: IntakeDeps, path: string, options: IntakeOptions): Promise<Prepared> {
  assertMayHandOver(deps, options);
  const checked = await checkFile(path, deps.bank, deps.context, deps.dueDate);
  try {
    return await planned(deps, checked, options);
  } catch (error) {
    // A file that is only tried is not answered: nobody has sent it yet.
    if (error instanceof IntakeRefusal && !options.dryRun)
      error.unanswered = await unanswered(deps.store, checked, error);
    checked.staged[Symbol.dispose]();
    throw error;
  }
}

/**
 * A pain.001 refused because of its content must be answered. Not if our own files lack something, which is corrected here,
 * unless the file must be sent again all the same; and not if its message id or one of its rows was taken: RJCT would be about
 * payouts that were made.
 */
async function unanswered(
  store: Store,
  checked: CheckedFile,
  { code, findings }: IntakeRefusal,
): Promise<UnansweredMessage | undefined> {
  const { format, sha256, staged } = checked;
  if (format !== 'pain.001' || code !== INPUT_INVALID) return undefined;
  if (findings.some(isOurs) && !staged.findings.aboutFile) return undefined;
  const { original: message = null } = staged;
  if (message !== null && (await store.batchOfMessage(message.messageId)) !== undefined) return undefined;
  checked.known ??= await dropKnown(store, checked);
  const { taken, misused } = checked.known;
  return taken.total + misused.total === 0 ? { message, sha256 } : undefined;
}

/** Compares checked rows with what was taken before and plans the rest. */
export async function planned(deps: IntakeDeps, checked: CheckedFile, options: IntakeOptions): Promise<Prepared> {
  const { store, bank, context, lookAlikeDays, now, dueDate, lists } = deps;
  const { staged, file } = checked;
  refuseUnlessSkipping(checked, options);
  await assertWithinScope(deps, checked, options);
  const known = await dropKnown(store, checked, deps);
  checked.known = known;
  if (known.misused.total > 0) throw misusedIds(known.misused, staged.original);
  const prepared = { checked, known, [Symbol.dispose]: () => staged[Symbol.dispose]() };
  if (staged.claimCount === 0 && known.taken.total > 0 && staged.findings.total === 0)
    return { ...prepared, plan: null };
  if (known.taken.total > 0 && options.invalid === 'stop') {
    // Claimed in one step by somebody else, while the rows were compared page by page.
    if ((await dropKnown(store, checked)).taken.total > 0) throw otherPlan('rows');
    throw invalidInput(known.taken, `Run with --invalid skip to pay only the new rows.${ifIdsRepeat(staged.original)}`);
  }
  const paid = await dropPaid(lists, checked);
  if (paid.total > 0 && options.invalid === 'stop') throw invalidInput(paid, PAID);
  const unknown = await dropUnknown(bank, checked);
  if (unknown.total > 0 && options.invalid === 'stop') throw invalidInput(unknown, 'Correct the ids and run again.');
  if (staged.claimCount === 0) throw invalidInput(staged.findings, 'There is no row left to pay.');
  checked.messageIsNew = await messageIsNew(store, checked, deps.mayTellOf);
  const alike =
    options.allowLookAlikes === true
      ? { count: 0, rows: [] }
      : await markLookAlikes(store, staged, { days: lookAlikeDays, now: now() });
  const days = { today: context.today, dueDate };
  return { ...prepared, plan: await planOf(file, itemsInTurns(staged.claims()), alike, days) };
}

const PAID =
  'Run the file with the home or store that it was run with before; payouts orders UID CURRENCY shows the orders. --invalid skip pays only the other rows.';

function refuseUnlessSkipping({ staged }: CheckedFile, { invalid }: IntakeOptions): void {
  const { findings, claimCount } = staged;
  if (findings.total === 0) return;
  // A finding without a row means that the whole file is in doubt: its other rows are not paid either.
  if (invalid === 'stop' || findings.aboutFile || claimCount === 0) {
    const hint = findings.aboutFile
      ? 'Correct the file and run it again.'
      : 'Correct the rows, or run with --invalid skip to pay the others.';
    throw invalidInput(findings, hint);
  }
}

/** Without a policy nobody has proven who they are. */
export function assertMayHandOver(deps: IntakeDeps, { dryRun }: IntakeOptions): void {
  const { policy, maker } = deps;
  if (policy !== undefined && !(dryRun && maker === undefined)) assertMaker(deps, maker);
}

/**
 * Before anything is told of what the store or the bank has: whoever has proven who they are learns nothing by what they may not
 * hand over.
 */
async function assertWithinScope(deps: IntakeDeps, { staged }: CheckedFile, { dryRun }: IntakeOptions): Promise<void> {
  const { policy, maker } = deps;
  if (policy === undefined || (dryRun && maker === undefined)) return;
  for await (const page of itemsInTurns(staged.claimPages())) {
    const rows = page.map(({ row, instruction }) => ({ row, touched: scopeFactsOf('payout', instruction) }));
    assertScope(deps, maker, rows);
  }
}

const CHANGED = {
  'message-taken': 'Another file has just used this message id',
  'look-alike': 'A payout that looks like a row of this file has just been taken',
  rows: 'Another run has just taken rows of this file',
} as const;

const otherPlan = (changed: keyof typeof CHANGED): IntakeRefusal =>
  new IntakeRefusal('invalid-input', OTHER_PLAN, `${CHANGED[changed]}; nothing was sent.`, {
    hint: 'Run again and check the plan.',
  });

/** Stores the maker's signature of what is to be claimed, before anything is: each row is proven by it when it is sent. */
async function signRows({ store, sign, now }: IntakeDeps, batchId: string, claims: Iterable<ClaimRow>): Promise<void> {
  if (sign === undefined) return;
  const rows = Array.from(claims, ({ reference, payloadDigest: digest }) => ({ reference, digest }));
  const { digest, inclusions } = signablePlan(rows);
  const signed = sign({ storeId: store.id, question: 'make', reference: batchId, digest });
  await store.takeSignedPlan(signed, inclusions(), now());
}

/**
 * Claims the rows of a prepared file as one batch, all or none. Returns `KnownRows` if somebody else has claimed every row in the
 * meantime.
 */
export async function claimFile(
  deps: IntakeDeps,
  { checked }: Prepared,
  options: IntakeOptions,
): Promise<{ batchId: string } | KnownRows> {
  const { store, now, lookAlikeDays, mayTellOf, lists } = deps;
  const { file, sha256, staged, retryOf } = checked;
  const batchId = options.batchId ?? v7();
  await signRows(deps, batchId, staged.claims());
  const claim = await store.claimBatch({
    batchId,
    file,
    sha256,
    by: options.by ?? null,
    rows: { [Symbol.iterator]: () => staged.claims() },
    refused: { [Symbol.iterator]: () => staged.refused() },
    message: staged.original,
    messageIsNew: checked.messageIsNew,
    lookAlikesSince: options.allowLookAlikes === true ? undefined : lookAlikesSince(lookAlikeDays, now()),
    canary: options.canary,
    retryOf,
    at: now(),
  });
  if (claim.claimed) return { batchId };
  if ('changed' in claim) throw otherPlan(claim.changed);
  const known = await dropKnown(store, checked, { mayTellOf, lists });
  if (staged.claimCount === 0 && known.misused.total === 0) return known;
  throw otherPlan('rows');
}
