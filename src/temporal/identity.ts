import { type Client, isGrpcServiceError } from '@temporalio/client';

/** gRPC statuses of a service that does not tell its cluster id to a client of one namespace. */
const UNTOLD: ReadonlySet<number> = new Set([7, 12]); // PERMISSION_DENIED, UNIMPLEMENTED

/**
 * Which Temporal a client is connected to. The cluster's id is random, made with its database and kept in it. Where it is not
 * told (default authorization gives it to readers of the whole cluster only), the id of the namespace stands for it, which
 * is random as well.
 */
export async function temporalIdentity(client: Client): Promise<{ cluster: string; namespace: string }> {
  const { namespace } = client.options;
  return { cluster: (await clusterId(client)) || `of namespace ${await namespaceId(client, namespace)}`, namespace };
}

async function clusterId({ workflowService }: Client): Promise<string> {
  try {
    return (await workflowService.getClusterInfo({})).clusterId ?? '';
  } catch (error) {
    if (isGrpcServiceError(error) && UNTOLD.has(error.code)) return '';
    throw error;
  }
}

async function namespaceId({ workflowService }: Client, namespace: string): Promise<string> {
  return (await workflowService.describeNamespace({ namespace })).namespaceInfo?.id ?? '';
}
