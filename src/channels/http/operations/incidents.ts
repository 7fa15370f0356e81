import { z } from 'zod';
import { acknowledgementOf } from '../../../domain/authority.ts';
import { visible } from '../../../domain/finding.ts';
import { Problem } from '../../../domain/problem.ts';
import { assertMayAcknowledge } from '../../../people/decisions/scope.ts';
import { scopeFactsOfRow } from '../../../people/decisions/verdict.ts';
import type { IncidentRecord } from '../../../store/store.ts';
import { visibleOf } from '../../pages/incidents.ts';
import { OPERATING } from '../../pages/may-do.ts';
import type { CallerAccess } from '../route-access.ts';
import { storableText } from '../schemas.ts';
import { nameOf, signedInput, storeSigned } from './decisions.ts';
import { flag, shortText } from './inputs.ts';
import { operation, type Place } from './place.ts';

const TAG = 'incidents';
const READING: CallerAccess = { roles: ['approver', 'operator', 'auditor'], scope: 'each' };
const SHOWN_MAX = 1_000;

export const INCIDENTS = operation({
  method: 'GET',
  path: '/v1/incidents',
  tag: TAG,
  summary: 'What the bank shows that contradicts stored ends, newest first',
  access: READING,
  input: z.strictObject({ open: flag.describe('only those that nobody has acknowledged') }),
  answer: z.looseObject({ incidents: z.array(z.looseObject({ id: z.string() })) }),
  async run({ store, caller }, { open }): Promise<{ incidents: IncidentRecord[] }> {
    const found = await visibleOf(caller, store, await store.incidents({ open, limit: SHOWN_MAX }));
    return { incidents: found.map(({ incident }) => incident) };
  },
});

/** `by`: whose scope has to hold it, where that is not the caller's. */
export const INCIDENT = operation({
  method: 'GET',
  path: '/v1/incidents/:id',
  tag: TAG,
  summary: 'An incident that the caller may acknowledge',
  access: OPERATING,
  input: z.strictObject({ id: shortText, by: storableText.optional() }),
  answer: z.looseObject({ incident: z.looseObject({ id: z.string() }) }),
  run: async (place, { id, by = '' }) => ({ incident: await theirs(place, id, place.caller.name ?? by) }),
});

export const ACKNOWLEDGE = operation({
  method: 'POST',
  path: '/v1/incidents/:id/acknowledgement',
  tag: TAG,
  summary: 'Record that an incident was dealt with, and how',
  access: OPERATING,
  input: z.strictObject({ id: shortText, by: storableText.optional(), reason: storableText, signed: signedInput }),
  answer: z.looseObject({ incident: z.looseObject({ id: z.string() }), isNew: z.boolean() }),
  async run(place, { id, by: given, reason, signed }): Promise<{ incident: IncidentRecord; isNew: boolean }> {
    const { store, now } = place;
    const by = nameOf(place, given, signed);
    const known = await theirs(place, id, by);
    const payout = await store.payout(known.reference);
    const about = acknowledgementOf(id, reason);
    await storeSigned(place, signed, about, payout && scopeFactsOfRow(payout));
    const acknowledged = await store.acknowledgeIncident(id, { by, reason, at: now() });
    if (acknowledged === undefined) throw unknownIncident(id);
    return acknowledged;
  },
});

/** Throws a `Problem` if there is none, if the caller may not see it, or if it is outside of the scope of a person. */
async function theirs({ store, caller, config }: Place, id: string, name: string): Promise<IncidentRecord> {
  const known = await store.incident(id);
  const [seen] = await visibleOf(caller, store, known === undefined ? [] : [known]);
  if (seen === undefined) throw unknownIncident(id);
  await assertMayAcknowledge({ store, policy: config.settings.policy, name }, seen.incident);
  return seen.incident;
}

const unknownIncident = (id: string): Problem =>
  new Problem('not-found', 'unknown-id', `There is no incident "${visible(id)}".`, {
    hint: 'payouts incidents --open shows those that nobody has acknowledged.',
  });
