import type { Client } from '@temporalio/client';
import { v7 } from 'uuid';
import { needsBank } from '../../compose/both-sides.ts';
import { COMMAND_MS, inTime, resolveMs } from '../../compose/worker-answer.ts';
import type { DecideUpdate } from '../../domain/approval.ts';
import { payoutTitle } from '../../domain/instruction.ts';
import { MESSAGES } from '../../domain/names.ts';
import { AWAITING_DECISION_STATES, type PayoutState } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { resolveDigest } from '../../domain/question-digest.ts';
import type { ReasonCode } from '../../domain/reasons.ts';
import type { ResolveAction } from '../../domain/resolve-action.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import { counted, shortId } from '../../reports/display.ts';
import { kindOf } from '../../reports/next-step.ts';
import { widthOf } from '../../reports/wrap.ts';
import { visible } from '../../rules/finding.ts';
import { askAudited, outcomeInWords } from '../../services/decisions/audited-request.ts';
import { roleAskedOf } from '../../services/decisions/awaits-decision.ts';
import type { ShownQuestion } from '../../services/decisions/shown-question.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { refusalOf, resolvePayout, untilCarriedOut, updatePayout } from '../../temporal/payout-updates.ts';
import { bothSidesText, verdictsText } from '../both-sides.ts';
import { confirm } from '../confirm.ts';
import { byKind, decisionTable } from '../decision-table.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findTarget, type Target } from '../find-target.ts';
import type { Session } from '../session.ts';
import { assertApprovable, questionDeps, questionsOf, questionsText, sinceShown } from '../shown-questions.ts';
import { type DecideOptions, nameOf, type SignedOptions, type Signer, signAndStore, signerOf } from '../signer.ts';
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
  const store = await session.store();
  const target = await findTarget(store, id);
  const { policy } = session.config.settings;
  if (target.kind === 'batch' && policy !== undefined && isPlanned(options.kind)) {
    return decideBatch(session, decision, target.batch, options);
  }
  const payouts = ofKind(await awaitingPayouts(store, target, AWAITING_DECISION_STATES), id, options.kind);
  if (payouts.length === 0) {
    throw new Problem('usage', 'nothing-awaited', `Nothing under "${id}" awaits a decision.`, {
      hint: `payouts status ${shownId(target)} shows what it waits for.`,
    });
  }
  const [role = 'payout'] = new Set(payouts.map(roleAskedOf));
  const signer = await signerOf(session, options, role);
  const deps = await questionDeps(session, signer.sign !== undefined || !options.yes);
  const questions = await questionsOf(deps, payouts);
  if (!options.yes) await printDecided(session, payouts, { decision, questions: signer.sign && questions });
  if (decision === 'approve') assertApprovable(questions);
  const verb = decision === 'approve' ? 'Approve' : 'Reject';
  await confirm(`${verb} ${counted(payouts.length, 'payout')}?`, options.yes);
  const asked: Asked = {
    action: decision,
    by: signer.name,
    detail: options.remark === undefined ? {} : { remark: options.remark },
  };
  const byReference = new Map(questions.map((shown) => [shown.row.reference, shown]));
  return sendEach(session, payouts, asked, async (client, payout) => {
    const shown = byReference.get(payout.reference);
    const update = shown && decisionOn(store.id, shown, signer, { decision, remark: options.remark });
    if (shown === undefined || update === undefined) return { refused: 'it no longer awaits a decision' };
    if ('refused' in update) return update;
    const answer = await updatePayout({ client, store }, payout, MESSAGES.decide, update);
    if (typeof answer === 'string') return answer;
    const row = await store.payout(payout.reference);
    return { refused: await sinceShown(deps, shown, { ...answer, row, decision }) };
  });
}

/** Kinds that one signature can decide for a whole batch; held rows are signed one by one. */
const PLANNED: readonly string[] = ['approval-required', 'bank-approval-required'] satisfies ReasonCode[];
const isPlanned = (kinds: readonly string[] | undefined): boolean =>
  kinds?.every((kind) => PLANNED.includes(kind)) ?? true;

/** The rows of the kinds asked for. Rows with different questions are decided together only if the kinds are named. */
function ofKind(payouts: readonly PayoutRecord[], id: string, kinds: readonly string[] | undefined): PayoutRecord[] {
  const found = byKind(payouts);
  if (kinds !== undefined) return payouts.filter((row) => kinds.includes(kindOf(row)));
  if (found.size < 2) return [...payouts];
  const shown = [...found].map(([kind, some]) => `${kind} (${some.length})`).join(', ');
  throw new Problem('usage', 'kinds-mixed', `The waiting rows under "${id}" are of different kinds: ${shown}.`, {
    hint: `Add --kind KIND, or several: --kind ${[...found.keys()].join(',')}`,
  });
}

/** Shows everything a person should see before the question, including both sides of whatever has two. */
async function printDecided(
  session: Session,
  payouts: readonly PayoutRecord[],
  { decision, questions }: { decision: 'approve' | 'reject'; questions?: readonly ShownQuestion[] },
): Promise<void> {
  const width = widthOf(process.stderr);
  session.output.tell(decisionTable(payouts, decision, questions && questionsText(questions, width)));
  const bank = payouts.some(needsBank) ? await session.bank(await session.stack()) : undefined;
  const store = await session.store();
  const { clockSkewMs } = session.config.settings;
  const sides = await bothSidesText({ store, bank, clockSkewMs }, payouts, width);
  if (sides !== '') session.output.tell(`\n${sides}`);
  const verdicts = await verdictsText(store, payouts, width);
  if (verdicts !== '') session.output.tell(`\n${verdicts}`);
}

/** The content of the update. Under a policy the question is signed as it was shown. Undefined: it asks nothing. */
function decisionOn(
  storeId: string,
  { row: { reference }, asked, differs }: ShownQuestion,
  { name: by, sign }: Signer,
  { decision, remark }: { decision: 'approve' | 'reject'; remark: string | undefined },
): DecideUpdate | { refused: string } | undefined {
  const { question, digest } = asked ?? {};
  // In a trial the bank's audit has no digest of its own.
  if (sign === undefined) return { decisionId: v7(), decision, by, remark, ...(question !== 'bank' && { digest }) };
  if (question === undefined || digest === undefined) return undefined;
  if (decision === 'approve' && differs !== undefined) return { refused: differs };
  const signed = sign({ storeId, question, reference, digest, decision, remark: remark ?? '' });
  return { decisionId: signed.id, decision, by, remark, signed };
}

export async function cancel(session: Session, id: string, options: DecideOptions): Promise<ExitCode> {
  const store = await session.store();
  const target = await findTarget(store, id);
  const by = nameOf(options.by);
  const reason = options.remark ?? 'cancelled by an operator';
  await confirm(`Cancel ${titleOf(target)}?`, options.yes);
  if (target.kind === 'batch') return controlBatch(session, target.batch.batchId, MESSAGES.cancel, by);
  return sendEach(session, [target.payout], { action: 'cancel', by, detail: { reason } }, (client, payout) =>
    updatePayout({ client, store }, payout, MESSAGES.cancel, { by, reason }),
  );
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
  const store = await session.store();
  const target = await findTarget(store, id);
  const [payout, ...others] = await awaitingPayouts(store, target, ['needs-operator']);
  if (payout === undefined) {
    throw new Problem('usage', 'nothing-to-resolve', `Nothing under "${id}" needs an operator.`, {
      hint: `payouts status ${shownId(target)} shows its state.`,
    });
  }
  if (others.length > 0) {
    const shown = [payout, ...others].slice(0, CANDIDATES_MAX).map(({ reference }) => shortId(reference));
    throw new Problem('usage', 'ambiguous-id', `${others.length + 1} payouts of this batch need an operator.`, {
      hint: `Evidence concerns one payout; name one: ${shown.join(', ')}${others.length >= CANDIDATES_MAX ? ', ...' : ''}`,
    });
  }
  const signer = await signerOf(session, options, 'resolve');
  const { name: by } = signer;
  if (!options.yes) await printDecided(session, [payout], { decision: 'reject' });
  await confirm(`${options.action} for payout ${payout.reference}?`, options.yes);
  const about = { question: 'resolve', reference: payout.reference, remark: options.evidence } as const;
  const digest = resolveDigest(options.action, options.order);
  const signed = await signAndStore(store, signer, { ...about, digest });
  const asked: Asked = { action: 'resolve', by, detail: { action: options.action, evidence: options.evidence } };
  const { action, evidence, order: orderId } = options;
  const request = { action, by, evidence, orderId, decisionId: signed?.id };
  const ask = (client: Client) => resolvePayout({ client, store }, payout, request);
  return sendEach(session, [payout], asked, ask, resolveMs(session.config.settings));
}

const CANDIDATES_MAX = 10;

const shownId = (target: Target): string =>
  shortId(target.kind === 'batch' ? target.batch.batchId : target.payout.reference);

const titleOf = (target: Target): string =>
  target.kind === 'batch'
    ? `the rest of batch ${target.batch.batchId} (${visible(target.batch.file)})`
    : `payout ${target.payout.reference} (${visible(payoutTitle(target.payout.instruction))})`;

async function awaitingPayouts(store: Store, target: Target, states: readonly PayoutState[]): Promise<PayoutRecord[]> {
  if (target.kind === 'batch') return store.rowsIn(target.batch.batchId, states);
  return states.includes(target.payout.state) ? [target.payout] : [];
}

/** What a person asks of payouts, for the audit entry. */
interface Asked {
  action: 'approve' | 'reject' | 'cancel' | 'resolve';
  by: string;
  detail: Readonly<Record<string, string>>;
}

/** Payouts told at the same time: each waits for a worker, which may read the bank before it answers. */
const AT_ONCE = 10;

/**
 * Tells each payout, on the stack that is up or one booted for it; a refusal by the workflow is shown with its reason. The
 * request and its answer are an audit entry, whatever the answer.
 */
async function sendEach(
  session: Session,
  payouts: readonly PayoutRecord[],
  asked: Asked,
  tell: (client: Client, payout: PayoutRecord) => Promise<string | { refused: string }>,
  ms = COMMAND_MS,
): Promise<ExitCode> {
  const store = await session.store();
  const stack = await session.stack();
  const client = await session.client();
  const answers = new Map<string, string | { refused: string }>();
  await someAtOnce(payouts, AT_ONCE, async (payout) => {
    const answer = await askAudited(
      { store, now: Date.now },
      { ...asked, subject: payout.reference },
      () => inTime(client, () => tell(client, payout), ms).catch(refusalOf),
      outcomeInWords,
    );
    answers.set(payout.reference, answer);
  });
  const told = payouts.map(({ reference }) => {
    const answer = answers.get(reference) ?? '';
    return { reference, outcome: typeof answer === 'string' ? answer : `refused: ${answer.refused}` };
  });
  // A stack booted by this command ends with it: first wait until the decisions are carried out.
  if (stack.owner) for (const payout of payouts) await untilCarriedOut(client, payout.workflowId);
  const text = told.map(({ reference, outcome }) => `${reference}  ${inWords(outcome, reference)}`).join('\n');
  session.output.result({ decisions: told }, text);
  const isInVain = [...answers.values()].some((answer) => typeof answer !== 'string' || answer === TOO_LATE);
  return isInVain ? EXIT.exceptions : EXIT.completed;
}

const TOO_LATE = 'too-late';

/** Two answers to a cancel say too little by themselves. */
function inWords(outcome: string, reference: string): string {
  if (outcome === TOO_LATE) return 'too late: it continues, or has ended';
  if (outcome !== 'pending') return outcome;
  return `asked for: \`payouts status ${shortId(reference)}\` shows whether it was still possible`;
}
