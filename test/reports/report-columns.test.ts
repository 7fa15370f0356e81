import { expect, test } from 'vitest';
import { INSTRUCTION_FIELDS } from '../../src/domain/instruction.ts';
import { COLUMNS, PAGE_COLUMNS } from '../../src/reports/report-columns.ts';
import { paidThroughAnExchange, record, reportOf } from './records.ts';

const PAYEE_DETAILS = [
  'account_name',
  'first_name',
  'last_name',
  'company_name',
  'mobile',
  'iban_no',
  'account_no',
  'bsb',
];

/** Lists of the JSON, and the columns that say the same in words. */
const IN_WORDS: Readonly<Record<string, readonly string[]>> = {
  approvals: ['approved_by', 'approved_at'],
  returns: ['returned'],
  incidents: ['incidents'],
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `{a: {bC: 1}}` -> `[['a_b_c', 1]]` */
function leaves(value: object, prefix = ''): [column: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, inside]): [string, unknown][] => {
    const column = `${prefix}${snake(name)}`;
    if (Array.isArray(inside)) return (IN_WORDS[column] ?? [column]).map((it) => [it, inside]);
    return inside !== null && typeof inside === 'object' ? leaves(inside, `${column}_`) : [[column, inside]];
  });
}

test('are those of the JSON, which has the same content', async () => {
  const { rows, facts } = paidThroughAnExchange('held');
  const [payout] = (await reportOf(rows, { facts })).payouts;
  if (payout === undefined) throw new Error('no payout');
  const json = new Map(leaves(payout));
  expect([...json.keys()].sort()).toEqual(COLUMNS.map(({ name }) => name).sort());
  const inWords = new Set(Object.values(IN_WORDS).flat());
  for (const { name, of } of COLUMNS)
    if (!inWords.has(name)) expect([name, of(payout)]).toEqual([name, json.get(name)]);
});

test('each has a name of its own and says what it means', () => {
  expect(new Set(COLUMNS.map(({ name }) => name)).size).toBe(COLUMNS.length);
  for (const { name, meaning } of COLUMNS) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/^[A-Z]/);
  }
});

test('show nothing personal of a row when it is masked, in any column', async () => {
  const known = ['id', 'uid', 'amount', 'currency', 'beneficiary_id', 'execute_on'];
  const personal = [...INSTRUCTION_FIELDS.filter((name) => !known.includes(name)), ...PAYEE_DETAILS];
  const marks = Object.fromEntries(personal.map((name) => [name, `Mark of ${name} 12345678`]));
  const { instruction, ...row } = record(1, 'completed');
  const rows = [{ ...row, instruction: { ...instruction, ...marks } }];
  const shownOf = async (isMasked: boolean): Promise<string> => {
    const [payout] = (await reportOf(rows, { isMasked })).payouts;
    return COLUMNS.map(({ of, page }) => payout && [of(payout), page?.text?.(payout)]).join('\n');
  };
  expect(await shownOf(false)).toContain(marks.company_name);
  const shown = await shownOf(true);
  expect(Object.values(marks).filter((mark) => shown.includes(mark))).toEqual([]);
});

test('fill every column of the page', () => {
  expect(new Set(COLUMNS.flatMap(({ page }) => page?.under ?? []))).toEqual(new Set(PAGE_COLUMNS));
});
