import { isBankError, undefinedIf } from '../../bank/errors.ts';
import { scopeFactsOf } from '../../domain/authority.ts';
import { shortId } from '../../domain/display.ts';
import { aboutFile, rangesOf } from '../../domain/finding.ts';
import { lookAlikeKeys } from '../../domain/payee.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { LookAlike, Store, WatchKey } from '../../store/store.ts';
import { itemsInTurns } from '../input.ts';
import { FindingList, isOurs } from '../rules/finding-list.ts';
import { bankListsOf, dropPaid, dropUnknown } from './at-bank.ts';
import { INPUT_INVALID, IntakeRefusal, ifIdsRepeat, invalidInput, misusedIds, otherPlan } from './intake-refusal.ts';
import { dropKnown, type KnownRows } from './known-rows.ts';
import { assertScope } from './maker.ts';
import { markPaidElsewhere, type OrdersElsewhere } from './orders-elsewhere.ts';
import type { ReadFile, ReadingApp, TakeOptions } from './read-input.ts';
import type { StagedFile } from './staged-file.ts';

/** A checked file, compared with the store and the bank: its claims are the rows that may be paid now. */
export interface ComparedFile extends ReadFile {
  known: KnownRows;
  /** Whether the message id was never taken before. */
  messageIsNew: boolean;
  lookAlikes: LookAlikes;
  elsewhere: OrdersElsewhere | null;
  alikes: Alikes;
}

/** `keys`: users and currencies of the file. */
async function whenPaid(store: Store, keys: readonly WatchKey[]): Promise<string> {
  const { payouts } = await store.extent();
  const fresh = payouts === 0 ? 'This store is new: it knows of no earlier payout. ' : '';
  const restored = (await store.restored()) !== undefined;
  const paidFrom = restored
    ? 'This store was restored from a copy, and these rows may have been taken after it was made; then they need nothing more'
    : 'Use the home or store in which the file was taken before';
  const [first] = keys;
  const { uid, currency } = keys.length === 1 && first !== undefined ? first : { uid: 'UID', currency: 'CURRENCY' };
  return `${fresh}${paidFrom}; payouts orders ${uid} ${currency} shows the orders. --invalid skip pays only the other rows.`;
}

/**
 * Compares a checked file with what was taken before and with the bank. A refusal if a row may not be paid; with `skip` such rows
 * become findings. If every row was taken before, nothing else is compared and no claim is left.
 *
 * @throws Problem for a row outside the scope of its maker
 */
export async function compareFile(
  app: ReadingApp,
  checked: ReadFile,
  options: TakeOptions,
): Promise<ComparedFile | IntakeRefusal> {
  await assertWithinScope(app, checked, options);
  const known = await dropKnown(app.store, checked, { ...options, lists: bankListsOf(app) });
  const compared = await comparedTo(app, checked, known, options);
  return compared instanceof IntakeRefusal ? owingAnswer(app.store, checked, compared, options, known) : compared;
}

/**
 * Of a file that is refused already, the ids too, so that one round shows all findings. If the bank does not answer, those of the
 * file are shown alone. Not of a bank message: how its refusal is answered depends on what is wrong with it.
 */
export async function checkIdsToo(app: ReadingApp, checked: ReadFile, options: TakeOptions): Promise<void> {
  const { findings, original } = checked.staged;
  if (findings.aboutFile || original !== undefined) return;
  await assertWithinScope(app, checked, options);
  await undefinedIf(isBankError, () => dropUnknown(app.bank, checked));
}

/** More rows than this make no command that anybody types. */
const RETRIED_MAX = 1_000;

/** How to retry the rows of a batch about which nothing was found; undefined if it is no retry, or there are none. */
function ofOthers({ staged, retryOf }: ReadFile, found: FindingList): string | undefined {
  if (retryOf === undefined) return undefined;
  const misused = new Set(found.list().map(({ row }) => row));
  const others = [...staged.rows()].map(({ row }) => row).filter((row) => !misused.has(row));
  if (others.length === 0 || others.length > RETRIED_MAX) return undefined;
  return `\`payouts retry ${shortId(retryOf)} --rows ${rangesOf(others)}\` retries the others.`;
}

async function comparedTo(
  app: ReadingApp,
  checked: ReadFile,
  known: KnownRows,
  options: TakeOptions,
): Promise<ComparedFile | IntakeRefusal> {
  const { config, store, bank, now } = app;
  const { staged } = checked;
  const isStopping = options.invalid === 'stop';
  if (known.misused.total > 0) return misusedIds(known.misused, staged.original, ofOthers(checked, known.misused));
  if (staged.claimCount === 0 && known.taken.total > 0 && staged.findings.total === 0)
    return { ...checked, known, messageIsNew: false, lookAlikes: NO_LOOK_ALIKES, elsewhere: null, alikes: NO_ALIKES };
  if (known.taken.total > 0 && isStopping) {
    // Claimed in one step by somebody else, while the rows were compared page by page.
    if ((await dropKnown(store, checked)).taken.total > 0) return otherPlan('rows');
    return invalidInput(
      known.taken,
      `Run with --invalid skip to pay only the new rows.${ifIdsRepeat(staged.original)}`,
    );
  }
  const lists = bankListsOf(app);
  const { found: paid, ...read } = await dropPaid(lists, checked);
  if (paid.total > 0 && isStopping) return invalidInput(paid, await whenPaid(store, read.keys));
  const unknown = await dropUnknown(bank, checked);
  if (unknown.total > 0 && isStopping) return invalidInput(unknown, 'Correct the ids and run again.');
  if (staged.claimCount === 0) return invalidInput(staged.findings, 'There is no row left to pay.');
  const messageIsNew = await isMessageNew(store, checked, options);
  if (messageIsNew instanceof IntakeRefusal) return messageIsNew;
  const days = options.allowLookAlikes === true ? 0 : config.lookAlikeDays;
  const lookAlikes = await markLookAlikes(store, staged, { days, now: now() });
  const isHeld = options.allowLookAlikes !== true;
  const since = lookAlikesSince(config.lookAlikeDays, now());
  const elsewhere = await markPaidElsewhere(lists, staged, { ...read, since, isHeld });
  const alikes = await markAlikes(staged, config.settings.policy?.holdDuplicates === true);
  return { ...checked, known, messageIsNew, lookAlikes, elsewhere, alikes };
}

/** Before anything is returned of what the store or the bank has. In a dry run without a maker, nobody has proven who they are. */
async function assertWithinScope({ config }: ReadingApp, { staged }: ReadFile, { dryRun, maker }: TakeOptions) {
  const { policy } = config.settings;
  if (policy === undefined || (dryRun && maker === undefined)) return;
  for await (const page of itemsInTurns(staged.claimPages())) {
    const rows = page.map(({ row, instruction }) => ({ row, touched: scopeFactsOf('payout', instruction) }));
    assertScope(config.settings, maker, rows);
  }
}

/**
 * Marks a refused pain.001 that must be answered: one refused because of its content. Not if our own files lack something, which is
 * corrected here, unless the file must be sent again all the same; not if its message id or one of its rows was taken: RJCT would be
 * about payouts that were made; and not one that is only tried, which nobody has sent yet.
 */
export async function owingAnswer(
  store: Store,
  file: ReadFile,
  refusal: IntakeRefusal,
  { dryRun }: TakeOptions,
  compared?: KnownRows,
): Promise<IntakeRefusal> {
  const { format, sha256, staged } = file;
  if (dryRun || format !== 'pain.001' || refusal.code !== INPUT_INVALID) return refusal;
  if (refusal.findings.some(isOurs) && !staged.findings.aboutFile) return refusal;
  const { original: message = null } = staged;
  if (message !== null && (await store.batchOfMessage(message.messageId)) !== undefined) return refusal;
  const { taken, misused } = compared ?? (await dropKnown(store, file));
  if (taken.total + misused.total === 0) refusal.unanswered = { message, sha256 };
  return refusal;
}

/**
 * A message id is used once: another file with the same id is refused, with any rows. The same bytes may be submitted again
 * for the rows that were refused the first time, and only for those: then this returns false.
 */
async function isMessageNew(
  store: Store,
  { file, sha256, staged }: ReadFile,
  { mayDiscloseOf = async () => true }: TakeOptions,
): Promise<boolean | IntakeRefusal> {
  const messageId = staged.original?.messageId;
  if (messageId === undefined) return false;
  const earlier = await store.batchOfMessage(messageId);
  if (earlier === undefined) return true;
  const refused = new Set<number>();
  if (earlier.sha256 === sha256) for await (const { row } of store.refusedRows(earlier.batchId)) refused.add(row);
  if (refused.size > 0 && (await isEvery(itemsInTurns(staged.claims()), ({ row }) => refused.has(row)))) return false;
  const found = new FindingList();
  const mayDisclose = await mayDiscloseOf(earlier.batchId);
  const whose = mayDisclose ? `batch ${earlier.batchId} (${earlier.file})` : 'another batch';
  const message = `this message id was already used by ${whose}; a new file needs a new message id`;
  found.add({ file, ...aboutFile(1, 'message-id-reused', message), column: 'MsgId' });
  return invalidInput(
    found,
    mayDisclose ? `payouts report ${earlier.batchId} shows its outcome.` : 'Give it a new one.',
  );
}

async function isEvery<T>(items: AsyncIterable<T>, holds: (item: T) => boolean): Promise<boolean> {
  for await (const item of items) if (!holds(item)) return false;
  return true;
}

/** Rows that look like a recent payout: the first ones, and the total number. */
export interface LookAlikes {
  count: number;
  rows: { row: number; id: string; like: string; days: number }[];
}

const NO_LOOK_ALIKES: LookAlikes = { count: 0, rows: [] };
const SHOWN_MAX = 20;

/** Payouts from this time on count for look-alikes, epoch ms; undefined if that is switched off. */
export const lookAlikesSince = (days: number, now: number): number | undefined =>
  days === 0 ? undefined : now - days * DAY_MS;

/** Rows of a file with the same payee, amount and currency as another row of it. */
export interface Alikes {
  /** Rows in all groups. */
  count: number;
  /** Those that are held: all but the first of each group, if the policy says so. */
  held: number;
  /** The first groups, and the first rows of each. */
  groups: { rows: { row: number; id: string }[]; amount: string; currency: string; count: number }[];
}

const NO_ALIKES: Alikes = { count: 0, held: 0, groups: [] };

/** Two rows with two ids are two payouts, but people are shown that they are alike; `isHeld` has somebody decide the later ones. */
export async function markAlikes(staged: StagedFile, isHeld: boolean): Promise<Alikes> {
  const found: Alikes = { count: 0, held: 0, groups: [] };
  for await (const rows of staged.alikes()) {
    found.count += rows.length;
    const [first, ...others] = rows.slice(0, SHOWN_MAX).flatMap((row) => staged.claimAt(row) ?? []);
    if (first === undefined) continue;
    for await (const row of itemsInTurns(isHeld ? rows.slice(1) : [])) {
      const claim = staged.claimAt(row);
      if (claim === undefined) continue;
      // One that looks like an earlier payout is held for that.
      staged.claim({ ...claim, lookAlikeOf: claim.lookAlikeOf ?? first.reference });
      found.held += 1;
    }
    if (found.groups.length >= SHOWN_MAX) continue;
    const { amount, currency } = first.instruction;
    const shown = [first, ...others].map(({ row, instruction: { id } }) => ({ row, id }));
    found.groups.push({ rows: shown, amount, currency, count: rows.length });
  }
  return found;
}

/** Marks each claim whose payee, amount and currency were paid, or are being paid, within `days`; rows of one file: `markAlikes`. */
export async function markLookAlikes(
  store: Store,
  staged: StagedFile,
  { days, now }: { days: number; now: number },
): Promise<LookAlikes> {
  const found: LookAlikes = { count: 0, rows: [] };
  const since = lookAlikesSince(days, now);
  if (since === undefined) return found;
  for await (const page of itemsInTurns(staged.claimPages())) {
    const keyed = page.map((claim) => ({ claim, keys: lookAlikeKeys(claim) }));
    const alikes = await store.lookAlikes(
      keyed.flatMap(({ keys }) => keys),
      since,
    );
    const known = new Map<string, LookAlike>(alikes.map((alike) => [alike.key, alike]));
    for (const { claim, keys } of keyed) {
      const [alike] = keys.flatMap((key) => known.get(key) ?? []);
      if (alike === undefined) continue;
      staged.claim({ ...claim, lookAlikeOf: alike.reference });
      found.count += 1;
      if (found.rows.length >= SHOWN_MAX) continue;
      const ago = Math.floor((now - alike.createdAt) / DAY_MS);
      found.rows.push({ row: claim.row, id: claim.instruction.id, like: alike.reference, days: ago });
    }
  }
  return found;
}
