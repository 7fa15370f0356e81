import { expect, it } from 'vitest';
import type { Policy, Substitute } from '../../../src/domain/authority.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { takeDecision, verdictOn } from '../../../src/people/decisions/verdict.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, type SigningPerson, settingsUnder, signedBy, signingPerson } from '../../support/people.ts';

const alice = signingPerson('alice', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver'], { currencies: ['USD'] });
const carol = signingPerson('carol', ['approver'], { currencies: ['USD'] });
const dave = signingPerson('dave', ['operator']);
const ASKED = { question: 'payout', digest: 'paid', needed: 2 } as const;

const now = Date.now();
const substituteOf = (absent: SigningPerson, more: Partial<Substitute> = {}): Substitute => ({
  ...{ name: dave.name, for: absent.name, from: now - DAY_MS, until: now + DAY_MS },
  ...more,
});

/** A payout in USD of a maker, and what comes of signatures about it. */
async function asked(maker: SigningPerson, substitutes: readonly Substitute[]) {
  const store = await newStore();
  const policy = policyOf([alice, bob, carol, dave], { substitutes });
  await store.claimBatch({ ...batchClaim('batch', []), rows: [claimRow(1, 'doc')], by: maker.name, at: now });
  const [row = expect.fail('no row')] = await Array.fromAsync(store.rows('batch'));
  const authority = { store, settings: settingsUnder(policy), now: () => now };
  const about = { storeId: store.id, reference: row.reference, question: 'payout', digest: 'paid' } as const;
  const by = async (person: SigningPerson): Promise<string> => {
    const verdict = await takeDecision(
      authority,
      row,
      ASKED,
      signedBy(person, { ...about, signedAt: now, expiresAt: now + 600_000 }),
    );
    return verdict.verdict === 'refused' ? verdict.why : verdict.verdict;
  };
  return { store, authority, row, by };
}

it('a substitute decides within the roles and scope of who is away, who then does not count beside them', async () => {
  const { store, row, by } = await asked(alice, [substituteOf(bob)]);
  expect(await by(dave)).toBe('counted');
  expect(await by(dave)).toBe('this person has approved already');
  expect(await by(bob)).toBe('bob has approved already, or somebody in their place');
  expect(await by(carol)).toBe('approved');
  const audit = (await store.auditEntriesOf(row.reference)).filter(({ action }) => action === 'approve, signed');
  expect(audit.map(({ actor, detail }) => [actor, detail.for])).toEqual([
    ['dave', 'bob'],
    ['carol', undefined],
  ]);
});

it('a substitute decides nothing that who is away submitted, and nothing before or after the absence', async () => {
  const ofBob = await asked(bob, [substituteOf(bob)]);
  expect(await ofBob.by(dave)).toMatch(/maker may not approve/);
  for (const absence of [{ from: now + 1 }, { until: now }]) {
    const { by } = await asked(alice, [substituteOf(bob, absence)]);
    expect(await by(dave)).toBe('this needs the role "approver"');
  }
});

it('a substitute of two of whom one is the maker decides for the other', async () => {
  const { by } = await asked(bob, [substituteOf(bob), substituteOf(carol)]);
  expect(await by(dave)).toBe('counted');
  expect(await by(carol)).toMatch(/^carol has approved already/);
});

it('what a substitute signed in time counts afterwards, and not without the entry', async () => {
  const { authority, row, by } = await asked(alice, [substituteOf(bob)]);
  expect(await by(dave)).toBe('counted');
  const later = { ...authority, now: () => now + 300_000 };
  const under = (substitutes: readonly Substitute[]) =>
    verdictOn(
      { ...later, settings: settingsUnder({ ...(authority.settings.policy as Policy), substitutes }) },
      row,
      ASKED,
    );
  expect(await under([substituteOf(bob, { until: now + 1 })])).toMatchObject({ awaited: { approvedBy: ['dave'] } });
  expect(await under([])).toMatchObject({ awaited: { approvedBy: [] } });
});

it('a signature of a day of one absence counts for nobody on a day of another, of the maker', async () => {
  const { store, authority, row } = await asked(alice, [
    substituteOf(bob, { from: now - 2 * DAY_MS, until: now - DAY_MS }),
    substituteOf(alice, { from: now - DAY_MS }),
  ]);
  const signedAt = now - DAY_MS - 1;
  const about = { storeId: store.id, reference: row.reference, question: 'payout', digest: 'paid' } as const;
  const verdict = await takeDecision(
    authority,
    row,
    ASKED,
    signedBy(dave, { ...about, signedAt, expiresAt: now + 600_000 }),
  );
  expect(verdict.verdict).toBe('refused');
  expect(await verdictOn(authority, row, ASKED)).toMatchObject({ awaited: { approvedBy: [] } });
});
