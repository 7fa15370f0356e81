import { describe, expect, it } from 'vitest';
import { gaps } from '../../scripts/docs-tables/gaps.ts';
import { CONFIG_KEYS } from '../../src/platform/config.ts';
import { documentText } from './markdown.ts';

it('docs/api-gaps.md has a row for every setting that replaces something not shown', () => {
  const text = documentText('docs/api-gaps.md');
  const keys = Object.entries(CONFIG_KEYS).flatMap(([name, { meaning }]) =>
    meaning.includes('(api-gaps)') ? [name] : [],
  );
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

const placed = (place: string): string | undefined =>
  gaps({ rows: [['gap', 'default', place, 'proof']], words: () => '' })[0]?.[2];

describe('the place of a gap', () => {
  it('has the default of a setting, and the file that declares a name', () => {
    expect(placed('`PAYOUTS_LIST_LAG` (`1h`), `PAYOUTS_AUTH_PREFIX`')).toBe(
      '`PAYOUTS_LIST_LAG` (`2m`), `PAYOUTS_AUTH_PREFIX`',
    );
    expect(placed('`mayResend` in `src/gone.ts`')).toBe('`mayResend` in `src/domain/submission.ts`');
  });

  it.each([['`PAYOUTS_GONE`'], ['`nothingLikeThis` in `src/domain/submission.ts`'], ['somewhere']])(
    'is not %s',
    (place) => {
      expect(() => placed(place)).toThrow(/^api gaps: /);
    },
  );

  it('is one of four cells, none of them empty', () => {
    expect(() => gaps({ rows: [['gap', '', '`PAYOUTS_LIST_LAG`', 'proof']], words: () => '' })).toThrow(/none empty/);
  });
});
