import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import type { WorkerSettings } from '../../config/settings.ts';
import type { SignedDecision } from '../../domain/authority.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import type { Comparison } from '../../reports/comparison.ts';
import type { StepContext } from '../../reports/next-step.ts';
import type { PlanDeps } from '../../services/decisions/plan.ts';
import type { PayoutRecord } from '../../store/store.ts';

/** What somebody has decided about a payout, as its workflow is told. */
export interface DecisionUpdate {
  decisionId: string;
  decision: 'approve' | 'reject';
  by: string;
  remark: string;
  /** Where a policy asks for it. */
  signed?: SignedDecision;
}

/** What the pages work with beside the rest of the gateway. */
export interface PageDeps {
  settings: Pick<WorkerSettings, 'policy' | 'terms'>;
  /** Tells the workflow of a payout; what it says to it. Throws when no worker answers soon. */
  decide(payout: PayoutRecord, update: DecisionUpdate): Promise<string | { refused: string }>;
  /** Has the workflow of a payout carry out what an operator says; what it says to it. It looks at the bank first. */
  resolve(payout: PayoutRecord, request: ResolveRequest): Promise<string | { refused: string }>;
  /** Cancels a payout where that is still possible; what its workflow says to it. */
  cancel(payout: PayoutRecord, request: { by: string; reason: string }): Promise<string | { refused: string }>;
  /** What the next steps of these rows depend on. */
  stepContext(payouts: readonly PayoutRecord[]): Promise<StepContext>;
  /** What a row has two sides of; undefined when the bank does not answer. */
  bothSides(payout: PayoutRecord): Promise<Comparison[] | undefined>;
  /** A payee as the bank shows it now; undefined when the bank does not answer. */
  beneficiary(id: string): Promise<Beneficiary | undefined>;
  /** Reads accounts and payees of rows that nobody has read yet. */
  bank: PlanDeps['bank'];
  /** Has the rows of a plan that wait look at what was signed. */
  tellPlan(signed: SignedDecision): Promise<unknown>;
  workflowUrl(workflowId: string): string;
}
