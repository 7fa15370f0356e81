import type { AcceptedInstruction } from '../support/checker/observation.ts';
import { expectedReference } from '../support/checker/references.ts';
import { decimalText, minorOf } from './bank/books.ts';
import type { ModelBank } from './bank/model-bank.ts';
import { PAYEE_FIELDS } from './bank/payees.ts';
import type { Random } from './random.ts';
import { RUN_START } from './virtual-time.ts';

/** One payout of a seed: what its workflow is given, and what the checker receives as accepted. */
export interface PlannedPayout {
  reference: string;
  workflowId: string;
  input: Record<string, string | number>;
  /** The whole instruction, where a batch gives its workflow a brief one. */
  instruction: Record<string, string | number>;
  accepted: AcceptedInstruction;
  /** Claimed as a row of this batch before it is started; absent: started by itself. */
  batchId?: string;
}

const CURRENCIES = ['USD', 'USD', 'EUR', 'JPY', 'KWD'] as const;
const DAY_MS = 24 * 3_600_000;

/** Users, accounts, payees and payouts of one seed. */
export function drawScenario(random: Random, seed: number, bank: ModelBank): PlannedPayout[] {
  const users = random.chance(0.7) ? [`u-${seed}-a`] : [`u-${seed}-a`, `u-${seed}-b`];
  for (const uid of users) openUser(random, bank, uid);
  const planned: PlannedPayout[] = [];
  const count = random.pick([1, 1, 2, 3, 4, 5, 6, 8]);
  for (let i = 1; i <= count; i += 1) {
    const uid = random.pick(users);
    const twin = planned.at(-1);
    const input = twin !== undefined && random.chance(0.25) ? { ...twin.input } : drawInstruction(random, bank, uid);
    planned.push(plan({ ...input, id: `doc-${i}` }));
  }
  const share = random.pick([0, 0.5, 0.5, 1]);
  for (const payout of planned) {
    if (random.chance(share)) payout.batchId = `batch-${seed}${payout.accepted.maker === null ? '-nobody' : ''}`;
  }
  return planned;
}

/** Another user of the bank, about whom nobody has asked. */
export function openStrangers(bank: ModelBank): void {
  for (const currency of new Set(CURRENCIES)) {
    const accountId = `stranger-${currency}`;
    bank.books.open(accountId, 'stranger', currency, 90_000_000n);
    for (let i = 1; i <= 3; i += 1)
      bank.machine.note({
        ...{ reference: `INVOICE-${i}`, type: 'PAYMENT', direct: 'OUT' },
        ...{ uid: 'stranger', accountId, currency, amount: BigInt(i) },
      });
  }
}

/** The same document once more, started by itself. `from`: another account to pay it from. */
export const nextGeneration = ({ instruction, accepted }: PlannedPayout, from?: string): PlannedPayout =>
  plan({
    ...instruction,
    ...(from === undefined ? {} : { account_id: from }),
    generation: accepted.generation + 1,
  });

function plan(input: Record<string, string | number>): PlannedPayout {
  const text = (name: string): string => String(input[name] ?? '');
  const accepted: AcceptedInstruction = {
    uid: text('uid'),
    id: text('id'),
    generation: Number(input.generation ?? 0),
    accountId: text('account_id'),
    amount: text('amount'),
    currency: text('currency'),
    ...(input.beneficiary_id === undefined ? {} : { beneficiaryId: text('beneficiary_id') }),
    maker: input.by === undefined ? null : text('by'),
  };
  const reference = expectedReference(accepted, 'payment');
  return { reference, workflowId: `payout/${reference}`, input, instruction: input, accepted };
}

function openUser(random: Random, bank: ModelBank, uid: string): void {
  const isShort = random.chance(0.25);
  for (const currency of new Set(CURRENCIES)) {
    const most = isShort ? 150_000 : 90_000_000;
    bank.books.open(`${uid}-${currency}`, uid, currency, BigInt(random.between(0, most)));
  }
  for (let i = 1; i <= 3; i += 1) {
    const createdAt = RUN_START - random.pick([DAY_MS, 30 * DAY_MS, 400 * DAY_MS]);
    const items = payeeItems(`${uid} payee ${i}`, i);
    bank.payees.add({
      uid,
      currency: random.pick(CURRENCIES),
      beneficiaryType: 'personal',
      paymentType: 'local',
      createdAt,
      items,
    });
  }
}

const payeeItems = (name: string, number: number): Record<string, string> =>
  Object.fromEntries(
    PAYEE_FIELDS.map((field) => [field, field === 'account_no' ? `000${number}` : `${name} ${field}`]),
  );

function drawInstruction(random: Random, bank: ModelBank, uid: string): Record<string, string | number> {
  const known = random.chance(0.65) ? random.pick(bank.payees.ofUser(uid)) : undefined;
  const currency = known?.currency ?? random.pick(CURRENCIES);
  const other = random.chance(0.3) ? random.pick(CURRENCIES) : currency;
  const amount = BigInt(random.pick([1, 10, 1_005, 29_999, 30_000, random.between(1, 120_000)]));
  const newPayee = {
    beneficiary_type: 'personal',
    payment_type: 'local',
    ...payeeItems(`${uid} new`, random.between(7, 8)),
  };
  return {
    uid,
    account_id: `${uid}-${other}`,
    amount: amountText(random, amount, currency),
    currency,
    ...(known === undefined ? newPayee : { beneficiary_id: known.id }),
    ...(random.chance(0.9) ? { by: 'maker' } : {}),
    ...(random.chance(0.3) ? { note: 'invoice 12' } : {}),
    ...(random.chance(0.2) ? { fee_cap: '3' } : {}),
    ...(random.chance(0.2) ? { expires_at: new Date(RUN_START + random.between(10, 90) * 60_000).toISOString() } : {}),
  };
}

/** Some amounts no binary fraction holds; some without the decimals they could have. */
function amountText(random: Random, amount: bigint, currency: string): string {
  const text = decimalText(amount, currency);
  const short = text.replace(/\.?0+$/, '');
  return random.chance(0.2) && text.includes('.') && minorOf(short, currency) === amount ? short : text;
}
