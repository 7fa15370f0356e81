import { join } from 'node:path';
import type { Bank } from '../../api/bank.ts';
import { reportBatch } from '../../compose/batch-report.ts';
import { Problem } from '../../domain/problem.ts';
import { claimFile, type IntakeOptions, type IntakeParts, type Prepared, prepareFile } from '../../intake/intake.ts';
import { alreadyTaken, IntakeRefusal } from '../../intake/intake-refusal.ts';
import { isOverBatch, takenBefore } from '../../intake/known-batches.ts';
import { assertMaker } from '../../intake/maker.ts';
import { type Outlook, outlookOf } from '../../intake/outlook.ts';
import type { BatchReport } from '../../reports/batch-report.ts';
import { writeRefusal } from '../../reports/status-report-files.ts';
import type { Store } from '../../store/store.ts';
import { startBatch } from '../../temporal/executions.ts';
import { exitOfReport, summaryText } from '../batch-report.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { formatFindings } from '../findings-text.ts';
import { type FollowEnd, followBatches } from '../follow.ts';
import { intakeParts, type MessageFiles } from '../intake-parts.ts';
import { interruptSignal } from '../interrupt.ts';
import { confirm, planText } from '../plan.ts';
import type { Session } from '../session.ts';
import { withValidationBank } from '../validation-bank.ts';

export interface RunOptions extends IntakeOptions, MessageFiles {
  yes: boolean;
  dryRun: boolean;
  detach: boolean;
  timeoutMs: number | undefined;
}

/** `payouts run FILE`: validate, plan, confirm, claim, start, follow, report. */
export async function run(session: Session, path: string, options: RunOptions): Promise<ExitCode> {
  await session.assertStoreFits();
  const parts = await intakeParts(session, options);
  return withPrepared(
    session,
    (bank) => prepareFile(parts, bank, path, options).catch((error: unknown) => answered(session, error)),
    (prepared, outlook) => payPrepared(session, parts, prepared, outlook, options),
  );
}

/** A pain.001 that is refused gets its answer, whatever is wrong with it. */
async function answered({ config }: Session, error: unknown): Promise<never> {
  if (!(error instanceof IntakeRefusal) || error.unanswered === undefined) throw error;
  const { kind, code, message, hint, batchId, findings, unanswered } = error;
  const pain002 = await writeRefusal(join(config.home, 'reports'), { ...unanswered, findings, at: Date.now() });
  throw new Problem(kind, code, message, { hint, batchId, findings, reports: { pain002 }, cause: error });
}

/** Prepares with a bank to read, and goes on without it: who follows a batch keeps nothing open for it. */
export async function withPrepared<T>(
  session: Session,
  prepare: (bank: Bank) => Promise<Prepared>,
  use: (prepared: Prepared, outlook: Outlook | undefined) => Promise<T>,
): Promise<T> {
  await using held = new AsyncDisposableStack();
  const { prepared, outlook } = await withValidationBank(session, async (bank) => {
    const made = held.use(await prepare(bank));
    const { plan, checked } = made;
    return { prepared: made, outlook: plan === null ? undefined : await outlookOf(bank, plan, checked.staged) };
  });
  return await use(prepared, outlook);
}

/** Shows the plan, asks, claims, starts and follows. */
export async function payPrepared(
  session: Session,
  parts: IntakeParts,
  prepared: Prepared,
  outlook: Outlook | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  const { plan, checked, known } = prepared;
  if (plan === null) return followKnown(session, prepared, options);
  const show = options.yes ? session.output.say : session.output.tell;
  const { findings: left } = checked.staged;
  if (left.total > 0) show(`${formatFindings(left.list())}\nThese rows are left out.`);
  show(planText(plan, outlook));
  if (options.dryRun) {
    const findings = [...checked.staged.findings.list(), ...known.taken.list()];
    session.output.result({ schemaVersion: 1, plan: { ...plan, ...outlook }, findings }, 'Dry run: nothing was sent.');
    return EXIT.completed;
  }
  assertMaker(session.config.approvalRules, options.by);
  await confirm(`Pay ${plan.payouts} payouts?`, options.yes);
  return payNew(session, parts, prepared, options);
}

async function payNew(
  session: Session,
  parts: IntakeParts,
  prepared: Prepared,
  options: RunOptions,
): Promise<ExitCode> {
  const { file } = prepared.checked;
  const stack = await session.stack(options.detach ? 'join-only' : 'join-or-boot');
  const client = await session.client(stack);
  await (await session.bank(stack)).authenticate();
  const claim = await claimFile(parts, prepared, options);
  if (!claim.claimed) return followKnown(session, { ...prepared, known: claim.known }, options);
  prepared[Symbol.dispose]();
  const { batchId } = claim;
  await startBatch(client, batchId, file);
  session.output.say(`Batch ${batchId} is claimed and started.`);
  // The first answers to a bank message: the file is taken, its rows are judged.
  if (prepared.checked.format === 'pain.001') {
    await reportBatch(session.config, await session.store(), batchId, await session.ui());
  }
  if (options.detach) return tell(session, batchId, 'is started; nobody waits for it');
  return followAndReport(session, [batchId], options.timeoutMs);
}

/** Every row of the file is known: follow what has no end, else say which batch took it. */
async function followKnown(session: Session, { known }: Prepared, options: RunOptions): Promise<ExitCode> {
  const { open, withOperator, latest } = await takenBefore(await session.store(), known);
  const unended = [...open, ...withOperator];
  const [first] = unended;
  if (first === undefined) throw alreadyTaken(latest);
  if (options.dryRun || options.detach) {
    return tell(session, first, open.length > 0 ? 'is under way already' : 'is with an operator');
  }
  session.output.say(`Every row of this file is known; following ${unended.join(', ')}.`);
  return followAndReport(session, unended, options.timeoutMs);
}

/** Follows batches to their end on a stack of our own or the one that is up, then reports the newest. */
export async function followAndReport(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<ExitCode> {
  const store = await session.store();
  const over = await Promise.all(batchIds.map((batchId) => isOverBatch(store, batchId)));
  const end = over.every(Boolean) ? 'settled' : await follow(session, store, batchIds, timeoutMs);
  const exits: ExitCode[] = [];
  let last: BatchReport | undefined;
  for (const batchId of batchIds) {
    last = await reportBatch(session.config, store, batchId, await session.ui());
    exits.push(exitOfReport(last));
  }
  if (last !== undefined) session.output.result(last, summaryText(last, await session.ui()));
  if (end === 'interrupted') {
    session.leaveAtOnce = true;
    session.output.say('Detached: payouts that are under way go on. `payouts watch ID` follows them again.');
    return EXIT.interrupted;
  }
  if (exits.includes(EXIT.stillOpen)) return EXIT.stillOpen;
  return exits.find((exit) => exit !== EXIT.completed) ?? EXIT.completed;
}

async function follow(
  session: Session,
  store: Store,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<FollowEnd> {
  const stack = await session.stack('join-or-boot');
  const client = await session.client(stack);
  return followBatches({
    store,
    client,
    output: session.output,
    batchIds,
    timeoutMs,
    interrupted: interruptSignal(),
    failure: stack.failure,
  });
}

async function tell(session: Session, batchId: string, how: string): Promise<ExitCode> {
  const ui = await session.ui();
  const report = await reportBatch(session.config, await session.store(), batchId, ui);
  session.output.result(
    report,
    `Batch ${batchId} ${how}.\n\n${summaryText(report, ui)}\n\nNext: payouts watch ${batchId}`,
  );
  return EXIT.completed;
}
