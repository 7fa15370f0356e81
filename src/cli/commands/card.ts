import { conditionOf } from '../../bank/errors.ts';
import { pathId } from '../../bank/path.ts';
import { type CardDocument, documentOf } from '../../channels/http/card-documents.ts';
import { holdsCardNumber } from '../../domain/card-number.ts';
import { groupedAmount, secondOf } from '../../domain/display.ts';
import { Problem } from '../../domain/problem.ts';
import { type LabelledText, labelled, labelledLines, widthOf } from '../../domain/wrap.ts';
import { workflowUrl } from '../../reports/links.ts';
import type { CardRecord, CardStore, StoredCardEvent } from '../../store/card-store.ts';
import { findCard, requestIdOf, unknownCard } from '../find-card.ts';
import { neededFor, todoFor } from '../needs-people.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';

export async function showCard(session: Session, id: string): Promise<void> {
  const store = await session.store();
  const record = await findCard(store, id);
  const document = await documentIn(session, record);
  const events = (await store.cards.eventsOf(record.merchantRequestId)).map(eventDocument);
  const payments = await store.cards.paymentsOf(record.merchantRequestId);
  const rows = events.map(({ received_at: at, kind, status, amount, currency, trust, effect }) => [
    secondOf(at),
    kind,
    status,
    `${amount ?? ''} ${currency ?? ''}`.trim(),
    trust,
    effect ?? 'open',
  ]);
  const list = events.length === 0 ? [] : [table(['event (UTC)', 'kind', 'status', 'says', 'trust', 'effect'], rows)];
  const facts = cardText(document, [['other ids', payments.filter((it) => it !== document.payment_id).join(' ')]]);
  session.output.result(
    { card_payment: document, payment_ids: payments, events },
    [facts, ...todoIn(record), ...list].join('\n\n'),
  );
}

function todoIn(record: CardRecord): string[] {
  const needed = neededFor(record);
  if (needed === undefined) return [];
  const layout = { labelWidth: LABEL_WIDTH, width: widthOf(process.stdout) };
  return [labelled('to do', todoFor(record, needed), layout).join('\n')];
}

export async function listCards(session: Session): Promise<void> {
  const { cards } = await session.store();
  const newest = (await cards.list(LISTED)).filter((record) => neededFor(record) === undefined);
  const records = [...(await cards.forPeople()), ...newest];
  const documents = await Promise.all(records.map((record) => documentIn(session, record)));
  const rows = documents.map((it, row) => [
    it.merchant_request_id,
    secondOf(it.created_at),
    it.state,
    groupedAmount(it.amount),
    it.currency,
    it.payment_id ?? '',
    neededFor(records[row] as CardRecord)?.code ?? it.reason?.code ?? '',
  ]);
  const head = ['card payment', 'created (UTC)', 'state', 'amount', 'currency', 'payment', 'why'];
  const shown = rows.length === 0 ? 'No card payment yet.' : table(head, rows);
  session.output.result({ card_payments: documents }, shown);
}

const LISTED = 100;
const LABEL_WIDTH = 'Temporal UI   '.length;

/** `payouts card retrieve ID`: the payment as the acquirer shows it now; whatever may be card data is masked. */
export async function retrieveCard(session: Session, id: string): Promise<void> {
  const { cards } = await session.store();
  const known = await cards.find(requestIdOf(id));
  const paymentId = known === undefined ? foreignId(id) : await paymentOf(cards, known, id);
  const bank = await session.bank();
  const payment = await bank.cards.retrieveRaw(paymentId).catch((error: unknown) => {
    throw known === undefined && conditionOf(error) === 'order-not-found' ? unknownCard() : error;
  });
  session.output.result({ payment }, JSON.stringify(payment, null, 2));
}

/** The payment id that was named, or else the one that is followed. */
async function paymentOf(cards: CardStore, { merchantRequestId, paymentId, state }: CardRecord, id: string) {
  if ((await cards.paymentsOf(merchantRequestId)).includes(id)) return id;
  if (paymentId !== null) return paymentId;
  throw new Problem('refused', 'no-payment-yet', `The acquirer has shown no payment for it yet; it is ${state}.`, {
    hint: `payouts card show ${merchantRequestId} shows more.`,
  });
}

/** A payment id that the store does not know; it becomes part of a URL. */
function foreignId(id: string): string {
  try {
    pathId(id);
  } catch {
    throw unknownCard();
  }
  if (holdsCardNumber(id)) throw unknownCard();
  return id;
}

async function documentIn(session: Session, record: CardRecord): Promise<CardDocument> {
  const url = workflowUrl(await session.ui(), record.workflowId);
  return documentOf(record, undefined, { url, tries: session.config.cards.tries });
}

function eventDocument({ kind, paymentId, status, trust, receivedAt, amount, currency, effect }: StoredCardEvent) {
  const at = new Date(receivedAt).toISOString();
  return { kind, payment_id: paymentId, status, amount, currency, trust, received_at: at, effect };
}

/** A payment as text for people; rows of `more` without a value are left out. */
export function cardText(payment: CardDocument, more: readonly LabelledText[]): string {
  const { amount, currency, payment_type: type, bin, last_four: lastFour, reason } = payment;
  const rows: LabelledText[] = [
    ['payment', `${groupedAmount(amount)} ${currency}, ${type}, ${payment.merchant_request_id}`],
    ['state', payment.state],
    ['why', reason?.message],
    ['card', bin === null || lastFour === null ? null : `${bin}******${lastFour}`],
    ['acquirer', payment.payment_id],
    ['contradicted', payment.contradicted ? 'yes: the acquirer later contradicted the end' : null],
    ...more,
    ['Temporal UI', payment.url],
  ];
  return labelledLines(rows, { labelWidth: LABEL_WIDTH, width: Number.POSITIVE_INFINITY }).join('\n');
}
