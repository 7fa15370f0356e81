import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MESSAGES, SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { needsAttention, PAYOUT_STATES, visibleState } from '../../src/domain/payout-state.ts';
import { PAYOUT_REASONS } from '../../src/domain/reasons/payout-reasons.ts';
import { type ReasonCode, SEARCHED_IN_VAIN } from '../../src/domain/reasons.ts';
import { INCIDENTS } from '../../src/domain/reconciliation.ts';
import type { Actor, Remedy } from '../../src/domain/remedy.ts';
import { RESOLVE_ACTIONS } from '../../src/domain/resolve-action.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { SENTINELS } from '../../src/sandbox/bank/sentinels.ts';
import { cellsOf, code, documentText, rowOf, tableRows } from './markdown.ts';

const HELD_BY: ReadonlySet<string> = new Set<Actor>(['approver', 'compliance']);
/** The first two are no holds; the third is in docs/cards.md. */
const NOT_HELD: ReadonlySet<string> = new Set<ReasonCode>([
  'approval-required',
  'bank-approval-required',
  'card-payment-contradicted',
]);

const operations = documentText('docs/operations.md');

/** "`a`, `b` or `c`: " of a setting that is one of these words. */
const oneOf = (schema: z.ZodType): string =>
  schema instanceof z.ZodEnum
    ? `${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(schema.options.map((word) => code(String(word))))}: `
    : '';

describe('docs/operations.md', () => {
  it('has every setting with its default, its values where there are a few, and its meaning', () => {
    const shown = (value: string | null): string => (value === null ? 'none' : value === '' ? 'empty' : code(value));
    const expected = Object.entries(CONFIG_KEYS).map(([name, key]) =>
      rowOf(code(name), shown(key.default), `${oneOf(key.schema)}${key.meaning}`),
    );
    expect(tableRows(operations, 'Environment')).toEqual(expected);
  });

  it('says of every state what a list shows and whether people must act', () => {
    const expected = PAYOUT_STATES.map((state) => [
      code(state),
      code(visibleState(state)),
      needsAttention(state) ? 'yes' : 'no',
    ]);
    expect(tableRows(operations, 'States').map((row) => cellsOf(row).slice(0, 3))).toEqual(expected);
  });

  it('has every kind of incident with the sentence people read', () => {
    const expected = Object.entries(INCIDENTS).map(([kind, { says }]) => [code(kind), says]);
    expect(tableRows(operations, 'Incidents').map((row) => cellsOf(row).slice(0, 2))).toEqual(expected);
  });

  it('says of every hold what people do, and whether an approval accepts it or only checks again', () => {
    const holds = Object.entries<Remedy>(PAYOUT_REASONS).filter(
      ([code, { who }]) => HELD_BY.has(who) && !NOT_HELD.has(code),
    );
    const expected = holds.map(([name, { approvalOnlyLooks }]) => [code(name), approvalOnlyLooks === true]);
    const rows = tableRows(operations, 'held').map(cellsOf);
    const listed = rows.flatMap(([codes = '', , approve = '']) =>
      codes.split(', ').map((each) => [each, approve.startsWith('checks again')]),
    );
    expect(listed.sort()).toEqual(expected.sort());
  });

  it('allows every action that people are told to take about a payout that needs an operator', () => {
    let above = '';
    const allowed = new Map<string, string>();
    for (const [reason = '', , actions = ''] of tableRows(operations, 'needs-operator').map(cellsOf)) {
      above = actions.startsWith('as above') ? above + actions : actions.replace(/^any: /, RESOLVE_ACTIONS.join());
      allowed.set(reason, above);
    }
    const reasons = { ...PAYOUT_REASONS, 'outcome-unknown': SEARCHED_IN_VAIN };
    const told = Object.entries<Remedy>(reasons).filter(([, { who }]) => who === 'operator');
    const refused = told.flatMap(([reason, { todo }]) =>
      [...todo.matchAll(/ --action ([\w-]+)/g)].flatMap(([, action = '']) =>
        allowed.get(code(reason))?.includes(action) === true ? [] : [`${reason}: ${action}`],
      ),
    );
    expect(refused).toEqual([]);
  });

  it('has every note that makes the sandbox misbehave', () => {
    const expected = Object.entries(SENTINELS).map(([note, { says }]) => rowOf(code(note), says));
    expect(tableRows(operations, 'Notes that the sandbox obeys')).toEqual(expected);
  });
});

describe.each([['README.md'], ['docs/operations.md'], ['docs/guarantees.md']])('%s', (name) => {
  const text = documentText(name);

  it('names search attributes, messages and settings that exist', () => {
    const attributes = [...text.matchAll(/\bPayout[A-Z]\w+/g)].map(([name]) => name);
    expect(attributes.filter((name) => !Object.hasOwn(SEARCH_ATTRIBUTES, name))).toEqual([]);
    const messages = [...text.matchAll(/--(?:name|type) (?!payout\b)(\w+)/g)].map(([, name]) => name);
    const known = new Set<string | undefined>(Object.values(MESSAGES));
    expect(messages.filter((name) => !known.has(name))).toEqual([]);
    const keys = new Set(Object.keys(CONFIG_KEYS));
    const settings = [...text.matchAll(/\bPAYOUTS_[A-Z_]*[A-Z]\b/g)].map(([name]) => name.replace(/_FILE$/, ''));
    expect(settings.filter((name) => !keys.has(name) && !/^PAYOUTS_(?:CONTRACT|TEST)_/.test(name))).toEqual([]);
  });
});
