import { answeredRefusal } from '../../compose/answered-refusal.ts';
import { intakeDepsOf } from '../../compose/intake-deps.ts';
import type { MessageFiles } from '../../compose/message-context.ts';
import type { IntakeDeps } from '../../intake/intake.ts';
import { IntakeRefusal } from '../../intake/intake-refusal.ts';
import { isOverBatch } from '../../intake/known-batches.ts';
import { type Agree, assertPlan, type TakeOptions, type Taking, takeFile, takeUnpaid } from '../../intake/take-file.ts';
import type { BatchSummary } from '../../reports/batch-report.ts';
import { counted, shortId } from '../../reports/display.ts';
import { startBatch } from '../../temporal/batch-executions.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findBatch } from '../find-target.ts';
import { formatFindings, formatWarnings } from '../findings-text.ts';
import { followBatches } from '../follow.ts';
import { listedAlikes, planText } from '../plan.ts';
import { exitOfReport, printReport } from '../print-report.ts';
import type { Session } from '../session.ts';
import { type Signer, signerOf } from '../signer.ts';
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
  if (taking.outcome !== 'claimed') {
    if (options.dryRun || options.detach) {
      return tell(
        session,
        batchId,
        taking.outcome === 'under-way' ? 'is already in progress' : 'waits for an operator',
      );
    }
    session.output.say(`All rows of this file are already known; following ${taking.batchIds.join(', ')}.`);
    return followAndReport(session, taking.batchIds, options.timeout);
  }
  session.output.say(`Batch ${batchId} is claimed and started.`);
  if (options.detach) return tell(session, batchId, 'is started and not followed');
  // Writes the first answers to a bank message: the file is accepted, its rows are judged.
  if ((await store.batch(batchId))?.message) await session.report(batchId);
  return followAndReport(session, [batchId], options.timeout);
}

/** Shows the plan and asks for confirmation, unless `--yes` was given. */
const agreement =
  (session: Session, { plan: agreed, yes, dryRun }: PayOptions): Agree =>
  async (proposal) => {
    const { output } = session;
    assertPlan(proposal.plan, agreed);
    const show = yes ? output.say : output.tell;
    const { leftOut, warnings } = proposal;
    const { plan } = await proposal.document();
    if (leftOut.length > 0) show(`${formatFindings(leftOut)}\nThese rows are left out.`);
    if (warnings.length > 0) show(formatWarnings(warnings));
    const likes = listedAlikes(plan.lookAlikes.rows).map(({ like }) => like);
    show(planText(plan, plan, await (await session.store()).payoutsOf(likes)));
    if (!dryRun) await confirm(`Pay ${counted(plan.payouts, 'payout')}?`, yes);
  };

/** Follows batches to their end, on this command's stack or the one that is up, then reports the newest. */
export async function followAndReport(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<ExitCode> {
  const store = await session.store();
  const over = await Promise.all(batchIds.map((batchId) => isOverBatch(store, batchId)));
  const end = over.every(Boolean) ? 'at-rest' : await followBatches(session, batchIds, timeoutMs);
  const exits: ExitCode[] = [];
  let last: BatchSummary | undefined;
  for (const batchId of batchIds) {
    last = await session.report(batchId);
    exits.push(exitOfReport(last.head));
  }
  if (last !== undefined) await printReport(session, last);
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
  await printReport(
    session,
    await session.report(batchId),
    (summary) => `Batch ${batchId} ${how}.\n\n${summary}\n\n${next}`,
  );
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
  const batchId = await findBatch(session, id);
  return pay(session, options, (intake, agree) =>
    takeUnpaid(intake, { batchId, rows }, { ...options, isAttended: true }, agree),
  );
}
