import { v7 } from 'uuid';
import { personOf, scopeFactsOf } from '../../domain/authority.ts';
import { aboutFile, type Finding } from '../../domain/finding.ts';
import { madeDigest } from '../../domain/identity.ts';
import { signablePlan } from '../../people/signing/signed-plan.ts';
import type { App } from '../../platform/app.ts';
import { type CurrentSpan, currentSpan, traceparentOf } from '../../platform/telemetry/current-span.ts';
import { assertReachable } from '../../platform/temporal/connection.ts';
import { startBatch } from '../../platform/temporal/workflow-executions.ts';
import { itemsInTurns } from '../input.ts';
import { bankListsOf } from './at-bank.ts';
import { checkRows, refusalOf } from './check.ts';
import { type ComparedFile, checkIdsToo, compareFile, lookAlikesSince, owingAnswer } from './compare.ts';
import { bindRows, type QuotedExchange, quoteExchanges } from './exchange-quotes.ts';
import { alreadyTaken, IntakeRefusal, OTHER_PLAN, otherPlan } from './intake-refusal.ts';
import { dropKnown, type KnownRows, takenBefore } from './known-rows.ts';
import { assertMaker, assertScope } from './maker.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import { type ListedRow, listedRows, type Plan, planOf, type StoreUse, storeUseOf } from './plan.ts';
import {
  daysOf,
  type ReadFile,
  type ReadingApp,
  readFile,
  readUnpaid,
  type TakeOptions,
  type UnpaidRows,
} from './read-input.ts';
import type { StagedFile } from './staged-file.ts';

/** A file that may be paid as planned; nothing is claimed yet. */
export interface PlannedFile extends ComparedFile, Disposable {
  plan: Plan;
  quotes: readonly QuotedExchange[];
}

/** The result of a dry run. */
export interface PlanDocument {
  schemaVersion: 1;
  /** `listed`: the first rows, payees in full. */
  plan: Plan & Outlook & { store: StoreUse; quotes: readonly QuotedExchange[]; listed: ListedRow[] };
  findings: Finding[];
  /** They stop nothing. */
  warnings: Finding[];
}

/** A row to be claimed, as its maker signs it. */
export interface PlannedRow {
  reference: string;
  /** Of its payload and of what the plan says it may sell. */
  digest: string;
}

/** The batch of the rows. */
export type Taken =
  | { outcome: 'claimed'; batchId: string }
  /**
   * Earlier batches took every row of the file and have not ended, or wait only for an operator: the oldest one, and all of them.
   */
  | { outcome: 'under-way' | 'with-operator'; batchId: string; batchIds: string[] };

export type Taking = Taken | { outcome: 'planned'; document: PlanDocument };

/** Asks the user, or compares with what was agreed to beforehand. Throws unless the plan is confirmed. */
export type Agree = (planned: PlannedFile) => Promise<void> | void;

/**
 * Takes a file: plans it, has the plan confirmed, claims and starts it. Claims nothing unless bank and Temporal answer. The same
 * `batchId` again, however the first try ended, finds the batch that was made.
 */
export async function takeFile(
  app: App,
  path: string,
  options: TakeOptions,
  agree: Agree = () => {},
): Promise<Taking | IntakeRefusal> {
  return (await madeBefore(app, options)) ?? take(app, await planFile(app, path, options), options, agree);
}

/** Takes rows that are proven unpaid again, in the same way. */
export async function takeUnpaid(
  app: App,
  rows: UnpaidRows,
  options: TakeOptions,
  agree: Agree = () => {},
): Promise<Taking | IntakeRefusal> {
  return (await madeBefore(app, options)) ?? take(app, await planUnpaid(app, rows, options), options, agree);
}

/** The batch that an earlier try of this request made. */
async function madeBefore(app: App, { batchId }: TakeOptions): Promise<Taken | undefined> {
  const made = batchId === undefined ? undefined : await app.store.batch(batchId);
  if (made === undefined) return undefined;
  if (made.endedAt === null) await start(app, made.batchId, made.file);
  return { outcome: 'claimed', batchId: made.batchId };
}

async function take(
  app: App,
  given: PlannedFile | Taken | IntakeRefusal,
  options: TakeOptions,
  agree: Agree,
): Promise<Taking | IntakeRefusal> {
  if (!('plan' in given)) return given;
  using planned = given;
  await agree(planned);
  if (options.dryRun) return { outcome: 'planned', document: await planDocument(app, planned, options) };
  await assertReachable(app.client, app.stack);
  await app.bank.authenticate();
  const taken = await claimFile(app, planned, options);
  if ('outcome' in taken && taken.outcome === 'claimed') await start(app, taken.batchId, planned.file);
  return taken;
}

/** The claim is kept: if Temporal does not answer, a worker starts the batch when it is back. */
const start = ({ client, log }: App, batchId: string, file: string): Promise<void> =>
  startBatch(client, batchId, file).catch((error: unknown) => log.warn({ error, batchId }, 'batch not started'));

/**
 * Reads, checks, compares and plans a file. The caller disposes of the result; `Taken` if every row was taken before.
 *
 * @throws Problem for somebody who may not hand over files, before any of it is read
 */
export async function planFile(
  app: ReadingApp,
  path: string,
  options: TakeOptions,
): Promise<PlannedFile | Taken | IntakeRefusal> {
  assertMayHandOver(app, options);
  const read = await readFile(app, path, options);
  return read instanceof IntakeRefusal ? read : planned(app, read, options, daysOf(app));
}

/** The same for rows of a batch that are to be paid again. */
export async function planUnpaid(
  app: ReadingApp,
  rows: UnpaidRows,
  options: TakeOptions,
): Promise<PlannedFile | Taken | IntakeRefusal> {
  assertMayHandOver(app, options);
  const read = await readUnpaid(app, rows);
  return read instanceof IntakeRefusal ? read : planned(app, read, options);
}

/** Under a policy the maker is the one proven; a dry run by nobody only reads. */
function assertMayHandOver({ config: { settings } }: ReadingApp, { dryRun, by, maker }: TakeOptions): void {
  if (settings.policy === undefined ? dryRun : dryRun && maker === undefined) return;
  assertMaker(settings, settings.policy === undefined ? by : maker);
}

/** Disposes of what was read unless a plan is made of it. */
async function planned(
  app: ReadingApp,
  read: ReadFile,
  options: TakeOptions,
  warnOf?: ReturnType<typeof daysOf>,
): Promise<PlannedFile | Taken | IntakeRefusal> {
  const { file, staged } = read;
  using unplanned = new DisposableStack();
  unplanned.use(staged);
  await checkRows(app.bank, read, warnOf);
  if (refusalOf(read, options) !== undefined) await checkIdsToo(app, read, options);
  const refusal = refusalOf(read, options);
  // Awaited here: what was read is gone once this returns.
  if (refusal !== undefined) return await owingAnswer(app.store, read, refusal, options);
  const compared = await compareFile(app, read, options);
  if (compared instanceof IntakeRefusal) return compared;
  if (staged.claimCount === 0) return await takenAlready(app, compared, options);
  const { exchange = app.config.exchange } = options;
  const { maxSlippage } = app.config.settings.terms;
  const quotes = options.quotes ?? (await quoteExchanges(app, staged, { maxSlippage, exchange }));
  await bindRows(staged, quotes);
  assertMayExchange(app, staged, options);
  if (asksOne(app, options)) staged.warning({ file, ...UNSIGNED });
  const plan = await planOf(file, itemsInTurns(staged.claims()), compared, daysOf(app), staged.exchanges);
  unplanned.move();
  return { ...compared, plan, quotes, [Symbol.dispose]: () => staged[Symbol.dispose]() };
}

/** Their maker makes the exchanges too. In a dry run without a maker, nobody has proven who they are. */
function assertMayExchange({ config }: ReadingApp, { exchanges }: StagedFile, { dryRun, maker }: TakeOptions): void {
  if (dryRun && maker === undefined) return;
  const touched = exchanges.map(({ instruction }) =>
    scopeFactsOf('exchange', instruction, { soldCurrency: instruction.sell_currency }),
  );
  assertScope(
    config.settings,
    maker,
    touched.map((it) => ({ row: 'The exchange for all rows', touched: it })),
  );
}

const UNSIGNED = aboutFile(
  0,
  'no-maker-signature',
  'no row carries the signature of its maker, so each needs an approval at least, even if no rule asks for one; the command signs with the key of a maker, and "unsigned" in the policy waives it',
);

/** Under a policy, rows without the signature of their maker need one approval at least. */
function asksOne({ config }: ReadingApp, { maker, sign, willSign }: TakeOptions): boolean {
  const { policy } = config.settings;
  if (policy === undefined || sign !== undefined || willSign) return false;
  return personOf(policy, maker ?? null)?.unsigned !== true;
}

/** The plan with current balances and fees from the bank. */
export async function planDocument(
  app: ReadingApp,
  { staged, known, plan, quotes }: PlannedFile,
  options: TakeOptions,
): Promise<PlanDocument> {
  const { bank, config, store } = app;
  const { bankAuditsFrom, baseCurrency } = config;
  const terms = { ...config.settings, bankAuditsFrom, baseCurrency, asksOne: asksOne(app, options) };
  return {
    schemaVersion: 1,
    plan: {
      ...plan,
      listed: await listedRows(staged),
      ...(await outlookOf(bank, terms, { plan, staged, quotes }, app.now())),
      quotes,
      store: await storeUseOf(config, store),
    },
    findings: [...staged.findings.list(), ...known.taken.list()],
    warnings: staged.warnings.list(),
  };
}

/** The rows of a plan, in the order in which they are signed. */
export const plannedRows = ({ staged }: { staged: StagedFile }): PlannedRow[] =>
  [...staged.claims(), ...staged.exchanges].map(({ reference, instruction }) => ({
    reference,
    digest: madeDigest(instruction),
  }));

/** Throws if the plan does not have the hash that was agreed to. */
export function assertPlan({ hash }: Plan, agreed: string | undefined): void {
  if (agreed === undefined || agreed === hash) return;
  throw new IntakeRefusal('invalid-input', OTHER_PLAN, `The plan has changed to ${hash}; nothing was sent.`, {
    hint: 'Check it again with --dry-run, and run with the hash of the plan you accept.',
  });
}

/** Claims the rows of a planned file as one batch, all or none, signed by their maker where the channel can. */
export async function claimFile(
  app: ReadingApp,
  planned: PlannedFile,
  options: TakeOptions,
): Promise<Taken | IntakeRefusal> {
  const { config, store, now } = app;
  const { file, sha256, staged, retryOf, messageIsNew } = planned;
  const batchId = options.batchId ?? v7();
  const undoMs = config.undoMs ?? options.undoMs ?? 0;
  await signRows(app, batchId, planned, options);
  const claim = await store.claimBatch({
    batchId,
    file,
    sha256,
    by: (config.settings.policy === undefined ? options.by : options.maker) ?? null,
    rows: { [Symbol.iterator]: () => staged.claims() },
    exchanges: staged.exchanges,
    refused: { [Symbol.iterator]: () => staged.refused() },
    message: staged.original,
    messageIsNew,
    lookAlikesSince: options.allowLookAlikes === true ? undefined : lookAlikesSince(config.lookAlikeDays, now()),
    canary: options.canary,
    heldUntil: undoMs > 0 ? now() + undoMs : undefined,
    retryOf,
    traceparent: tracedBy(currentSpan()),
    at: now(),
  });
  if (claim.claimed) return { outcome: 'claimed', batchId };
  if ('changed' in claim) return otherPlan(claim.changed);
  const known = await dropKnown(store, planned, { ...options, lists: bankListsOf(app) });
  if (staged.claimCount > 0 || known.misused.total > 0) return otherPlan('rows');
  return takenAlready(app, { ...planned, known }, options);
}

/** Spans of payouts join the request only if its own is sent. */
const tracedBy = (span: CurrentSpan | undefined): string | undefined =>
  span?.isSampled === true ? traceparentOf(span) : undefined;

/** Stores the maker's signature of what is to be claimed, before anything is: each row is proven by it when it is sent. */
async function signRows(
  { store, now }: ReadingApp,
  batchId: string,
  planned: PlannedFile,
  { sign }: TakeOptions,
): Promise<void> {
  if (sign === undefined) return;
  const { digest, inclusions } = signablePlan(plannedRows(planned));
  const signed = sign({ storeId: store.id, question: 'make', reference: batchId, digest });
  await store.takeSignedPlan(signed, inclusions(), now());
}

/** The batches that took every row of the file. If one of them has this request's id, the request was sent twice concurrently. */
async function takenAlready(
  { store }: ReadingApp,
  { known, staged }: { known: KnownRows } & Pick<ReadFile, 'staged'>,
  { batchId, isAttended }: TakeOptions,
): Promise<Taken | IntakeRefusal> {
  if (batchId !== undefined && known.batchIds.has(batchId)) return { outcome: 'claimed', batchId };
  const { open, withOperator, latest } = await takenBefore(store, known);
  const batchIds = isAttended ? [...open, ...withOperator] : open;
  const [oldest] = batchIds;
  if (oldest === undefined) return alreadyTaken(latest, staged.original);
  return { outcome: open.length > 0 ? 'under-way' : 'with-operator', batchId: oldest, batchIds };
}
