import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { mayOperateCard } from '../../domain/authority.ts';
import { cardPaymentInput, isCardEnd } from '../../domain/card-payment.ts';
import { groupedAmount } from '../../domain/display.ts';
import { formatMinor, parseAmount } from '../../domain/money.ts';
import { MESSAGES } from '../../domain/names.ts';
import { Problem } from '../../domain/problem.ts';
import { resolveDigest } from '../../domain/question-digest.ts';
import { askAudited } from '../../people/decisions/audited-request.ts';
import { executionsOver, startCardPayment } from '../../platform/temporal/executions.ts';
import { untilCarriedOut } from '../../platform/temporal/payout-updates.ts';
import { COMMAND_MS, inTime } from '../../platform/temporal/worker-answer.ts';
import type { CardRecord } from '../../store/card-store.ts';
import type { ResolveCardUpdate } from '../../workflows/card/messages.ts';
import { confirm } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findCard } from '../find-card.ts';
import type { Session } from '../session.ts';
import { type SignedOptions, signAndStore, signerOf } from '../signer.ts';

/**
 * Whoever may decide about a card payment, once asked whether they do; what they decide is signed where a policy asks for that.
 */
async function decided(
  session: Session,
  record: CardRecord,
  { yes, ...asker }: SignedOptions,
  { question, action, remark = '' }: { question: string; action: string; remark?: string },
): Promise<string> {
  const signer = await signerOf(session, asker, 'resolve', (person) => mayOperateCard(person, record));
  await confirm(question, yes);
  const { merchantRequestId: reference } = record;
  const about = { question: 'resolve', reference, digest: resolveDigest(action, reference), remark } as const;
  await signAndStore(await session.store(), signer, about);
  return signer.name;
}

/** `payouts card cancel ID`: before anything was sent that takes money. */
export async function cancelCard(
  session: Session,
  id: string,
  { remark, ...options }: SignedOptions & { remark: string | undefined },
): Promise<ExitCode> {
  const record = await findCard(await session.store(), id);
  const question = `Cancel card payment ${record.merchantRequestId}?`;
  const by = await decided(session, record, options, { question, action: MESSAGES.cancel, remark });
  const asked = { by, reason: remark ?? 'cancelled by an operator' };
  const { outcome } = await tell<{ outcome: string }>(session, record, MESSAGES.cancel, asked);
  session.output.result({ merchant_request_id: record.merchantRequestId, outcome }, outcome);
  return outcome === 'cancelled' ? EXIT.completed : EXIT.exceptions;
}

/** `payouts card amount ID AMOUNT`: only before anything was sent that can take money. */
export async function changeCardAmount(
  session: Session,
  id: string,
  text: string,
  options: SignedOptions,
): Promise<void> {
  const record = await findCard(await session.store(), id);
  const { merchantRequestId, currency } = record;
  const parsed = parseAmount(text, currency);
  if (!parsed.ok) {
    throw new Problem('usage', 'amount-refused', `This amount cannot be used: ${parsed.rule}.`, {
      hint: `Write a decimal above 0 with no more decimals than ${currency} has.`,
    });
  }
  const amount = formatMinor(parsed.minor, currency);
  const question = `Change ${groupedAmount(record.amount)} ${currency} to ${groupedAmount(amount)}?`;
  const by = await decided(session, record, options, { question, action: `${MESSAGES.changeAmount} ${amount}` });
  const asked = { amount, by };
  const told = await tell<{ amount: string }>(session, record, MESSAGES.changeAmount, asked);
  session.output.result(
    { merchant_request_id: merchantRequestId, amount: told.amount },
    `${groupedAmount(told.amount)} ${currency}`,
  );
}

interface ResolveCardOptions extends SignedOptions {
  /** `confirm-end`: the stored end stands, despite what has contradicted it. */
  action: ResolveCardUpdate['action'] | 'confirm-end';
  evidence: string;
  paymentId: string | undefined;
}

/** `payouts card resolve ID`: an operator's decision on a card payment in `needs-operator`. */
export async function resolveCard(session: Session, id: string, options: ResolveCardOptions): Promise<ExitCode> {
  const { action, evidence, paymentId, ...asker } = options;
  if (action === 'adopt-payment' && paymentId === undefined) {
    throw new Problem('usage', 'payment-id-missing', 'adopt-payment needs the id of the payment to adopt.', {
      hint: 'Add --payment-id ID, as the acquirer writes it.',
    });
  }
  const record = await findCard(await session.store(), id);
  const question = `${action} for card payment ${record.merchantRequestId}?`;
  const signed = paymentId === undefined ? action : `${action} ${paymentId}`;
  const by = await decided(session, record, asker, { question, action: signed, remark: evidence });
  if (action === 'confirm-end') return confirmEnd(session, record, { by, evidence });
  const asked: ResolveCardUpdate = { action, evidence, paymentId, by };
  if (await startedAgain(session, record)) {
    const message = 'its workflow was closed and is started again; it first checks what was sent';
    session.output.result({ merchant_request_id: record.merchantRequestId, accepted: false, message }, message);
    return action === 'keep-looking' ? EXIT.completed : EXIT.exceptions;
  }
  const told = await tell<{ accepted: boolean; message: string }>(session, record, MESSAGES.resolve, asked);
  session.output.result(
    { merchant_request_id: record.merchantRequestId, ...told },
    told.accepted ? told.message : `refused: ${told.message}`,
  );
  return told.accepted ? EXIT.completed : EXIT.exceptions;
}

/** An operator has checked with the acquirer: the stored end stands, and the payouts that wait for this payment look again. */
async function confirmEnd(
  session: Session,
  { merchantRequestId }: CardRecord,
  word: { by: string; evidence: string },
): Promise<ExitCode> {
  const store = await session.store();
  const { cards } = store;
  const asked = { by: word.by, action: 'confirm-end', subject: merchantRequestId, detail: { evidence: word.evidence } };
  const confirmed = async (): Promise<void> => {
    if (await cards.confirmEnd(merchantRequestId, { ...word, at: Date.now() })) return;
    throw new Problem('usage', 'not-contradicted', 'Nothing has contradicted the end of this card payment.', {
      hint: `payouts card show ${merchantRequestId} shows its events.`,
    });
  };
  // Confirming an end already writes its own audit entry.
  await askAudited({ store, now: Date.now }, asked, confirmed, () => undefined);
  const waiting = await cards.waiters(merchantRequestId);
  if (waiting.length > 0) {
    const executions = executionsOver(await session.client());
    await Promise.all(waiting.map((workflowId) => executions.lookAgain(workflowId)));
  }
  session.output.result({ merchant_request_id: merchantRequestId, confirmed: true }, 'the stored end is confirmed');
  return EXIT.completed;
}

/** If the payment has no end but its workflow is closed (terminated, say), starts it again under its id. */
async function startedAgain(session: Session, record: CardRecord): Promise<boolean> {
  if (isCardEnd(record.state)) return false;
  const client = await session.client();
  if (await executionsOver(client).isOpen(record.workflowId)) return false;
  await startCardPayment(client, cardPaymentInput(record));
  return true;
}

/** Sends one update to the workflow, on the stack that is up or one booted for it. */
async function tell<Answer extends object>(
  session: Session,
  record: CardRecord,
  update: string,
  asked: { by: string },
): Promise<Answer> {
  const store = await session.store();
  const stack = await session.stack();
  const client = await session.client();
  const { by, ...what } = asked;
  const answer = await askAudited(
    { store, now: Date.now },
    { by, action: update, subject: record.merchantRequestId, detail: inWords(what) },
    () =>
      inTime(
        client,
        () => client.workflow.getHandle(record.workflowId).executeUpdate<Answer, [object]>(update, { args: [asked] }),
        COMMAND_MS,
      ).catch(refuse(record)),
    inWords,
  );
  if (stack.owner) await untilCarriedOut(client, record.workflowId);
  return answer;
}

/** The members that are set, as texts. */
const inWords = (said: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, `${value}`]),
  );

const refuse =
  (record: CardRecord) =>
  (error: unknown): never => {
    if (error instanceof WorkflowNotFoundError) {
      throw new Problem('conflict', 'not-running', `This card payment is not running; it is ${record.state}.`, {
        hint: `payouts card show ${record.merchantRequestId} shows more.`,
      });
    }
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new Problem('refused', 'not-now', `Not possible now: ${error.cause?.message ?? error.message}.`, {
      hint: `payouts card show ${record.merchantRequestId} shows its state.`,
    });
  };
