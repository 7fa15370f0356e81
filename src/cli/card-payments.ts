import { assertNoCardNumber } from '../channels/find-target.ts';
import type { CardDocument } from '../channels/http/card-documents.ts';
import { CARD, CARD_AT_ACQUIRER, CARDS } from '../channels/http/operations/cards.ts';
import { groupedAmount, type LabelledText, labelled, labelledLines, secondOf, widthOf } from '../domain/display.ts';
import type { Session } from './session.ts';
import { table } from './table.ts';
import { neededFor, todoFor } from './waiting.ts';

export async function showCard(session: Session, id: string): Promise<void> {
  assertNoCardNumber(id);
  const { card_payment: document, payment_ids: payments, events } = await session.ask(CARD, { id });
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
    [facts, ...todoIn(document), ...list].join('\n\n'),
  );
}

function todoIn(payment: CardDocument): string[] {
  const needed = neededFor(payment);
  if (needed === undefined) return [];
  const layout = { labelWidth: LABEL_WIDTH, width: widthOf(process.stdout) };
  return [labelled('to do', todoFor(payment.merchant_request_id, needed), layout).join('\n')];
}

export async function listCards(session: Session): Promise<void> {
  const { card_payments: documents } = await session.ask(CARDS, {});
  const rows = documents.map((it) => [
    it.merchant_request_id,
    secondOf(it.created_at),
    it.state,
    groupedAmount(it.amount),
    it.currency,
    it.payment_id ?? '',
    neededFor(it)?.code ?? it.reason?.code ?? '',
  ]);
  const head = ['card payment', 'created (UTC)', 'state', 'amount', 'currency', 'payment', 'why'];
  const shown = rows.length === 0 ? 'No card payment yet.' : table(head, rows);
  session.output.result({ card_payments: documents }, shown);
}

const LABEL_WIDTH = 'Temporal UI   '.length;

/** `payouts card retrieve ID`: the payment as the acquirer shows it now; whatever may be card data is masked. */
export async function retrieveCard(session: Session, id: string): Promise<void> {
  assertNoCardNumber(id);
  const { payment } = await session.ask(CARD_AT_ACQUIRER, { id });
  session.output.result({ payment }, JSON.stringify(payment, null, 2));
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
