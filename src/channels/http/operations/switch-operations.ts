import { z } from 'zod';
import { Problem } from '../../../domain/problem.ts';
import { SWITCH_SCOPES } from '../../../domain/switch-scope.ts';
import { type SwitchedOff, switchText } from '../../../domain/switches.ts';
import { assertMaySwitchOn, checkedSwitch, maySeeSwitch, namedSwitch } from '../../../people/decisions/named-switch.ts';
import type { SwitchRecord } from '../../../store/store.ts';
import { storableText } from '../documents.ts';
import { operation, type Place, shortText } from '../operation.ts';
import type { CallerAccess } from '../route-access.ts';
import { nameOf, signedInput, storeSigned } from './decision-operations.ts';

const TAG = 'switches';
const READING: CallerAccess = { roles: ['approver', 'operator', 'auditor'], scope: 'each' };
const SWITCHING: CallerAccess = { roles: ['operator'], scope: 'none' };

export const SWITCHES = operation({
  method: 'GET',
  path: '/v1/switches',
  tag: TAG,
  summary: 'What is switched off and may concern the caller',
  access: READING,
  input: z.strictObject({}),
  answer: z.looseObject({
    switches: z.array(z.looseObject({ scope: z.string(), key: z.string() })),
    outsideScope: z.int(),
  }),
  async run({ store, config, caller }): Promise<{ switches: SwitchRecord[]; outsideScope: number }> {
    const seer = { store, policy: config.settings.policy, name: caller.name ?? '' };
    const off = await store.switches();
    const isSeen = await Promise.all(off.map((it) => maySeeSwitch(seer, it)));
    const switches = off.filter((_, index) => isSeen[index]);
    return { switches, outsideScope: off.length - switches.length };
  },
});

const named = {
  to: z.enum(['off', 'on']),
  scope: z.enum(SWITCH_SCOPES),
  key: shortText.optional().describe('absent for everything'),
  by: storableText.optional(),
};

/** Whose it is to lift, and what it would stop: before somebody signs it. */
export const NAMED_SWITCH = operation({
  method: 'GET',
  path: '/v1/switches/named',
  hide: true,
  tag: TAG,
  summary: 'A switch that the caller may flip, and how many open payouts name what it is about',
  access: SWITCHING,
  input: z.strictObject(named),
  answer: z.looseObject({ openPayouts: z.int() }),
  async run(place, asked): Promise<{ named: SwitchedOff; openPayouts: number }> {
    const it = await meant(place, { ...asked, by: place.caller.name ?? asked.by ?? '' });
    return { named: it, openPayouts: asked.to === 'off' ? await place.store.openUnder(it) : 0 };
  },
});

export const SWITCH = operation({
  method: 'POST',
  path: '/v1/switches',
  tag: TAG,
  summary: 'Stop sending what a switch is about, or send it again',
  access: SWITCHING,
  input: z.strictObject({ ...named, reason: storableText, signed: signedInput }),
  answer: z.looseObject({ changed: z.boolean() }),
  async run(place, { reason, signed, ...asked }): Promise<{ changed: boolean }> {
    const { store, now } = place;
    const by = nameOf(place, asked.by, signed);
    const it = await meant(place, { ...asked, by });
    const digest = `${asked.to} ${switchText(it)}`;
    await storeSigned(place, signed, { question: 'switch', reference: digest, digest, remark: reason });
    const record = { ...it, reason, by, at: now() };
    if (asked.to === 'off') return { changed: await store.switchOff(record) };
    if (await store.switchOn(record)) return { changed: true };
    throw new Problem('usage', 'not-off', `${switchText(it)} is not off.`, {
      hint: 'payouts switch list shows what is off.',
    });
  },
});

type Asked = Pick<z.output<typeof SWITCH.input>, 'to' | 'scope' | 'key'> & { by: string };

async function meant({ store, config }: Place, { to, scope, key, by }: Asked): Promise<SwitchedOff> {
  if (to === 'off') return namedSwitch(store, scope, key);
  const on = checkedSwitch(scope, key);
  await assertMaySwitchOn({ store, policy: config.settings.policy, name: by }, on);
  return on;
}
