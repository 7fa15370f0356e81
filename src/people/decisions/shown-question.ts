import type { Bank } from '../../bank/bank.ts';
import { isBankError, undefinedIf } from '../../bank/errors.ts';
import type { Beneficiary } from '../../bank/schemas/beneficiaries.ts';
import type { Order } from '../../bank/schemas/orders.ts';
import type { AgreedCost } from '../../domain/agreed-cost.ts';
import { bankDigest, holdDigest } from '../../domain/authority.ts';
import { type Assessment, approvalExceptionsOf } from '../../domain/gates.ts';
import { approvalDigest, payloadDigest } from '../../domain/identity.ts';
import { mainOrderKindOf, type OrderKind } from '../../domain/names.ts';
import { differencesOf, NO_REFERENCE, REFERENCE_FORM } from '../../domain/order-judgement.ts';
import type { Reason } from '../../domain/payout-state.ts';
import type { Caps } from '../../domain/policy.ts';
import { questionOfHold } from '../../domain/reasons.ts';
import { differenceText, forPeople } from '../../domain/reconciliation.ts';
import { expectedOrder } from '../../domain/sent-order.ts';
import { orderReference, orderReferences } from '../../store/claimed-row.ts';
import type { PayoutRecord, Store } from '../../store/store.ts';
import { type AskedBy, asPayee, capsOf, costAtMost, signedParts } from './asked.ts';

import { neededNow } from './let-through.ts';
import { isOneDocument, type SignedQuestion } from './verdict.ts';

/**
 * The open question of a payout, from the row that people are shown as well; undefined if it asks nothing. How many must approve
 * is what the policy in force now asks of the last reading.
 */
export async function openQuestion(
  { store, settings }: AskedBy & { store: Store },
  row: PayoutRecord,
): Promise<SignedQuestion | undefined> {
  const { state, reason, assessed } = row;
  if (assessed === null) return undefined;
  const { digest } = assessed;
  const { needed, neededAtBank, alone } = neededNow({ settings }, row, assessed);
  switch (state) {
    case 'awaiting-approval':
      return { question: 'payout', digest, needed, alone };
    case 'held':
      return reason === null
        ? undefined
        : { question: questionOfHold(reason), digest: held(assessed, reason.code), needed: 1 };
    case 'awaiting-bank-approval': {
      const orderId = row.orderId ?? (await acceptedOrder(store, row));
      if (orderId === undefined) return undefined;
      return { question: 'bank', digest: bankDigest(digest, orderId), needed: neededAtBank, alone };
    }
    default:
      return undefined;
  }
}

/** Digest of the question of a row that is held for this reason. */
const held = ({ digest, exceptions = [] }: Assessment, code: string): string =>
  exceptions.find(({ reason }) => reason.code === code)?.digest ?? holdDigest(digest, code);

/** Order id of the payout's exchange, which its row does not name. */
async function acceptedOrder(store: Store, row: PayoutRecord): Promise<string | undefined> {
  const attempts = await store.attemptsOf(Object.values(orderReferences(row)));
  return attempts.findLast(({ orderId, resolved }) => orderId !== null && resolved === null)?.orderId ?? undefined;
}

/** A payout and what it asks people, as read from store and bank. Everything that is shown or signed follows from it. */
export interface ReadQuestion {
  row: PayoutRecord;
  /** Undefined: it asks nothing now. */
  asked: SignedQuestion | undefined;
  /** The payee as the bank shows it now; undefined: not shown, or the row gives it by its details. */
  payee: Beneficiary | undefined;
  /** For the bank's audit: the order as the bank shows it now. */
  order: Order | undefined;
  /** Those of the row, or of the settings. */
  caps: Caps;
  /** Decisions about it are signed. */
  isSigned: boolean;
  /** Documents of its file with the same payee, amount and currency; not read for a plan, which compares its own rows. */
  alike?: readonly string[];
}

/**
 * The same as it is shown, made once: the command, the pages and plans show this, sign its digest, and have it refused if the
 * payout asks something else by then.
 */
export interface ShownQuestion extends ReadQuestion {
  /** The highest cost, and the highest slippage of an exchange as a fraction. */
  bounds: AgreedCost & { maxSlippage: string | undefined };
  /** For a hold: why, and the value that an approval lets through (decimal and currency). */
  hold: { reason: Reason; upTo?: string } | undefined;
  /** Why nobody can approve it now, as a clause: the digest to sign is not that of what is shown. Undefined: it is. */
  differs: string | undefined;
}

interface QuestionDeps extends AskedBy {
  store: Store;
  /** Absent: nothing is read from the bank. */
  bank?: Bank;
}

export const shownQuestion = async (deps: QuestionDeps, row: PayoutRecord): Promise<ShownQuestion> =>
  questionShown(await readQuestion(deps, row));

/** Reads the bank; what it does not show is missing. */
export async function readQuestion(deps: QuestionDeps, row: PayoutRecord): Promise<ReadQuestion> {
  const { bank, settings } = deps;
  const { instruction, assessed } = row;
  const { beneficiary_id: id } = instruction;
  const shown = <Read>(read: Promise<Read> | undefined): Promise<Read | undefined> =>
    undefinedIf(isBankError, async () => read);
  const asked = await openQuestion(deps, row);
  const orderId = asked?.question === 'bank' ? asked.digest.slice(bankDigest(assessed?.digest ?? '', '').length) : '';
  const [payee, order] = await Promise.all([
    shown(id === undefined ? undefined : bank?.beneficiaries.get(id)),
    shown(orderId === '' ? undefined : bank?.orders.get(orderId)),
  ]);
  const alike = await deps.store.alikeInBatch(row);
  const isSigned = settings.policy !== undefined;
  return { row, asked, payee, order, caps: capsOf(row, settings.terms), isSigned, alike };
}

/** What is shown of a question. The signer's process makes it from what was read, so that nobody else says what they see. */
export function questionShown(read: ReadQuestion): ShownQuestion {
  const { row, asked, isSigned } = read;
  const caps = capsOf(row, read.caps);
  const bounds = { ...costAtMost(row, row.assessed ?? {}, caps), maxSlippage: caps.maxSlippage };
  const differs = isSigned ? (signsOtherwise(read) ?? orderDiffers(read)) : undefined;
  return { ...read, bounds, hold: holdOf(row, asked, caps), differs };
}

/** The reason as the reading gives it, not as the row's column words it. */
function holdOf(
  { reason, assessed }: PayoutRecord,
  asked: SignedQuestion | undefined,
  caps: Caps,
): ShownQuestion['hold'] {
  if (asked === undefined || asked.question === 'payout' || asked.question === 'bank') return undefined;
  if (reason === null || assessed === null) return undefined;
  const exception = exceptionOf(assessed, reason.code, caps, '');
  const upTo = /^.*\/([\d.]+ [A-Z]{3})$/.exec(asked.digest)?.[1];
  return { reason: exception?.reason ?? reason, ...(upTo !== undefined && { upTo }) };
}

const exceptionOf = (assessed: Assessment, code: string, caps: Caps, payload: string) =>
  approvalExceptionsOf(assessed, payload, caps).find(({ reason }) => reason.code === code);

/** Why the digest to sign is not that of what was read, as a clause; the bank's order is not read. Undefined: it is. */
export function signsOtherwise(read: ReadQuestion): string | undefined {
  const { row, asked, payee, caps } = read;
  const { instruction, assessed } = row;
  if (asked === undefined) return undefined;
  if (!isOneDocument(row)) return 'its reference is not that of the document shown, or a member of its row is blank';
  if (assessed === null) return 'it was not read at the bank yet';
  if (instruction.beneficiary_id !== undefined && payee === undefined && assessed.obstacle === undefined)
    return 'the bank does not show its payee now';
  if (digestShown(row, payee, caps) !== assessed.digest || digestAsked(read, asked) !== asked.digest)
    return 'the digest to be signed is of another reading of the bank, of other settings or of other data';
  return undefined;
}

/** The digest of what is shown. If the reading met an obstacle, it covers only the row. */
function digestShown(row: PayoutRecord, payee: Beneficiary | undefined, terms: Caps): string {
  const { instruction, assessed } = row;
  if (assessed?.obstacle !== undefined) return payloadDigest(instruction);
  return approvalDigest(signedParts(row, { ...assessed, payee: payee && asPayee(payee) }, terms));
}

/** The digest of a question follows from the reading and the order: neither a stored exception nor a gateway is believed. */
function digestAsked({ row, order, caps }: ReadQuestion, asked: SignedQuestion): string | undefined {
  const { reason, instruction, assessed } = row;
  if (assessed === null || asked.question === 'payout') return assessed?.digest;
  if (asked.question === 'bank') {
    if (order !== undefined) return bankDigest(assessed.digest, order.order_id);
    // Which order it is, a worker compares before it is released.
    return asked.digest.startsWith(bankDigest(assessed.digest, '')) ? asked.digest : undefined;
  }
  if (reason === null) return undefined;
  const exception = exceptionOf(assessed, reason.code, caps, payloadDigest(instruction));
  return exception?.digest ?? holdDigest(assessed.digest, reason.code);
}

/** The references are compared by the run that follows the order. */
const NOT_COMPARED: readonly string[] = [NO_REFERENCE, REFERENCE_FORM];

function orderDiffers({ row, asked, order }: ReadQuestion): string | undefined {
  if (asked?.question !== 'bank') return undefined;
  if (order === undefined) return 'the bank does not show its order now';
  const orderKind: OrderKind = order.type === 'FX' ? 'exchange' : mainOrderKindOf(row.kind);
  const expected = expectedOrder(orderKind, orderReference(row, orderKind), row.instruction, row.assessed, undefined);
  const found = differencesOf(order, expected, [order.order_id]).filter(({ field }) => !NOT_COMPARED.includes(field));
  return found.length === 0
    ? undefined
    : `the bank's order differs: ${found.map(forPeople).map(differenceText).join('; ')}`;
}
