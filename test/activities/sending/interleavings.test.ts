import { expect, it } from 'vitest';
import { readToSend } from '../../../src/activities/assess.ts';
import { closePayout } from '../../../src/activities/payout.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import { Superseded } from '../../../src/domain/claim.ts';
import { because } from '../../../src/domain/reasons.ts';
import { takeDecision } from '../../../src/people/decisions/verdict.ts';
import type { Store } from '../../../src/store/store.ts';
import { Random } from '../../simulation/random.ts';
import { payoutClaim } from '../../store/samples.ts';
import { onEveryStore } from '../../store/stores.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

/** `INTERLEAVED=1000` tries so many, `SEED=7` draws others. */
const INTERLEAVED = Number(process.env.INTERLEAVED ?? 200);
const SEED = Number(process.env.SEED ?? 20_261_122);

const maker = signingPerson('maker', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);
const dave = signingPerson('dave', ['approver']);
const NEEDED = 2;
const POLICY = policyOf([maker, bob, carol, dave], { approvals: [{ approvals: NEEDED }] });
const WITHOUT_CAROL = policyOf([maker, bob, dave], { approvals: [{ approvals: NEEDED }] });

const HOUR = 3_600_000;
const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const THIEF = { ...CALLER, runId: 'run-of-somebody-else' };

/** A few turns of the event loop, drawn. */
async function aMoment(random: Random): Promise<void> {
  for (let turns = random.between(0, 12); turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What one interleaving was made of, and what became of it. */
interface Seen {
  posts: number;
  /** In which order things had happened, by name. */
  order: string[];
  state: string | undefined;
  reported: string[];
}

async function interleave(store: Store, n: number, random: Random): Promise<Seen> {
  const claimed = await store.claimPayout(payoutClaim(`doc-${n}`, { by: 'maker', runId: CALLER.runId }));
  const { reference } = claimed.record;
  const claim = { storeId: store.id, reference, term: claimed.record.term };
  const seen: Seen = { posts: 0, order: [], state: undefined, reported: [] };
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const shown = { fee: '0.10', payeeName: 'Ann Example' };
  const payment = async () => {
    seen.posts += 1;
    seen.order.push('posted');
    await aMoment(random);
    return { order_id: `ord-${n}` };
  };
  const deps = sendingDeps(
    { payment },
    { policy: POLICY, referenceDedupe: 'none' },
    { store, now, assertIdentity: () => aMoment(random) },
    shown,
  );
  const accepted = async (orderId: string) => ({
    ...{ order_id: orderId, client_order_id: reference, uid: 'user-1', transaction_currency: 'USD' },
    ...{ status: 'PROCESSING', stage: 'past-audit' },
  });
  Object.assign(deps.bank, { orders: { get: accepted } });
  const row = async () => (await store.payout(reference)) ?? claimed.record;
  const { digest } = await readToSend(deps, claimed.record, 'payment');
  const asked = { question: 'payout', digest, needed: NEEDED } as const;
  const about = { storeId: store.id, reference, question: 'payout', digest: asked.digest } as const;
  const decided = async (name: string, signed: ReturnType<typeof signedBy>) => {
    seen.order.push(`${name} signs`);
    const { verdict } = await takeDecision(deps, await row(), asked, signed);
    if (verdict === 'refused') seen.order.push(`${name} refused`);
    // A rejection that came second receives the approval that was first.
    if (verdict !== 'refused' && !(signed.decision === 'reject' && verdict === 'approved')) seen.order.push(name);
    if (verdict === 'approved' || verdict === 'rejected') seen.reported.push(verdict);
  };
  const send = async (name: string, caller: typeof CALLER) => {
    seen.order.push(name);
    await sendOrder(deps, caller, { claim, orderKind: 'payment', attempt: 1, lastLeft: 0 }).catch((error: unknown) => {
      if (!(error instanceof Superseded)) throw error;
    });
  };
  const cancel = async () => {
    const end = { state: 'cancelled', reason: because('cancelled-by-request'), resolved: {} } as const;
    const closing = closePayout(deps, CALLER, { claim, ...end });
    await closing.then(
      () => seen.order.push('cancelled'),
      (error: unknown) => {
        if (!(error instanceof Superseded)) throw error;
      },
    );
  };
  const acts: readonly [share: number, act: () => Promise<unknown>][] = [
    [0.95, () => decided('bob', signedBy(bob, about))],
    [0.95, () => decided('carol', signedBy(carol, about))],
    [0.4, () => decided('dave rejects', signedBy(dave, { ...about, decision: 'reject', remark: 'not ours' }))],
    [0.5, () => decided('maker', signedBy(maker, about))],
    [0.3, () => decided('over', signedBy(dave, { ...about, signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 }))],
    [1, () => send('sends', CALLER)],
    [0.7, () => send('sends', CALLER)],
    [0.5, () => send('a thief sends', THIEF)],
    [0.3, cancel],
    [
      0.25,
      async () => {
        shown.payeeName = 'Somebody Else';
        seen.order.push('drifted');
      },
    ],
    [
      0.2,
      async () => {
        Object.assign(deps.settings, { policy: WITHOUT_CAROL });
        seen.order.push('carol has left');
      },
    ],
    [
      0.2,
      async () => {
        ahead = 2 * HOUR;
        seen.order.push('expired');
      },
    ],
  ];
  const drawn = random.shuffled(acts.filter(([share]) => random.chance(share)));
  await Promise.all(drawn.map(([, act]) => aMoment(random).then(act)));
  // The decision that has won by now binds the next send; a cancel may still come, too late or not.
  const late = random.chance(0.4) ? [aMoment(random).then(cancel)] : [];
  await Promise.all([send('sends at last', CALLER), ...late]);
  return { ...seen, state: (await row()).state };
}

/** What precedes a name in the order of things. */
const before = ({ order }: Seen, name: string): string[] => order.slice(0, order.indexOf(name));

onEveryStore('a store', (place) => {
  it(`what is decided, changed, cancelled and sent in one moment agrees with the money (${INTERLEAVED} times)`, {
    timeout: 900_000,
  }, async () => {
    const store = await place.open();
    const ends = new Map<string, number>();
    for (let n = 0; n < INTERLEAVED; n += 1) {
      const seen = await interleave(store, n, new Random(SEED + n));
      const label = `SEED=${SEED}, interleaving ${n}: ${seen.order.join(', ')}`;
      const broken = (what: string): string => `${label}: ${what}`;
      const paid = seen.posts > 0;
      expect([broken('sent'), seen.posts]).toEqual([broken('sent'), Math.min(seen.posts, 1)]);
      // Nobody receives another verdict than anybody else, unless what one has signed counts no more: it is verified at each use.
      const isVoid = seen.order.includes('carol has left') || seen.order.includes('expired');
      expect([broken('verdicts'), isVoid || new Set(seen.reported).size <= 1]).toEqual([broken('verdicts'), true]);
      if (paid) {
        const known = before(seen, 'posted');
        for (const needed of ['bob', 'carol']) {
          // An answer may reach who signed later than the send has read the signature.
          expect([broken(needed), known.includes(`${needed} signs`)]).toEqual([broken(needed), true]);
          expect([broken(needed), known.includes(`${needed} refused`)]).toEqual([broken(needed), false]);
        }
        expect([broken('rejected'), known.includes('dave rejects')]).toEqual([broken('rejected'), false]);
        expect([broken('cancelled'), seen.order.includes('cancelled')]).toEqual([broken('cancelled'), false]);
      }
      // What had happened before the first send began was known to it.
      const first = seen.order.findIndex((name) => name.startsWith('sends'));
      const known = new Set(seen.order.slice(0, first));
      const stops = ['cancelled', 'drifted', 'carol has left', 'expired'].filter((name) => known.has(name));
      if (stops.length > 0) expect([broken(`after ${stops}`), paid]).toEqual([broken(`after ${stops}`), false]);
      if (seen.state === 'cancelled') expect([broken('cancelled'), paid]).toEqual([broken('cancelled'), false]);
      const end = paid ? 'paid' : seen.state === 'cancelled' ? 'cancelled' : (seen.reported[0] ?? 'open');
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    const shown = [...ends].map(([end, count]) => `${end} ${count}`).join(', ');
    console.log(`SEED=${SEED}: ${INTERLEAVED} interleavings: ${shown}`);
    for (const end of ['paid', 'cancelled', 'rejected', 'open'])
      expect([end, (ends.get(end) ?? 0) > INTERLEAVED / 50]).toEqual([end, true]);
  });
});
