import { expect, it } from 'vitest';
import { decide, resolve } from '../../src/cli/decision-actions.ts';
import { answered } from '../people/forgery/attack.ts';
import { sendForm } from '../people/forgery/browser.ts';
import { CHANNELS } from '../people/forgery/channels/all-channels.ts';
import { keyFile } from '../people/forgery/keys.ts';
import { pageStatement, signedField } from '../people/forgery/page-signing.ts';
import { openScene, type Scene } from '../people/forgery/scene.ts';
import { sessionOf } from '../people/forgery/session.ts';
import { Tally } from '../people/forgery/tally.ts';
import { eachWith } from '../simulation/jobs.ts';
import { Random } from '../simulation/random.ts';
import { until } from '../support/until.ts';

/** `FORGED=10000` tries so many, `SEED=7` draws others. */
const KINDS = CHANNELS.reduce((sum, { kinds }) => sum + Object.keys(kinds).length, 0);
const FORGED = Number(process.env.FORGED ?? KINDS);
const SEED = Number(process.env.SEED ?? 20_261_122);
const AT_ONCE = 4;

/** So many tries, as many at each channel, each kind of a channel at least once; in an order that is drawn. */
function drawTries(random: Random) {
  const tries = CHANNELS.flatMap((channel) => {
    const kinds = Object.entries(channel.kinds);
    const count = Math.max(kinds.length, Math.ceil(FORGED / CHANNELS.length));
    return Array.from({ length: count }, (_, n) => {
      const [kind, attack] = kinds[n] ?? random.pick(kinds);
      return { channel: channel.name, kind, attack };
    });
  });
  return random.shuffled(tries).map((it, n) => ({ ...it, n }));
}

it(`no channel takes anything forged, stale, replayed, self-made, look-alike or raw (${FORGED} tries), and what people have signed is paid`, {
  timeout: 1_800_000,
}, async () => {
  const scene = await openScene();
  const before = await scene.moneyState();
  const tally = new Tally();
  const tries = drawTries(new Random(SEED));
  const begun = Date.now();
  await eachWith(tries, AT_ONCE, async ({ channel, kind, attack, n }) => {
    const random = new Random(SEED + n);
    const reported = await answered(() => attack(scene, random)).catch((error: unknown) => {
      throw new Error(`${channel}: ${kind}: try ${n} of SEED=${SEED}`, { cause: error });
    });
    tally.note(channel, kind, reported, await scene.isCounted(scene.any(new Random(SEED + n))));
  });
  console.log(tally.text(process.env.FORGED !== undefined));
  console.log(`SEED=${SEED}: ${tally.tried} tries in ${Math.round((Date.now() - begun) / 1_000)} s`);
  expect(CHANNELS.flatMap(({ name, kinds }) => tally.untried(name, Object.keys(kinds)))).toEqual([]);
  expect(tally.counted).toEqual([]);
  for (const target of scene.targets)
    expect([target.documentId, await scene.isCounted(target)]).toEqual([target.documentId, false]);
  expect(await scene.moneyState()).toEqual(before);
  expect(Object.values(before.orders)).toEqual(['WAIT_FOR_AUDIT', 'WAIT_FOR_AUDIT', 'WAIT_FOR_AUDIT']);
  await signedIsPaid(scene);
});

/** The same payouts through the same channels: what holds a forgery off holds nothing else off. */
async function signedIsPaid(scene: Scene): Promise<void> {
  const { product, targets, planned, signOne, sign, browsers } = scene;
  const [byUpdate, byCommand, byPage, rejected] = planned;
  if (byUpdate === undefined || byCommand === undefined || byPage === undefined || rejected === undefined)
    throw new Error('too few rows');
  await signOne('carol', byUpdate);
  const options = { yes: true, remark: 'checked', by: undefined, key: keyFile(scene, 'carol') };
  expect(await decide(sessionOf(scene), 'approve', byCommand.reference, options)).toBe(0);
  const { question, reference, digest } = byPage;
  const statement = pageStatement(scene, 'carol', { question, reference, digest });
  const signed = signedField(statement, scene.cast.carol.passkey, { origin: scene.origin });
  const fields = { decision: 'approve', remark: '', digest: byPage.digest, signed };
  const page = await sendForm(browsers.carol, `/payouts/${byPage.reference}/decide`, fields);
  expect([page.status, page.headers.location]).toEqual([303, `/payouts/${byPage.reference}?notice=approved`]);
  await signOne('carol', rejected, { decision: 'reject', remark: 'not ours' });
  await sign('carol', 'open');
  await sign('carol', 'audited');
  // The one that nobody knows the outcome of is closed, because an operator has signed that.
  const [unknown] = scene.lost;
  if (unknown === undefined) throw new Error('nothing is lost');
  const close = {
    action: 'close-as-not-paid',
    evidence: 'statement 12',
    order: undefined,
    yes: true,
    by: undefined,
  } as const;
  expect(await resolve(sessionOf(scene), unknown.reference, { ...close, key: keyFile(scene, 'erin') })).toBe(0);
  await until(async () => (await product.store.payout(unknown.reference))?.state === 'failed');
  const paid = targets.filter((target) => target !== rejected && target.batchId !== 'alone');
  const states = async () =>
    (await product.store.payoutsOf(targets.map(({ reference }) => reference))).map(({ state }) => state);
  await until(async () => (await states()).filter((state) => state === 'completed').length === paid.length);
  const { orders } = await scene.moneyState();
  expect(Object.keys(orders).sort()).toEqual(paid.map(({ reference }) => reference).sort());
  expect(new Set(Object.values(orders))).toEqual(new Set(['COMPLETED']));
}
