import { z } from 'zod';
import { type Credential, decidesAs, type Person, personAt } from '../../../domain/authority.ts';
import { Problem } from '../../../domain/problem.ts';
import { roleAskedOf } from '../../../people/decisions/scope.ts';
import { openQuestion } from '../../../people/decisions/shown-question.ts';
import { approvedBy, scopeFactsOfRow } from '../../../people/decisions/verdict.ts';
import { assertPolicyKept } from '../../../platform/audit/policy-log.ts';
import { operation, pathId, visiblePayout } from '../operation.ts';
import { ANY_ROLE } from '../route-access.ts';

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
  person: (Pick<Person, 'name' | 'roles' | 'scope' | 'substitutesFor'> & { credentials: string[] }) | null;
}

export const MYSELF = operation({
  method: 'GET',
  path: '/v1/me',
  tag: 'people',
  summary: 'Who the caller is in the policy, and what a signed statement names',
  access: ANY_ROLE,
  input: z.strictObject({ credential: z.string().max(200).optional().describe('id of the key; else the caller') }),
  answer: z.looseObject({ storeId: z.string(), hasPolicy: z.boolean() }),
  async run({ config, store, caller, now }, { credential }): Promise<Myself> {
    await assertPolicyKept(config, store);
    const { policy } = config.settings;
    const { name = null } = caller;
    const about = { storeId: store.id, name };
    if (policy === undefined) return { ...about, hasPolicy: false, approvalTtlMs: 0, people: [], person: null };
    const holds = ({ credentials }: Person): boolean => credentials.some(({ id }) => id === credential);
    // Over HTTP a caller learns about nobody but themselves.
    const people = caller.person === undefined ? policy.people : [caller.person];
    const person = credential === undefined ? caller.person : personAt(policy, people.find(holds)?.name ?? null, now());
    const { approvalTtlMs } = policy;
    const names = people.map((it) => it.name);
    return { ...about, hasPolicy: true, approvalTtlMs, people: names, person: person ? shown(person) : null };
  },
});

const shown = ({ name, roles, scope, substitutesFor, credentials }: Person): NonNullable<Myself['person']> => ({
  name,
  roles,
  scope,
  ...(substitutesFor && { substitutesFor }),
  credentials: credentials.map(({ id }: Credential) => id),
});

/** Who may approve a payout, and who has. */
export interface Approvals {
  reference: string;
  state: string;
  maker: string | null;
  policyHash: string | null;
  /** What it asks; null: nothing now. */
  asks: string | null;
  needed: number;
  approvedBy: readonly string[];
  mayApprove: string[];
}

export const APPROVALS = operation({
  method: 'GET',
  path: '/v1/payouts/:reference/approvals',
  tag: 'decisions',
  summary: 'Who may approve a payout, who has, and how many must',
  access: ANY_ROLE,
  input: z.strictObject({ reference: pathId }),
  answer: z.looseObject({ mayApprove: z.array(z.string()) }),
  async run(place, { reference }): Promise<Approvals> {
    const { store, config, now } = place;
    const { settings } = config;
    const { policy } = settings;
    if (policy === undefined) throw noPolicy();
    const payout = await visiblePayout(place, reference);
    const { by } = payout;
    const about = { maker: by, touches: scopeFactsOfRow(payout) };
    const mayApprove = ({ name }: Person): boolean =>
      decidesAs(personAt(policy, name, now()), roleAskedOf(payout), about).length > 0;
    const asked = await openQuestion({ store, settings }, payout);
    return {
      reference,
      state: payout.state,
      maker: by,
      policyHash: payout.assessed?.policyHash ?? null,
      asks: asked?.question ?? null,
      needed: asked?.needed ?? 0,
      approvedBy: await approvedBy({ store, settings, now }, payout, asked),
      mayApprove: policy.people.filter(mayApprove).map(({ name }) => name),
    };
  },
});

export const noPolicy = (): Problem =>
  new Problem('usage', 'no-policy', 'No policy is set; names are not verified.', {
    hint: 'payouts policy init FILE makes one; set PAYOUTS_POLICY to the file.',
  });
