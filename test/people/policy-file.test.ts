import { describe, expect, it } from 'vitest';
import { personAt } from '../../src/domain/authority.ts';
import { areLookAlikes } from '../../src/people/payee-flags.ts';
import { parsePolicy } from '../../src/people/policy-file.ts';
import { newKey } from '../../src/people/signing/signing.ts';
import { softwarePasskey } from '../support/software-passkey.ts';

const person = (name: string, roles: string[], keys = [newKey().publicKey]) => ({ name, roles, scope: {}, keys });

const POLICY = {
  version: 1,
  people: [person('alice', ['maker']), person('bob', ['approver']), person('carol', ['approver', 'operator'])],
  approvals: [{ currency: 'EUR', amountAtLeast: '1000', approvals: 2 }],
  limits: [{ per: 'day', currency: 'EUR', amount: '100000' }],
};

const awayWith = (more: object): object => ({
  ...POLICY,
  substitutes: [{ name: 'carol', for: 'bob', from: '2027-03-01', until: '2027-03-14', ...more }],
});

const problemsOf = (policy: unknown): string[] => {
  const read = parsePolicy(JSON.stringify(policy));
  return 'problems' in read ? read.problems : [];
};

describe('a policy file', () => {
  it('says who may do what, and is known by its hash', () => {
    const read = parsePolicy(JSON.stringify(POLICY));
    if ('problems' in read) throw new Error(read.problems.join());
    const { policy } = read;
    expect(policy.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(policy.people.map(({ name }) => name)).toEqual(['alice', 'bob', 'carol']);
    expect(policy.approvalTtlMs).toBe(72 * 3_600_000);
    expect(policy.approvals).toEqual([
      { currency: 'EUR', amountAtLeast: '1000', approvals: 2, where: 'before-submit' },
    ]);
  });

  it('says who stands in for whom, to the end of the last day', () => {
    const read = parsePolicy(JSON.stringify(awayWith({})));
    if ('problems' in read) throw new Error(read.problems.join());
    const standIns = (at: string) =>
      personAt(read.policy, 'carol', Date.parse(at))?.substitutesFor?.map(({ name }) => name);
    expect(
      ['2027-02-28T23:59:59Z', '2027-03-01T00:00:00Z', '2027-03-14T23:59:59Z', '2027-03-15T00:00:00Z'].map(standIns),
    ).toEqual([undefined, ['bob'], ['bob'], undefined]);
    expect(personAt(read.policy, 'bob', Date.parse('2027-03-02'))?.substitutesFor).toBeUndefined();
  });

  it('says of which kinds a scope, a rule and a limit are; one that says none is of every kind', () => {
    const read = parsePolicy(
      JSON.stringify({
        ...POLICY,
        people: [{ ...person('alice', ['maker']), scope: { kinds: ['payout'] } }, ...POLICY.people.slice(1)],
        approvals: [{ kinds: ['transfer', 'exchange'], approvals: 2 }],
        limits: [{ kinds: ['exchange'], per: 'day', currency: 'EUR', amount: '5' }, POLICY.limits[0]],
      }),
    );
    if ('problems' in read) throw new Error(read.problems.join());
    const { people, approvals, limits } = read.policy;
    expect(people.map(({ scope }) => scope)).toEqual([{ kinds: ['payout'] }, {}, {}]);
    expect(approvals).toEqual([{ kinds: ['transfer', 'exchange'], approvals: 2, where: 'before-submit' }]);
    expect(limits).toEqual([{ kinds: ['exchange'], per: 'day', currency: 'EUR', amount: '5' }, POLICY.limits[0]]);
  });

  it.each<[string, unknown, string]>([
    [
      'a substitute whom nobody knows',
      awayWith({ name: 'dora' }),
      'substitutes.0: names somebody who is not among people',
    ],
    ['a substitute of themselves', awayWith({ name: 'bob' }), 'substitutes.0: names one person twice'],
    [
      'a substitute without a key',
      {
        ...awayWith({}),
        people: [person('alice', ['maker']), person('bob', ['approver']), person('carol', ['auditor'], [])],
        approvals: [],
      },
      'substitutes.0: carol has no key, and cannot decide',
    ],
    [
      'a substitute of somebody who decides nothing',
      awayWith({ for: 'alice' }),
      'substitutes.0: alice decides nothing: only an approver or compliance has a substitute',
    ],
    [
      'an absence that ends before it begins',
      awayWith({ until: '2027-02-28' }),
      'substitutes.0: ends before it begins',
    ],
    ['another version', { ...POLICY, version: 2 }, 'version: must be 1, the only version'],
    ['a member that is not known', { ...POLICY, approvers: [] }, 'the whole: Unrecognized key: "approvers"'],
    [
      'a role that is not known',
      { ...POLICY, people: [{ ...person('alice', ['boss']) }] },
      'people.0.roles.0: Invalid option: expected one of "maker"|"approver"|"compliance"|"operator"|"auditor"',
    ],
    [
      'an amount that is a number',
      { ...POLICY, limits: [{ per: 'day', currency: 'EUR', amount: 100 }] },
      'limits.0.amount: Invalid input: expected string, received number',
    ],
    [
      'a kind that is not known',
      { ...POLICY, approvals: [{ kinds: ['loan'], approvals: 1 }] },
      'approvals.0.kinds.0: Invalid option: expected one of "payout"|"transfer"|"exchange"',
    ],
    [
      'a rule of no kind',
      { ...POLICY, limits: [{ ...POLICY.limits[0], kinds: [] }] },
      'limits.0.kinds: is empty; leave it out for payout, transfer, exchange',
    ],
    [
      'a rule that nobody can meet',
      { ...POLICY, approvals: [{ approvals: 3 }] },
      'approvals.0.approvals: requires 3 people, but only 2 can approve with a key',
    ],
    [
      'a rule for whom nobody has a key',
      {
        ...POLICY,
        people: POLICY.people.map(({ name, roles, scope }) => ({ name, roles, scope })),
        approvals: [{ approvals: 1 }],
      },
      'approvals.0.approvals: requires 1 person, but nobody can approve with a key',
    ],
    [
      'a rule about a kind that too few may approve',
      {
        ...POLICY,
        people: [...POLICY.people.slice(0, 2), { ...person('carol', ['approver']), scope: { kinds: ['payout'] } }],
        approvals: [
          { kinds: ['payout'], approvals: 2 },
          { kinds: ['payout', 'exchange'], approvals: 2 },
        ],
      },
      'approvals.1.approvals: requires 2 people, but only 1 can approve with a key',
    ],
  ])('is refused for %s', (_what, policy, problem) => {
    expect(problemsOf(policy)).toContain(problem);
  });

  it.each([
    ['a Cyrillic letter', 'аlice'],
    ['a zero-width letter', 'ali\u200bce'],
    ['a soft hyphen', 'ali\u00adce'],
    ['a joiner', 'ali\u2060ce'],
    ['another case', 'ALICE'],
    ['full width', 'ａｌｉｃｅ'],
    ['a digit for a letter', 'a1ice'],
    ['a capital that looks like a small letter', 'aIice'],
  ])('is refused when two names are distinguished by %s only', (_what, name) => {
    const problems = problemsOf({ ...POLICY, people: [...POLICY.people, person(name, ['approver'])] });
    expect(problems).not.toEqual([]);
    expect(areLookAlikes(name, 'alice')).toBe(true);
  });

  it('takes two blanks for one', () => {
    expect(areLookAlikes('bob  smith', 'Bob Smith')).toBe(true);
    expect(areLookAlikes('bob smith', 'bob smyth')).toBe(false);
  });

  it('is refused when it names a member twice: of two lists of roles none is guessed', () => {
    const text = JSON.stringify(POLICY).replace('"roles":', '"roles":["maker"],"roles":');
    expect(parsePolicy(text)).toEqual({ problems: ['the file is not JSON: a member is named twice'] });
    const broken = parsePolicy('{"people":');
    expect('problems' in broken && broken.problems[0]).toMatch(/^the file is not JSON: Unexpected end/);
  });

  it('is refused when two people share a key', () => {
    const [, bob] = POLICY.people;
    const problems = problemsOf({ ...POLICY, people: [...POLICY.people, person('dave', ['approver'], bob?.keys)] });
    expect(problems).toEqual([
      'people.3.keys: has a key, token or identity that people.1 has too; each belongs to one person',
    ]);
  });

  const passkey = softwarePasskey().credential;
  const withPasskey = (more: object, { id, publicKey } = passkey) => ({
    ...POLICY,
    people: [...POLICY.people, { ...person('erin', ['approver'], []), passkeys: [{ id, publicKey }] }],
    ...more,
  });

  it('is refused when two people share a passkey, under any id', () => {
    const twice = (id: string) => {
      const { people, ...rest } = withPasskey({ origin: 'https://payouts.example.com' });
      const frank = { ...person('frank', ['approver'], []), passkeys: [{ id, publicKey: passkey.publicKey }] };
      return problemsOf({ ...rest, people: [...people, frank] });
    };
    const shared = ['people.4.keys: has a key, token or identity that people.3 has too; each belongs to one person'];
    expect([twice(passkey.id), twice('AAAAAAAAAAAAAAAAAAAAAA')]).toEqual([shared, shared]);
  });

  it('knows people by what a provider calls them, each by another name, and no program', () => {
    const origin = 'https://payouts.example.com';
    const named = (name: string, more: object) => ({ ...person(name, ['maker'], []), ...more });
    const withPeople = (...more: object[]) => {
      const { people, ...rest } = withPasskey({ origin });
      return { ...rest, people: [...people, ...more] };
    };
    const zoe = named('zoe', { identities: ['0a1b'] });
    const read = parsePolicy(JSON.stringify(withPeople(zoe)));
    if ('problems' in read) throw new Error(read.problems.join());
    expect(read.policy.people.at(-1)?.identities).toEqual(['0a1b']);
    expect(problemsOf(withPeople(zoe, named('quentin', { identities: ['0a1b'] })))).toEqual([
      'people.5.keys: has a key, token or identity that people.4 has too; each belongs to one person',
    ]);
    expect(problemsOf(withPeople({ ...zoe, unsigned: true }))).toEqual([
      'people.4.identities: are set together with unsigned, which is for programs; give people a name of their own',
    ]);
  });

  it('lets groups read only, within a scope, on the pages of an origin', () => {
    const readers = [{ group: 'treasury', scope: { currencies: ['EUR'] } }];
    const read = parsePolicy(JSON.stringify(withPasskey({ origin: 'https://payouts.example.com', readers })));
    if ('problems' in read) throw new Error(read.problems.join());
    expect(read.policy.readers).toEqual(readers);
    expect(problemsOf({ ...withPasskey({ origin: 'https://a.example' }), readers: [{ group: 'g' }] })[0]).toMatch(
      /^readers\.0\.scope: /,
    );
    const acting = { group: 'g', scope: {}, roles: ['approver'] };
    expect(problemsOf({ ...withPasskey({ origin: 'https://a.example' }), readers: [acting] })[0]).toMatch(/roles/);
  });

  it('knows people by passkeys, for the pages of one origin', () => {
    const read = parsePolicy(JSON.stringify(withPasskey({ origin: 'https://payouts.example.com' })));
    if ('problems' in read) throw new Error(read.problems.join());
    expect(read.policy.origin).toBe('https://payouts.example.com');
    expect(read.policy.people[3]?.credentials).toEqual([passkey]);
    expect(problemsOf(withPasskey({}))).toEqual([
      'origin: is missing, but people.3 signs in to the pages; set it to the address of the pages',
    ]);
  });

  it.each([
    'http://payouts.example.com',
    'https://payouts.example.com/pages',
    'https://payouts.example.com/',
    'https://192.0.2.1',
    'http://[::1]:8080',
    'payouts.example.com',
  ])('is refused with the origin %s', (origin) => {
    expect(problemsOf({ ...POLICY, origin })).toHaveLength(1);
  });

  it('takes the origin of a trial on this machine', () => {
    expect(problemsOf({ ...POLICY, origin: 'http://localhost:8080' })).toEqual([]);
  });

  it('is refused with a passkey that is none', () => {
    const none = { ...passkey, publicKey: newKey().publicKey.replace(/[+/=]/g, 'A') };
    expect(problemsOf(withPasskey({ origin: 'https://payouts.example.com' }, none))).toEqual([
      'people.3.passkeys.0.publicKey: is not a public key as the page /passkey shows it',
    ]);
  });
});
