import { createHash } from 'node:crypto';
import { csvOf } from '../../../e2e/payout-files.ts';
import type { Random } from '../../../simulation/random.ts';
import { type Attack, Busy, type ForgedChannel, type Reported } from '../attack.ts';
import type { Name } from '../cast.ts';
import type { Scene } from '../scene.ts';

async function asked(
  { origin }: Scene,
  path: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string },
): Promise<Reported> {
  const response = await fetch(origin + path, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status >= 500) throw new Busy(text);
  return response.ok ? 'taken' : { refused: `HTTP ${response.status} ${/"code":"([^"]*)"/.exec(text)?.[1] ?? ''}` };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const CSV = { 'content-type': 'text/csv' };

/** A file, handed over by a holder of such a token. */
const handedOver =
  (headers: (scene: Scene, random: Random) => Record<string, string>, query = ''): Attack =>
  (scene, random) => {
    const body = csvOf([{ id: `api-${random.between(1, 1e9)}`, amount: `${random.between(1, 900)}.00` }]);
    return asked(scene, `/v1/batches${query}`, { headers: { ...CSV, ...headers(scene, random) }, body });
  };

const as = (name: Name) => (scene: Scene) => bearer(scene.cast[name].token);

/** What is no decision of the API, and a control of a batch that is somebody else's. */
const reported =
  (path: (scene: Scene, random: Random) => string, headers: (scene: Scene) => Record<string, string>): Attack =>
  (scene, random) =>
    asked(scene, path(scene, random), { headers: headers(scene), body: '{}' });

const anyBatch = ({ any }: Scene, random: Random): string => `/v1/batches/${any(random).batchId}`;
const CONTROLS = ['pause', 'drain', 'resume', 'cancel'];

/** The HTTP API: tokens, makers and scopes. */
export const JSON_API: ForgedChannel = {
  name: 'gateway HTTP',
  kinds: {
    'without a token': handedOver(() => ({})),
    'with a token of nobody': handedOver((_scene, random) => bearer(`${random.next()}`.repeat(3))),
    'with a stranger’s token': handedOver(as('mallory')),
    'with the digest of a token': handedOver(({ cast }) =>
      bearer(createHash('sha256').update(cast.alice.token).digest('hex')),
    ),
    'with a token and a letter': handedOver(({ cast }) => bearer(`${cast.alice.token}x`)),
    'with half a token': handedOver(({ cast }) => bearer(cast.alice.token.slice(0, -1))),
    'with a name and a password': handedOver(({ cast }) => ({
      authorization: `Basic ${Buffer.from(`alice:${cast.alice.token}`).toString('base64')}`,
    })),
    'with an expired token': handedOver(as('zoe')),
    'with a header that names her': handedOver(() => ({ 'x-forwarded-user': 'alice', 'x-remote-user': 'alice' })),
    'by an approver': handedOver(as('bob')),
    'by an operator': handedOver(as('erin')),
    'by a maker out of scope': handedOver(as('anna')),
    'by a maker in another name': handedOver(as('alice'), '?by=anna'),
    'by a maker in a look-alike’s name': handedOver(as('alice'), `?by=${encodeURIComponent('аlice')}`),
    'by an approver in a maker’s name': handedOver(as('bob'), '?by=alice'),
    'by a maker, for another plan': handedOver(as('alice'), '?plan=0000'),
    'a batch controlled by nobody': reported(
      (scene, random) => `${anyBatch(scene, random)}/${random.pick(CONTROLS)}`,
      () => ({}),
    ),
    'a batch controlled by an approver': reported(
      (scene, random) => `${anyBatch(scene, random)}/${random.pick(CONTROLS)}`,
      as('carol'),
    ),
    'a batch controlled by another maker': reported(
      (scene, random) => `${anyBatch(scene, random)}/${random.pick(CONTROLS)}`,
      as('anna'),
    ),
    'a batch approved by a token': reported((scene, random) => `${anyBatch(scene, random)}/approve`, as('carol')),
    'a payout approved by a token': reported(
      ({ any }, random) => `/v1/payouts/${any(random).reference}/approve`,
      as('carol'),
    ),
    'a form of the pages with a token': reported(
      ({ any }, random) => `/payouts/${any(random).reference}/decide`,
      as('carol'),
    ),
  },
};
