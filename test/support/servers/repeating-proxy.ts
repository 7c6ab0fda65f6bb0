import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { forwardCall, type GrpcProxy, rejectCall, startGrpcProxy } from './grpc-proxy.ts';

const { RespondWorkflowTaskCompletedRequest } = temporal.api.workflowservice.v1;
type CompletedTask = temporal.api.workflowservice.v1.RespondWorkflowTaskCompletedRequest;
const { COMMAND_TYPE_RECORD_MARKER } = temporal.api.enums.v1.CommandType;
const cause = temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND;
const grpcInvalidArgument = 3;

export type RepeatingProxy = GrpcProxy & {
  /** The names of the local activities whose results were rejected, so that they ran again. */
  repeated: Set<string>;
};

/**
 * Starts a proxy to a Temporal server that rejects every task with results of local activities once. The server does so
 * when a message arrives while a worker completes a workflow: the worker then repeats the task with all its activities.
 */
export async function startRepeatingProxy(targetAddress: string): Promise<RepeatingProxy> {
  const connection = await Connection.connect({ address: targetAddress });
  const rejectedNames = new Map<string, Set<string>>();
  const repeated = new Set<string>();

  /** Returns false for the repeated task of a run, unless a signal in between has given it more local activities. */
  const shouldReject = (task: CompletedTask): boolean => {
    const names = new Set(listLocalActivities(task));
    const run = findRunId(task);
    const rejected = rejectedNames.get(run);
    const isRepeated = [...names].every((name) => rejected?.has(name));
    rejectedNames.delete(run);
    if (isRepeated) return false;
    rejectedNames.set(run, names);
    for (const name of names) repeated.add(name);
    return true;
  };
  const rejectOnce = async (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    upstream: Parameters<typeof forwardCall>[2],
  ): Promise<void> => {
    const body = await buffer(stream);
    const task = RespondWorkflowTaskCompletedRequest.decode(readMessage(body)) as CompletedTask;
    if (!shouldReject(task)) return forwardCall(stream, headers, upstream, body);
    const { namespace, identity, taskToken } = task;
    await connection.workflowService.respondWorkflowTaskFailed({ namespace, identity, taskToken, cause });
    rejectCall(stream, grpcInvalidArgument, 'UnhandledCommand');
  };

  const proxy = await startGrpcProxy(createServer(), targetAddress, (stream, headers, upstream) => {
    if (headers[':path']?.endsWith('/RespondWorkflowTaskCompleted'))
      rejectOnce(stream, headers, upstream).catch(() => stream.close());
    else forwardCall(stream, headers, upstream);
  });
  return {
    ...proxy,
    repeated,
    async close() {
      await proxy.close();
      await connection.close();
    },
  };
}

/** A message begins with a byte that says whether it is compressed, and four bytes with its length. */
const readMessage = (body: Buffer): Buffer => (body[0] === 1 ? gunzipSync(body.subarray(5)) : body.subarray(5));

function listLocalActivities({ commands }: CompletedTask): string[] {
  const markers = commands.filter(({ commandType }) => commandType === COMMAND_TYPE_RECORD_MARKER);
  const payloads = markers.flatMap(({ recordMarkerCommandAttributes: marker }) =>
    marker?.markerName === 'core_local_activity' ? (marker.details?.['data']?.payloads ?? []) : [],
  );
  return payloads.map(({ data }) => {
    const { activity_type: name } = JSON.parse(Buffer.from(data ?? []).toString()) as { activity_type: string };
    return name;
  });
}

/** The task token contains the ids of the namespace, the workflow and, last, the run. */
const findRunId = ({ taskToken }: CompletedTask): string =>
  Buffer.from(taskToken)
    .toString('latin1')
    .match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g)
    ?.at(-1) ?? '';
