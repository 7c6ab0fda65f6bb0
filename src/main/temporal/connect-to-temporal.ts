import { isGrpcServiceError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../../config.ts';
import { loadConnectionOptions } from './load-connection-options.ts';

/** The codes of gRPC. */
const codes = { notFound: 5, permissionDenied: 7 };
const timeoutMs = 10_000;

/**
 * Connects to the Temporal server. Throws when it lacks the namespace, because a process without it would seem ready
 * while every run fails to start.
 */
export async function connectToTemporal(temporal: Config['temporal']): Promise<NativeConnection> {
  const { address } = temporal;
  const options = await loadConnectionOptions(temporal);
  const connection = await NativeConnection.connect(options).catch((error: Error) => {
    throw new Error(
      `The Temporal server at ${address} does not accept the connection. Check TEMPORAL_ADDRESS, TEMPORAL_API_KEY and the TEMPORAL_TLS_… variables (${error.message}).`,
    );
  });
  const violation = await namespaceViolation(connection, temporal);
  if (violation === undefined) return connection;
  await connection.close();
  throw new Error(violation);
}

/** A server that does not respond now is no reason to refuse, because calls are retried. */
async function namespaceViolation(
  connection: NativeConnection,
  { address, namespace }: Config['temporal'],
): Promise<string | undefined> {
  try {
    await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return undefined;
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    if (error.code === codes.notFound)
      return `The Temporal server at ${address} has no namespace "${namespace}". Create it, or set TEMPORAL_NAMESPACE.`;
    if (error.code === codes.permissionDenied)
      return `The Temporal server at ${address} does not let this process use the namespace "${namespace}". Check TEMPORAL_NAMESPACE and the credentials.`;
    return undefined;
  }
}
