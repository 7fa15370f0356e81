import { describe, expect, it, onTestFinished } from 'vitest';
import type { SignedDecision, Statement } from '../../../src/domain/authority.ts';
import { takeDecision, verdictOn } from '../../../src/services/decisions/verdict.ts';
import { credentialId, signStatement } from '../../../src/signing/ed25519.ts';
import { openStore } from '../../../src/store/open.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { Random } from '../../simulation/random.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';

/** `FORGED=10000` tries so many. */
const FORGED = Number(process.env.FORGED ?? 1_000);
const A_ROW = 50;

const alice = signingPerson('maker', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);
const dave = signingPerson('dave', ['approver'], { currencies: ['JPY'] });
const erin = signingPerson('erin', ['operator', 'auditor']);
/** Not of the policy. */
const mallory = signingPerson('mallory', ['approver']);
const POLICY = policyOf([alice, bob, carol, dave, erin]);
const DIGEST = 'what is paid';

type About = Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'>;

/** With another person's key, under a name and a credential of one's choice. */
const inTheNameOf = (name: string, by: SigningPerson, about: About, credential: string): SignedDecision => ({
  ...signedBy(by, { ...about, subject: name }),
  credential,
});

const flipped = (signed: SignedDecision, random: Random): SignedDecision => {
  const bytes = Buffer.from(signed.signature, 'base64');
  const at = random.between(0, bytes.length - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
  return { ...signed, signature: bytes.toString('base64') };
};

const HOUR = 3_600_000;

/** Ways to a second approval without a second person: a forged, stale, replayed, self-made, look-alike or raw decision. */
const FORGERIES: Readonly<Record<string, (about: About, random: Random) => SignedDecision>> = {
  'another name on a decision of bob': (about) => ({ ...signedBy(bob, about), subject: 'carol' }),
  'another name and credential on it': (about) => ({
    ...signedBy(bob, about),
    subject: 'carol',
    credential: credentialId(carol.publicKey),
  }),
  'a signature with another bit': (about, random) => flipped(signedBy(carol, about), random),
  'no signature': (about) => ({ ...signedBy(carol, about), signature: '' }),
  'a stranger': (about) => signedBy(mallory, about),
  'a stranger in her name': (about) => inTheNameOf('carol', mallory, about, credentialId(mallory.publicKey)),
  'a stranger with her credential': (about) => inTheNameOf('carol', mallory, about, credentialId(carol.publicKey)),
  'a look-alike of bob': (about) => inTheNameOf('bоb', mallory, about, credentialId(mallory.publicKey)),
  'bob under another spelling': (about) => inTheNameOf(' Bob', bob, about, credentialId(bob.publicKey)),
  'bob again': (about) => signedBy(bob, about),
  'the maker': (about) => signedBy(alice, about),
  'somebody without the role': (about) => signedBy(erin, about),
  'somebody out of scope': (about) => signedBy(dave, about),
  'what is over': (about) => signedBy(carol, { ...about, signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 }),
  'what is yet to come': (about) =>
    signedBy(carol, { ...about, signedAt: Date.now() + HOUR, expiresAt: Date.now() + 2 * HOUR - 1 }),
  'what holds for longer than allowed': (about) => signedBy(carol, { ...about, expiresAt: Date.now() + 48 * HOUR }),
  'what was signed in another store': (about) => ({ ...signedBy(carol, { ...about, storeId: 'x' }), ...about }),
  'what was signed about another payout': (about) => ({ ...signedBy(carol, { ...about, reference: 'x' }), ...about }),
  'what was signed about another amount': (about) => ({ ...signedBy(carol, { ...about, digest: 'x' }), ...about }),
  'what was signed about a hold': (about) => ({ ...signedBy(carol, { ...about, question: 'hold' }), ...about }),
  'a rejection turned around': (about) => ({
    ...signedBy(carol, { ...about, decision: 'reject', remark: 'no' }),
    decision: 'approve',
  }),
  'a longer life on a decision of hers': (about) => {
    const signed = signedBy(carol, { ...about, signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 });
    return { ...signed, signedAt: Date.now(), expiresAt: Date.now() + HOUR };
  },
  'other members in the same bytes': (about) => {
    const { credential: _, signature: __, ...statement } = signedBy(carol, about);
    return { ...signStatement({ ...statement, subject: 'carol","' }, carol.privateKey), subject: 'carol' };
  },
};

describe('a second approval that nobody has given', () => {
  it(`is none, by whatever door it comes (${FORGED} tries)`, { timeout: 600_000 }, async () => {
    const store = await openStore('file::memory:');
    onTestFinished(() => store.close());
    const rows = Array.from({ length: Math.ceil(FORGED / A_ROW) }, (_, n) => claimRow(n + 1, `doc-${n + 1}`, {}));
    await store.claimBatch({ ...batchClaim('batch', []), rows, at: Date.now() });
    const authority = { store, settings: { policy: POLICY }, now: Date.now };
    const asked = { question: 'payout', digest: DIGEST, needed: 2 } as const;
    const random = new Random(20_261_122);
    const tried = new Map<string, number>();
    for await (const row of store.rows('batch') as AsyncIterable<PayoutRecord>) {
      const about = { storeId: store.id, reference: row.reference, ...asked };
      const { needed: _, ...signable } = about;
      expect(await takeDecision(authority, row, asked, signedBy(bob, signable))).toMatchObject({ verdict: 'counted' });
      for (let n = 0; n < A_ROW; n += 1) {
        const [name, forge] = random.pick(Object.entries(FORGERIES));
        const forged = forge(signable, random);
        tried.set(name, (tried.get(name) ?? 0) + 1);
        // Whoever can write to the store asks nobody; whoever sends an update is told why.
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
