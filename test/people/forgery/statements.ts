import type { SignedDecision, Statement } from '../../../src/domain/authority.ts';
import { signStatement } from '../../../src/people/signing/signing.ts';
import type { Random } from '../../simulation/random.ts';
import { type SigningPerson, signedBy } from '../../support/people.ts';
import { type Cast, ed25519Id } from './cast.ts';

/** What a decision has to name in order to count. */
export type About = Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'>;

/** A decision of which nothing counts, about a payout of alice's that bob has approved and carol has yet to. */
export type Forge = (cast: Cast, about: About, random: Random) => SignedDecision;

const HOUR = 3_600_000;

const inTheNameOf = (name: string, by: SigningPerson, about: About, credential: string): SignedDecision => ({
  ...signedBy(by, { ...about, subject: name }),
  credential,
});

function flipped(signed: SignedDecision, random: Random): SignedDecision {
  const bytes = Buffer.from(signed.signature, 'base64');
  const at = random.between(0, bytes.length - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
  return { ...signed, signature: bytes.toString('base64') };
}

/** Times of a statement that is over. */
const over = () => ({ signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 });

/** Ways to a second approval without a second person: a forged, stale, replayed, self-made, look-alike or raw decision. */
export const FORGERIES: Readonly<Record<string, Forge>> = {
  'another name on a decision of bob': ({ bob }, about) => ({ ...signedBy(bob, about), subject: 'carol' }),
  'another name and credential on it': ({ bob, carol }, about) => ({
    ...signedBy(bob, about),
    subject: 'carol',
    credential: ed25519Id(carol),
  }),
  'a signature with another bit': ({ carol }, about, random) => flipped(signedBy(carol, about), random),
  'no signature': ({ carol }, about) => ({ ...signedBy(carol, about), signature: '' }),
  'a stranger': ({ mallory }, about) => signedBy(mallory, about),
  'a stranger in her name': ({ mallory }, about) => inTheNameOf('carol', mallory, about, ed25519Id(mallory)),
  'a stranger with her credential': ({ mallory, carol }, about) =>
    inTheNameOf('carol', mallory, about, ed25519Id(carol)),
  'a look-alike of bob': ({ mallory }, about) => inTheNameOf('bоb', mallory, about, ed25519Id(mallory)),
  'bob under another spelling': ({ bob }, about) => inTheNameOf(' Bob', bob, about, ed25519Id(bob)),
  'bob again': ({ bob }, about) => signedBy(bob, about),
  'the maker': ({ alice }, about) => signedBy(alice, about),
  'somebody without the role': ({ erin }, about) => signedBy(erin, about),
  'somebody out of scope': ({ dave }, about) => signedBy(dave, about),
  'what is over': ({ carol }, about) => signedBy(carol, { ...about, ...over() }),
  'what is yet to come': ({ carol }, about) =>
    signedBy(carol, { ...about, signedAt: Date.now() + HOUR, expiresAt: Date.now() + 2 * HOUR - 1 }),
  'what holds for longer than allowed': ({ carol }, about) =>
    signedBy(carol, { ...about, expiresAt: Date.now() + 48 * HOUR }),
  'what was signed in another store': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, storeId: 'x' }),
    ...about,
  }),
  'what was signed about another payout': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, reference: 'x' }),
    ...about,
  }),
  'what was signed about another amount': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, digest: 'x' }),
    ...about,
  }),
  'what was signed about another question': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, question: 'hold' }),
    ...about,
  }),
  'a rejection turned around': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, decision: 'reject', remark: 'no' }),
    decision: 'approve',
  }),
  'an approval turned around': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, remark: 'no' }),
    decision: 'reject',
  }),
  'a rejection by a stranger in her name': ({ mallory, carol }, about) => ({
    ...signedBy(mallory, { ...about, subject: 'carol', decision: 'reject', remark: 'no' }),
    credential: ed25519Id(carol),
  }),
  'a rejection without a remark': ({ carol }, about) => signedBy(carol, { ...about, decision: 'reject' }),
  'a longer life on a decision of hers': ({ carol }, about) => ({
    ...signedBy(carol, { ...about, ...over() }),
    signedAt: Date.now(),
    expiresAt: Date.now() + HOUR,
  }),
  'other members in the same bytes': ({ carol }, about) => {
    const { credential: _, signature: __, ...statement } = signedBy(carol, about);
    return { ...signStatement({ ...statement, subject: 'carol","' }, carol.privateKey), subject: 'carol' };
  },
};
