import { PAYOUT } from '../../channels/http/operations/payouts.ts';
import { PROGRESS } from '../../channels/http/operations/progress.ts';
import { intakeDepsOf } from '../../channels/intake-deps.ts';
import { counted, shortId } from '../../domain/display.ts';
import type { Finding } from '../../domain/finding.ts';
import { Problem } from '../../domain/problem.ts';
import type { IntakeDeps } from '../../files/intake/intake.ts';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import type { MessageFiles } from '../../files/intake/message-context.ts';
import {
  type Agree,
  assertPlan,
  type PlanDocument,
  type TakeOptions,
  type Taking,
  takeFile,
  takeUnpaid,
} from '../../files/intake/take-file.ts';
import { startBatch } from '../../platform/temporal/batch-executions.ts';
import { answeredRefusal } from '../../reports/answered-refusal.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch } from '../find-target.ts';
import { formatFindings, formatWarnings } from '../findings-text.ts';
import { followBatches } from '../follow.ts';
import { type HandOver, retrying, uploading } from '../hand-over.ts';
import { listedAlikes, planText } from '../plan.ts';
import { type BatchShown, exitOfReport, showBatch } from '../print-report.ts';
import type { Session } from '../session.ts';
import { holdKey, type Signer, signerOf } from '../signer.ts';
import { withValidationBank } from '../validation-bank.ts';

export interface PayOptions extends Omit<TakeOptions, 'batchId' | 'isAttended'>, MessageFiles {
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
  return pay(session, options, (intake, agree) =>
    takeFile(intake, path, { ...options, isAttended: true }, agree).catch(async (error: unknown) => {
      throw error instanceof IntakeRefusal ? await answeredRefusal(session.config, error, Date.now()) : error;
    }),
  );
}

/** Claims what is to be paid, on a stack that is brought up once the plan is confirmed, and follows it. */
export async function pay(
  session: Session,
  options: PayOptions,
  take: (intake: IntakeDeps, agree: Agree) => Promise<Taking>,
): Promise<ExitCode> {
  await session.assertStoreFits();
  const store = await session.store();
  const { sign, name }: Signer = options.dryRun
    ? { name: '' }
    : await signerOf(session, { by: options.by, key: options.key }, 'make');
  const maker = sign && name;
  const assertReady = async (): Promise<void> => {
    await session.stack(options.detach ? 'join-staying' : 'join-or-boot');
    await (await session.bank()).authenticate();
  };
  const start = async (batchId: string, file: string) => startBatch(await session.client(), batchId, file);
  const taking = await withValidationBank(session, async (bank) => {
    const intake = await intakeDepsOf(
      session.config,
      { store, bank, assertReady, startBatch: start, maker, sign },
      options,
    );
    return take(intake, agreement(session, options));
  });
  if (taking.outcome === 'planned') {
    session.output.result(taking.document, 'Dry run: nothing was sent.');
    return EXIT.completed;
  }
  const { batchId } = taking;
  if (taking.outcome !== 'claimed') return taken(session, taking, options);
  session.output.say(`Batch ${batchId} is claimed and started.`);
  if (options.detach) return tell(session, batchId, 'is started and not followed');
  // Writes the first answers to a bank message: the file is accepted, its rows are judged.
  if ((await store.batch(batchId))?.message) await session.report(batchId);
  return followAndReport(session, [batchId], options.timeout);
}

type Taken = Extract<Taking, { outcome: 'under-way' | 'with-operator' }>;

/** Earlier batches have every row of the file. */
async function taken(
  session: Session,
  { outcome, batchId, batchIds }: Taken,
  { dryRun, detach, timeout }: PayOptions,
): Promise<ExitCode> {
  if (dryRun || detach) {
    return tell(session, batchId, outcome === 'under-way' ? 'is already in progress' : 'waits for an operator');
  }
  session.output.say(`All rows of this file are already known; following ${batchIds.join(', ')}.`);
  return followAndReport(session, batchIds, timeout);
}

/** The same through a gateway. */
async function payThroughGateway(session: Session, options: PayOptions, hand: HandOver): Promise<ExitCode> {
  const planned = await hand.plan();
  if (planned.outcome !== 'planned') return taken(session, underWay(planned.batchId), options);
  const { plan, findings, warnings } = planned.document;
  assertPlan(plan, options.plan);
  await showPlan(session, { plan, leftOut: findings, warnings, earlier: await earlierOnes(session, plan) }, options);
  if (options.dryRun) {
    session.output.result(planned.document, 'Dry run: nothing was sent.');
    return EXIT.completed;
  }
  const { outcome, batchId } = await hand.pay(plan.hash);
  if (outcome === 'under-way') return taken(session, underWay(batchId), options);
  session.output.say(`Batch ${batchId} is claimed and started.`);
  if (options.detach) return tell(session, batchId, 'is started and not followed');
  return followAndReport(session, [batchId], options.timeout);
}

/** Whoever hands over; a dry run needs no key. */
async function remoteMaker(session: Session, { by, key, dryRun }: PayOptions): Promise<Signer> {
  await holdKey(session, key);
  return dryRun ? { name: '' } : signerOf(session, { by, key }, 'make');
}

const underWay = (batchId: string): Taken => ({ outcome: 'under-way', batchId, batchIds: [batchId] });

const agreement =
  (session: Session, options: PayOptions): Agree =>
  async (proposal) => {
    assertPlan(proposal.plan, options.plan);
    const { leftOut, warnings } = proposal;
    const { plan } = await proposal.document();
    const likes = listedAlikes(plan.lookAlikes.rows).map(({ like }) => like);
    const earlier = await (await session.store()).payoutsOf(likes);
    await showPlan(session, { plan, leftOut, warnings, earlier }, options);
  };

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
  const show = yes ? output.say : output.tell;
  if (leftOut.length > 0) show(`${formatFindings(leftOut)}\nThese rows are left out.`);
  if (warnings.length > 0) show(formatWarnings(warnings));
  show(planText(plan, plan, earlier));
  if (!dryRun) await confirm(`Pay ${counted(plan.payouts, 'payout')}?`, yes);
}

/** Those that the gateway shows to this person. */
async function earlierOnes(session: Session, { lookAlikes }: PlanDocument['plan']): Promise<PayoutRecord[]> {
  const found: PayoutRecord[] = [];
  for (const { like: reference } of listedAlikes(lookAlikes.rows)) {
    const view = await session.ask(PAYOUT, { reference }).catch((error: unknown) => {
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

async function tell(session: Session, batchId: string, how: string): Promise<ExitCode> {
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
  const batchId = await findBatch(session, id);
  if (session.gateway !== undefined) {
    const signer = await remoteMaker(session, options);
    return payThroughGateway(session, options, retrying(session, batchId, signer, { rows, ...options }));
  }
  return pay(session, options, (intake, agree) =>
    takeUnpaid(intake, { batchId, rows }, { ...options, isAttended: true }, agree),
  );
}
