import { z } from 'zod';
import { may, type Person, personOf } from '../../../domain/authority.ts';
import { Problem } from '../../../domain/problem.ts';
import { roleAskedOf } from '../../../people/decisions/scope.ts';
import { openQuestion } from '../../../people/decisions/shown-question.ts';
import { approvedBy, scopeFactsOfRow } from '../../../people/decisions/verdict.ts';
import { ANY_ROLE } from '../route-access.ts';
import { pathId } from './inputs.ts';
import { operation } from './place.ts';
import { visiblePayout } from './visible.ts';

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
  summary: 'Who may approve a payout by the policy, who has, and how many approvals it needs',
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
    const mayApprove = ({ name }: Person): boolean =>
      name !== by && may(personOf(policy, name), roleAskedOf(payout), scopeFactsOfRow(payout));
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
