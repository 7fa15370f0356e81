import { isGrpcServiceError, ServiceError } from '@temporalio/client';

export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;

/** The status of an error that the service answered, bare or wrapped by the client; undefined for every other error. */
export function grpcStatusOf(error: unknown): number | undefined {
  const answer = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(answer) ? answer.code : undefined;
}
