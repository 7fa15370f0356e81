import type { z } from 'zod';
import type { Target } from '../../channels/find-target.ts';
import { CANCEL_PAYOUT, DECIDE, RESOLVE, type Told } from '../../channels/http/operations/decisions.ts';
import { MYSELF } from '../../channels/http/operations/people.ts';
import { WAITING, type Waiting, type WaitingPayout } from '../../channels/http/operations/waiting.ts';
import { counted, shortId } from '../../domain/display.ts';
import { visible } from '../../domain/finding.ts';
import { payoutTitle } from '../../domain/instruction.ts';
import { MESSAGES } from '../../domain/names.ts';
import { AWAITING_DECISION_STATES, PAYOUT_STATES } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { resolveDigest } from '../../domain/question-digest.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import type { ResolveAction } from '../../domain/resolve-action.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import { widthOf } from '../../domain/wrap.ts';
import { roleAskedOf } from '../../people/decisions/awaits-decision.ts';
import { questionShown, type ShownQuestion } from '../../people/decisions/shown-question.ts';
import { bothSidesText, verdictsText } from '../both-sides.ts';
import { confirm } from '../confirm.ts';
import { byKind, decisionTable } from '../decision-table.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findTarget } from '../find-target.ts';
import type { Session } from '../session.ts';
import { assertApprovable, assertMeant, questionsText, sinceShown } from '../shown-questions.ts';
import { type DecideOptions, holdKey, nameAsking, type SignedOptions, type Signer, signerOf } from '../signer.ts';
import { controlBatch } from './control-batch.ts';
import { decideBatch } from './decide-batch.ts';

export async function decide(
  session: Session,
  decision: 'approve' | 'reject',
  id: string,
  options: DecideOptions & { kind?: readonly string[] },
): Promise<ExitCode> {
  if (decision === 'reject' && !options.remark) {
    throw new Problem('usage', 'remark-missing', 'A rejection needs a remark.', { hint: 'Add --remark TEXT.' });
  }
  await holdKey(session, options.key);
  const target = await findTarget(session, id);
  if (target.kind === 'batch' && isPlanned(options.kind) && (await session.ask(MYSELF, {})).hasPolicy) {
    return decideBatch(session, decision, target.batch.batchId, options);
  }
  const asked = { id, states: [...AWAITING_DECISION_STATES], kinds: options.kind && [...options.kind] };
  const { payouts } = await session.ask(WAITING, { ...asked, ask: false, compare: false });
  assertSameKind(payouts, id, options.kind);
  if (payouts.length === 0) {
    throw new Problem('usage', 'nothing-awaited', `Nothing under "${id}" awaits a decision.`, {
      hint: `payouts status ${shownId(target)} shows what it waits for.`,
    });
  }
  const [role = 'payout'] = new Set(payouts.map(({ row }) => roleAskedOf(row)));
  const signer = await signerOf(session, options, role);
  const questions = await questionsOf(session, asked, { decision, signer, isShown: !options.yes });
  if (decision === 'approve') assertApprovable(questions);
  const verb = decision === 'approve' ? 'Approve' : 'Reject';
  await confirm(`${verb} ${counted(questions.length, 'payout')}?`, options.yes);
  return tellEach(session, questions, async (shown) => {
    const answer = answerTo(shown, signer, { decision, remark: options.remark });
    if ('refused' in answer) return answer;
    const told = await session.ask(DECIDE, { reference: shown.row.reference, by: signer.name, ...answer });
    if ('outcome' in told) return told;
    const { reference: id } = shown.row;
    const [now] = (
      await session.ask(WAITING, { id, states: [...PAYOUT_STATES], kinds: undefined, ask: true, compare: false })
    ).payouts;
    return { refused: sinceShown(shown, now && questionShown(now), { refused: told.refused, decision }) };
  });
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

type Asked = Pick<z.output<typeof WAITING.input>, 'id' | 'states' | 'kinds'>;

/** The questions to decide, shown if they are to be: one reading, which alone is signed. */
async function questionsOf(
  session: Session,
  asked: Asked,
  { decision, signer, isShown }: { decision: 'approve' | 'reject'; signer: Signer; isShown: boolean },
): Promise<ShownQuestion[]> {
  const isSigned = signer.sign !== undefined;
  const waiting = await session.ask(WAITING, { ...asked, ask: isSigned || isShown, compare: isShown });
  // Shown and judged by whoever signs, whoever has read it.
  const questions = waiting.payouts.map((it) => questionShown({ ...it, isSigned }));
  if (session.gateway !== undefined) assertMeant(questions, asked.id, isShown);
  if (isShown) printWaiting(session, waiting, { decision, questions: isSigned ? questions : undefined });
  return questions;
}

/** Shows everything a person should see before the question, including both sides of whatever has two. */
function printWaiting(
  session: Session,
  { payouts, sides }: Waiting,
  { decision, questions }: { decision: 'approve' | 'reject'; questions?: readonly ShownQuestion[] | undefined },
): void {
  const width = widthOf(process.stderr);
  const rows = payouts.map(({ row }) => row);
  session.output.tell(decisionTable(rows, decision, questions && questionsText(questions, width)));
  const compared = bothSidesText(sides, width);
  if (compared !== '') session.output.tell(`\n${compared}`);
  const verdicts = verdictsText(payouts, width);
  if (verdicts !== '') session.output.tell(`\n${verdicts}`);
}

type Answer = Pick<z.output<typeof DECIDE.input>, 'decision' | 'remark' | 'digest' | 'signed'>;

/** Under a policy the question is signed as it was shown. */
function answerTo(
  { row: { reference }, asked, differs }: ShownQuestion,
  { sign }: Signer,
  { decision, remark }: { decision: 'approve' | 'reject'; remark: string | undefined },
): Answer | { refused: string } {
  const { question, digest } = asked ?? {};
  // In a trial the bank's audit has no digest of its own.
  if (sign === undefined) return { decision, remark, digest: question === 'bank' ? undefined : digest };
  if (question === undefined || digest === undefined) return { refused: 'it no longer awaits a decision' };
  if (decision === 'approve' && differs !== undefined) return { refused: differs };
  return { decision, remark, signed: sign({ question, reference, digest, decision, remark: remark ?? '' }) };
}

export async function cancel(session: Session, id: string, options: DecideOptions): Promise<ExitCode> {
  await holdKey(session, options.key);
  const target = await findTarget(session, id);
  const by = await nameAsking(session, options.by);
  const reason = options.remark ?? 'cancelled by an operator';
  await confirm(`Cancel ${titleOf(target)}?`, options.yes);
  if (target.kind === 'batch') return controlBatch(session, target.batch.batchId, MESSAGES.cancel, by);
  const { reference } = target.payout;
  return tellEach(session, [{ row: target.payout }], () => session.ask(CANCEL_PAYOUT, { reference, by, reason }));
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
  await holdKey(session, options.key);
  const asked = { id, states: ['needs-operator' as const], kinds: undefined };
  const target = await findTarget(session, id);
  const { payouts } = await session.ask(WAITING, { ...asked, ask: false, compare: false });
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
  const signer = await signerOf(session, options, 'resolve');
  const { reference } = waiting.row;
  if (!options.yes) {
    const shown = await session.ask(WAITING, { ...asked, id: reference, ask: false, compare: true });
    printWaiting(session, shown, { decision: 'reject' });
  }
  const { action, evidence, order } = options;
  await confirm(`${action} for payout ${reference}?`, options.yes);
  const digest = resolveDigest(action, order);
  const signed = signer.sign?.({ question: 'resolve', reference, digest, remark: evidence });
  return tellEach(session, [waiting], () =>
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

/** Payouts told at the same time: each waits for a worker, which may read the bank before it answers. */
const AT_ONCE = 10;

/** Tells each payout; a refusal by the workflow is shown with its reason. */
async function tellEach<One extends Pick<WaitingPayout, 'row'>>(
  session: Session,
  waiting: readonly One[],
  tell: (one: One) => Promise<Told>,
): Promise<ExitCode> {
  const answers = new Map<string, Told>();
  await someAtOnce(waiting, AT_ONCE, async (one) => {
    answers.set(one.row.reference, await tell(one));
  });
  const told = [...waiting].map(({ row: { reference } }) => {
    const answer = answers.get(reference) ?? { outcome: '' };
    return { reference, outcome: 'outcome' in answer ? answer.outcome : `refused: ${answer.refused}` };
  });
  const text = told.map(({ reference, outcome }) => `${reference}  ${inWords(outcome, reference)}`).join('\n');
  session.output.result({ decisions: told }, text);
  const isInVain = [...answers.values()].some((answer) => 'refused' in answer || answer.outcome === TOO_LATE);
  return isInVain ? EXIT.exceptions : EXIT.completed;
}

const TOO_LATE = 'too-late';

/** Two answers to a cancel say too little by themselves. */
function inWords(outcome: string, reference: string): string {
  if (outcome === TOO_LATE) return 'too late: it continues, or has ended';
  if (outcome !== 'pending') return outcome;
  return `asked for: \`payouts status ${shortId(reference)}\` shows whether it was still possible`;
}
