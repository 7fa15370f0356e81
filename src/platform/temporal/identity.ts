import { type Client, NamespaceNotFoundError } from '@temporalio/client';
import { GRPC, grpcStatusOf } from './grpc-status.ts';

/** gRPC statuses of a service that hides its cluster id from a client of one namespace. */
const UNTOLD: ReadonlySet<number | undefined> = new Set([GRPC.PERMISSION_DENIED, GRPC.UNIMPLEMENTED]);

/**
 * Identity of the Temporal service of a client. The cluster id is random, created and stored with its database. If it is hidden
 * (default authorization shows it only to readers of the whole cluster), the namespace id, also random, stands in for it. Throws
 * a `NamespaceNotFoundError`, so that a misspelled name is never stored.
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
    if (UNTOLD.has(grpcStatusOf(error))) return '';
    throw error;
  }
}

async function namespaceId({ workflowService }: Client, namespace: string): Promise<string> {
  try {
    return (await workflowService.describeNamespace({ namespace })).namespaceInfo?.id ?? '';
  } catch (error) {
    if (grpcStatusOf(error) === GRPC.NOT_FOUND) throw new NamespaceNotFoundError(namespace);
    throw error;
  }
}
