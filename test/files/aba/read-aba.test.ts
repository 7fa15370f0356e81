import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAba } from '../../../src/files/aba/read-aba.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { bytesOf } from '../bytes.ts';
import { type Collected, collected } from '../collected.ts';
import { abaOf, CONTEXT, type Detail, detail, head, TRACE, total } from './aba-records.ts';

const read = (content: string | Uint8Array, context: MessageContext = CONTEXT, chunkSize?: number) =>
  collected((sink) => readAba(bytesOf(content, chunkSize), sink, context));
const rules = ({ findings }: Collected) => findings.map(({ rule, line, row, column }) => [rule, line, row, column]);

describe('a credit', () => {
  test('becomes a row: BSB, account and title for the payee, the trace account for ours', async () => {
    const { rows, findings, messages } = await read(abaOf([{}]));
    expect(findings).toEqual([]);
    expect(rows).toEqual([
      {
        row: 1,
        line: 2,
        instruction: {
          id: 'SAL-2026-03-1',
          uid: 'u-1001',
          account_id: 'acc-u1001-aud',
          amount: '1560.20',
          currency: 'AUD',
          beneficiary_type: 'business',
          payment_type: 'bsb',
          account_name: 'KIM SAMPLE',
          company_name: 'KIM SAMPLE',
          region_country: 'AU',
          bsb: '000-001',
          account_no: '00050005',
          note: 'SAL-2026-03-1',
          execute_on: '2026-03-31',
        },
        spare: ['account_name', 'company_name', 'region_country', 'bsb', 'account_no'],
        original: {
          payment: 0,
          endToEndId: 'SAL-2026-03-1',
          amount: '1560.20',
          currency: 'AUD',
          requestedExecution: '2026-03-31',
        },
      },
    ]);
    expect(messages.at(-1)).toEqual({
      format: 'aba',
      messageId: '301500.310326.01.PAYROLL',
      createdAt: '2026-03-31T00:00:00',
      transactions: '1',
      controlSum: '1560.20',
      payments: [{ paymentId: '301500.310326.01.PAYROLL', account: '000-100 11110001' }],
    });
  });

  test('of pay goes to a person', async () => {
    const { rows } = await read(abaOf([{ code: '53' }]));
    expect(rows[0]?.instruction.beneficiary_type).toBe('personal');
  });

  test('without a reference, or where the mapping says so, is known by its place', async () => {
    const { rows } = await read(abaOf([{ reference: '' }, { reference: 'INV/7' }]));
    expect(rows.map(({ instruction }) => instruction.id)).toEqual(['301500.310326.01.PAYROLL.1', 'INV|7']);
    expect(rows.map(({ original }) => original?.endToEndId)).toEqual(['', 'INV/7']);
    const byPlace = { ...CONTEXT, mapping: { ...CONTEXT.mapping, identity: 'position' as const } };
    expect((await read(abaOf([{}, {}]), byPlace)).rows.map(({ instruction }) => instruction.id)).toEqual([
      '301500.310326.01.PAYROLL.1',
      '301500.310326.01.PAYROLL.2',
    ]);
  });

  test.each([
    ['a debit', { code: '13' }, ['debit-entry', 2, 1, '19-20']],
    ['a code that is none', { code: '99' }, ['unknown-transaction-code', 2, 1, '19-20']],
    ['a BSB without its hyphen', { bsb: '0000010' }, ['bad-bsb', 2, 1, '2-8']],
    ['an unknown indicator', { indicator: 'Q' }, ['bad-indicator', 2, 1, '18']],
    ['withheld tax', { indicator: 'W', tax: '00001000' }, ['withholding-tax', 2, 1, '113-120']],
    ['a trace account of nobody', { traceAccount: '99999999' }, ['unmapped-account', 2, 1, 'account_id']],
  ] satisfies [string, Detail, unknown[]][])('with %s is no valid row', async (_, values, finding) => {
    const input = await read(abaOf([values, {}]));
    expect(rules(input)).toEqual([finding]);
    expect(input.rows.map(({ unsound }) => unsound)).toEqual([true, undefined]);
  });

  test('with an amount that is none breaks the totals as well', async () => {
    const input = await read(`${head()}\n${detail({ cents: '00000A0000' })}\n${total(100n, 0n, 1)}\n`);
    expect(rules(input)).toEqual([
      ['bad-amount', 2, 1, '21-30'],
      ['wrong-control-sum', 3, null, '21-30'],
      ['wrong-control-sum', 3, null, '31-40'],
    ]);
    expect(input.rows).toMatchObject([{ unsound: true, instruction: { amount: '00000A0000' } }]);
  });

  test('shows no account number and no name in its findings', async () => {
    const secret = { bsb: '9876543', account: '98765432', title: 'MRS CANARY', reference: 'CANARY' };
    const { findings } = await read(abaOf([{ ...secret, code: '99', indicator: 'Q', traceAccount: '98765432' }]));
    expect(findings.length).toBeGreaterThan(3);
    expect(JSON.stringify(findings)).not.toMatch(/98765|CANARY/);
  });
});

describe('the totals', () => {
  test.each([
    ['net', total(100n, 0n, 1).replace('0000000100', '0000000101'), 'wrong-control-sum', '21-30'],
    ['credits and net', total(99n, 0n, 1), 'wrong-control-sum', '21-30'],
    ['debits', total(100n, 1n, 1), 'wrong-control-sum', '41-50'],
    ['count', total(100n, 0n, 2), 'wrong-transaction-count', '75-80'],
    ['mark', total(100n, 0n, 1).replace('999-999', '999-990'), 'bad-record', '2-8'],
  ])('with another %s are a finding about the file', async (_, last, rule, column) => {
    const input = await read(`${head()}\n${detail({ cents: 100n })}\n${last}\n`);
    expect(rules(input)).toContainEqual([rule, 3, null, column]);
  });

  test('count debits apart: the net total is the difference', async () => {
    const input = await read(abaOf([{ cents: 300n }, { cents: 200n, code: '13' }]));
    expect(rules(input)).toEqual([['debit-entry', 3, 2, '19-20']]);
  });
});

describe('a balancing debit of the account that pays', () => {
  const contra = (cents: bigint): Detail => ({ ...TRACE, code: '13', cents, reference: 'CONTRA' });

  test.each([
    ['last', [{}, {}, contra(312_040n)]],
    ['first', [contra(312_040n), {}, {}]],
  ])('is no row when it comes %s', async (_, all) => {
    const input = await read(abaOf(all));
    expect(input.findings).toEqual([]);
    expect(input.rows.map(({ row, instruction }) => [row, instruction.amount])).toEqual([
      [1, '1560.20'],
      [2, '1560.20'],
    ]);
    expect(input.messages.at(-1)).toMatchObject({ transactions: '2', controlSum: '3120.40' });
  });

  test('of another sum than the credits refuses the file', async () => {
    expect(rules(await read(abaOf([{}, {}, contra(312_041n)])))).toEqual([['unbalanced-debit', 5, null, '41-50']]);
  });
});

describe('a file that is refused as a whole', () => {
  const good = abaOf([{}, {}], '\n').split('\n');
  test.each([
    ['without totals', good.slice(0, 3).join('\n'), 'truncated-file', 3],
    ['cut off inside a record', abaOf([{}, {}]).slice(0, 300), 'wrong-record-length', 3],
    ['without a head', good.slice(1).join('\n'), 'bad-record', 1],
    ['with a record of another type', [good[0], `5${good[1]?.slice(1)}`].join('\n'), 'bad-record', 2],
    ['with more after its totals', `${good.join('\n')}${good[1]}\n`, 'record-after-total', 5],
    ['with a date that is none', good.join('\n').replace('310326', '310226'), 'bad-date', 1],
    ['without details', [head(), total(0n, 0n, 0)].join('\n'), 'no-rows', 2],
    ['without anything', '\n\n', 'no-rows', 1],
    ['with a record too long', good.join('X\n'), 'wrong-record-length', 1],
    ['with one endless line', '0'.repeat(100_000), 'bad-record', 2],
    ['with characters that show nothing', good.join('\n').replace('SAMPLE ', 'SAMPLE\u200b'), 'not-ascii', 1],
  ])('%s', async (_, content, rule, line) => {
    expect(rules(await read(content))).toContainEqual([rule, line, null, rule === 'bad-date' ? '75-80' : null]);
  });
});

describe('what editors and old systems change', () => {
  const good = abaOf([{}, { code: '53' }])
    .trimEnd()
    .split('\r\n');

  test.each<[string, string | Buffer]>([
    ['line ends lost', good.join('')],
    ['line ends of old Macs', good.join('\r')],
    ['final blanks cut off', good.map((line) => line.trimEnd()).join('\n')],
    ['final blanks cut off, and line ends of Windows', `${good.map((line) => line.trimEnd()).join('\r\n')}\r\n`],
    ['blanks added', good.map((line) => `${line}   `).join('\n')],
    ['a byte order mark', `\ufeff${good.join('\n')}`],
    ['UTF-16', Buffer.from(`\ufeff${good.join('\n')}`, 'utf16le')],
    ['Ctrl-Z behind the end', `${good.join('\r\n')}\r\n\x1a`],
    ['page breaks', `\f${good.join('\n\f')}\n\f`],
    ['blanks that do not break', good.join('\n').replaceAll('  ', '\u00a0 ')],
  ])('is read as before: %s', async (_, content) => {
    const expected = await read(good.join('\n'));
    expect(expected.findings).toEqual([]);
    expect(expected.rows).toHaveLength(2);
    expect(await read(content)).toEqual(expected);
  });

  test('but a record that lacks more than blanks is refused', async () => {
    const { findings } = await read(good.map((line, at) => (at === 1 ? line.slice(0, 95) : line)).join('\n'));
    expect(findings).toMatchObject([
      {
        line: 2,
        rule: 'wrong-record-length',
        message: expect.stringMatching(/^95 characters where a record of type 1 has 120; .*export it again/),
      },
    ]);
  });
});

describe('any file', () => {
  const text = (max: number) =>
    fc.string({ unit: fc.constantFrom(...'ABCXYZ0189/-. '), maxLength: max }).map((value) => value.trim());
  const details = fc.array(
    fc.record({
      account: fc.stringMatching(/^\d{4,9}$/),
      cents: fc.bigInt({ min: 0n, max: 9_999_999n }),
      title: text(32),
      reference: text(18),
      code: fc.constantFrom('13', '50', '53'),
    }),
    { minLength: 1, maxLength: 12 },
  );

  test('is read the same with any chunks and line ends; every detail is one row, with its cents', async () => {
    await fc.assert(
      fc.asyncProperty(
        details,
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 300 }),
        async (all, end, size) => {
          const input = await read(abaOf(all, end), CONTEXT, size);
          expect(input.findings.filter(({ row }) => row === null)).toEqual([]);
          expect(input.rows.map(({ line }) => line)).toEqual(all.map((_, index) => index + 2));
          expect(input.rows.map(({ original }) => original?.amount.replace('.', ''))).toEqual(
            all.map(({ cents }) => `${cents}`.padStart(3, '0')),
          );
          expect(input.rows.map(({ original }) => original?.endToEndId)).toEqual(all.map(({ reference }) => reference));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('with one digit of its amounts or totals changed is refused', async () => {
    const content = abaOf([{ cents: 156_020n }, { cents: 44n }], '\n');
    const digitsOf = (line: number, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => (line - 1) * 121 + from - 1 + index);
    const places = [...digitsOf(2, 21, 30), ...digitsOf(3, 21, 30), ...digitsOf(4, 21, 50), ...digitsOf(4, 75, 80)];
    for (const at of places) {
      const other = (Number(content[at]) + 1) % 10;
      const { findings } = await read(`${content.slice(0, at)}${other}${content.slice(at + 1)}`);
      expect([at, findings.some(({ row }) => row === null)]).toEqual([at, true]);
    }
  });
});
