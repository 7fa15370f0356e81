import { hash } from 'node:crypto';
import type { SettledDocument } from '../../domain/bank-message.ts';
import { wrap } from '../../domain/display.ts';
import { visible } from '../../domain/finding.ts';
import { type AdviceLanguage, beneficiaryFields } from '../../domain/instruction.ts';
import { totalsOf } from '../../domain/money.ts';
import { payeeCountry } from '../../domain/payee.ts';
import type { AdviceTemplate, PayeeMails } from '../../platform/config/events.ts';
import type { PayoutRecord, ReturnRecord, Store } from '../../store/store.ts';
import { ADVICE_TEXTS, languageIn } from './advice-texts.ts';

/** One payment of an advice. */
export interface AdvisedPayment {
  /** `paid`, or the order with which money came back. */
  about: string;
  row: Pick<PayoutRecord, 'reference' | 'documentId' | 'instruction' | 'original'>;
  amount: string;
  currency: string;
  /** When it was completed, or came back, epoch ms. */
  at: number;
  /** Reason code of the bank, of a return. */
  reasonCode?: string | undefined;
}

/** The advice to a payee: the same by mail and on paper. */
export interface Advice {
  language: AdviceLanguage;
  subject: string;
  opening: string;
  /** A block for each payment: labels with their texts. */
  payments: readonly (readonly (readonly [label: string, text: string])[])[];
  /** Of several payments. */
  total: readonly [label: string, text: string] | undefined;
  closing: string;
}

/** Where and in which language the payee of a row is advised; undefined: the payee is not. */
export async function addresseeOf(
  store: Store,
  { payees, language: usual }: PayeeMails,
  { kind, uid, instruction }: PayoutRecord,
): Promise<{ to: string; language: AdviceLanguage } | undefined> {
  const { beneficiary_id: payeeId, advice_to, advice_language } = instruction;
  const known = payeeId === undefined || !Object.hasOwn(payees, payeeId) ? undefined : payees[payeeId];
  const to = advice_to ?? known?.to;
  if (kind !== 'payout' || to === undefined) return undefined;
  const named = (advice_language as AdviceLanguage | undefined) ?? known?.language;
  return { to, language: named ?? languageIn(await countryOf(store, uid, instruction)) ?? usual };
}

async function countryOf(
  store: Store,
  uid: string,
  instruction: PayoutRecord['instruction'],
): Promise<string | undefined> {
  const { beneficiary_id: payeeId } = instruction;
  if (payeeId === undefined) return payeeCountry(beneficiaryFields(instruction));
  const [payee] = await store.payeesOf([{ uid, payeeId }]);
  return payee?.items == null ? undefined : payeeCountry(payee.items);
}

export const paidPayment = (row: PayoutRecord): AdvisedPayment => ({
  ...{ about: 'paid', row, amount: row.instruction.amount, currency: row.instruction.currency },
  at: row.endedAt ?? row.updatedAt,
});

export const returnedPayment = (row: PayoutRecord, back: ReturnRecord): AdvisedPayment => ({
  ...{ about: back.orderId, row, amount: back.amount, currency: back.currency },
  ...{ at: back.seenAt, reasonCode: back.reasonCode ?? undefined },
});

/** Payments of one kind to one payee. `timeZone`: of their dates. */
export function adviceOf(
  payments: readonly AdvisedPayment[],
  language: AdviceLanguage,
  { payer, templates, timeZone }: Pick<PayeeMails, 'payer' | 'templates'> & { timeZone: string },
): Advice {
  const words = ADVICE_TEXTS[language];
  const isPaid = payments[0]?.about === 'paid';
  const usual: AdviceTemplate = isPaid ? words.paid : words.returned;
  const { subject, opening, closing } = isPaid ? { ...usual, ...templates[language] } : usual;
  const money = (amount: string, currency: string): string => `${amountIn(language, amount)} ${currency}`;
  const total = totalsOf(payments)
    .map(({ amount, currency }) => money(amount, currency))
    .join(' + ');
  const filled = (text: string): string => text.replaceAll('{payer}', () => payer).replaceAll('{total}', () => total);
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone });
  return {
    ...{ language, subject: filled(subject), opening: filled(opening), closing: filled(closing) },
    payments: payments.map((payment) => [
      [words.amount, money(payment.amount, payment.currency)],
      [words.date, date.format(payment.at)],
      [words.number, visible(payment.row.documentId)],
      ...purposeOf(payment.row, words, language),
      ...(payment.reasonCode === undefined ? [] : [[words.reason, visible(payment.reasonCode)] as const]),
    ]),
    total: payments.length > 1 ? [words.total, total] : undefined,
  };
}

/** What a payment settles: structured references of the message, and its text where that says something else. */
function purposeOf(
  { instruction, original }: AdvisedPayment['row'],
  words: Record<'purpose' | 'reference' | 'document', string>,
  language: AdviceLanguage,
): (readonly [string, string])[] {
  const { references = [], documents = [] } = original?.settles ?? {};
  const { note } = instruction;
  const repeated = [references.join(' '), documents.map(({ number }) => number).join(' ')];
  return [
    ...(note === undefined || repeated.includes(note) ? [] : [[words.purpose, visible(note)] as const]),
    ...references.map((reference) => [words.reference, visible(reference)] as const),
    ...documents.map((document) => [words.document, documentText(document, language)] as const),
  ];
}

/** Date and amount as the other lines have them; the message may hold something else, which is shown as it is. */
function documentText({ number, date = '', amount = '' }: SettledDocument, language: AdviceLanguage): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  const [, value, currency] = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(amount) ?? [];
  const parts = [
    number,
    Number.isNaN(day) ? date : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(day),
    value === undefined ? amount : `${amountIn(language, value)} ${currency}`,
  ];
  return parts.flatMap((part) => (part === '' ? [] : visible(part))).join(', ');
}

/** Exact: a decimal string is formatted as it is. */
const amountIn = (language: AdviceLanguage, amount: string): string => {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: decimals, useGrouping: 'always' });
  return format.format(amount as Intl.StringNumericLiteral);
};

const WIDTH = 72;

/** An advice as a mail. Its id is the same for the same payments, so that one sent twice can be recognized. */
export function adviceMail(advice: Advice, payments: readonly AdvisedPayment[], storeId: string) {
  const { subject, opening, total, closing } = advice;
  const width = Math.max(...[...advice.payments.flat(), ...(total ? [total] : [])].map(([label]) => label.length)) + 2;
  const line = ([label, text]: readonly [string, string]): string =>
    wrap(text, WIDTH - width)
      .map((part, index) => `${(index === 0 ? `${label}:` : '').padEnd(width)}${part}`)
      .join('\n');
  const blocks = [
    wrap(opening, WIDTH).join('\n'),
    ...advice.payments.map((facts) => facts.map(line).join('\n')),
    ...(total === undefined ? [] : [line(total)]),
    wrap(closing, WIDTH).join('\n'),
  ];
  const about = payments.map(({ row, about: its }) => [row.reference, its]);
  return {
    id: hash('sha256', JSON.stringify([storeId, about])).slice(0, 32),
    subject,
    text: `${blocks.join('\n\n')}\n`,
  };
}
