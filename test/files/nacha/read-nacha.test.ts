import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Identity } from '../../../src/files/messages/mapping.ts';
import type { MessageContext } from '../../../src/files/messages/message-context.ts';
import { readNacha } from '../../../src/files/nacha/read-nacha.ts';
import { bytesOf } from '../bytes.ts';
import { type Collected, collected } from '../collected.ts';
import { addenda, COMPANY, CONTEXT, type Entry, nachaOf, traceOf } from './nacha-records.ts';

const read = (content: string | Uint8Array, context: MessageContext = CONTEXT, chunkSize?: number) =>
  collected((sink) => readNacha(bytesOf(content, chunkSize), sink, context));
const rules = ({ findings }: Collected) => findings.map(({ rule, line, row, column }) => [rule, line, row, column]);
/** Every batch has an entry description, which the bank cannot be told. */
const isNoField = ({ rule }: { rule: string }): boolean => rule !== 'not-carried';
const ppd = (...entries: Entry[]) => nachaOf([{ entries }]);

describe('a credit', () => {
  test('becomes a row: routing number, account and name for the payee, the company for our account', async () => {
    const { rows, findings, messages } = await read(ppd({ addenda: ['INVOICE 4711'] }));
    expect(findings).toEqual([]);
    expect(rows).toEqual([
      {
        row: 1,
        line: 3,
        instruction: {
          id: `1000000001.2603300905.A.${traceOf(1)}`,
          uid: 'u-1001',
          account_id: 'acc-u1001-usd',
          amount: '1875.50',
          currency: 'USD',
          beneficiary_type: 'personal',
          payment_type: 'local',
          account_name: 'MARIA SAMPLE',
          region_country: 'US',
          aba_routing_code: '000000013',
          account_no: '00020002',
          note: 'INVOICE 4711',
          execute_on: '2026-03-31',
        },
        spare: ['account_name', 'region_country', 'aba_routing_code', 'account_no'],
        original: {
          payment: 0,
          instructionId: 'EMP-1',
          endToEndId: traceOf(1),
          amount: '1875.50',
          currency: 'USD',
          requestedExecution: '2026-03-31',
        },
      },
    ]);
    expect(messages.at(-1)).toEqual({
      format: 'nacha',
      messageId: '1000000001.2603300905.A',
      createdAt: '2026-03-30T09:05:00',
      transactions: '1',
      controlSum: '1875.50',
      payments: [{ paymentId: '1000000001.0000001', transactions: '1', controlSum: '1875.50' }],
    });
  });

  test.each([7, 94, 500, 65_536])(
    'is read alike if records have no line ends, or one for each block (chunks of %i bytes)',
    async (size) => {
      const lines = nachaOf([{ entries: Array.from({ length: 21 }, (_, at) => ({ id: `EMP-${at}` })) }]).trimEnd();
      const expected = await read(lines);
      expect(expected.rows).toHaveLength(21);
      const records = lines.split('\n');
      const blocks = records.flatMap((_, at) => (at % 10 === 0 ? [records.slice(at, at + 10).join('')] : []));
      for (const content of [
        records.join(''),
        `${records.join('')}\r\n`,
        blocks.join('\n'),
        `${blocks.join('\r\n')}\r\n`,
      ]) {
        expect(await read(content, CONTEXT, size)).toEqual(expected);
      }
    },
  );

  test('of a CCD batch goes to a company; a batch without a date is paid at once', async () => {
    const content = nachaOf([{ entries: [{}] }, { entryClass: 'CCD', date: '000000', entries: [{ code: '32' }] }]);
    const { rows, findings, messages } = await read(content);
    expect(findings).toEqual([]);
    expect(rows.map(({ instruction }) => [instruction.beneficiary_type, instruction.execute_on])).toEqual([
      ['personal', '2026-03-31'],
      ['business', undefined],
    ]);
    expect(rows.map(({ original }) => original?.payment)).toEqual([0, 1]);
    expect(messages.at(-1)).toMatchObject({ transactions: '2', controlSum: '3751.00' });
  });

  // Trace numbers begin anew in each file.
  test('is not the one with the same trace number in another file', async () => {
    const { rows } = await read(ppd({}));
    const { rows: next } = await read(ppd({}).replace('2603300905', '2604300905'));
    expect(next[0]?.original?.endToEndId).toBe(rows[0]?.original?.endToEndId);
    expect(next[0]?.instruction.id).not.toBe(rows[0]?.instruction.id);
  });

  test.each([
    ['end-to-end-id', `1000000001.2603300905.A.${traceOf(1)}`],
    ['instruction-id', 'EMP-1'],
    ['position', '1000000001.2603300905.A.1'],
  ] satisfies [Identity, string][])('is known by its %s as the mapping says', async (identity, id) => {
    const { rows } = await read(ppd({}), { ...CONTEXT, mapping: { ...CONTEXT.mapping, identity } });
    expect(rows[0]?.instruction.id).toBe(id);
  });

  test.each([
    ['a debit', { code: '27' }, ['debit-entry', 3, 1, '2-3']],
    ['a prenote', { code: '23', cents: 0n }, ['prenote-entry', 3, 1, '2-3']],
    ['a prenote of a debit', { code: '38', cents: 0n }, ['prenote-entry', 3, 1, '2-3']],
    ['a return', { code: '26' }, ['return-entry', 3, 1, '2-3']],
    ['a credit to a loan', { code: '52' }, ['unknown-transaction-code', 3, 1, '2-3']],
    ['a code that is none', { code: '99' }, ['unknown-transaction-code', 3, 1, '2-3']],
    ['a wrong check digit', { routing: '000000014' }, ['bad-routing-number', 3, 1, '4-12']],
    ['a trace number of letters', { trace: 'ABC000000000001' }, ['bad-trace-number', 3, 1, '80-94']],
    ['an addenda it does not have', { indicator: '1' }, ['addenda-mismatch', 3, 1, '79']],
    ['an addenda it does not announce', { indicator: '0', addenda: ['X'] }, ['addenda-mismatch', 3, 1, '79']],
    ['two addenda', { addenda: ['X', 'Y'] }, ['unknown-addenda', 5, 1, '2-3']],
  ] satisfies [string, Entry, unknown[]][])('with %s is no valid row', async (_, values, finding) => {
    const input = await read(ppd(values, {}));
    expect(rules(input)).toEqual([finding]);
    expect(input.rows.map(({ unsound }) => unsound)).toEqual([true, undefined]);
  });

  test.each([
    ['99', 'return-entry', '2-3'],
    ['98', 'return-entry', '2-3'],
    ['02', 'unknown-addenda', '2-3'],
  ])('with an addenda of type %s is no valid row', async (type, rule, column) => {
    const content = ppd({ addenda: ['X'] }).replace(addenda('X', 1), addenda('X', 1, type));
    expect(rules(await read(content))).toEqual([[rule, 4, 1, column]]);
  });

  test("with another entry's addenda is no valid row", async () => {
    const content = ppd({ addenda: ['X'] }).replace(addenda('X', 1), addenda('X', 7));
    expect(rules(await read(content))).toEqual([['addenda-mismatch', 4, 1, '88-94']]);
  });

  test('shows no account number, name or id in its findings', async () => {
    const secret = { routing: '987654321', account: '98765432', name: 'CANARY MARY', id: 'CANARY' };
    const { findings } = await read(nachaOf([{ company: '9876543210', entries: [{ ...secret, code: '27' }] }]));
    expect(findings.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(findings)).not.toMatch(/98765|CANARY/);
  });
});

describe('a file that is refused as a whole', () => {
  const good = nachaOf([{ entries: [{}, {}] }])
    .trimEnd()
    .split('\n');
  const with_ = (line: number, change: (record: string) => string): string =>
    good.map((record, index) => (index === line - 1 ? change(record) : record)).join('\n');
  const put =
    (at: number, text: string) =>
    (record: string): string =>
      record.slice(0, at - 1) + text + record.slice(at - 1 + text.length);

  test.each([
    ['with accounting advices', with_(2, put(51, 'ADV')), 'unsupported-entry-class', 2, '51-53'],
    ['with a date that is none', with_(2, put(70, '260231')), 'bad-date', 2, '70-75'],
    ['with another count in its batch', with_(5, put(5, '000003')), 'wrong-transaction-count', 5, '5-10'],
    ['with another hash in its batch', with_(5, put(11, '0000000009')), 'wrong-entry-hash', 5, '11-20'],
    ['with other debits in its batch', with_(5, put(21, '000000000001')), 'wrong-control-sum', 5, '21-32'],
    ['with other credits in its batch', with_(5, put(33, '000000000001')), 'wrong-control-sum', 5, '33-44'],
    ['with another company at the end of its batch', with_(5, put(45, '1000000009')), 'batch-mismatch', 5, '45-54'],
    ['with another batch number at its end', with_(5, put(88, '0000009')), 'batch-mismatch', 5, '88-94'],
    ['with another class of service at its end', with_(5, put(2, '200')), 'batch-mismatch', 5, '2-4'],
    ['with another number of batches', with_(6, put(2, '000002')), 'wrong-batch-count', 6, '2-7'],
    ['with another number of blocks', with_(6, put(8, '000002')), 'wrong-block-count', 6, '8-13'],
    ['with another count', with_(6, put(14, '00000003')), 'wrong-transaction-count', 6, '14-21'],
    ['with another hash', with_(6, put(22, '0000000009')), 'wrong-entry-hash', 6, '22-31'],
    ['with other debits', with_(6, put(32, '000000000001')), 'wrong-control-sum', 6, '32-43'],
    ['with other credits', with_(6, put(44, '000000000001')), 'wrong-control-sum', 6, '44-55'],
    ['without a file header', good.slice(1).join('\n'), 'bad-record', 1, null],
    ['of another format', with_(1, put(35, '093101')), 'bad-record', 1, null],
    ['with an entry outside a batch', [good[0], good[2]].join('\n'), 'bad-record', 2, null],
    ['with addenda behind no entry', [...good.slice(0, 2), addenda('X', 1)].join('\n'), 'bad-record', 3, null],
    ['without a file control', good.slice(0, 5).join('\n'), 'truncated-file', 5, null],
    ['cut off inside a batch', good.slice(0, 3).join('\n'), 'truncated-file', 3, null],
    ['cut off inside a record', good.join('\n').slice(0, 250), 'wrong-record-length', 3, null],
    ['cut off inside a record, without line ends', good.join('').slice(0, 250), 'wrong-record-length', 3, null],
    ['with more after its file control', with_(7, () => good[2] ?? ''), 'record-after-total', 7, null],
    ['without entries', nachaOf([{ entries: [] }]), 'no-rows', 10, null],
    ['without anything', '', 'no-rows', 1, null],
    ['with characters that show nothing', with_(1, put(64, '\x07')), 'not-ascii', 1, null],
  ])('%s', async (_, content, rule, line, column) => {
    expect(rules(await read(content))).toContainEqual([rule, line, null, column]);
  });

  test('gives no row of advices', async () => {
    const input = await read(nachaOf([{ entryClass: 'ADV', entries: [{}] }, { entries: [{}] }]));
    expect(rules(input)).toEqual([['unsupported-entry-class', 2, null, '51-53']]);
    expect(input.rows.map(({ line }) => line)).toEqual([6]);
  });
});

test.each(['CTX', 'IAT', 'WEB', 'CIE'])(
  'entries of class %s are refused, those of other batches are rows',
  async (entryClass) => {
    const content = nachaOf([
      { entries: [{}] },
      { entryClass, entries: [{ addenda: ['X', 'Y'] }, {}] },
      { entries: [{}] },
    ]);
    const input = await read(content);
    expect(rules(input)).toEqual([
      ['unsupported-entry-class', 6, 2, null],
      ['unsupported-entry-class', 9, 3, null],
    ]);
    expect(input.findings[0]).toMatchObject({
      value: entryClass,
      message: expect.stringContaining('send the batch to the bank'),
    });
    expect(input.rows.map(({ row, line, unsound }) => [row, line, unsound])).toEqual([
      [1, 3, undefined],
      [4, 12, undefined],
    ]);
    const wrong = content.replace(/^9.*$/m, (record) => `${record.slice(0, 54)}9${record.slice(55)}`);
    expect(rules(await read(wrong))).toContainEqual(['wrong-control-sum', 14, null, '44-55']);
  },
);

describe('debits that offset the credits', () => {
  const pay = [{ cents: 10_000n }, { cents: 10_050n }];
  const offset = (cents: bigint, given: Entry = {}): Entry => ({
    code: '27',
    account: '999000111',
    name: 'OFFSET',
    id: '',
    cents,
    ...given,
  });
  const mixed = '200';

  test.each<[string, Parameters<typeof nachaOf>[0], lines: number[]]>([
    ['in the batch', [{ serviceClass: mixed, entries: [...pay, offset(20_050n)] }], [5]],
    ['at its beginning', [{ serviceClass: mixed, entries: [offset(20_050n, { code: '37' }), ...pay] }], [3]],
    ['one for each credit', [{ serviceClass: mixed, entries: pay.flatMap((one) => [one, offset(one.cents)]) }], [4, 6]],
    [
      'in a batch of its own',
      [{ entries: pay }, { serviceClass: '225', entryClass: 'CCD', entries: [offset(20_050n)] }],
      [7],
    ],
    ['in a batch before', [{ serviceClass: '225', entries: [offset(20_050n, { code: '47' })] }, { entries: pay }], [3]],
    [
      'of several batches',
      [
        { entries: pay },
        { entryClass: 'CTX', entries: [{ cents: 5n }] },
        { serviceClass: '225', entries: [offset(20_055n)] },
      ],
      [10],
    ],
    [
      'in one batch, for another',
      [{ entries: [{ cents: 1n }] }, { serviceClass: mixed, entries: [...pay, offset(20_051n)] }],
      [8],
    ],
  ])('are no rows, and said: %s', async (_, batches, lines) => {
    const input = await read(nachaOf(batches));
    expect(input.findings.filter(({ rule }) => rule !== 'unsupported-entry-class')).toEqual([]);
    expect(input.warnings.filter(isNoField).map(({ rule, line, row }) => [rule, line, row])).toEqual(
      lines.map((line) => ['offset-debit', line, null]),
    );
    expect(input.rows.filter(({ instruction }) => instruction.amount === '100.50')).toHaveLength(1);
    expect(input.rows.every(({ unsound }) => unsound === undefined)).toBe(true);
    expect(input.messages.at(-1)?.controlSum).toBe(
      input.messages
        .at(-1)
        ?.payments.reduce((sum, it) => sum + Number(it.controlSum), 0)
        .toFixed(2),
    );
  });

  test.each<[string, Parameters<typeof nachaOf>[0], number]>([
    ['of another sum', [{ serviceClass: mixed, entries: [...pay, offset(20_049n)] }], 1],
    [
      'of two accounts',
      [{ serviceClass: mixed, entries: [...pay, offset(10_000n), offset(10_050n, { account: '999000112' })] }],
      2,
    ],
    ['in a batch of credits only', [{ entries: [...pay, offset(20_050n)] }], 1],
    [
      'of another company',
      [{ entries: pay }, { company: '1000000002', serviceClass: '225', entries: [offset(20_050n)] }],
      1,
    ],
    [
      'of a payee, as for trial payments',
      [{ serviceClass: mixed, entries: [...pay, offset(20_050n, { account: '00020002' })] }],
      1,
    ],
    ['of a loan', [{ serviceClass: mixed, entries: [...pay, offset(20_050n, { code: '55' })] }], 1],
  ])('are refused: %s', async (_, batches, refused) => {
    const input = await read(nachaOf(batches), {
      ...CONTEXT,
      mapping: {
        ...CONTEXT.mapping,
        accounts: new Map(
          [COMPANY, '1000000002'].map((company) => [company, { uid: 'u-1001', account_id: 'acc-u1001-usd' }]),
        ),
      },
    });
    expect(input.findings.map(({ rule }) => rule)).toEqual(Array.from({ length: refused }, () => 'debit-entry'));
    expect(input.rows.filter(({ unsound }) => unsound)).toHaveLength(refused);
    expect(input.rows.map(({ row }) => row)).toEqual(input.rows.map((_row, at) => at + 1));
  });
});

describe('what editors and old systems change', () => {
  const good = nachaOf([{ entries: [{}, { addenda: ['X'] }] }])
    .trimEnd()
    .split('\n');
  const cut = good.map((line) => line.trimEnd());

  test.each<[string, string | Buffer]>([
    ['final blanks cut off', cut.join('\r\n')],
    ['final blanks cut off of records that follow each other', `${good.slice(0, 6).join('')}${cut[6]}`],
    ['final lines of nines cut off', good.slice(0, 8).join('\n')],
    ['a last line of nines cut in two', good.join('\n').slice(0, -50)],
    ['line ends of old Macs', good.join('\r')],
    ['a byte order mark', `\ufeff${good.join('\n')}`],
    ['UTF-16', Buffer.from(`\ufeff${good.join('\n')}`, 'utf16le')],
    ['Ctrl-Z behind the end', `${good.join('\r\n')}\r\n\x1a`],
    ['NULs behind the end', `${good.join('\n')}${'\0'.repeat(200)}`],
    ['page breaks', good.join('\n\f')],
    ['blanks and NULs for blanks', good.join('\n').replaceAll('   ', '\u00a0 \0')],
  ])('is read as before: %s', async (_, content) => {
    const expected = await read(good.join('\n'));
    expect([expected.findings, expected.rows.length]).toEqual([[], 2]);
    for (const size of [1, 93, 4096]) expect(await read(content, CONTEXT, size)).toEqual(expected);
  });

  test.each([
    ['UTF-8 are taken', Buffer.from('JOSÉ’'), [], 'JOSÉ’ SAMPLE'],
    ['Windows-1252 have to be mended', Buffer.from('JOSÉ ', 'latin1'), ['not-ascii'], undefined],
  ])('but letters that are not ASCII in %s', async (_, name, refused, payee) => {
    const content = Buffer.from(good.join('\n'));
    const at = content.indexOf('MARIA');
    const { rows, findings } = await read(Buffer.concat([content.subarray(0, at), name, content.subarray(at + 5)]));
    expect(findings.map(({ rule }) => rule)).toEqual(refused);
    expect(findings.map(({ line }) => line)).toEqual(refused.map(() => 3));
    expect(rows[0]?.instruction.account_name).toBe(payee);
  });
});

describe('any file', () => {
  const batches = fc.array(
    fc.record({
      entryClass: fc.constantFrom('PPD', 'CCD'),
      entries: fc.array(
        fc.record({
          account: fc.stringMatching(/^\d{4,17}$/),
          cents: fc.bigInt({ min: 0n, max: 9_999_999_999n }),
          code: fc.constantFrom('22', '32', '27'),
          addenda: fc.array(fc.constant('REMITTANCE'), { maxLength: 1 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const shape = fc.record({ lineEnd: fc.constantFrom('\n', '\r\n'), padded: fc.boolean() });

  test('is read the same with any chunks, line ends and padding; every entry is one row, with its cents', async () => {
    await fc.assert(
      fc.asyncProperty(batches, shape, fc.integer({ min: 1, max: 300 }), async (all, options, size) => {
        const input = await read(nachaOf(all, options), CONTEXT, size);
        const entries = all.flatMap((batch, payment) => batch.entries.map((one) => ({ ...one, payment })));
        expect(input.findings.filter(({ rule }) => rule !== 'debit-entry')).toEqual([]);
        expect(input.rows.map(({ original }) => [original?.payment, original?.amount.replace('.', '')])).toEqual(
          entries.map(({ payment, cents }) => [payment, `${cents}`.padStart(3, '0')]),
        );
        expect(input.rows.map(({ unsound }) => unsound === true)).toEqual(entries.map(({ code }) => code === '27'));
        expect(input.rows.map(({ instruction }) => instruction.note)).toEqual(entries.map((one) => one.addenda[0]));
      }),
      { numRuns: 200 },
    );
  });
});

test('what a batch or an entry asks for and the bank cannot be told is a warning about its rows', async () => {
  const content = ppd({ code: '32' }, {}).replace(`PAYROLL${' '.repeat(9)}`, 'PAYROLL   SD1300');
  const { findings, warnings } = await read(content);
  expect(findings).toEqual([]);
  expect(
    warnings.map(({ row, column, value, message }) => [row, column, value, /for (.*);/.exec(message)?.[1]]),
  ).toEqual([
    [1, '54-63', 'PAYROLL', 'company entry description PAYROLL'],
    [1, '64-69', 'SD1300', 'company descriptive date SD1300, which asks for settlement on the same day'],
    [1, '2-3', '32', 'transaction code 32, which says that it is a savings account'],
    [2, '54-63', 'PAYROLL', 'company entry description PAYROLL'],
    [2, '64-69', 'SD1300', 'company descriptive date SD1300, which asks for settlement on the same day'],
  ]);
});
