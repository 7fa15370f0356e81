import { type DeliveryOutcome, type DeliveryRound, healthAfter } from '../../domain/events-out.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { PayeeMails, Subscription } from '../../platform/config/events.ts';
import type { OutboxEvent } from '../../store/store.ts';
import { isDue, Lease, type SenderDeps } from '../events/deliver.ts';
import type { Digest } from '../events/mail-text.ts';
import { type AdvisedPayment, addresseeOf, adviceMail, adviceOf, paidPayment, returnedPayment } from './advice.ts';

/** Events in one round. */
const PAGE = 200;
/** A mail server may take an address later; after this time it counts as refused. */
const TRIED_FOR_MS = DAY_MS;

type Send = (mail: Digest & { replyTo?: string | undefined }, addresses: readonly string[]) => Promise<DeliveryOutcome>;
type AdviceSubscription = Subscription & { to: PayeeMails };

/** Payments that go into one mail. */
interface Letter {
  to: string;
  language: Parameters<typeof adviceOf>[1];
  payments: AdvisedPayment[];
  /** When the first of its events was written, epoch ms. */
  since: number;
}

/** Mails payees what was paid to them, and what of that came back, each once. */
export async function deliverAdvice(deps: SenderDeps, subscription: AdviceSubscription, send: Send): Promise<void> {
  const { store } = deps;
  const { name, kinds, to } = subscription;
  await using lease = new Lease(deps, name);
  while (!deps.signal.aborted) {
    const state = await lease.take();
    if (state === undefined || !isDue(state, deps.now())) return;
    const head = await store.outboxHead();
    const events = await store.outboxEvents({ kinds, after: state.position, upTo: head, limit: PAGE });
    const [first] = events;
    if (first === undefined) {
      if (head > state.position) await lease.move(state, { position: head });
      return;
    }
    const dueAt = Math.min(first.at, deps.now()) + (to.everyMs ?? 0);
    if (deps.now() < dueAt) {
      await lease.move(state, { nextTryAt: dueAt });
      return;
    }
    const round: DeliveryRound = { hasTaken: false, halt: undefined, refusedWhy: undefined, isFull: false };
    for (const letter of await lettersOf(deps, to, events)) {
      if (deps.signal.aborted || !(await lease.hold())) return;
      const outcome = await sendLetter(deps, to, letter, send);
      if (outcome.kind === 'taken') round.hasTaken = true;
      else if (outcome.kind === 'unavailable') round.halt = outcome;
      // Others need not wait for an address that the server does not take now.
      if (outcome.kind === 'unavailable' && outcome.isOfMail !== true) break;
    }
    const now = deps.now();
    const position = round.halt === undefined ? (events.at(-1) ?? first).position : state.position;
    const health = { nextTryAt: null, ...healthAfter(state, round, now, deps.draw()) };
    const moved = await lease.move(state, { position, ...health, ...(round.hasTaken && { deliveredAt: now }) });
    if (!moved || round.halt !== undefined) return;
  }
}

/** What of the events is still to be said, by mail. */
async function lettersOf(deps: SenderDeps, to: PayeeMails, events: readonly OutboxEvent[]): Promise<Letter[]> {
  const { store } = deps;
  const letters = new Map<string, Letter>();
  for (const { subject, at } of events) {
    const row = await store.payout(subject);
    const addressee = row && (await addresseeOf(store, to, row));
    if (row === undefined || addressee === undefined || row.state !== 'completed') continue;
    for (const payment of await unsaid(deps, row)) {
      const isPaid = payment.about === 'paid';
      const alone = to.everyMs === undefined ? [subject, payment.about] : [];
      const key = JSON.stringify([addressee, isPaid, ...alone]);
      const letter = letters.get(key) ?? { ...addressee, payments: [], since: at };
      const isNew = !letter.payments.some(
        ({ row: its, about }) => its.reference === subject && about === payment.about,
      );
      if (isNew) letter.payments.push(payment);
      letters.set(key, letter);
    }
  }
  return [...letters.values()];
}

/** A payment that came back before its payee was advised of it was none for the payee. */
async function unsaid({ store }: SenderDeps, row: Parameters<typeof paidPayment>[0]): Promise<AdvisedPayment[]> {
  const said = new Map((await store.advicesOf([row.reference])).map(({ about, outcome }) => [about, outcome]));
  const returns = await store.returnsOf([row.reference]);
  if (!said.has('paid')) return returns.length === 0 ? [paidPayment(row)] : [];
  if (said.get('paid') !== 'sent') return [];
  return returns.filter(({ orderId }) => !said.has(orderId)).map((back) => returnedPayment(row, back));
}

async function sendLetter(
  { store, settings, now }: SenderDeps,
  advised: PayeeMails,
  { to, language, payments, since }: Letter,
  send: Send,
): Promise<DeliveryOutcome> {
  const advice = adviceOf(payments, language, { ...advised, timeZone: settings.timeZone });
  const mail = { ...adviceMail(advice, payments, store.id), replyTo: advised.replyTo };
  const outcome = await send(mail, [to]);
  const at = now();
  const records = payments.map(({ row, about }) => ({ reference: row.reference, about, at }));
  if (outcome.kind === 'taken') {
    await store.recordAdvices(records.map((it) => ({ ...it, outcome: 'sent' })));
    return outcome;
  }
  const isOfMail = outcome.kind === 'unavailable' && outcome.isOfMail === true;
  const isFinal = isOfMail && (outcome.why.startsWith('smtp-5') || at - since >= TRIED_FOR_MS);
  if (!isFinal) return outcome;
  await store.recordAdvices(
    records.map((it) => ({ ...it, outcome: 'refused' })),
    outcome.why,
  );
  return { kind: 'refused', why: outcome.why };
}
