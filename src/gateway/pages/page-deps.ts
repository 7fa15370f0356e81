import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import type { WorkerSettings } from '../../config/settings.ts';
import type { DecideUpdate } from '../../domain/approval.ts';
import type { SignedDecision } from '../../domain/authority.ts';
import type { ResolveRequest } from '../../domain/resolve-action.ts';
import type { Comparison } from '../../reports/comparison.ts';
import type { StepContext } from '../../reports/next-step.ts';
import type { PlanDeps } from '../../services/decisions/plan.ts';
import type { PayoutRecord } from '../../store/store.ts';

/** What the pages need beyond the other parts of the gateway. */
export interface PageDeps {
  settings: Pick<WorkerSettings, 'policy' | 'terms'>;
  /** Sends a decision to a payout's workflow and returns its answer. Throws if no worker answers soon. */
  decide(payout: PayoutRecord, update: DecideUpdate): Promise<string | { refused: string }>;
  /** Sends an operator's decision to a payout's workflow, which checks with the bank first, and returns its answer. */
  resolve(payout: PayoutRecord, request: ResolveRequest): Promise<string | { refused: string }>;
  /** Asks a payout's workflow to cancel it if that is still possible, and returns its answer. */
  cancel(payout: PayoutRecord, request: { by: string; reason: string }): Promise<string | { refused: string }>;
  /** What the next steps of these rows depend on. */
  stepContext(payouts: readonly PayoutRecord[]): Promise<StepContext>;
  /** The comparisons of a row; undefined if the bank does not answer. */
  bothSides(payout: PayoutRecord): Promise<Comparison[] | undefined>;
  /** A payee as the bank shows it now; undefined if the bank does not answer. */
  beneficiary(id: string): Promise<Beneficiary | undefined>;
  /** For reading accounts and payees of rows not read yet. */
  bank: PlanDeps['bank'];
  /** Makes the waiting rows of a plan look at the signed decision. */
  signalPlan(signed: SignedDecision): Promise<unknown>;
  workflowUrl(workflowId: string): string;
}
