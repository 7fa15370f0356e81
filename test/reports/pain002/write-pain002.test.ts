import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TransactionFacts } from '../../../src/domain/bank-message.ts';
import { PAYOUT_STATES } from '../../../src/domain/payout-state.ts';
import { REASONS } from '../../../src/domain/reasons.ts';
import type { RefusalAnswer, Stage } from '../../../src/reports/pain002/status-report.ts';
import { pain002, refusalPain002 } from '../../../src/reports/pain002/write-pain002.ts';
import { readAnswer } from './answer-grammar.ts';
import { MESSAGE, original, payout, write } from './answers.ts';

const ORDER = 'ord-1';
const THREE: TransactionFacts[] = [
  payout('completed', undefined, { orderId: ORDER, original: original({ instructionId: 'I-1' }) }),
  { original: original({ endToEndId: 'E2E-2', amount: '20.00' }), findings: [finding('too-many-decimals', 'amount')] },
  payout('needs-operator', 'order-not-found', {
    original: original({ endToEndId: 'E2E-3', payment: 1, amount: '30' }),
  }),
];

function finding(rule: string, column: string | null, message = 'write it again') {
  return { rule, column, message };
}

describe('the answer to a file that was taken', () => {
  test('names the file, its blocks and every transaction once, with counts and sums', async () => {
    const { problems, values } = await readAnswer(await write(THREE));
    expect(problems).toEqual([]);
    expect(values('GrpHdr/MsgId')).toEqual(['ANSWER-1']);
    expect(values('GrpHdr/CreDtTm')).toEqual(['2026-03-31T10:00:00.000Z']);
    expect(values('OrgnlGrpInfAndSts/OrgnlMsgId')).toEqual(['MSG-1']);
    expect(values('OrgnlMsgNmId')).toEqual(['pain.001.001.09']);
    expect(values('OrgnlCreDtTm')).toEqual([MESSAGE.createdAt]);
    expect(values('OrgnlNbOfTxs')).toEqual(['3', '2', '1']);
    expect(values('OrgnlCtrlSum')).toEqual(['60.50', '30.50']);
    expect(values('GrpSts')).toEqual(['PART']);
    expect(values('PmtInfSts')).toEqual(['PART', 'PDNG']);
    expect(values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldSts')).toEqual(['ACSC', 'PDNG', 'RJCT']);
    expect(values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldNbOfTxs')).toEqual(['1', '1', '1']);
    expect(values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldCtrlSum')).toEqual(['10.50', '30', '20.00']);
    expect(values('OrgnlPmtInfAndSts/NbOfTxsPerSts/DtldSts')).toEqual(['ACSC', 'RJCT', 'PDNG']);
    expect(values('OrgnlPmtInfId')).toEqual(['PMT-1', 'PMT-2']);
    expect(values('OrgnlInstrId')).toEqual(['I-1']);
    expect(values('OrgnlEndToEndId')).toEqual(['E2E-1', 'E2E-2', 'E2E-3']);
    expect(values('TxSts')).toEqual(['ACSC', 'RJCT', 'PDNG']);
    expect(values('AcctSvcrRef')).toEqual([ORDER]);
    expect(values('Rsn/Cd')).toEqual(['CH20', 'NARR']);
    expect(values('AddtlInf').join(' ')).toBe(
      `amount: too-many-decimals: write it again order-not-found: ${REASONS['order-not-found'].says}`,
    );
    expect(values('InstdAmt')).toEqual(['10.50', '20.00', '30']);
  });

  test('lists what has changed since the answer that it supersedes, and counts everything', async () => {
    const supersedes = { version: 2, messageId: 'ANSWER-0', changed: new Set([2]) };
    const { problems, values } = await readAnswer(await write(THREE, { supersedes }));
    expect(problems).toEqual([]);
    expect(values('OrgnlGrpInfAndSts/StsRsnInf/AddtlInf')).toEqual([
      'version 2 of this answer: supersedes ANSWER-0; lists the changes since',
    ]);
    expect(values('GrpSts')).toEqual(['PART']);
    expect(values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldNbOfTxs')).toEqual(['1', '1', '1']);
    expect(values('OrgnlPmtInfId')).toEqual(['PMT-2']);
    expect(values('OrgnlEndToEndId')).toEqual(['E2E-3']);
    const shortest = { ...supersedes, messageId: 'x'.repeat(35), version: 999 };
    expect(
      (await readAnswer(await write(THREE, { supersedes: shortest }))).values('OrgnlGrpInfAndSts/StsRsnInf/AddtlInf'),
    ).toHaveLength(1);
  });

  test('says of a file that was only read that it was, and nothing of its transactions', async () => {
    const { problems, values } = await readAnswer(await write(THREE, { stage: 'received' }));
    expect(problems).toEqual([]);
    expect([values('GrpSts'), values('TxSts')]).toEqual([['ACTC'], []]);
  });

  test('is .03 for .03, .10 for .09, and .03 where that is asked for', async () => {
    const one = [
      payout('completed', undefined, { original: original({ uetr: UETR, requestedExecution: '2026-03-31' }) }),
    ];
    const ten = await write(one);
    expect(ten).toContain('pain.002.001.10');
    expect((await readAnswer(ten)).values('OrgnlUETR')).toEqual([UETR]);
    expect((await readAnswer(ten)).values('ReqdExctnDt/Dt')).toEqual(['2026-03-31']);
    const forced = await write(one, { version: 'pain.002.001.03' });
    const own = await write(one, { message: { ...MESSAGE, format: 'pain.001.001.03' } });
    for (const xml of [forced, own]) {
      const { problems, values } = await readAnswer(xml);
      expect(xml).toContain('pain.002.001.03');
      expect(problems).toEqual([]);
      expect([values('OrgnlUETR'), values('ReqdExctnDt')]).toEqual([[], ['2026-03-31']]);
    }
  });

  test('repeats ids byte for byte', async () => {
    const ids = [' a  b ', 'x&<>"\'y', 'tab\there', 'line\nend', 'carriage\rreturn', 'ü漢😀'];
    const xml = await write(
      ids.map((id) => payout('completed', undefined, { original: original({ endToEndId: id, instructionId: id }) })),
      { message: { ...MESSAGE, messageId: ' M&1 ' } },
    );
    const { values } = await readAnswer(xml);
    expect(values('OrgnlEndToEndId')).toEqual(ids);
    expect(values('OrgnlInstrId')).toEqual(ids);
    expect(values('OrgnlMsgId')).toEqual([' M&1 ']);
  });

  test('reports an order id that is too long for its element', async () => {
    const orderId = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const { problems, values } = await readAnswer(await write([payout('completed', undefined, { orderId })]));
    expect(problems).toEqual([]);
    expect([values('AcctSvcrRef'), values('AddtlInf')]).toEqual([[], [`order ${orderId}`]]);
  });

  test.each([
    ['match', 'RCVC'],
    ['close-match', 'RVMC'],
    ['no-match', 'RVNM'],
    ['not-available', 'RVNA'],
  ] as const)('says of a payee that was verified: %s', async (verification, code) => {
    const { problems, values } = await readAnswer(await write([payout('completed', undefined, { verification })]));
    expect(problems).toEqual([]);
    expect([values('Rsn/Prtry'), values('AddtlInf')]).toEqual([[code], [`payee verification: ${verification}`]]);
    // They are no codes of the list of reasons.
    expect(values('Rsn/Cd')).toEqual([]);
  });

  test('says a verification once where the payout is held for it, and beside another reason', async () => {
    const held = payout('held', 'payee-close-match', { verification: 'close-match' });
    const once = await readAnswer(await write([held]));
    expect([once.values('Rsn/Cd'), once.values('Rsn/Prtry')]).toEqual([[], ['RVMC']]);
    const hit = payout('held', 'screening-hit', { verification: 'match' });
    const both = await readAnswer(await write([hit]));
    expect([both.values('Rsn/Cd'), both.values('Rsn/Prtry')]).toEqual([['NARR'], ['RCVC']]);
  });

  test('says of rows refused for the sake of others why', async () => {
    const { values } = await readAnswer(await write([{ original: original(), findings: [] }]));
    expect([values('GrpSts'), values('Rsn/Cd')]).toEqual([['RJCT'], ['NARR']]);
    expect(values('AddtlInf').join(' ')).toContain('other transactions');
  });

  test('keeps the status that was counted when a payout moves on meanwhile, and its counts with it', async () => {
    let pass = 0;
    const xml = await write([], {
      transactions: () => {
        pass += 1;
        return [payout(pass === 1 ? 'processing' : 'failed', pass === 1 ? undefined : 'bank-failed')];
      },
    });
    const { values } = await readAnswer(xml);
    expect([values('TxSts'), values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldSts')]).toEqual([['ACSP'], ['ACSP']]);
    expect(values('Rsn/Cd')).toEqual([]);
  });

  test.each([
    ['an id too long', [], { messageId: 'x'.repeat(36) }],
    ['transactions out of order', [THREE[2], THREE[0]], {}],
    ['a block that is not there', [payout('completed', undefined, { original: original({ payment: 2 }) })], {}],
  ])('is not written with %s', async (_, transactions, values) => {
    await expect(write(transactions as TransactionFacts[], values)).rejects.toThrow(RangeError);
  });

  test('takes the transactions as they come, one at a time', async () => {
    async function* many() {
      for (let row = 0; row < 20_000; row += 1) yield payout('completed');
    }
    let transactions = 0;
    const answer = { messageId: 'A', createdAt: 0, stage: 'final', message: MESSAGE, transactions: many } as const;
    for await (const piece of pain002(answer)) {
      expect(piece.length).toBeLessThan(2_000);
      if (piece.startsWith('<TxInfAndSts>')) transactions += 1;
    }
    expect(transactions).toBe(20_000);
  });
});

const UETR = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

describe('the answer to a file that was refused', () => {
  const refusal = (values: Partial<RefusalAnswer>) =>
    readAnswer(refusalPain002({ messageId: 'ANSWER-1', createdAt: 0, message: null, findings: [], ...values }));
  const at = (line: number, row: number | null, rule: string, message = 'mend it') => ({
    line,
    row,
    column: null,
    rule,
    message,
  });

  test('answers a file of which nothing could be read', async () => {
    const { problems, values } = await refusal({ findings: [at(7, null, 'not-well-formed')] });
    expect(problems).toEqual([]);
    expect([values('OrgnlMsgId'), values('OrgnlMsgNmId'), values('GrpSts')]).toEqual([
      ['NOTPROVIDED'],
      ['NOTPROVIDED'],
      ['RJCT'],
    ]);
    expect([values('Rsn/Cd'), values('AddtlInf')]).toEqual([['FF01'], ['line 7: not-well-formed: mend it']]);
  });

  test('puts what is wrong with the file before what is wrong with its rows', async () => {
    const { problems, values } = await refusal({
      message: {
        ...MESSAGE,
        messageId: 'x'.repeat(36),
        createdAt: 'yesterday',
        transactions: 'many',
        controlSum: '1e5',
      },
      findings: [at(3, 1, 'required'), at(9, null, 'wrong-control-sum')],
    });
    expect(problems).toEqual([]);
    expect(values('Rsn/Cd')).toEqual(['AM10', 'CH21']);
    expect([values('OrgnlMsgId'), values('OrgnlMsgNmId')]).toEqual([['NOTPROVIDED'], ['pain.001.001.09']]);
    for (const name of ['OrgnlCreDtTm', 'OrgnlNbOfTxs', 'OrgnlCtrlSum']) expect(values(name)).toEqual([]);
  });

  test('reports a hundred findings and how many more there are, in lines of 105 characters', async () => {
    const findings = Array.from({ length: 130 }, (_, index) => at(index, index, 'regex', 'long words '.repeat(20)));
    const { problems, values } = await refusal({ findings });
    expect(problems).toEqual([]);
    expect(values('Rsn/Cd')).toHaveLength(101);
    expect(values('AddtlInf').at(-1)).toContain('30 more findings');
    expect(Math.max(...values('AddtlInf').map((line) => line.length))).toBeLessThanOrEqual(105);
  });
});

describe('any answer', () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\r', '\n', '&', '<', ']', '\u0000', '\ufffe'), maxLength: 36 }),
  );
  const amount = fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String),
    fc.nat().map((cents) => `${cents}.05`),
    fc.constantFrom('.5', '+1', '', '1e3', '1.234567'),
  );
  const transaction = fc.record({
    payment: fc.nat(1),
    instructionId: id,
    endToEndId: id,
    uetr: fc.oneof(fc.uuid({ version: 4 }), id),
    amount,
    currency: fc.constantFrom('EUR', 'JPY', 'eur', ''),
    requestedExecution: fc.constantFrom('2026-03-31', '2026-02-30', '0000-01-01', 'soon'),
  });
  const reason = fc.record({ code: fc.constantFrom(...Object.keys(REASONS), 'constructor'), message: id });
  const facts: fc.Arbitrary<TransactionFacts> = fc.oneof(
    fc.record({
      original: transaction,
      findings: fc.array(fc.record({ column: id, rule: id, message: id }), { maxLength: 3 }),
    }),
    fc.record({
      original: transaction,
      state: fc.constantFrom(...PAYOUT_STATES),
      reason: fc.option(reason),
      orderId: fc.option(id),
    }),
  );

  test('fits the grammar, holds every transaction once, and is the same when it is made again', async () => {
    const stages = fc.constantFrom<Stage>('received', 'validated', 'sent', 'final');
    const version = fc.constantFrom('pain.002.001.03', 'pain.002.001.10');
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { maxLength: 8 }), stages, version, id, async (all, stage, kind, messageId) => {
        const sorted = all.toSorted((a, b) => a.original.payment - b.original.payment);
        const values = { stage, version: kind, message: { ...MESSAGE, messageId, createdAt: messageId } };
        const xml = await write(sorted, values);
        const answer = await readAnswer(xml);
        expect(answer.problems).toEqual([]);
        expect(answer.values('TxSts')).toHaveLength(stage === 'received' ? 0 : sorted.length);
        const counted = answer.values('OrgnlGrpInfAndSts/NbOfTxsPerSts/DtldNbOfTxs').map(Number);
        expect(counted.reduce((sum, rows) => sum + rows, 0)).toBe(answer.values('TxSts').length);
        expect(await write(sorted, values)).toBe(xml);
      }),
      { numRuns: 300 },
    );
  });
});
