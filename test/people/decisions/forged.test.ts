import { describe, expect, it } from 'vitest';
import { takeDecision, verdictOn } from '../../../src/people/decisions/verdict.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { Random } from '../../simulation/random.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { settingsUnder, signedBy } from '../../support/people.ts';
import { openCast, policyFor } from '../forgery/cast.ts';
import { FORGERIES } from '../forgery/statements.ts';

/** `FORGED=10000` tries so many. */
const FORGED = Number(process.env.FORGED ?? 1_000);
const A_ROW = 50;
const DIGEST = 'what is paid';

describe('a second approval that nobody has given', () => {
  it(`is none, whether it is handed over or is in the store (${FORGED} tries)`, async () => {
    const store = await newStore();
    const cast = openCast();
    const rows = Array.from({ length: Math.ceil(FORGED / A_ROW) }, (_, n) => claimRow(n + 1, `doc-${n + 1}`, {}));
    await store.claimBatch({ ...batchClaim('batch', []), by: 'alice', rows, at: Date.now() });
    const authority = { store, settings: settingsUnder(policyFor(cast)), now: Date.now };
    const asked = { question: 'payout', digest: DIGEST, needed: 2 } as const;
    const random = new Random(20_261_122);
    const tried = new Map<string, number>();
    for await (const row of store.rows('batch') as AsyncIterable<PayoutRecord>) {
      const about = { storeId: store.id, reference: row.reference, question: 'payout', digest: DIGEST } as const;
      expect(await takeDecision(authority, row, asked, signedBy(cast.bob, about))).toMatchObject({
        verdict: 'counted',
      });
      for (let n = 0; n < A_ROW; n += 1) {
        const [name, forge] = random.pick(Object.entries(FORGERIES));
        const forged = forge(cast, about, random);
        tried.set(name, (tried.get(name) ?? 0) + 1);
        // A writer of the store asks nobody; the sender of an update is answered why.
        if (random.chance(0.5)) await store.takeSignedDecision(forged, Date.now());
        else expect([name, (await takeDecision(authority, row, asked, forged)).verdict]).toEqual([name, 'refused']);
      }
      expect(await verdictOn(authority, row, asked)).toMatchObject({
        verdict: 'counted',
        awaited: { approvedBy: ['bob'] },
      });
    }
    expect([...tried.keys()].sort()).toEqual(Object.keys(FORGERIES).sort());
  });
});
