import { expect, it } from 'vitest';
import { type CheckShown, checkText } from '../../src/reports/check-texts.ts';

const shown: CheckShown = {
  kind: 'verification',
  verdict: 'match',
  provider: 'checks.example',
  askedAt: Date.UTC(2026, 10, 23, 9, 30),
  name: null,
  otherName: null,
  caseId: null,
  why: null,
};

it.each<[Partial<CheckShown>, string]>([
  [{}, 'match (checks.example, 2026-11-23 09:30 UTC)'],
  [
    { verdict: 'close-match', name: 'Jane Roe', otherName: 'Jane Rowe', caseId: '7c1f' },
    'close match: the payee is "Jane Roe", the account is held under "Jane Rowe" (checks.example, 7c1f, 2026-11-23 09:30 UTC)',
  ],
  [
    { kind: 'screening', verdict: 'hit', caseId: 'case-19' },
    'found on a list (checks.example, case-19, 2026-11-23 09:30 UTC)',
  ],
  [{ verdict: 'not-available', why: 'HTTP 503' }, 'not available: HTTP 503 (checks.example, 2026-11-23 09:30 UTC)'],
])('a verdict says who gave it and when: %o', (more, text) => {
  expect(checkText({ ...shown, ...more })).toBe(text);
});
