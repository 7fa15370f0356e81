import { describe, expect, it } from 'vitest';
import { RESOLVE_ACTIONS } from '../../src/domain/payout-state.ts';
import { PAYOUT_REASONS } from '../../src/domain/reasons/payout-reasons.ts';
import { SEARCHED_IN_VAIN } from '../../src/domain/reasons.ts';
import type { Remedy } from '../../src/domain/remedy.ts';
import { cellsOf, code, documentText, tableRows } from './markdown.ts';

const operations = documentText('docs/operations.md');

describe('docs/operations.md', () => {
  it('allows every action that people are asked to take about a payout that needs an operator', () => {
    let above = '';
    const allowed = new Map<string, string>();
    for (const [reason = '', , actions = ''] of tableRows(operations, 'needs-operator').map(cellsOf)) {
      above = actions.startsWith('as above') ? above + actions : actions.replace(/^any: /, RESOLVE_ACTIONS.join());
      allowed.set(reason, above);
    }
    const reasons = { ...PAYOUT_REASONS, 'outcome-unknown': SEARCHED_IN_VAIN };
    const reported = Object.entries<Remedy>(reasons).filter(([, { who }]) => who === 'operator');
    const refused = reported.flatMap(([reason, { todo }]) =>
      [...todo.matchAll(/ --action ([\w-]+)/g)].flatMap(([, action = '']) =>
        allowed.get(code(reason))?.includes(action) === true ? [] : [`${reason}: ${action}`],
      ),
    );
    expect(refused).toEqual([]);
  });
});
