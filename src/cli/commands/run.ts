import { v7 } from 'uuid';
import { isSettled } from '../../domain/payout-state.ts';
import type { BatchReport } from '../../erp/report/batch-report.ts';
import type { ClaimRow, Store } from '../../store/store.ts';
import { startBatch } from '../../temporal/executions.ts';
import { exitOfReport, reportBatch, summaryText } from '../batch-report.ts';
import { checkExistence } from '../check-existence.ts';
import { CommandError, EXIT, type ExitCode } from '../exit.ts';
import { type FollowEnd, followBatches } from '../follow.ts';
import { interruptSignal } from '../interrupt.ts';
import { type KnownRows, sortRows } from '../known-rows.ts';
import { confirm, planOf, planText } from '../plan.ts';
import { type CheckedFile, checkFile, invalidInput } from '../read-batch.ts';
import type { Session } from '../session.ts';
import { withValidationBank } from '../validation-bank.ts';

export interface RunOptions {
  yes: boolean;
  dryRun: boolean;
  detach: boolean;
  invalid: 'stop' | 'skip';
  timeoutMs: number | undefined;
  by: string | undefined;
}

/** `payouts run FILE`: validate, plan, confirm, claim, start, follow, report. */
export async function run(session: Session, path: string, options: RunOptions): Promise<ExitCode> {
  await session.assertStoreFits();
  const checked = await withValidationBank(session, (bank) => checkFile(path, bank));
  refuseUnlessSkipping(checked, options);
  const store = await session.store();
  const sorted = await sortRows(store, checked.file, checked.rows, (row) => checked.lines.get(row) ?? 0);
  if (sorted.reused.length > 0) throw invalidInput(sorted.reused, 'An id stands for one payout for ever.');
  if (sorted.fresh.length === 0 && sorted.known.length > 0) return followKnown(session, store, sorted, options);
  if (sorted.taken.length > 0 && options.invalid === 'stop') {
    throw invalidInput(sorted.taken, 'Run with --invalid skip to pay the new rows only.');
  }
  if (sorted.fresh.length === 0) throw invalidInput(checked.findings, 'No row is left to pay.');

  const plan = planOf(checked.file, sorted.fresh);
  session.output.say(planText(plan));
  if (options.dryRun) {
    session.output.result(
      { schemaVersion: 1, plan, findings: [...checked.findings, ...sorted.taken] },
      'Dry run: nothing was sent.',
    );
    return EXIT.completed;
  }
  assertMaker(session, options);
  await confirm(`Pay ${plan.payouts} payouts?`, options.yes);
  return payNew(session, store, checked, sorted.fresh, options);
}

function refuseUnlessSkipping(checked: CheckedFile, { invalid }: RunOptions): void {
  if (checked.findings.length === 0) return;
  // A finding without a row says that what the file means beyond it is not known: its other rows are not paid either.
  const aboutFile = checked.findings.some(({ row }) => row === null);
  if (invalid === 'stop' || aboutFile || checked.rows.length === 0) {
    const hint = aboutFile
      ? 'Mend the file and run again.'
      : 'Mend the rows, or run with --invalid skip to pay the others.';
    throw invalidInput(checked.findings, hint);
  }
}

/** With an approval policy nobody can be told apart from an unknown maker: such payouts could never be approved. */
function assertMaker({ config }: Session, { by }: RunOptions): void {
  if (config.approvalRules.length > 0 && by === undefined) {
    throw new CommandError(EXIT.usage, 'maker-unknown', 'The approval policy needs to know who hands over the file.', {
      hint: 'Add --by NAME.',
    });
  }
}

async function payNew(
  session: Session,
  store: Store,
  checked: CheckedFile,
  rows: ClaimRow[],
  options: RunOptions,
): Promise<ExitCode> {
  const stack = await session.stack(options.detach ? 'join-only' : 'join-or-boot');
  const client = await session.client(stack);
  const bank = session.bank(stack);
  await bank.authenticate();
  const unknown = await checkExistence(bank, checked.file, rows, checked.lines);
  if (unknown.length > 0 && options.invalid === 'stop') throw invalidInput(unknown, 'Correct the ids and run again.');
  const unknownRows = new Set(unknown.map(({ row }) => row));
  const payable = rows.filter(({ row }) => !unknownRows.has(row));
  if (payable.length === 0) throw invalidInput(unknown, 'No row is left to pay.');
  const batchId = v7();
  const claim = await store.claimBatch({
    batchId,
    file: checked.file,
    sha256: checked.sha256,
    by: options.by ?? null,
    rows: payable,
    at: Date.now(),
  });
  if (!claim.claimed) {
    // Somebody else claimed rows between our look and our claim.
    const sorted = await sortRows(store, checked.file, payable, (row) => checked.lines.get(row) ?? 0);
    if (sorted.fresh.length === 0 && sorted.reused.length === 0) return followKnown(session, store, sorted, options);
    throw invalidInput([...sorted.reused, ...sorted.taken], 'Another run took these rows just now; run again.');
  }
  await startBatch(client, batchId, checked.file);
  session.output.say(`Batch ${batchId} is claimed and started.`);
  if (options.detach) return tell(session, store, batchId, 'is started; nobody waits for it');
  return followAndReport(session, [batchId], options.timeoutMs);
}

/** Every row of the file is known: follow what is still open, else say which batch took it. */
async function followKnown(
  session: Session,
  store: Store,
  { known }: KnownRows,
  options: RunOptions,
): Promise<ExitCode> {
  const ids = [...new Set(known.flatMap(({ batchId }) => batchId ?? []))];
  const batches = (await Promise.all(ids.map((id) => store.batch(id)))).filter((batch) => batch !== undefined);
  batches.sort((a, b) => a.createdAt - b.createdAt);
  const open = [];
  for (const batch of batches) if (!(await isSettledBatch(store, batch.batchId))) open.push(batch.batchId);
  const [firstOpen] = open;
  if (firstOpen !== undefined && (options.dryRun || options.detach)) {
    return tell(session, store, firstOpen, 'is under way already');
  }
  if (open.length > 0) {
    session.output.say(`Every row of this file is known; following ${open.join(', ')}.`);
    return followAndReport(session, open, options.timeoutMs);
  }
  const latest = batches.at(-1);
  throw new CommandError(
    EXIT.alreadyTaken,
    'already-taken',
    'Every row of this file was taken before; nothing was sent.',
    {
      batchId: latest?.batchId,
      hint: latest === undefined ? 'See payouts status ID.' : `payouts report ${latest.batchId} shows how it ended.`,
    },
  );
}

async function isSettledBatch(store: Store, batchId: string): Promise<boolean> {
  const states = await store.stateCounts(batchId);
  return [...states].every(([state, count]) => count === 0 || isSettled(state));
}

/** Follows batches to their end on a stack of our own or the one that is up, then reports the newest. */
export async function followAndReport(
  session: Session,
  batchIds: readonly string[],
  timeoutMs: number | undefined,
): Promise<ExitCode> {
  const store = await session.store();
  const settled = await Promise.all(batchIds.map((batchId) => isSettledBatch(store, batchId)));
  const end = settled.every(Boolean) ? 'settled' : await follow(session, store, batchIds, timeoutMs);
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

async function tell(session: Session, store: Store, batchId: string, how: string): Promise<ExitCode> {
  const ui = await session.ui();
  const report = await reportBatch(session.config, store, batchId, ui);
  session.output.result(
    report,
    `Batch ${batchId} ${how}.\n\n${summaryText(report, ui)}\n\nNext: payouts watch ${batchId}`,
  );
  return EXIT.completed;
}
