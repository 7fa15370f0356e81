import { describe, expect, it } from 'vitest';
import { ABA_FIELDS } from '../../../src/files/aba/aba-fields.ts';
import type { RecordFields } from '../../../src/files/fixed-width/records.ts';
import { NACHA_FIELDS } from '../../../src/files/nacha/nacha-fields.ts';
import { RULES } from '../../../src/files/rules/rules.ts';

const FORMATS: readonly [name: string, records: Readonly<Record<string, RecordFields>>, width: number][] = [
  ['NACHA', NACHA_FIELDS, 94],
  ['ABA', ABA_FIELDS, 120],
];

describe.each(FORMATS)('the tables of %s', (_, records, width) => {
  it.each(Object.entries(records))(
    '%s: each of its columns is in one field, and each field in a column',
    (_record, fields) => {
      let next = 1;
      for (const { columns, name, carried, notCarried, refused } of Object.values(fields)) {
        expect([name, columns[0]]).toEqual([name, next]);
        next = columns[1] + 1;
        expect([name, Boolean(carried ?? notCarried ?? refused)]).toEqual([name, true]);
      }
      expect(next).toBe(width + 1);
    },
  );

  it('name rules that exist', () => {
    const named = Object.values(records)
      .flatMap((fields) => Object.values(fields))
      .flatMap(({ refused = '' }) => [...refused.matchAll(/`([^`]+)`/g)])
      .map(([, rule = '']) => rule);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((rule) => !Object.hasOwn(RULES, rule))).toEqual([]);
  });
});
