import { Problem } from '../../domain/problem.ts';
import type { SwitchScope } from '../../domain/switch-scope.ts';
import { switchText } from '../../domain/switches.ts';
import { secondOf } from '../../reports/display.ts';
import { assertMaySwitchOn, checkedSwitch, namedSwitch } from '../../services/decisions/named-switch.ts';
import { confirm } from '../confirm.ts';
import type { Session } from '../session.ts';
import { type SignedOptions, signAndStore, signerOf } from '../signer.ts';
import { table } from '../table.ts';

// Kill switches need only the store, so that they work whatever else is down.

type SwitchOptions = SignedOptions & { reason: string };

/** `payouts switch off SCOPE [KEY]`: nothing that matches is sent any more, from the next send on. */
export async function switchOff(
  session: Session,
  scope: SwitchScope,
  key: string | undefined,
  options: SwitchOptions,
): Promise<void> {
  const store = await session.store();
  const off = await namedSwitch(store, scope, key);
  const open = await store.openUnder(off);
  const asked = await askedBy(session, options, `off ${switchText(off)}`);
  await confirm(`Switch off ${switchText(off)} (open payouts that name it: ${open})?`, options.yes);
  const changed = await store.switchOff({ ...off, ...asked });
  const text = changed
    ? `Off: ${switchText(off)}. Open payouts that name it: ${open}.`
    : `${switchText(off)} was already off.`;
  session.output.result({ switch: { ...off, off: true }, changed, openPayouts: open }, text);
}

/** `payouts switch on SCOPE [KEY]`: what was held by it continues by itself. */
export async function switchOn(
  session: Session,
  scope: SwitchScope,
  key: string | undefined,
  options: SwitchOptions,
): Promise<void> {
  const store = await session.store();
  const on = checkedSwitch(scope, key);
  const { policy } = session.config.settings;
  const asked = await askedBy(session, options, `on ${switchText(on)}`, (name) =>
    assertMaySwitchOn({ store, policy, name }, on),
  );
  await confirm(`Switch on ${switchText(on)}?`, options.yes);
  if (!(await store.switchOn({ ...on, ...asked }))) {
    throw new Problem('usage', 'not-off', `${switchText(on)} is not off.`, {
      hint: 'payouts switch list shows what is off.',
    });
  }
  session.output.result({ switch: { ...on, off: false }, changed: true }, `On: ${switchText(on)}.`);
}

export async function listSwitches(session: Session): Promise<void> {
  const switches = (await (await session.store()).switches()).map(({ at, ...rest }) => ({
    ...rest,
    since: new Date(at).toISOString(),
  }));
  const rows = switches.map(({ scope, key, by, since, reason }) => [scope, key, secondOf(since), by, reason]);
  const text = rows.length === 0 ? 'Nothing is off.' : table(['scope', 'key', 'since (UTC)', 'by', 'why'], rows);
  session.output.result({ switches }, text);
}

/** Who asks. Under a policy the signed request is stored as well. `assertMay` throws if this person may not. */
async function askedBy(
  session: Session,
  { reason, ...asker }: SwitchOptions,
  digest: string,
  assertMay?: (name: string) => Promise<void>,
) {
  const signer = await signerOf(session, asker, 'switch');
  await assertMay?.(signer.name);
  const about = { question: 'switch' as const, reference: digest, digest, remark: reason };
  await signAndStore(await session.store(), signer, about);
  return { reason, by: signer.name, at: Date.now() };
}
