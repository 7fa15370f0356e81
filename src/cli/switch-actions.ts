import { NAMED_SWITCH, SWITCH, SWITCHES } from '../channels/http/operations/switch-operations.ts';
import { counted, secondOf } from '../domain/display.ts';
import type { SwitchScope } from '../domain/switch-scope.ts';
import { type SwitchedOff, switchText } from '../domain/switches.ts';
import { confirm } from './confirm.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';
import { type SignedOptions, type Signer, signerOf } from './signer.ts';

// Kill switches need only the store, so that they work while everything else is down.

type SwitchOptions = SignedOptions & { reason: string };

/** `payouts switch off SCOPE [KEY]`: nothing that matches is sent any more, from the next send on. */
export async function switchOff(
  session: Session,
  scope: SwitchScope,
  key: string | undefined,
  options: SwitchOptions,
): Promise<void> {
  const signer = await signerOf(session, options, 'switch');
  const asked = { to: 'off', scope, key, by: signer.name } as const;
  const { named: off, openPayouts: open } = await session.ask(NAMED_SWITCH, asked);
  await confirm(`Switch off ${switchText(off)} (it concerns ${counted(open, 'open payout')})?`, options.yes);
  const signed = signedSwitch(signer, 'off', off, options.reason);
  const { changed } = await session.ask(SWITCH, { ...asked, reason: options.reason, signed });
  const text = changed
    ? `Off: ${switchText(off)}. ${open === 0 ? 'No open payout matches it' : `Nothing more is sent of ${counted(open, 'open payout')}`}; an order that the bank already has is not stopped by this.`
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
  const signer = await signerOf(session, options, 'switch');
  const asked = { to: 'on', scope, key, by: signer.name } as const;
  const { named: on } = await session.ask(NAMED_SWITCH, asked);
  await confirm(`Switch on ${switchText(on)}?`, options.yes);
  const signed = signedSwitch(signer, 'on', on, options.reason);
  await session.ask(SWITCH, { ...asked, reason: options.reason, signed });
  session.output.result({ switch: { ...on, off: false }, changed: true }, `On: ${switchText(on)}.`);
}

/** Undefined without a policy. */
function signedSwitch({ sign }: Signer, to: 'off' | 'on', it: SwitchedOff, remark: string) {
  const digest = `${to} ${switchText(it)}`;
  return sign?.({ question: 'switch', reference: digest, digest, remark });
}

export async function listSwitches(session: Session): Promise<void> {
  const { switches: off, outsideScope } = await session.ask(SWITCHES, {});
  const switches = off.map(({ at, ...rest }) => ({ ...rest, since: new Date(at).toISOString() }));
  const rows = switches.map(({ scope, key, by, since, reason }) => [scope, key, secondOf(since), by, reason]);
  const shown = rows.length === 0 ? 'Nothing is off.' : table(['scope', 'key', 'since (UTC)', 'by', 'why'], rows);
  const hidden = `Off outside your scope: ${counted(outsideScope, 'switch', 'switches')}.`;
  const text = outsideScope === 0 ? shown : rows.length === 0 ? hidden : `${shown}\n${hidden}`;
  session.output.result({ switches, ...(outsideScope > 0 && { outsideScope }) }, text);
}
