import { describe, expect, it } from 'vitest';
import { REASONS } from '../../src/domain/reasons.ts';
import { cellsOf, documentText, tableRows } from './markdown.ts';

const text = documentText('docs/cards.md');

describe('docs/cards.md', () => {
  it('names reasons that exist', () => {
    const reasons = tableRows(text, 'When people must act').flatMap((row) =>
      [...(cellsOf(row)[0] ?? '').matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, code = '']) => code),
    );
    expect(reasons.filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
  });
});
