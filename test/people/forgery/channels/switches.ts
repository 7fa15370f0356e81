import { switchOff, switchOn } from '../../../../src/cli/switch-actions.ts';
import type { Seen } from '../../../channels/pages/visiting.ts';
import type { SoftwarePasskey } from '../../../support/software-passkey.ts';
import type { Attack, ForgedChannel, Reported } from '../attack.ts';
import { sendForm } from '../browser.ts';
import type { Name } from '../cast.ts';
import { keyFile } from '../keys.ts';
import { pageStatement, signedField } from '../page-signing.ts';
import { type Scene, SWITCHED_OFF } from '../scene.ts';
import { commanded, sessionOf } from '../session.ts';
import { refusedPage } from './pages.ts';

const command =
  (who: Name | undefined, { by, to = 'on' }: { by?: string; to?: 'on' | 'off' } = {}): Attack =>
  (scene, random) => {
    const options = { reason: 'all well', yes: true, by, key: who && keyFile(scene, who) };
    const session = sessionOf(scene);
    const { scope, key } = SWITCHED_OFF;
    if (to === 'on') return commanded(() => switchOn(session, scope, key, options));
    return commanded(() => switchOff(session, 'currency', random.pick(['USD', 'EUR', 'JPY']), options));
  };

type Browsing = keyof Scene['browsers'];

/** The form of the page, signed by some passkey. */
const page =
  (
    who: Browsing,
    passkey: (scene: Scene) => SoftwarePasskey,
    more: { digest?: string; origin?: string } = {},
  ): Attack =>
  async (scene): Promise<Reported> => {
    const { scope, key } = SWITCHED_OFF;
    const digest = more.digest ?? `on ${scope} ${key}`;
    const about = { question: 'switch', reference: digest, digest, remark: 'all well' } as const;
    const statement = pageStatement(scene, who, about);
    const signed = signedField(statement, passkey(scene), { origin: more.origin ?? scene.origin });
    const seen: Seen = await sendForm(scene.browsers[who], '/switches', {
      to: 'on',
      scope,
      key,
      reason: 'all well',
      signed,
    });
    return refusedPage(seen);
  };

const of = (name: Name) => (scene: Scene) => scene.cast[name].passkey;

/** What an operator has switched off stays off. */
export const SWITCHES: ForgedChannel = {
  name: 'switches',
  kinds: {
    'command, without a key': command(undefined),
    'command, without a key, in her name': command(undefined, { by: 'erin' }),
    'command, with an approver’s key': command('carol'),
    'command, with the maker’s key': command('alice'),
    'command, with a stranger’s key': command('mallory'),
    'command, with a stranger’s key, in her name': command('mallory', { by: 'erin' }),
    'command, with an approver’s key, off': command('carol', { to: 'off' }),
    'command, with a stranger’s key, off': command('mallory', { to: 'off' }),
    'page, by an approver': page('carol', of('carol')),
    'page, by the maker': page('alice', of('alice')),
    'page, with a stranger’s passkey': page('erin', of('mallory')),
    'page, with somebody else’s passkey': page('erin', of('carol')),
    'page, signed for another page': page('erin', of('erin'), { origin: 'http://localhost:1' }),
    'page, signed about another switch': page('erin', of('erin'), { digest: 'on currency EUR' }),
    'held payouts that are asked to read': async ({ product, switchedOff }, random) => {
      await product.client.workflow.getHandle(random.pick(switchedOff).workflowId).signal('orderChanged');
      return 'unanswered';
    },
    'held payouts that a name approves': async ({ product, switchedOff }, random) => {
      const handle = product.client.workflow.getHandle(random.pick(switchedOff).workflowId);
      await handle.signal('approve', { by: random.pick(['bob', 'carol', 'erin']) });
      return 'unanswered';
    },
  },
};
