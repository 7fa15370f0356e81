import type { TemporalUi } from '../platform/app.ts';
import type { Config } from '../platform/config.ts';
import { lastPorts } from '../platform/embedded/ports.ts';

/**
 * URL of the pages; undefined if there are none. If no gateway is up, where this home's last one was and the next one will be.
 */
export function pagesUrl(
  { home, settings: { policy }, gateway }: Config,
  gatewayUrl?: string | null,
): string | undefined {
  if (policy !== undefined) return policy.origin;
  if (gateway.tokens.reveal().length > 0) return undefined;
  const port = lastPorts(home)?.gateway;
  return gatewayUrl ?? (port === undefined ? undefined : `http://127.0.0.1:${port}`);
}

/** URL of a workflow in the Temporal Web UI; ids contain slashes, so they are encoded. */
export const workflowUrl = (ui: TemporalUi, workflowId: string): string =>
  `${workflowsOf(ui)}/${encodeURIComponent(workflowId)}`;

/** URL of the list of a batch's payouts. */
export const batchUrl = (ui: TemporalUi, batchId: string): string =>
  `${workflowsOf(ui)}?query=${encodeURIComponent(`PayoutBatchId="${batchId}"`)}`;

const workflowsOf = ({ url, namespace }: TemporalUi): string =>
  `${url}/namespaces/${encodeURIComponent(namespace)}/workflows`;
