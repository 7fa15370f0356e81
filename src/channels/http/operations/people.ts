import { z } from 'zod';
import type { Credential, Person } from '../../../domain/authority.ts';
import { assertPolicyKept } from '../../../platform/audit/policy-log.ts';
import { ANY_ROLE } from '../route-access.ts';
import { operation } from './place.ts';

/** What somebody who signs has to know, and who they are. */
export interface Myself {
  /** Names the store in what is signed, so that it counts nowhere else. */
  storeId: string;
  /** False: names are believed, and nothing is signed. */
  hasPolicy: boolean;
  /** How long what is signed may be valid, ms. */
  approvalTtlMs: number;
  /** Of the caller; null for a command in place, and for a token without a name. */
  name: string | null;
  /** Whom the caller may name: in place everybody in the policy, else only themselves. */
  people: readonly string[];
  /** Null: nobody in the policy has this credential, or somebody else. */
  person: (Pick<Person, 'name' | 'roles' | 'scope'> & { credentials: string[] }) | null;
}

export const MYSELF = operation({
  method: 'GET',
  path: '/v1/me',
  tag: 'people',
  summary: 'Who the caller is in the policy, and what to put into a statement that is signed',
  access: ANY_ROLE,
  input: z.strictObject({ credential: z.string().max(200).optional().describe('id of the key; else the caller') }),
  answer: z.looseObject({ storeId: z.string(), hasPolicy: z.boolean() }),
  async run({ config, store, caller }, { credential }): Promise<Myself> {
    await assertPolicyKept(config, store);
    const { policy } = config.settings;
    const { name = null } = caller;
    const about = { storeId: store.id, name };
    if (policy === undefined) return { ...about, hasPolicy: false, approvalTtlMs: 0, people: [], person: null };
    const holds = ({ credentials }: Person): boolean => credentials.some(({ id }) => id === credential);
    // Over HTTP a caller learns about nobody but themselves.
    const people = caller.person === undefined ? policy.people : [caller.person];
    const person = credential === undefined ? caller.person : people.find(holds);
    const { approvalTtlMs } = policy;
    const names = people.map((it) => it.name);
    return { ...about, hasPolicy: true, approvalTtlMs, people: names, person: person ? shown(person) : null };
  },
});

const shown = ({ name, roles, scope, credentials }: Person): NonNullable<Myself['person']> => ({
  name,
  roles,
  scope,
  credentials: credentials.map(({ id }: Credential) => id),
});
