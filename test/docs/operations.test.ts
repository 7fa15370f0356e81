import { describe, expect, it } from 'vitest';
import { MESSAGES, SEARCH_ATTRIBUTES } from '../../src/domain/names.ts';
import { PAYOUT_REASONS } from '../../src/domain/reasons/payout-reasons.ts';
import { SEARCHED_IN_VAIN } from '../../src/domain/reasons.ts';
import type { Remedy } from '../../src/domain/remedy.ts';
import { RESOLVE_ACTIONS } from '../../src/domain/resolve-action.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { cellsOf, code, documentText, tableRows } from './markdown.ts';

const operations = documentText('docs/operations.md');

describe('docs/operations.md', () => {
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
});

describe.each([['README.md'], ['docs/operations.md'], ['docs/configuration.md'], ['docs/guarantees.md']])(
  '%s',
  (name) => {
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
  },
);
