import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { v7 } from 'uuid';
import { OFFER } from '../channels/http/operations/bank-operations.ts';
import { RETRY, type RetriedRow } from '../channels/http/operations/retry-operations.ts';
import { PAYOUT_VIEW, PROGRESS } from '../channels/http/operations/state-operations.ts';
import type { SignedDecision } from '../domain/authority.ts';
import { counted, shortId } from '../domain/display.ts';
import { type Finding, visible } from '../domain/finding.ts';
import { madeDigest, referenceOf } from '../domain/identity.ts';
import { type PayoutInstruction, withoutBound } from '../domain/instruction.ts';
import { Problem } from '../domain/problem.ts';
import { itemsInTurns, whyUnreadable } from '../files/input.ts';
import type { ValidFile } from '../files/intake/check.ts';
import { bindRows, type QuotedExchange } from '../files/intake/exchange-quotes.ts';
import { IntakeRefusal } from '../files/intake/intake-refusal.ts';
import { claimRow } from '../files/intake/known-rows.ts';
import { type Plan, planOf } from '../files/intake/plan.ts';
import type { ReadingApp, TakeOptions } from '../files/intake/read-input.ts';
import { type BatchExchange, StagedFile } from '../files/intake/staged-file.ts';
import {
  assertPlan,
  claimFile,
  type PlanDocument,
  type PlannedFile,
  type PlannedRow,
  planDocument,
  planFile,
  plannedRows,
  planUnpaid,
  type Taken,
  type Taking,
} from '../files/intake/take-file.ts';
import { type MessageFiles, messageContextOf } from '../files/messages/message-context.ts';
import { FILE_NAMES, isMessage, readInstructions } from '../files/read-file.ts';
import { type RequiredDetailsOf, withoutSpare } from '../files/rules/beneficiary-rules.ts';
import { REQUIRED_COLUMNS } from '../files/rules/field-rules.ts';
import type { ReadRow } from '../files/rules/read-row.ts';
import { isRowOfPlan, signablePlan } from '../people/signing/signed-plan.ts';
import { credentialId, publicKeyOf, verifyStatement } from '../people/signing/signing.ts';
import { startBatch } from '../platform/temporal/workflow-executions.ts';
import { answeredRefusal } from '../reports/status-report-files.ts';
import type { ClaimRow, PayoutRecord } from '../store/store.ts';
import { confirm } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { followBatches } from './follow-batch.ts';
import { formatFindings, formatWarnings } from './output.ts';
import { listedAlikes, planText, rowsText, takenBackBy } from './plan-text.ts';
import { type BatchShown, exitOfReport, showBatch } from './report-files.ts';
import type { Session } from './session.ts';
import { holdKey, type Signer, signerOf } from './signer.ts';
import { findBatch } from './targets.ts';
import { withValidationBank } from './validation-bank.ts';

interface PayOptions extends Options {
  dryRun?: boolean;
  key?: string;
  yes: boolean;
  detach: boolean;
  /** Hash of the plan that was agreed to beforehand. */
  plan?: string;
  /** Milliseconds. */
  timeout: number | undefined;
}

export async function run(session: Session, path: string, options: PayOptions): Promise<ExitCode> {
  if (session.gateway !== undefined) {
    const signer = await remoteMaker(session, options);
    return payThroughGateway(session, options, uploading(session, path, signer, options));
  }
  return pay(session, options, (app, asked) => planFile(app, path, asked));
}

/** Claims what is to be paid, on a stack that is brought up once the plan is confirmed, and follows it. */
export async function pay(
  session: Session,
  options: PayOptions,
  plan: (app: ReadingApp, asked: TakeOptions) => Promise<PlannedFile | Taken | IntakeRefusal>,
): Promise<ExitCode> {
  await session.assertStoreFits();
  const store = await session.store();
  const { sign, name }: Signer = options.dryRun
    ? { name: '' }
    : await signerOf(session, { by: options.by, key: options.key }, 'make');
  const { invalid, canary, exchange, allowLookAlikes, by, dryRun, mapping, payees } = options;
  const asked: TakeOptions = {
    ...{ invalid, canary, exchange, allowLookAlikes, by, dryRun, mapping, payees, sign },
    ...{ maker: sign && name, willSign: true, isAttended: true },
  };
  const taking = await withValidationBank(session, async (bank): Promise<Taking | IntakeRefusal> => {
    const app = { config: session.config, store, bank, now: Date.now };
    const found = await plan(app, asked);
    if (!('plan' in found)) return found;
    using planned = found;
    const document = await agreed(session, app, planned, options, asked);
    if (dryRun) return { outcome: 'planned', document };
    await session.stack(options.detach ? 'join-staying' : 'join-or-boot');
    await (await session.bank()).authenticate();
    const taken = await claimFile(app, planned, asked);
    if ('outcome' in taken && taken.outcome === 'claimed')
      await startBatch(await session.client(), taken.batchId, planned.file);
    return taken;
  });
  if (taking instanceof IntakeRefusal) throw await answeredRefusal(session.config, taking, Date.now());
  if (taking.outcome === 'planned') {
    session.output.result(taking.document, 'Dry run: nothing was sent.');
    return EXIT.completed;
  }
  const { batchId } = taking;
  if (taking.outcome !== 'claimed') return earlier(session, taking, options);
  session.output.say(`Batch ${batchId} has started.${takenBackBy(batchId, session.config.undoMs)}`);
  if (options.detach) return notify(session, batchId, 'has started, and is not followed');
  // Writes the first answers to a bank message: the file is accepted, its rows are judged.
  if ((await store.batch(batchId))?.message) await session.report(batchId);
  return followAndReport(session, [batchId], options.timeout);
}

type Earlier = Extract<Taken, { outcome: 'under-way' | 'with-operator' }>;

/** Earlier batches have every row of the file. */
async function earlier(
  session: Session,
  { outcome, batchId, batchIds }: Earlier,
  { dryRun, detach, timeout }: PayOptions,
): Promise<ExitCode> {
  if (dryRun || detach) {
    return notify(session, batchId, outcome === 'under-way' ? 'is already in progress' : 'waits for an operator');
  }
  session.output.say(`All rows of this file are already known; following ${batchIds.join(', ')}.`);
  return followAndReport(session, batchIds, timeout);
}

/** The same through a gateway. */
async function payThroughGateway(session: Session, options: PayOptions, hand: HandOver): Promise<ExitCode> {
  const planned = await hand.plan();
  if (planned.outcome !== 'planned') return earlier(session, underWay(planned.batchId), options);
  const { plan, findings, warnings } = planned.document;
  assertPlan(plan, options.plan);
  await showPlan(session, { plan, leftOut: findings, warnings, earlier: await earlierOnes(session, plan) }, options);
  if (options.dryRun) {
    session.output.result(planned.document, 'Dry run: nothing was sent.');
    return EXIT.completed;
  }
  const { outcome, batchId } = await hand.pay(plan.hash);
  if (outcome === 'under-way') return earlier(session, underWay(batchId), options);
  session.output.say(`Batch ${batchId} has started.`);
  if (options.detach) return notify(session, batchId, 'has started, and is not followed');
  return followAndReport(session, [batchId], options.timeout);
}

/** The person who hands over; a dry run needs no key. */
async function remoteMaker(session: Session, { by, key, dryRun }: PayOptions): Promise<Signer> {
  await holdKey(session, key);
  return dryRun ? { name: '' } : signerOf(session, { by, key }, 'make');
}

const underWay = (batchId: string): Earlier => ({ outcome: 'under-way', batchId, batchIds: [batchId] });

/** Shows the plan and has it confirmed; rejects unless it is. */
async function agreed(
  session: Session,
  app: ReadingApp,
  planned: PlannedFile,
  options: PayOptions,
  asked: TakeOptions,
): Promise<PlanDocument> {
  assertPlan(planned.plan, options.plan);
  const document = await planDocument(app, planned, asked);
  const { plan, warnings } = document;
  const likes = listedAlikes(plan.lookAlikes.rows).map(({ like }) => like);
  const leftOut = planned.staged.findings.list();
  await showPlan(session, { plan, leftOut, warnings, earlier: await app.store.payoutsOf(likes) }, options);
  return document;
}

interface Planned extends Pick<PlanDocument, 'plan'> {
  warnings: readonly Finding[];
  /** Why rows of the file are not included. */
  leftOut: readonly Finding[];
  /** What rows of it look like. */
  earlier: readonly PayoutRecord[];
}

/** Shows the plan and asks for confirmation, unless `--yes` was given. */
async function showPlan(
  { output }: Session,
  { plan, leftOut, warnings, earlier }: Planned,
  { yes, dryRun }: PayOptions,
): Promise<void> {
  const show = yes ? output.say : output.notify;
  if (leftOut.length > 0) show(`${formatFindings(leftOut)}\nThese rows are left out.`);
  if (warnings.length > 0) show(formatWarnings(warnings));
  show(planText(plan, plan, earlier));
  // Not for nobody: what a scheduled job prints goes to a log.
  if (!yes || dryRun) output.notify(`\n${rowsText(plan)}`);
  if (!dryRun) await confirm(`Pay ${counted(plan.payouts, 'payout')}?`, yes);
}

/** Those that the gateway shows to this person. */
async function earlierOnes(session: Session, { lookAlikes }: PlanDocument['plan']): Promise<PayoutRecord[]> {
  const found: PayoutRecord[] = [];
  for (const { like: reference } of listedAlikes(lookAlikes.rows)) {
    const view = await session.ask(PAYOUT_VIEW, { reference }).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.kind !== 'not-found') throw error;
      return undefined;
    });
    if (view !== undefined) found.push(view.payout);
  }
  return found;
}

/** Follows batches to their end, on this command's stack or the one that is up, then reports the newest. */
export async function followAndReport(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<ExitCode> {
  const over = await Promise.all(batchIds.map(async (id) => (await session.ask(PROGRESS, { id })).isOver));
  const end = over.every(Boolean) ? 'at-rest' : await followBatches(session, batchIds, timeoutMs);
  const exits: ExitCode[] = [];
  let last: BatchShown | undefined;
  for (const batchId of batchIds) {
    last = await showBatch(session, batchId);
    exits.push(exitOfReport(last.head));
  }
  await last?.print();
  if (end === 'interrupted') {
    session.leaveAtOnce = true;
    session.output.say(
      `Detached; payouts in progress continue. \`payouts watch ${shortId(batchIds.at(-1) ?? '')}\` follows them again.`,
    );
    return EXIT.interrupted;
  }
  if (exits.includes(EXIT.stillOpen)) return EXIT.stillOpen;
  return exits.find((exit) => exit !== EXIT.completed) ?? EXIT.completed;
}

async function notify(session: Session, batchId: string, how: string): Promise<ExitCode> {
  const next = `Next: payouts watch ${shortId(batchId)}`;
  const { print } = await showBatch(session, batchId);
  await print((summary) => `Batch ${batchId} ${how}.\n\n${summary}\n\n${next}`);
  return EXIT.completed;
}

interface RetryOptions extends Omit<PayOptions, 'invalid' | 'mapping' | 'payees'> {
  /** Data rows of the batch; absent: all that are proven unpaid. */
  rows: ReadonlySet<number> | undefined;
}

/**
 * `payouts retry ID`: pays rows of a batch that are proven unpaid again, each as the next generation of its document under a new
 * reference. Never for an unknown outcome.
 */
export async function retry(session: Session, id: string, { rows, ...given }: RetryOptions): Promise<ExitCode> {
  const options: PayOptions = { ...given, invalid: 'stop' };
  await holdKey(session, given.key);
  const batchId = await findBatch(session, id, { isShown: !given.yes });
  if (session.gateway !== undefined) {
    const signer = await remoteMaker(session, options);
    return payThroughGateway(session, options, retrying(session, batchId, signer, { rows, ...options }));
  }
  return pay(session, options, (app, asked) => planUnpaid(app, { batchId, rows }, asked));
}

/** What a gateway says of what it was handed: its plan, or which batch has it. */
export type Handed = { outcome: 'planned'; document: PlanDocument } | Claimed;
type Claimed = { outcome: 'claimed' | 'under-way'; batchId: string };

/** Hands payouts over to a gateway. */
export interface HandOver {
  /** Its plan, compared with what this machine knows itself. */
  plan(): Promise<Handed>;
  /** Has them paid if this is still the plan; signed by their maker, where this machine knows them. */
  pay(plan: string): Promise<Claimed>;
}

type Options = Pick<TakeOptions, 'invalid' | 'canary' | 'exchange' | 'allowLookAlikes' | 'by'> & MessageFiles;
type Asked = { dryRun: boolean; plan?: string; rows?: true };
type PlannedAnswer = PlanDocument & { rows?: readonly PlannedRow[] };

/** Of a file, whose rows its maker signs as this machine reads them. */
function uploading(session: Session, path: string, { sign }: Signer, options: Options): HandOver {
  if (session.key === undefined) assertNoMessageFiles(options);
  let signing: readonly PlannedRow[] | undefined;
  let quotes: readonly QuotedExchange[] = [];
  const hand = async (asked: Asked, headers = {}): Promise<Response> =>
    send(session, `/v1/batches?${queryOf({ ...options, ...asked, file: basename(path) })}`, path, headers);
  return {
    async plan() {
      using own = session.key === undefined ? undefined : await rowsHere(session, path, options);
      const answer = await hand({ dryRun: true, ...(own !== undefined && { rows: true }) });
      const planned = (await answer.json()) as PlannedAnswer | { batchId: string };
      if (!('plan' in planned)) return claimed(answer, planned);
      const { rows = [], ...document } = planned;
      quotes = document.plan.quotes;
      if (own !== undefined) {
        keepOnly(own, rows);
        await bindRows(own, quotes);
        await assertPlanOf(document.plan, rows, own.claims(), own.exchanges);
        if (options.invalid === 'stop' && rows.length < own.rowCount) throw planDiffers(document.plan, 'rows left out');
        signing = rows;
      } else if (session.key !== undefined) session.output.say(UNSIGNED_MESSAGE);
      return { outcome: 'planned', document };
    },
    async pay(plan) {
      const signed = signedRows(sign, signing);
      const headers = signed && { 'payouts-signed': encoded(signed), 'payouts-quotes': encoded(quotes) };
      const answer = await hand({ dryRun: false, plan }, headers);
      return claimed(answer, (await answer.json()) as { batchId: string });
    },
  };
}

/** Leaves out what the gateway leaves out: an exchange for all buys for the others. */
function keepOnly(own: StagedFile, rows: readonly PlannedRow[]): void {
  const planned = new Set(rows.map(({ reference }) => reference));
  for (const page of own.claimPages())
    for (const { row, reference } of page) if (!planned.has(reference)) own.drop(row);
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The signature of the maker over rows, under the id of the batch that they become; undefined without a policy. */
const signedRows = (sign: Signer['sign'], rows: readonly PlannedRow[] | undefined): SignedDecision | undefined =>
  rows && sign?.({ question: 'make', reference: v7(), digest: signablePlan(rows).digest });

const claimed = ({ status }: Response, { batchId }: { batchId: string }): Claimed => ({
  outcome: status === 202 ? 'claimed' : 'under-way',
  batchId,
});

const UNSIGNED_MESSAGE =
  'The gateway completes this bank message by its own mapping and payee directory, so its rows are not signed here. Give copies of these files with --mapping and --payees to sign them.';

/** Has a gateway check a file. */
export async function checking(session: Session, path: string): Promise<ValidFile> {
  const query = new URLSearchParams({ file: basename(path), check: 'true' });
  return (await (await send(session, `/v1/batches?${query}`, path)).json()) as ValidFile;
}

/** Sends a file as it is. Throws a `Problem` if it cannot be read. */
export async function send(
  session: Session,
  address: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { gateway } = session;
  if (gateway === undefined) throw new Error('there is no gateway to send to');
  const file = createReadStream(path);
  await new Promise((opened, failed) => file.once('open', opened).once('error', failed)).catch((error: unknown) => {
    throw unreadable(path, error as NodeJS.ErrnoException);
  });
  return gateway.send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: Readable.toWeb(file) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
}

function queryOf(options: Options & Asked & { file: string }): URLSearchParams {
  const { file, invalid, canary, exchange, allowLookAlikes, by, dryRun, plan, rows } = options;
  const members = {
    file,
    invalid,
    canary,
    exchange,
    by,
    plan,
    rows,
    dry_run: dryRun,
    allow_look_alikes: allowLookAlikes,
    attended: true,
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}

/** Throws a `Problem` for files that complete a bank message, where nothing is signed: the gateway has its own. */
export function assertNoMessageFiles({ mapping, payees }: MessageFiles): void {
  if (mapping === undefined && payees === undefined) return;
  throw new Problem('usage', 'not-through-gateway', 'A gateway has a mapping and a payee directory of its own.', {
    hint: 'Omit --mapping and --payees: only `run` with the key of a maker reads them, for what it signs.',
  });
}

/** Of rows of a batch that are proven unpaid; their maker signs again what they have signed before. */
export function retrying(
  session: Session,
  id: string,
  { sign }: Signer,
  { rows, canary, exchange, allowLookAlikes, by }: Options & { rows: ReadonlySet<number> | undefined },
): HandOver {
  const options = { id, rows: rows && [...rows], canary, exchange, allowLookAlikes: allowLookAlikes === true, by };
  let signing: readonly PlannedRow[] | undefined;
  let quotes: readonly QuotedExchange[] = [];
  const planned = async (signs: boolean) => (await session.ask(RETRY, { ...options, dryRun: true, signs })).handed;
  return {
    async plan() {
      const handed = await planned(session.key !== undefined);
      if (handed.outcome !== 'planned' || session.key === undefined) return handed;
      const { document, rows: retried = [] } = handed;
      quotes = document.plan.quotes;
      signing = await toSignAgain(session.key, id, document.plan, retried);
      if (signing !== undefined) {
        return handed;
      }
      session.output.say(UNSIGNED_RETRY);
      return planned(false);
    },
    async pay(plan) {
      const signed = signedRows(sign, signing);
      const { handed } = await session.ask(RETRY, { ...options, dryRun: false, signs: false, plan, signed, quotes });
      if (handed.outcome !== 'planned') return handed;
      throw new Problem('internal', 'no-gateway', 'The gateway has answered a plan to what was to be paid.', {
        hint: 'Nothing was sent. Check that the gateway is of the version of this command.',
      });
    },
  };
}

const UNSIGNED_RETRY =
  'Not all of these rows were signed before with your key, so none is signed now. To sign them, run a file that has them: `failed.csv` of the batch, or your own with `retry_of`.';

/**
 * The rows of a file as this machine reads them, each as it can be claimed: a gateway's plan is compared with them. Undefined for a
 * bank message without a mapping here, which only the gateway can complete. What is wrong in the file is for the gateway to find.
 * The caller disposes of it.
 */
export async function rowsHere(session: Session, path: string, files: MessageFiles): Promise<StagedFile | undefined> {
  const staged = new StagedFile();
  try {
    const context = await messageContextOf(session.config, files, Date.now());
    const { format } = await readInstructions(path, staged, context).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : unreadable(path, error);
    });
    const hasMapping = (files.mapping ?? session.config.messageMapping) !== undefined;
    if (isMessage(format) && !hasMapping) {
      staged[Symbol.dispose]();
      return undefined;
    }
    staged.readingEnded();
    const asked = await detailsAsked(session, staged);
    for await (const read of itemsInTurns(staged.rows())) claimRead(staged, read, asked);
    return staged;
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
}

export const unreadable = (path: string, error: NodeJS.ErrnoException): Problem =>
  new Problem('usage', 'file-unreadable', `${path} ${whyUnreadable(error)}.`, {
    hint: `Name an existing file: ${FILE_NAMES}.`,
  });

function claimRead(
  staged: StagedFile,
  { row, instruction: text, spare = [] }: ReadRow,
  asked: RequiredDetailsOf,
): void {
  const { retry_of: earlier, ...given } = withoutBlanks(text);
  // The gateway refuses rows like these.
  if (REQUIRED_COLUMNS.some((column) => given[column] === undefined)) return;
  const instruction = withoutSpare(given as PayoutInstruction, spare, asked);
  if (staged.firstOf(instruction.uid, instruction.id).row !== row) return;
  const generation = earlier === undefined ? 0 : generationAfter(instruction, earlier);
  if (generation !== undefined) staged.claim(claimRow({ row, instruction, generation }));
}

const withoutBlanks = (text: Readonly<Record<string, string>>): Partial<Record<string, string>> =>
  Object.fromEntries(Object.entries(text).filter(([, value]) => value.trim() !== ''));

/** Nobody pays a document this often. */
const GENERATIONS_MAX = 1_000;

/** The generation that follows the payout with this reference; undefined: it is not one of this document. */
function generationAfter({ uid, id }: PayoutInstruction, earlier: string): number | undefined {
  for (let generation = 0; generation < GENERATIONS_MAX; generation += 1) {
    if (referenceOf(uid, id, 'payment', generation) === earlier) return generation + 1;
  }
  return undefined;
}

/** What the bank asks for of payees, as the gateway says: it decides only which further details of a message are left out. */
async function detailsAsked(session: Session, staged: StagedFile): Promise<RequiredDetailsOf> {
  const hasSpare = staged.rows().some(({ spare = [] }) => spare.length > 0);
  const currencies = hasSpare ? new Set(staged.pairs.list().map(({ currency }) => currency)) : [];
  const entries = new Map(
    await Promise.all(
      [...currencies].map(async (currency) => {
        const { entries: offered } = await session.ask(OFFER, { currency }).catch((error: unknown) => {
          // A currency in which the bank offers nothing: the gateway's findings say so.
          if (error instanceof Problem && error.kind === 'usage') return { entries: [] };
          throw error;
        });
        return [currency, offered] as const;
      }),
    ),
  );
  return (currency, type) => entries.get(currency)?.filter(({ beneficiary_type }) => beneficiary_type === type);
}

const NO_DAYS = { today: '', calendar: undefined };
/** Of a plan, what follows from its rows alone. */
const FIGURES = ['payouts', 'newBeneficiaries', 'retries', 'totals', 'accounts', 'exchanges'] as const;

/**
 * Throws a `Problem` unless every row of a gateway's plan is one of these claims (in the order of their references), and the plan
 * says of them what they amount to.
 */
export async function assertPlanOf(
  plan: Plan,
  rows: readonly PlannedRow[],
  claims: Iterable<ClaimRow>,
  own: readonly BatchExchange[] = [],
): Promise<void> {
  const planned = new Map(rows.map(({ reference, digest }) => [reference, digest]));
  let found = 0;
  function* included<Row extends ClaimRow>(some: Iterable<Row>): Generator<Row> {
    for (const claim of some) {
      const digest = planned.get(claim.reference);
      if (digest === undefined) continue;
      if (digest !== madeDigest(claim.instruction))
        throw planDiffers(plan, `document ${visible(claim.instruction.id)}`);
      found += 1;
      yield claim;
    }
  }
  const exchanges = [...included(own)];
  const here = await planOf(plan.file, itemsInTurns(included(claims)), plan, NO_DAYS, exchanges);
  if (found !== rows.length) throw planDiffers(plan, 'a payout that is not here');
  if (FIGURES.some((name) => !isDeepStrictEqual(here[name], plan[name])))
    throw planDiffers(plan, 'what they amount to');
}

/**
 * What the owner of a key signs of rows that they have signed before, each as its generation before this one: the rows, and what
 * buys for all of them. Undefined if they have not signed them all. Throws a `Problem` if a plan has something else than these
 * rows, or what is shown as signed is not.
 */
async function toSignAgain(
  privateKey: string,
  batchId: string,
  plan: PlanDocument['plan'],
  rows: readonly RetriedRow[],
): Promise<PlannedRow[] | undefined> {
  const publicKey = publicKeyOf(privateKey);
  using own = new StagedFile();
  for (const [at, { instruction, generation }] of rows.entries())
    own.claim(claimRow({ row: at + 1, instruction, generation }));
  await bindRows(own, plan.quotes);
  const signing = plannedRows({ staged: own });
  await assertPlanOf(plan, signing, own.claims(), own.exchanges);
  if (rows.some(({ reference, digest }, at) => !isDeepStrictEqual({ reference, digest }, signing[at])))
    throw planDiffers(plan, 'its payouts');
  for (const { instruction, generation, before } of rows) {
    if (before?.credential !== credentialId(publicKey)) return undefined;
    const { uid, id } = instruction;
    const digest = madeDigest({ ...withoutBound(instruction), ...before.bound } as PayoutInstruction);
    const earlier = { reference: referenceOf(uid, id, 'payment', generation - 1), digest };
    const isMade = before.question === 'make' && before.decision === 'approve' && before.reference === batchId;
    if (
      isMade &&
      isRowOfPlan(before.digest, earlier, before.inclusion) &&
      verifyStatement(before, publicKey, before.signature)
    )
      continue;
    throw planDiffers(plan, `document ${visible(id)}, which was not signed like this`);
  }
  return signing;
}

const planDiffers = ({ file }: Plan, what: string): Problem =>
  new Problem(
    'conflict',
    'plan-differs',
    `The gateway's plan of ${visible(file)} is not what this machine knows of it: it differs in ${what}. Nothing was signed or sent.`,
    {
      hint: 'For a bank message, compare mapping and payee directory with those of the gateway; else have the gateway examined before you use it again.',
    },
  );
