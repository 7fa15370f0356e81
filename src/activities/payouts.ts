import type { Claim } from '../domain/claim.ts';
import { auditRefused, type Refused } from '../services/decisions/refusals.ts';
import { type UseInput, useDecision, type WeighInput, weighDecisions } from '../services/decisions/weigh.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { type AssessInput, assessPayout } from '../services/payout/assess.ts';
import { type CloseInput, closePayout, type RecordStateInput, recordState } from '../services/payout/close.ts';
import { type PrepareInput, preparePayout } from '../services/payout/prepare.ts';
import { renewClaim } from '../services/payout/renew-claim.ts';
import { caller } from './caller.ts';

/** What a payout asks about itself. Nothing here moves money, and everything may run again; most run as local activities. */
export const payoutActivities = (deps: ActivityDeps) => ({
  prepare: (input: PrepareInput) => preparePayout(deps, caller(), input),
  renewClaim: (input: { claim: Claim }) => renewClaim(deps, caller(), input),
  assess: (input: AssessInput) => assessPayout(deps, caller(), input),
  weighDecisions: (input: WeighInput) => weighDecisions(deps, caller(), input),
  auditRefused: (input: { claim: Claim; refused: Refused }) => auditRefused(deps, caller(), input),
  useDecision: (input: UseInput) => useDecision(deps, caller(), input),
  recordState: (input: RecordStateInput) => recordState(deps, caller(), input),
  closePayout: (input: CloseInput) => closePayout(deps, caller(), input),
});
