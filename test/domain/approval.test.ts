import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AwaitedApproval, consider, holdDigest, isSamePerson, refusalOf } from '../../src/domain/authority.ts';

const awaited = (over: Partial<AwaitedApproval> = {}): AwaitedApproval => ({
  kind: 'payout',
  digest: 'd1',
  needed: 2,
  maker: 'maker',
  expiresAt: 1_000,
  approvedBy: [],
  ...over,
});

describe('an approval before submit', () => {
  it('is given only by as many distinct people as asked for, never by the maker', () => {
    const people = fc.constantFrom('maker', 'ann', 'bob', 'eve', '');
    fc.assert(
      fc.property(fc.array(people, { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), (votes, needed) => {
        let current: AwaitedApproval | undefined = awaited({ needed });
        const counted = new Set<string>();
        for (const by of votes) {
          if (current === undefined) break;
          const verdict = consider(current, { decision: 'approve', by }, 0);
          if (verdict.verdict !== 'refused') counted.add(by);
          if (verdict.verdict === 'counted') current = verdict.awaited;
          if (verdict.verdict === 'approved') current = undefined;
        }
        expect(counted.has('maker')).toBe(false);
        expect(counted.has('')).toBe(false);
        expect(current === undefined).toBe(counted.size >= needed);
      }),
    );
  });

  it('counts nobody twice who stands in for others, in whoever’s name, and nothing in the name of the maker', () => {
    const people = ['maker', 'ann', 'bob', 'eve'];
    const vote = fc.record({
      by: fc.constantFrom(...people),
      for: fc.option(fc.constantFrom(...people), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 12 }), (votes) => {
        let current = awaited({ needed: 9 });
        const counted: string[] = [];
        for (const { by, for: absent } of votes) {
          const verdict = consider(
            current,
            { decision: 'approve', by, ...(absent !== by && absent && { for: absent }) },
            0,
          );
          if (verdict.verdict !== 'counted') continue;
          counted.push(...new Set([by, absent ?? by]));
          current = verdict.awaited;
        }
        expect(new Set(counted).size).toBe(counted.length);
        expect(counted).not.toContain('maker');
      }),
    );
  });

  it('cannot be given when the maker is unknown', () => {
    expect(refusalOf(awaited({ maker: undefined }), { decision: 'approve', by: 'ann' }, 0)).toMatch(/maker is unknown/);
  });

  it('is not given by what was said about a hold of the same payout', () => {
    const digest = holdDigest('d1', 'switched-off');
    expect(refusalOf(awaited({ kind: 'hold', digest }), { decision: 'approve', by: 'ann', digest }, 0)).toBeUndefined();
    expect(refusalOf(awaited(), { decision: 'approve', by: 'ann', digest }, 0)).toMatch(/digest/);
  });

  it('is refused after it expired, for another digest, and when nothing is awaited', () => {
    expect(refusalOf(awaited(), { decision: 'approve', by: 'ann' }, 1_000)).toMatch(/expired/);
    expect(refusalOf(awaited(), { decision: 'approve', by: 'ann', digest: 'd2' }, 0)).toMatch(/digest/);
    expect(refusalOf(undefined, { decision: 'approve', by: 'ann' }, 0)).toMatch(/no approval/);
  });

  it('is not given by the maker, nor twice by one person, in another spelling', () => {
    for (const by of ['Maker', ' maker ', 'ｍａｋｅｒ']) {
      expect(refusalOf(awaited(), { decision: 'approve', by }, 0)).toMatch(/maker may not/);
    }
    const once = awaited({ approvedBy: ['ann'] });
    expect(refusalOf(once, { decision: 'approve', by: 'ANN ' }, 0)).toMatch(/approved already/);
  });

  it('is not counted twice for the same person', () => {
    const once = consider(awaited(), { decision: 'approve', by: 'ann' }, 0);
    if (once.verdict !== 'counted') throw new Error('expected the first vote to count');
    expect(consider(once.awaited, { decision: 'approve', by: 'ann' }, 0).verdict).toBe('refused');
  });
});

it('of a name that cannot be stored does not count, nor with such a remark', () => {
  expect(consider(awaited(), { decision: 'approve', by: 'a\0nn' }, 0).verdict).toBe('refused');
  expect(consider(awaited(), { decision: 'reject', by: 'ann', remark: 'wrong\0' }, 0).verdict).toBe('refused');
});

describe('a rejection', () => {
  it('needs a remark and one person', () => {
    expect(consider(awaited(), { decision: 'reject', by: 'ann' }, 0).verdict).toBe('refused');
    expect(consider(awaited(), { decision: 'reject', by: 'ann', remark: 'wrong' }, 0)).toEqual({
      verdict: 'rejected',
      by: 'ann',
      remark: 'wrong',
    });
  });
});

describe('the approval of a bank order', () => {
  it('takes one named person where no maker is known', () => {
    const bank = awaited({ kind: 'bank', needed: 1, maker: undefined });
    expect(consider(bank, { decision: 'approve', by: 'ann' }, 0).verdict).toBe('approved');
    expect(consider(bank, { decision: 'approve', by: ' ' }, 0).verdict).toBe('refused');
  });
});

describe('a name', () => {
  it.each([
    ['case', 'ANN lee'],
    ['width', 'ａｎｎ lee'],
    ['blanks', ' ann  lee '],
    ['a letter without a width', 'an\u200bn lee'],
    ['a soft hyphen', 'an\u00adn lee'],
    ['a joiner', 'an\u2060n lee'],
  ])('is the same in spite of %s', (_what, name) => {
    expect(isSamePerson('ann lee', name)).toBe(true);
  });

  it('is another one with another letter', () => {
    expect(isSamePerson('ann lee', 'ann leo')).toBe(false);
  });
});
