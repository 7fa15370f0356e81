import { type Client, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';

/** gRPC statuses of a service that does not tell its cluster id to a client of one namespace. */
const UNTOLD: ReadonlySet<number> = new Set([7, 12]); // PERMISSION_DENIED, UNIMPLEMENTED
const NOT_FOUND = 5;

/**
 * Which Temporal a client is connected to. The cluster's id is random, made with its database and kept in it. Where it is not
 * told (default authorization gives it to readers of the whole cluster only), the id of the namespace stands for it, which
 * is random as well. Throws a `NamespaceNotFoundError`, so that a misspelled name is never kept as a store's own.
 */
export async function temporalIdentity(client: Client): Promise<{ cluster: string; namespace: string }> {
  const { namespace } = client.options;
  const id = await namespaceId(client, namespace);
  return { cluster: (await clusterId(client)) || `of namespace ${id}`, namespace };
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
  try {
    return (await workflowService.describeNamespace({ namespace })).namespaceInfo?.id ?? '';
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) throw new NamespaceNotFoundError(namespace);
    throw error;
  }
}
