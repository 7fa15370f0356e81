import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inMarkdown } from '../../src/domain/text.ts';

it.each([
  ['USD 10.00 of 2026-03-31', 'USD 10.00 of 2026-03-31'],
  ['INV-4711', 'INV-4711'],
  ['[approve here](https://evil.example)', '`[approve here](https://evil.example)`'],
  ['![x](//evil.example/x.png)', '`![x](//evil.example/x.png)`'],
  ['www.evil.example', '`www.evil.example`'],
  ['alice@evil.example', '`alice@evil.example`'],
  ['<a href=x>', '`<a href=x>`'],
  ['a|b', '`a\\|b`'],
  ['a\\|[b](c)', '`a\u2216\\|[b](c)`'],
  ['a`[b](c)', '``a`[b](c)``'],
  ['`', '`` ` ``'],
  ['*', '`*`'],
  ['a\n| state | completed |', '`a\ufffd\\| state \\| completed \\|`'],
  ['a\u202eb', 'a\ufffdb'],
  ['Zoë', 'Zoë'],
])('%j is shown as %j', (text, shown) => {
  expect(inMarkdown(text)).toBe(shown);
});

it('leaves nothing that means something in Markdown outside a code span, nor a bar that ends a cell', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...'`|\\[]()<>!*_~#&@/.:\n\r '), fc.string({ maxLength: 1, minLength: 1 })),
  });
  fc.assert(
    fc.property(text, (given) => {
      const shown = inMarkdown(given);
      expect(shown).not.toMatch(/(?<!\\)\|/);
      expect(shown).not.toMatch(/[\r\n]/);
      const [, fence = '', within = ''] = /^(`+)(.*?)\1$/s.exec(shown) ?? [];
      if (fence === '') expect(shown).toMatch(/^[^`|\\[\]<>!*_~#&@/\n]*$/);
      // A code span ends at the first run of as many backticks as it begins with (CommonMark 6.1).
      else expect(within.match(/`+/g) ?? []).not.toContain(fence);
    }),
  );
});
