import { describe, expect, it } from 'vitest';
import { REASONS } from '../../src/domain/reasons.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { cellsOf, documentText, tableRows } from './markdown.ts';

const text = documentText('docs/cards.md');

describe('docs/cards.md', () => {
  it('names reasons and settings that exist', () => {
    const reasons = tableRows(text, 'When people must act').flatMap((row) =>
      [...(cellsOf(row)[0] ?? '').matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, code = '']) => code),
    );
    expect(reasons.filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
    const known = new Set(Object.keys(CONFIG_KEYS));
    const settings = [...text.matchAll(/\bPAYOUTS_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    expect(settings.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});
