import { createHash, hash } from 'node:crypto';
import type { OriginalMessage } from '../../domain/bank-message.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { sumDecimals } from '../../domain/money.ts';
import { payeeName } from '../../domain/payee.ts';
import { ofType } from '../../files/iso20022/simple-types.ts';
import type { Moved, Movement, MovementKind, Posting } from '../movements.ts';
import { asWritten, element, leaf, shownText, text } from '../xml-text.ts';

/**
 * The advice for a batch: BankToCustomerDebitCreditNotification, camt.054.001.08. Each posting that moved money on an account of ours
 * is an entry, grouped by account.
 */
export interface Advice {
  /** 1 to 20 characters: beginning of the ids of the message and its notifications. */
  idStart: string;
  message: OriginalMessage | null;
  /** IBAN or number of accounts of ours, by the bank's id, for those that the message does not name. */
  numbers?: ReadonlyMap<string, string>;
  /**
   * Called twice, since the message id is derived from the content. What moves between the two calls is left to the next advice.
   */
  moved(): AsyncIterable<Moved> | Iterable<Moved>;
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.054.001.08';

/** Number of movements processed at a time: among them, the entries of an account form one notification. */
const BOOKED_TOGETHER = 500;

/** The advice in pieces, however large the batch; undefined if nothing has moved, since a message must have a notification. */
export async function camt054(advice: Advice): Promise<AsyncGenerator<string> | undefined> {
  const first = await firstPass(advice);
  return first.known.size === 0 ? undefined : written(advice, first);
}

interface FirstPass {
  known: ReadonlySet<string>;
  /** By the bank's id of an account of ours, its number in the message, else the one given. */
  numbers: ReadonlyMap<string, string>;
  /** Epoch ms. */
  lastChange: number;
  digest: string;
  unclear: number;
}

async function firstPass({ message, numbers: given = new Map(), moved }: Advice): Promise<FirstPass> {
  const known = new Set<string>();
  const named = new Map<string, string>();
  const hash = createHash('sha256').update(JSON.stringify(message));
  let lastChange = 0;
  let unclear = 0;
  for await (const { payout, movements, unclear: without } of moved()) {
    unclear += without.length;
    const number = numberIn(message, payout);
    if (number !== undefined) named.set(payout.instruction.account_id, number);
    for (const movement of movements) {
      known.add(movement.id);
      hash.update(JSON.stringify(movement));
      lastChange = Math.max(lastChange, movement.at);
    }
  }
  const numbers = new Map([...given, ...named]);
  const digest = hash
    .update(JSON.stringify([...numbers]))
    .update(`${unclear}`)
    .digest('hex')
    .slice(0, 14);
  return { known, numbers, lastChange, digest, unclear };
}

/** As the message wrote the account that the payout is paid from. */
const numberIn = (message: OriginalMessage | null, { original }: Moved['payout']): string | undefined =>
  original === null ? undefined : message?.payments[original.payment]?.account;

async function* written(advice: Advice, first: FirstPass): AsyncGenerator<string> {
  const { known, numbers, lastChange, digest, unclear } = first;
  const { idStart, message } = advice;
  const created = leaf('CreDtTm', new Date(lastChange).toISOString());
  const note =
    unclear === 0
      ? undefined
      : `To be checked manually, because what moved is not known or is contradicted: ${unclear}.`;
  const head = element('GrpHdr', leaf('MsgId', `${idStart}${digest}`), created, leaf('AddtlInf', note));
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}">\n<BkToCstmrDbtCdtNtfctn>\n${head}\n`;
  let notification = 0;
  let together: Booked[] = [];
  const flush = function* (): Generator<string> {
    for (const onAccount of Map.groupBy(
      together,
      ({ posting, number }) => `${number ?? posting.accountId} ${posting.currency}`,
    ).values()) {
      notification += 1;
      yield* notificationOf(onAccount, { id: `${idStart}${digest.slice(0, 8)}.${notification}`, created, message });
    }
    together = [];
  };
  for await (const { payout, movements } of advice.moved()) {
    for (const movement of movements.filter(({ id }) => known.has(id))) {
      for (const posting of movement.postings) {
        const own = posting.accountId === payout.instruction.account_id ? numberIn(message, payout) : undefined;
        together.push({ payout, movement, posting, number: own ?? numbers.get(posting.accountId) });
      }
    }
    if (together.length >= BOOKED_TOGETHER) yield* flush();
  }
  yield* flush();
  yield '</BkToCstmrDbtCdtNtfctn>\n</Document>\n';
}

interface Booked {
  payout: Moved['payout'];
  movement: Movement;
  posting: Posting;
  /** IBAN or number of the account, as far as known. */
  number: string | undefined;
}

function* notificationOf(
  booked: readonly Booked[],
  { id, created, message }: { id: string; created: string; message: OriginalMessage | null },
): Generator<string> {
  const [first] = booked;
  if (first === undefined) return;
  yield `<Ntfctn>${leaf('Id', id)}${created}${accountElement(first)}${summary(booked)}\n`;
  for (const it of booked) yield `${entryElement(it, message)}\n`;
  yield '</Ntfctn>\n';
}

const TEXT_MAX = 500;
const ACCOUNT_ID_MAX = 34;
const ACCOUNT_NAME_MAX = 70;

/**
 * Software finds its account by the IBAN or number. Where neither is known: the bank's account id; if it is too long for an id, a
 * digest of it, and the id as the name.
 */
function accountElement({ posting: { accountId, currency }, number }: Booked): string {
  const known = account(number?.replace(/\s+/g, ''), number);
  if (known !== '') return element('Acct', element('Id', known), leaf('Ccy', currency));
  const fits = accountId.length <= ACCOUNT_ID_MAX;
  const id = fits ? accountId : hash('sha256', accountId).slice(0, ACCOUNT_ID_MAX);
  const name = fits ? undefined : accountId.slice(0, ACCOUNT_NAME_MAX);
  return element('Acct', element('Id', element('Othr', leaf('Id', id))), leaf('Ccy', currency), leaf('Nm', name));
}

function summary(booked: readonly Booked[]): string {
  const count = (name: string, direction: Posting['direction']): string => {
    const amounts = booked
      .filter(({ posting }) => posting.direction === direction)
      .map(({ posting }) => posting.amount);
    if (amounts.length === 0) return '';
    return element(name, leaf('NbOfNtries', `${amounts.length}`), leaf('Sum', sumDecimals(amounts)));
  };
  const all = element('TtlNtries', leaf('NbOfNtries', `${booked.length}`));
  return element('TxsSummry', all, count('TtlCdtNtries', 'credit'), count('TtlDbtNtries', 'debit'));
}

/** Domain, family and sub-family of the external code lists (`ExternalBankTransaction...1Code`). */
const BANK_CODES: Readonly<Record<MovementKind, readonly [domain: string, family: string, sub: string]>> = {
  payment: ['PMNT', 'ICDT', 'OTHR'],
  fee: ['PMNT', 'MDOP', 'CHRG'],
  exchange: ['FORX', 'SPOT', 'OTHR'],
  return: ['PMNT', 'ICDT', 'RRTN'],
};

function entryElement({ payout, movement, posting }: Booked, message: OriginalMessage | null): string {
  const { kind, orderId, at } = movement;
  const [domain, family, sub] = BANK_CODES[kind];
  const [amount, indicator] = [
    money('Amt', posting),
    leaf('CdtDbtInd', posting.direction === 'debit' ? 'DBIT' : 'CRDT'),
  ];
  const code = leaf('Cd', domain) + element('Fmly', leaf('Cd', family), leaf('SubFmlyCd', sub));
  const counter = movement.postings.find((other) => other !== posting);
  return element(
    'Ntry',
    // No NtryRef: in Switzerland it is the account of a collective entry, and importers take it for ours.
    amount,
    indicator,
    element('Sts', leaf('Cd', 'BOOK')),
    element('BookgDt', leaf('DtTm', new Date(at).toISOString())),
    leaf('AcctSvcrRef', asWritten(orderId ?? undefined)),
    element('BkTxCd', element('Domn', code)),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        references({ payout, movement }, message),
        amount,
        indicator,
        // What the other side of the exchange moved. No rate, since the interface does not show in which direction the bank
        // quotes it.
        counter === undefined ? '' : element('AmtDtls', element('CntrValAmt', money('Amt', counter))),
        kind === 'payment' ? partiesOf(payout.instruction) : '',
        leaf('AddtlTxInf', shownText(story(payout, movement), TEXT_MAX)),
      ),
    ),
  );
}

/** Also contains an order id that is too long for `AcctSvcrRef`, as in an answer. */
function story({ documentId }: Moved['payout'], { kind, orderId }: Movement): string {
  const order = orderId !== null && asWritten(orderId) === undefined ? `, order ${orderId}` : '';
  return `${kind} of ${documentId}${order}`;
}

function references(
  { payout, movement }: Pick<Booked, 'payout' | 'movement'>,
  message: OriginalMessage | null,
): string {
  const { original, documentId } = payout;
  return element(
    'Refs',
    leaf('MsgId', original === null ? undefined : asWritten(message?.messageId)),
    leaf('AcctSvcrRef', asWritten(movement.orderId ?? undefined)),
    leaf('PmtInfId', original === null ? undefined : asWritten(message?.payments[original.payment]?.paymentId)),
    leaf('InstrId', asWritten(original?.instructionId)),
    leaf('EndToEndId', asWritten(original?.endToEndId ?? documentId)),
    leaf('TxId', movement.id),
  );
}

const money = (name: string, { amount, currency }: Posting): string =>
  `<${name} Ccy="${currency}">${text(amount)}</${name}>`;

const OTHER_ACCOUNT = /^[\x20-\x7e]{1,34}$/;
const NAME_MAX = 140;

/** The payee, as far as the row shows it; a value that the schema does not allow is left out. */
function partiesOf(instruction: PayoutInstruction): string {
  const { iban_no, account_no } = instruction;
  const name = payeeName(instruction);
  return element(
    'RltdPties',
    element('Cdtr', element('Pty', leaf('Nm', name && shownText(name, NAME_MAX)))),
    element('CdtrAcct', element('Id', account(iban_no?.replace(/\s+/g, ''), account_no?.trim()))),
  );
}

function account(iban: string | undefined, number: string | undefined): string {
  if (ofType('Iban', iban) !== undefined) return leaf('IBAN', iban);
  return number !== undefined && OTHER_ACCOUNT.test(number) ? element('Othr', leaf('Id', number)) : '';
}
