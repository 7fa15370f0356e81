import type { z } from 'zod';
import { BATCH_CANCELLED } from '../activities/batch.ts';
import { batchIdOf, type Target, unknownId } from '../channels/find-target.ts';
import { linesOf } from '../channels/http/operation.ts';
import {
  CANCEL_PAYOUT,
  DECIDE,
  type DecisionAnswer,
  RECHECK,
  RESOLVE,
} from '../channels/http/operations/decision-operations.ts';
import { MYSELF } from '../channels/http/operations/people-operations.ts';
import { DECIDE_PLAN, PLAN } from '../channels/http/operations/plan-operations.ts';
import { PROGRESS } from '../channels/http/operations/state-operations.ts';
import { WAITING, type Waiting, type WaitingPayout } from '../channels/http/operations/waiting-operations.ts';
import { resolveDigest } from '../domain/authority.ts';
import { counted, shortId, widthOf, wrap } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { payoutTitle } from '../domain/instruction.ts';
import { someAtOnce } from '../domain/iterate.ts';
import { groupedAmount } from '../domain/money.ts';
import { MESSAGES } from '../domain/names.ts';
import { FLAGS, type Flag } from '../domain/payee.ts';
import {
  AWAITING_DECISION_STATES,
  acceptsControl,
  type BatchControl,
  CANCELLABLE_STATES,
  RECHECK_STATES,
  type ResolveAction,
  SHOWN_STATES,
} from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import type { ReasonCode } from '../domain/reasons.ts';
import {
  type BatchPlan,
  type PlanItem,
  planToSign,
  preparePlan,
  type ReadPlan,
  type ShownRow,
  WHY_EXCLUDED,
} from '../people/decisions/batch-plan.ts';
import { roleAskedOf } from '../people/decisions/scope.ts';
import { questionShown, type ShownQuestion } from '../people/decisions/shown-question.ts';
import { askAudited } from '../people/decisions/verify.ts';
import { COMMAND_MS, inTime } from '../platform/temporal/worker-answer.ts';
import {
  continuesStopped,
  executionsOver,
  untilCarriedOut,
  untilTrue,
  updateBatch,
} from '../platform/temporal/workflow-executions.ts';
import { payeeInFull } from '../reports/masked.ts';
import { alikeText, capsText, flagsOfAll, flagTexts } from '../reports/question-facts.ts';
import { answerOrRefuse, confirm } from './confirm.ts';
import {
  assertApprovable,
  bothSidesText,
  byKind,
  decisionTable,
  LISTED_MAX,
  questionsText,
  sinceShown,
  verdictsText,
} from './decision-texts.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { filledTable, table } from './output.ts';
import type { Session } from './session.ts';
import {
  type Asker,
  type DecideOptions,
  holdKey,
  nameAsking,
  nameOf,
  personContinuing,
  type SignedOptions,
  type Signer,
  signerOf,
} from './signer.ts';
import { assertMeant, findTarget } from './targets.ts';

export async function decide(
  session: Session,
  decision: 'approve' | 'reject',
  id: string,
  options: DecideOptions & { kind?: readonly string[] },
): Promise<ExitCode> {
  if (decision === 'reject' && !options.remark) {
    throw new Problem('usage', 'remark-missing', 'A rejection needs a remark.', {
      hint: 'Add --remark with the reason.',
    });
  }
  await holdKey(session, options.key);
  const target = await findTarget(session, id, { isShown: !options.yes });
  if (target.kind === 'batch' && isPlanned(options.kind) && (await session.ask(MYSELF, {})).hasPolicy) {
    return decideBatch(session, decision, target.batch.batchId, options);
  }
  const asked = { id, states: [...AWAITING_DECISION_STATES], kinds: options.kind && [...options.kind] };
  const preparing = await untilPrepared(session, target);
  const { payouts } = await allWaiting(session, { ...asked, ask: false, compare: false });
  assertSameKind(payouts, id, options.kind);
  if (payouts.length === 0) {
    throw new Problem('usage', 'nothing-awaited', `Nothing under "${id}" awaits a decision.`, {
      hint:
        preparing > 0
          ? `${counted(preparing, 'row is', 'rows are')} still being prepared: run the command again in a minute.`
          : `payouts status ${shownId(target)} shows what it waits for.`,
    });
  }
  const [role = 'payout'] = new Set(payouts.map(({ row }) => roleAskedOf(row)));
  const signer = await signerOf(session, options, role);
  const questions = await questionsOf(session, asked, { decision, signer, isShown: !options.yes });
  if (decision === 'approve') assertApprovable(questions);
  const verb = decision === 'approve' ? 'Approve' : 'Reject';
  await confirm(`${verb} ${counted(questions.length, 'payout')}?`, options.yes);
  return answerEach(session, questions, async (shown) => {
    const answer = answerTo(shown, signer, { decision, remark: options.remark });
    if ('refused' in answer) return answer;
    const reported = await session.ask(DECIDE, { reference: shown.row.reference, by: signer.name, ...answer });
    if ('outcome' in reported) return reported;
    const { reference: id } = shown.row;
    const [now] = (
      await allWaiting(session, { id, states: [...SHOWN_STATES], kinds: undefined, ask: true, compare: false })
    ).payouts;
    return { refused: sinceShown(shown, now && questionShown(now), { refused: reported.refused, decision }) };
  });
}

const PREPARED_WITHIN_MS = 10_000;
/** Without progress for so many reads, the batch is paused, or works through a long file. */
const READS_MAX = 8;

/** Waits for payouts that were only just taken: they ask once they have read the bank. Returns how many are left. */
async function untilPrepared(session: Session, target: Target): Promise<number> {
  let left = Number.POSITIVE_INFINITY;
  let reads = 0;
  await untilTrue(async () => {
    const now = await preparingNow(session, target);
    reads = now < left ? 0 : reads + 1;
    left = now;
    return left === 0 || reads >= READS_MAX;
  }, PREPARED_WITHIN_MS);
  return left;
}

/** Rows that will ask or be sent without anybody's doing, also those that their batch has yet to start. */
async function preparingNow(session: Session, target: Target): Promise<number> {
  const states = ['received', 'preparing'] as const;
  if (target.kind === 'batch') {
    const { byState, keptBack } = await session.ask(PROGRESS, { id: target.batch.batchId });
    return byState.reduce((sum, [state, count]) => sum + (states.some((it) => it === state) ? count : 0), -keptBack);
  }
  const asked = { id: target.payout.reference, states: [...states], kinds: undefined, ask: false, compare: false };
  return (await allWaiting(session, asked)).payouts.length;
}

/** Kinds that one signature can decide for a whole batch; held rows are signed one by one. */
const PLANNED: readonly string[] = ['approval-required', 'bank-approval-required'] satisfies ReasonCode[];
const isPlanned = (kinds: readonly string[] | undefined): boolean =>
  kinds?.every((kind) => PLANNED.includes(kind)) ?? true;

/** Rows with different questions are decided together only if the kinds are named. */
function assertSameKind(waiting: readonly WaitingPayout[], id: string, kinds: readonly string[] | undefined): void {
  const found = byKind(waiting.map(({ row }) => row));
  if (kinds !== undefined || found.size < 2) return;
  const shown = [...found].map(([kind, some]) => `${kind} (${some.length})`).join(', ');
  throw new Problem('usage', 'kinds-mixed', `The waiting rows under "${id}" are of different kinds: ${shown}.`, {
    hint: `Add --kind KIND, or several: --kind ${[...found.keys()].join(',')}`,
  });
}

type AskedWaiting = Omit<z.output<typeof WAITING.input>, 'after'>;
type Asked = Pick<AskedWaiting, 'id' | 'states' | 'kinds'>;

/** Reads page after page, in the order of the rows; a page that would come again is the last. */
async function allWaiting(session: Session, asked: AskedWaiting): Promise<Waiting> {
  const all: Waiting = { payouts: [], sides: [], next: 0 };
  while (all.next !== null) {
    const after = all.next;
    const { payouts, sides, next } = await session.ask(WAITING, {
      ...asked,
      after,
      compare: asked.compare && after === 0,
    });
    all.payouts.push(...payouts);
    all.sides.push(...sides);
    all.next = next !== null && next > after ? next : null;
  }
  return all;
}

/** The questions to decide, shown if they are to be: one reading, which alone is signed. */
async function questionsOf(
  session: Session,
  asked: Asked,
  { decision, signer, isShown }: { decision: 'approve' | 'reject'; signer: Signer; isShown: boolean },
): Promise<ShownQuestion[]> {
  const isSigned = signer.sign !== undefined;
  const waiting = await allWaiting(session, { ...asked, ask: isSigned || isShown, compare: isShown });
  // Shown and judged by the signer's process, whichever process has read it.
  const questions = waiting.payouts.map((it) => questionShown({ ...it, isSigned }));
  assertMeant(
    session,
    questions.map(({ row }) => row),
    asked.id,
    { isShown },
  );
  if (isShown) printWaiting(session, waiting, { decision, questions: isSigned ? questions : undefined });
  return questions;
}

/** Shows everything a person should see before the question, including both sides of what has two. */
function printWaiting(
  session: Session,
  { payouts, sides }: Waiting,
  { decision, questions }: { decision: 'approve' | 'reject'; questions?: readonly ShownQuestion[] | undefined },
): void {
  const width = widthOf(process.stderr);
  session.output.notify(decisionTable(payouts, decision, questions && questionsText(questions, width)));
  const compared = bothSidesText(sides, width);
  if (compared !== '') session.output.notify(`\n${compared}`);
  const verdicts = verdictsText(payouts, width);
  if (verdicts !== '') session.output.notify(`\n${verdicts}`);
}

type Answer = Pick<z.output<typeof DECIDE.input>, 'decision' | 'remark' | 'digest' | 'signed'>;

/** Under a policy the question is signed as it was shown. */
function answerTo(
  { row: { reference }, asked, differs }: ShownQuestion,
  { sign }: Signer,
  { decision, remark }: { decision: 'approve' | 'reject'; remark: string | undefined },
): Answer | { refused: string } {
  const { question, digest } = asked ?? {};
  if (question === undefined || digest === undefined) return { refused: 'it no longer awaits a decision' };
  if (sign === undefined) return { decision, remark, digest };
  if (decision === 'approve' && differs !== undefined) return { refused: differs };
  return { decision, remark, signed: sign({ question, reference, digest, decision, remark: remark ?? '' }) };
}

export async function cancel(session: Session, id: string, options: DecideOptions): Promise<ExitCode> {
  await holdKey(session, options.key);
  const target = await findTarget(session, id, { isShown: !options.yes });
  const by = await nameAsking(session, options.by);
  const reason = options.remark ?? 'cancelled by an operator';
  await confirm(`Cancel ${titleOf(target)}?`, options.yes);
  if (target.kind === 'batch') return controlBatch(session, target.batch.batchId, MESSAGES.cancel, by);
  const { reference } = target.payout;
  return answerEach(session, [{ row: target.payout }], () => session.ask(CANCEL_PAYOUT, { reference, by, reason }));
}

export interface ResolveOptions extends SignedOptions {
  action: ResolveAction;
  evidence: string;
  order: string | undefined;
}

/**
 * `payouts resolve ID`: an operator's decision on a payout in `needs-operator`, checked against the bank again. If its workflow
 * is gone, it is started again under its id: it searches before it sends.
 */
export async function resolve(session: Session, id: string, options: ResolveOptions): Promise<ExitCode> {
  const { action, evidence } = options;
  const order =
    options.order ?? (action === 'adopt-order' ? await answerOrRefuse('Which order?', '--order') : undefined);
  await holdKey(session, options.key);
  const asked = { id, states: ['needs-operator' as const], kinds: undefined };
  const confirmation = { isShown: !options.yes };
  const target = await findTarget(session, id, confirmation);
  const { payouts } = await allWaiting(session, { ...asked, ask: false, compare: false });
  const [waiting, ...others] = payouts;
  if (waiting === undefined) {
    throw new Problem('usage', 'nothing-to-resolve', `Nothing under "${id}" needs an operator.`, {
      hint: `payouts status ${shownId(target)} shows its state.`,
    });
  }
  if (others.length > 0) {
    const shown = payouts.slice(0, CANDIDATES_MAX).map(({ row }) => shortId(row.reference));
    throw new Problem('usage', 'ambiguous-id', `${payouts.length} payouts of this batch need an operator.`, {
      hint: `Evidence concerns one payout; name one: ${shown.join(', ')}${others.length >= CANDIDATES_MAX ? ', ...' : ''}`,
    });
  }
  assertMeant(session, [waiting.row], id, confirmation);
  const signer = await signerOf(session, options, 'resolve');
  const { reference } = waiting.row;
  if (confirmation.isShown) {
    const shown = await allWaiting(session, { ...asked, id: reference, ask: false, compare: true });
    const rows = shown.payouts.map(({ row }) => row);
    assertMeant(session, rows, reference, confirmation);
    printWaiting(session, shown, { decision: 'reject' });
  }
  await confirm(`${action} for payout ${reference}?`, options.yes);
  const digest = resolveDigest(action, order);
  const signed = signer.sign?.({ question: 'resolve', reference, digest, remark: evidence });
  return answerEach(session, [waiting], () =>
    session.ask(RESOLVE, { reference, action, evidence, order, by: signer.name, signed }),
  );
}

const CANDIDATES_MAX = 10;

const shownId = (target: Target): string =>
  shortId(target.kind === 'batch' ? target.batch.batchId : target.payout.reference);

const titleOf = (target: Target): string =>
  target.kind === 'batch'
    ? `the rest of batch ${target.batch.batchId} (${visible(target.batch.file)})`
    : `payout ${target.payout.reference} (${visible(payoutTitle(target.payout.instruction))})`;

/** Payouts notified at the same time: each waits for a worker, which may read the bank before it answers. */
const AT_ONCE = 10;

/** Notifies each payout; a refusal by the workflow is shown with its reason. */
async function answerEach<One extends Pick<WaitingPayout, 'row'>>(
  session: Session,
  waiting: readonly One[],
  notify: (one: One) => Promise<DecisionAnswer>,
): Promise<ExitCode> {
  const answers = new Map<string, DecisionAnswer>();
  await someAtOnce(waiting, AT_ONCE, async (one) => {
    answers.set(one.row.reference, await notify(one));
  });
  const reported = [...waiting].map(({ row: { reference } }) => {
    const answer: DecisionAnswer = answers.get(reference) ?? { outcome: '' };
    return 'outcome' in answer ? { reference, ...answer } : { reference, outcome: `refused: ${answer.refused}` };
  });
  const text = reported
    .map(({ reference, outcome, says }) => `${reference}  ${says ?? inWords(outcome, reference)}`)
    .join('\n');
  session.output.result({ decisions: reported }, text);
  const isInVain = [...answers.values()].some((answer) => 'refused' in answer || answer.outcome === TOO_LATE);
  return isInVain ? EXIT.exceptions : EXIT.completed;
}

const TOO_LATE = 'too-late';

/** Some answers say too little by themselves. */
function inWords(outcome: string, reference: string): string {
  if (outcome === TOO_LATE) return 'too late: it continues, or has ended';
  const status = `\`payouts status ${shortId(reference)}\` shows`;
  if (outcome === 'pending') return `asked for: ${status} whether it was still possible`;
  if (outcome === 'passed-on') return `passed on to the bank: ${status} what becomes of its order`;
  return outcome;
}

/**
 * `payouts approve|reject BATCH` under a policy: one signature for every row that asks, or will ask, the same question. Rows that
 * need a signature of their own are listed and not decided.
 */
async function decideBatch(
  session: Session,
  decision: 'approve' | 'reject',
  batchId: string,
  options: DecideOptions & { kind?: readonly string[] },
): Promise<ExitCode> {
  const signer = await signerOf(session, options, 'payout');
  const [kind, ...others] = options.kind ?? [];
  // Without one single kind: our own approvals first, then the orders in the bank's audit, once no row waits for ours.
  const isOneKind = kind !== undefined && others.length === 0;
  const question = isOneKind ? (kind === 'bank-approval-required' ? 'bank' : 'payout') : undefined;
  const read: ReadPlan = async function* (question) {
    yield* linesOf<PlanItem>(await session.pieces(PLAN, { id: batchId, question, subject: signer.name }));
  };
  const about = { batchId, decision };
  const plan = await (question === undefined ? planToSign(read, about) : preparePlan(read, { ...about, question }));
  // What a scheduled job prints goes to a log.
  session.output.notify(planText(plan, { isListed: !options.yes }));
  const { length } = plan.rows;
  if (length === 0) {
    throw new Problem('usage', 'nothing-awaited', `No row of batch ${batchId} can be decided together with others.`, {
      hint: `payouts ${decision} REFERENCE decides a single row; payouts status ${batchId} shows them.`,
    });
  }
  await confirm(
    `${decision === 'approve' ? 'Approve' : 'Reject'} ${counted(length, 'payout')} by one signature?`,
    options.yes,
  );
  if (signer.sign === undefined) throw new Error('a batch is decided only by signature');
  const { digest, remark = '' } = { ...plan, ...options };
  const signed = signer.sign({ question: plan.question, reference: batchId, digest, decision, remark });
  const { says } = await session.ask(DECIDE_PLAN, { id: batchId, decision, question: plan.question, signed });
  const { rows: _, shown: __, ...shown } = plan;
  const outcome = `${decision === 'approve' ? 'approved' : 'rejected'} by one signature: ${counted(length, 'payout')}`;
  const document = { decisions: [{ reference: batchId, outcome, says }], plan: { ...shown, rows: length } };
  session.output.result(document, `${says}\n${batchId}`);
  return EXIT.completed;
}

/** Without what is to be checked of all of them, which is said above. */
function planColumns(plan: BatchPlan): [head: string, cell: (shown: ShownRow) => string][] {
  const ofAll = flagsOfAll(plan);
  return [
    ['document', ({ row }) => row.documentId],
    ['amount', ({ row: { instruction } }) => `${groupedAmount(instruction.amount)} ${instruction.currency}`],
    ['to', ({ row, payee }) => payeeInFull(row, payee?.items)],
    ['note', ({ row }) => row.instruction.note ?? ''],
    ['from', ({ row: { instruction, assessed } }) => assessed?.payingAccountId ?? instruction.account_id],
    [
      'check',
      ({ row }) =>
        flagTexts(row)
          .filter((flag) => !ofAll.includes(flag))
          .join(', '),
    ],
  ];
}

function planText(plan: BatchPlan, { isListed }: { isListed: boolean }): string {
  const { batchId, question, rows, shown, totals, payees, newPayees, caps, flags, alikes, apart, digest } = plan;
  const what =
    question === 'bank'
      ? counted(rows.length, "order in the bank's audit", "orders in the bank's audit")
      : counted(rows.length, 'payout');
  const sums = totals.map(
    ({ currency, count, amount }) => `  ${currency}  ${groupedAmount(amount)} in ${counted(count, 'payout')}`,
  );
  const isNew = newPayees === 0 ? '' : `, ${groupedAmount(newPayees)} of them new`;
  const flagged = Object.entries(flags) as [Flag, number][];
  const more = apart.length - LISTED_MAX;
  const first = shown.slice(0, LISTED_MAX);
  const others = rows.length - first.length;
  const width = widthOf(process.stderr);
  const listed = apart
    .slice(0, LISTED_MAX)
    .map(({ documentId, amount, currency, why }) => [
      documentId,
      `${groupedAmount(amount)} ${currency}`,
      WHY_EXCLUDED[why],
    ]);
  return [
    ...wrap(`${batchId}: ${what} to ${counted(payees, 'payee')}${isNew}`, width),
    ...sums,
    ...caps.map((it) => `  ${capsText(it)}`),
    ...flagged.map(([flag, count]) => `  check ${count}: ${FLAGS[flag]}`),
    ...alikes.map((ids) => `  check: ${alikeText(ids)}`),
    ...(first.length === 0 || !isListed ? [] : ['', filledTable(planColumns(plan), first, width)]),
    ...(isListed && others > 0
      ? [
          `and ${groupedAmount(others)} more, decided too: listed are new and changed payees, then the largest; the page of the batch searches all`,
        ]
      : []),
    ...(apart.length === 0
      ? []
      : [
          counted(apart.length, 'payout needs a separate decision:', 'payouts need separate decisions:'),
          table(['document', 'amount', 'why'], listed, width),
        ]),
    ...(more > 0 ? [`and ${groupedAmount(more)} more; payouts status ${batchId} lists all of them`] : []),
    `digest ${digest}`,
  ].join('\n');
}

/** `payouts pause|drain|resume ID`: stopping is anybody's, letting go on is not. `yes` changes nothing: they ask nothing. */
export async function control(
  session: Session,
  update: string,
  id: string,
  asker: Asker & { yes?: boolean },
): Promise<ExitCode> {
  await holdKey(session, asker.key);
  const target = await findTarget(session, id);
  const batchId = batchIdOf(target, id);
  if (session.gateway !== undefined) return controlBatch(session, batchId, update, asker.by);
  const batch = await (await session.store()).batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  const by = continuesStopped(update, batch) ? await personContinuing(session, asker, batch) : nameOf(asker.by);
  return controlBatch(session, batchId, update, by);
}

/** What a batch then is or does. */
const CONTROLLED: Readonly<Record<BatchControl, string>> = {
  running: 'is running',
  paused: 'is paused',
  draining: 'starts no further rows',
  cancelling: 'is being cancelled',
};

/** `by`: over HTTP the person who signs in, if it is absent. */
export async function controlBatch(
  session: Session,
  batchId: string,
  update: string,
  by: string | undefined,
): Promise<ExitCode> {
  const answer =
    session.gateway === undefined
      ? await controlHere(session, batchId, update, nameOf(by))
      : await session.gateway.post<{ control: BatchControl }>(
          `/v1/batches/${encodeURIComponent(batchId)}/${update}${by === undefined ? '' : `?by=${encodeURIComponent(by)}`}`,
          {},
        );
  session.output.result({ batchId, control: answer.control }, `Batch ${batchId} ${CONTROLLED[answer.control]}.`);
  return EXIT.completed;
}

async function controlHere(
  session: Session,
  batchId: string,
  update: string,
  by: string,
): Promise<{ control: BatchControl }> {
  const store = await session.store();
  const batch = await store.batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  // Each action that is carried out writes its own audit entry.
  const answer = await askAudited(
    { store, now: Date.now },
    { by, action: update, subject: batchId },
    async () => {
      if (!acceptsControl(batch, update)) {
        throw new Problem('conflict', 'batch-ended', `Batch ${batchId} has ended.`, {
          hint: `payouts report ${batchId} shows how.`,
        });
      }
      const client = await session.client();
      const controls = { store, settings: session.config.settings, client };
      return inTime(client, () => updateBatch(controls, batch, update, by), COMMAND_MS);
    },
    () => undefined,
  );
  // A stack booted by this command ends with it: first wait until the rows have been notified of a cancel.
  if (update === MESSAGES.cancel && (await session.stack()).owner) await untilRowsAreNotified(session, batchId);
  return answer;
}

/** Waits until the rows of a cancelled batch have ended or done what they can; the bank's decisions need no stack of ours. */
async function untilRowsAreNotified(session: Session, batchId: string): Promise<void> {
  const store = await session.store();
  const client = await session.client();
  await untilTrue(async () => !(await store.stateCounts(batchId)).has('received'));
  const executions = executionsOver(client);
  // The batch notifies them too; a row that is notified twice acts once.
  await someAtOnce(await store.rowsIn(batchId, CANCELLABLE_STATES), AT_ONCE, async ({ workflowId }) => {
    await executions.cancelPayout(workflowId, BATCH_CANCELLED).catch(() => false);
    await untilCarriedOut(client, workflowId);
  });
}

/** `payouts recheck ID`: a payout that is held or waits for money, or every such row of a batch. */
export async function recheck(session: Session, id: string, asker: Asker): Promise<ExitCode> {
  await holdKey(session, asker.key);
  const { payouts } = await session.ask(WAITING, {
    ...{ id, states: [...RECHECK_STATES], kinds: undefined },
    ...{ ask: false, compare: false, after: 0 },
  });
  if (payouts.length === 0) {
    throw new Problem('usage', 'nothing-to-recheck', `Nothing under "${id}" is held or waits for money.`, {
      hint: `payouts status ${id} shows its state.`,
    });
  }
  const by = await nameAsking(session, asker.by);
  const answers = new Map<string, string>();
  await someAtOnce(payouts, AT_ONCE, async ({ row: { reference } }) => {
    const answer = await session.ask(RECHECK, { reference, by });
    answers.set(reference, 'outcome' in answer ? answer.outcome : `refused: ${answer.refused}`);
  });
  const reported = payouts.map(({ row: { reference } }) => ({ reference, outcome: answers.get(reference) ?? '' }));
  const text = reported.map(({ reference, outcome }) => `${shortId(reference)}  ${outcome}`).join('\n');
  session.output.result({ rechecks: reported }, text);
  return reported.every(({ outcome }) => outcome === 'rechecking') ? EXIT.completed : EXIT.exceptions;
}
