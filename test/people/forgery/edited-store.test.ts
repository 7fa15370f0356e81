import { describe, expect, it, onTestFinished } from 'vitest';
import { mostSoldFor } from '../../../src/domain/agreed-cost.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { beneficiaryFields } from '../../../src/domain/instruction.ts';
import { addDecimals, isBetween } from '../../../src/domain/money.ts';
import { mainOrderKindOf } from '../../../src/domain/names.ts';
import { Random } from '../../simulation/random.ts';
import { type EditedStore, KINDS, type Meant, openEditedStore, type Posted } from './edited-store.ts';

/** `EDITED=10000` edits so many, `SEED=7` draws others. */
const EDITED = Number(process.env.EDITED ?? 200);
const SEED = Number(process.env.SEED ?? 20_261_128);
const POSTGRES = process.env.PAYOUTS_TEST_POSTGRES_URL;

const FEE_CAP = '50.00';

/** What a POST differs in from what people have signed, in words; empty: in nothing. */
function unsigned(
  { kind, instruction, isSmall, boughtBy, maxRate = '' }: Meant,
  { operation, body, quoted = '', signed }: Posted,
  addedBy: string | undefined,
): string[] {
  const wrong: string[] = [];
  const check = (what: string, isRight: boolean): void => {
    if (!isRight) wrong.push(what);
  };
  const { uid, id, account_id, to_account_id, amount, currency, beneficiary_id, note, charge_type } = instruction;
  const enough = operation === 'approve' ? signed.atBank : signed.before;
  check('signatures', isSmall === true || ['bob', 'carol'].every((name) => enough.includes(name)));
  if (operation === 'approve') return wrong;
  if (operation === 'add') {
    for (const [field, value] of Object.entries(beneficiaryFields(instruction))) check(field, body[field] === value);
    check('user', body.uid === uid);
    return wrong;
  }
  const orderKind = operation === 'fx' ? 'exchange' : mainOrderKindOf(kind);
  check('reference', body.reference === referenceOf(uid, id, orderKind));
  check('currency', operation === 'transfer' || body.currency === currency);
  if (operation === 'payment') {
    check('user', body.uid === uid);
    check('amount', body.amount === amount);
    check('account', body.account_id === 'acc-u1001-usd');
    check('payee', body.beneficiary_id === (beneficiary_id ?? addedBy));
    check('note', body.note === note);
    check('charge', body.charge_type === charge_type);
  } else if (operation === 'transfer') {
    check('amount', body.amount === amount);
    check('from', body.source_account_id === account_id);
    check('to', body.destination_account_id === to_account_id);
  } else {
    check('bought before', boughtBy === undefined);
    check('sold', body.sell_account === account_id);
    check('bought', body.buy_account === (to_account_id ?? 'acc-u1001-usd'));
    const atMost = kind === 'payout' ? addDecimals(amount, FEE_CAP) : amount;
    check('amount', typeof body.amount === 'string' && isBetween(body.amount, amount, atMost));
    check('rate', isBetween(quoted, '0', mostSoldFor(`${body.amount}`, { maxRate, currency: 'EUR' })));
  }
  return wrong;
}

async function payeeOf(edited: EditedStore, meant: Meant): Promise<string | undefined> {
  return meant.kind === 'payout' && meant.instruction.beneficiary_id === undefined
    ? edited.payeeMeant(meant)
    : undefined;
}

const OPERATIONS = { payout: 'payment', transfer: 'transfer', exchange: 'fx' } as const;

describe.each([
  ['SQLite', undefined, EDITED],
  ...(POSTGRES === undefined ? [] : [['PostgreSQL', POSTGRES, Math.ceil(EDITED / 10)] as const]),
] as const)('a store on %s that somebody edits between any two steps', (_name, url, lives) => {
  it('has what people mean sent while nobody edits it', async () => {
    const edited = await openEditedStore(url);
    onTestFinished(() => edited[Symbol.asyncDispose]());
    for (const [n, kindOf] of KINDS.entries()) {
      const meant = kindOf(`plain-${n}`);
      const { posted } = await edited.live(meant, new Random(SEED + n), 0);
      const payee = await payeeOf(edited, meant);
      expect(posted.flatMap((post) => unsigned(meant, post, payee))).toEqual([]);
      const main = OPERATIONS[meant.kind];
      expect([n, posted.some(({ operation }) => operation === main)]).toEqual([n, true]);
      if (meant.isAudited) expect(posted.some(({ operation }) => operation === 'approve')).toBe(true);
    }
  });

  it(`has nothing sent that nobody has signed (${lives} lives)`, { timeout: 3_600_000 }, async () => {
    const edited = await openEditedStore(url);
    onTestFinished(() => edited[Symbol.asyncDispose]());
    let [edits, sent] = [0, 0];
    for (let n = 0; n < lives; n += 1) {
      const random = new Random(SEED + n);
      const meant = random.pick(KINDS)(`doc-${n}`);
      const life = await edited.live(meant, random, random.between(1, 6));
      const payee = await payeeOf(edited, meant);
      const found = life.posted.map((post) => ({ post, wrong: unsigned(meant, post, payee) }));
      const label = `SEED=${SEED}, life ${n}: ${life.edited.join('; ')}`;
      expect([label, ...found.filter(({ wrong }) => wrong.length > 0)]).toEqual([label]);
      edits += life.edited.length;
      sent += life.posted.some(({ operation }) => operation === OPERATIONS[meant.kind]) ? 1 : 0;
    }
    console.log(`SEED=${SEED}: ${lives} lives, ${edits} edits, ${sent} lives in which something was sent`);
    expect(sent).toBeGreaterThan(lives / 10);
  });
});
