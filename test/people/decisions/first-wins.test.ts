import { expect, it } from 'vitest';
import { takeDecision, verdictOn } from '../../../src/people/decisions/verdict.ts';
import { Random } from '../../simulation/random.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { onEveryStore } from '../../store/stores.ts';
import { policyOf, settingsUnder, signedBy, signingPerson } from '../../support/people.ts';

/** `INTERLEAVED=1000` tries so many. */
const INTERLEAVED = Number(process.env.INTERLEAVED ?? 200);

const [bob, carol, dave] = ['bob', 'carol', 'dave'].map((name) => signingPerson(name, ['approver'])) as [
  ReturnType<typeof signingPerson>,
  ReturnType<typeof signingPerson>,
  ReturnType<typeof signingPerson>,
];
const POLICY = policyOf([bob, carol, dave]);

/** Order of a list, drawn. */
const shuffled = <Item>(items: readonly Item[], random: Random): Item[] =>
  items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

onEveryStore('a store', (place) => {
  it(`of decisions in the same moment the first valid one wins, and nobody receives another verdict (${INTERLEAVED} times)`, {
    timeout: 900_000,
  }, async () => {
    // Each decision comes through a process of its own.
    const [store, ...others] = [await place.open(), await place.open(), await place.open()] as const;
    const stores = [store, ...others];
    const rows = Array.from({ length: INTERLEAVED }, (_, n) => claimRow(n + 1, `doc-${n + 1}`, {}));
    await store.claimBatch({ ...batchClaim('batch', []), rows, at: Date.now() });
    const authorities = stores.map((each) => ({ store: each, settings: settingsUnder(POLICY), now: Date.now }));
    const [authority] = authorities as [(typeof authorities)[0]];
    const random = new Random(20_261_122);
    const ends = new Map<string, number>();
    for await (const row of store.rows('batch')) {
      const asked = { question: 'payout', digest: 'paid', needed: random.between(1, 2) } as const;
      const about = { storeId: store.id, reference: row.reference, question: 'payout', digest: 'paid' } as const;
      const decisions = shuffled(
        [
          signedBy(bob, about),
          signedBy(carol, about),
          signedBy(dave, { ...about, decision: 'reject', remark: 'not ours' }),
          signedBy(carol, { ...about, decision: 'reject', remark: 'nor mine' }),
          signedBy(dave, { ...about, signedAt: Date.now() - 9_000, expiresAt: Date.now() - 1 }),
          signedBy(dave, { ...about, digest: 'what was paid before' }),
        ],
        random,
      );
      const reported = await Promise.all(
        decisions.map((signed, at) => takeDecision(authorities[at % 3] ?? authority, row, asked, signed)),
      );
      const finals = new Set(
        reported.map(({ verdict }) => verdict).filter((it) => it === 'approved' || it === 'rejected'),
      );
      const { verdict } = await verdictOn(authority, row, asked);
      expect([...finals]).toEqual([verdict]);
      ends.set(verdict, (ends.get(verdict) ?? 0) + 1);
    }
    // Both ends come up: nothing of the drawing decides.
    expect(Math.min(ends.get('approved') ?? 0, ends.get('rejected') ?? 0)).toBeGreaterThan(INTERLEAVED / 10);
  });
});
