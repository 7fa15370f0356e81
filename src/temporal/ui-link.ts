export interface TemporalUi {
  url: string;
  namespace: string;
}

/** URL of a workflow in the Temporal Web UI; ids contain slashes, so they are encoded. */
export const workflowUrl = (ui: TemporalUi, workflowId: string): string =>
  `${workflowsOf(ui)}/${encodeURIComponent(workflowId)}`;

/** URL of the list of a batch's payouts. */
export const batchUrl = (ui: TemporalUi, batchId: string): string =>
  `${workflowsOf(ui)}?query=${encodeURIComponent(`PayoutBatchId="${batchId}"`)}`;

const workflowsOf = ({ url, namespace }: TemporalUi): string =>
  `${url}/namespaces/${encodeURIComponent(namespace)}/workflows`;
