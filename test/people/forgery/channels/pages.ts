import type { Statement } from '../../../../src/domain/authority.ts';
import { type Seen, Visit } from '../../../channels/pages/visiting.ts';
import type { Random } from '../../../simulation/random.ts';
import type { AssertedAt } from '../../../support/software-passkey.ts';
import { type Attack, Busy, type ForgedChannel, type Reported } from '../attack.ts';
import { type Browser, sendForm } from '../browser.ts';
import type { Name } from '../cast.ts';
import { asField, pageStatement, signedField } from '../page-signing.ts';
import type { Scene } from '../scene.ts';
import type { Target } from '../world.ts';

/** What a page says: only a redirect that is not to the sign-in does what was asked. */
export function refusedPage({ status, headers, text }: Seen): Reported {
  const { location } = headers;
  if (status === 303) return `${location}`.startsWith('/sign-in') ? { refused: 'not signed in' } : 'taken';
  if (status >= 500) throw new Busy(text);
  if (status >= 400) return { refused: `HTTP ${status}` };
  throw new Error(`the pages answered HTTP ${status}: ${text.slice(0, 200)}`);
}

interface Sent {
  /** Whose session. */
  who?: keyof Scene['browsers'];
  browser?: (scene: Scene) => Browser;
  /** Whose passkey. */
  passkey?: Name;
  says?: (target: Target) => Partial<Statement>;
  /** What is really signed. */
  signs?: (statement: Statement, scene: Scene, random: Random) => Statement;
  at?: Partial<AssertedAt>;
  fields?: (target: Target) => Record<string, string>;
  headers?: Record<string, string>;
}

/** The form of a payout with something wrong with it; everything else is as a page of ours sends it in carol's name. */
const form =
  ({ who = 'carol', browser, passkey = who, says, signs, at, fields, headers }: Sent): Attack =>
  async (scene, random) => {
    const target = scene.any(random);
    const { question, reference, digest } = target;
    const statement = pageStatement(scene, who, { question, reference, digest, ...says?.(target) });
    const signed = signedField(
      statement,
      scene.cast[passkey].passkey,
      { origin: scene.origin, ...at },
      signs?.(statement, scene, random),
    );
    const given = { decision: 'approve', remark: '', digest, signed, ...fields?.(target) };
    const from = browser?.(scene) ?? scene.browsers[who];
    return refusedPage(await sendForm(from, `/payouts/${reference}/decide`, given, headers));
  };

const HOUR = 3_600_000;
const nobody = (scene: Scene): Browser => ({ visit: new Visit(scene.origin), csrf: scene.browsers.carol.csrf });

/** The pages: sessions, forms, and passkeys that sign. */
export const PAGES: ForgedChannel = {
  name: 'gateway pages',
  kinds: {
    'without a session': form({ browser: nobody }),
    'with a session of one’s own making': form({
      browser: nobody,
      headers: { cookie: `payouts-session=${'A'.repeat(43)}` },
    }),
    'without the token of a form': form({ browser: ({ browsers }) => ({ ...browsers.carol, csrf: '' }) }),
    'with the token of another session': form({
      browser: ({ browsers }) => ({ ...browsers.carol, csrf: browsers.bob.csrf }),
    }),
    'from a foreign page': form({ headers: { origin: 'https://evil.example' } }),
    'from a page that says nothing of itself': form({ headers: { origin: 'null' } }),
    'under a foreign name': form({ headers: { host: 'evil.example' } }),
    'a stranger’s passkey': form({ passkey: 'mallory' }),
    'bob’s passkey in her session': form({ passkey: 'bob' }),
    'her passkey in bob’s session': form({ who: 'bob', passkey: 'carol' }),
    'bob again': form({ who: 'bob' }),
    'the maker': form({ who: 'alice' }),
    'somebody without the role': form({ who: 'erin' }),
    'somebody out of scope': form({ who: 'dave' }),
    'signed for another page': form({ at: { origin: 'https://evil.example' } }),
    'signed for another host': form({ at: { rpId: 'evil.example' } }),
    'without her finger': form({ at: { flags: 1 } }),
    'without anybody there': form({ at: { flags: 0 } }),
    'made, not asked for': form({ at: { type: 'webauthn.create' } }),
    'signed about another payout': form({ signs: (statement) => ({ ...statement, reference: 'x' }) }),
    'signed about another amount': form({ signs: (statement) => ({ ...statement, digest: 'x' }) }),
    'signed as a rejection': form({ signs: (statement) => ({ ...statement, decision: 'reject', remark: 'no' }) }),
    'shown another payout': form({ says: () => ({ reference: 'x' }) }),
    'shown another amount': form({ says: () => ({ digest: 'x' }) }),
    'shown another person': form({ says: () => ({ subject: 'bob' }) }),
    'an amount that is not asked any more': form({
      says: () => ({ digest: 'before' }),
      fields: () => ({ digest: 'before' }),
    }),
    'what is over': form({ says: () => ({ signedAt: Date.now() - HOUR, expiresAt: Date.now() - 1 }) }),
    'what holds for longer than allowed': form({ says: () => ({ expiresAt: Date.now() + 48 * HOUR }) }),
    'for another store': form({ says: () => ({ storeId: 'x' }) }),
    'nothing that was signed': form({ fields: () => ({ signed: 'nonsense' }) }),
    'a passkey’s answer with its end cut off': async (scene, random) => {
      const { question, reference, digest } = scene.any(random);
      const statement = pageStatement(scene, 'carol', { question, reference, digest });
      const { assertion } = JSON.parse(signedField(statement, scene.cast.carol.passkey, { origin: scene.origin }));
      const { response } = assertion;
      const cut = { ...response, signature: response.signature.slice(0, -random.between(2, 20)) };
      const signed = asField(statement, { ...assertion, response: cut });
      const fields = { decision: 'approve', remark: '', digest, signed };
      return refusedPage(await sendForm(scene.browsers.carol, `/payouts/${reference}/decide`, fields));
    },
    'a batch, with a stranger’s passkey': async (scene) => {
      const page = await scene.browsers.carol.visit.send('/batches/open/decide');
      const digest = /name="digest" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      const about = { question: 'payout', reference: 'open', digest } as const;
      const statement = pageStatement(scene, 'carol', about);
      const signed = signedField(statement, scene.cast.mallory.passkey, { origin: scene.origin });
      return refusedPage(await sendForm(scene.browsers.carol, '/batches/open/approve', { digest, remark: '', signed }));
    },
  },
};
