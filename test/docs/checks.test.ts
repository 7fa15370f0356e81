import { expect, it } from 'vitest';
import { CHECK_KINDS, objectionOf } from '../../src/domain/payee-check.ts';
import { questionOfHold } from '../../src/domain/reasons.ts';
import { LAST_WORDS } from '../../src/sandbox/checks/verdicts.ts';
import { cellsOf, code, documentText, rowOf, tableRows } from './markdown.ts';

const text = documentText('docs/checks.md');

const VERDICTS = {
  verification: ['match', 'close-match', 'no-match', 'not-available'],
  screening: ['clear', 'hit', 'not-available'],
} as const;

it('docs/checks.md has every verdict with what it is held for and whose role lets it through', () => {
  const expected = CHECK_KINDS.flatMap((kind) =>
    VERDICTS[kind].map((verdict) => {
      const reason = objectionOf({ kind, verdict });
      const role = reason !== undefined && questionOfHold({ code: reason, message: '' }) === 'screening';
      return [kind, code(verdict), reason === undefined ? '' : code(reason), role];
    }),
  );
  const rows = tableRows(text, 'Checks of payees').map(cellsOf);
  const shown = rows.map(([kind, verdict, reason, who]) => [
    kind,
    verdict,
    reason,
    who?.includes('compliance') === true,
  ]);
  expect(shown).toEqual(expected);
});

it('docs/checks.md has every last word that the sandbox obeys', () => {
  const expected = Object.entries(LAST_WORDS).map(([word, { says }]) => rowOf(code(word), says));
  expect(tableRows(text, 'In the sandbox')).toEqual(expected);
});
