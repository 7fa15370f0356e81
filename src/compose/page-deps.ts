import { isJudged } from '../api/errors.ts';
import { MESSAGES } from '../domain/names.ts';
import type { PageDeps } from '../gateway/pages/page-deps.ts';
import { signalPlan } from '../services/batch/control.ts';
import { updatePayout } from '../temporal/decide-payout.ts';
import { executionsOver } from '../temporal/executions.ts';
import { resolvePayout } from '../temporal/resolve-payout.ts';
import { type TemporalUi, workflowUrl } from '../temporal/ui-link.ts';
import { sidesShown } from './both-sides.ts';
import type { Opened } from './intake-deps.ts';
import { stepContext } from './next-steps.ts';
import { inTime, resolveMs } from './worker-answer.ts';

export const pageDeps = ({ config, store, client, bank, log }: Opened, ui: TemporalUi): PageDeps => ({
  settings: config.settings,
  decide: (payout, update) => inTime(client, () => updatePayout(client, payout.workflowId, MESSAGES.decide, update)),
  cancel: (payout, request) => inTime(client, () => updatePayout(client, payout.workflowId, MESSAGES.cancel, request)),
  resolve: (payout, request) =>
    inTime(client, () => resolvePayout({ client, store }, payout, request), resolveMs(config.settings)),
  stepContext: (payouts) => stepContext(config, store, payouts),
  bothSides: (payout) => sidesShown({ store, bank, clockSkewMs: config.settings.clockSkewMs }, payout),
  beneficiary: (id) =>
    bank.beneficiaries.get(id).catch((error: unknown) => {
      if (!isJudged(error)) log.warn({ error }, 'payee not read');
      return undefined;
    }),
  bank,
  signalPlan: (signed) => signalPlan({ store, executions: executionsOver(client) }, signed),
  workflowUrl: (workflowId) => workflowUrl(ui, workflowId),
});
