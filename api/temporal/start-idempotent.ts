import { createHash } from 'node:crypto';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requestLabels } from '../../src/rules/expiry.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { ApiDeps } from '../deps.ts';
import { findEarlierAttempt } from './find-earlier-attempt.ts';
import { keyReused, type RequestIdentity } from './idempotency.ts';

/** A start on behalf of a request; a repeated request has to carry an equal payload. */
export type StartRequest<Input> = {
  org: string;
  request: RequestIdentity;
  payload: object;
  /** Checks the request, and decides what it starts by the state of the org and its code host. */
  prepare: () => Promise<Input>;
};
type Starter<Input> = {
  toWorkflowId: (input: Input) => string;
  /** Starts the input, or finds what an earlier attempt has started, and returns its name. */
  start: (input: Input) => Promise<string>;
};

/**
 * Starts something that has a name, and stores the name for repeated requests. The input is stored before: when an
 * attempt has started it and failed to respond, a repeated request starts the same, although a branch may have moved or a
 * Product may have changed since.
 */
export async function startIdempotent<Input extends object>(
  { store, temporal }: Pick<ApiDeps, 'store' | 'temporal'>,
  { org, request, payload, prepare }: StartRequest<Input>,
  { toWorkflowId, start }: Starter<Input>,
): Promise<string> {
  if (!request.hasIdempotencyKey) return start(await prepare());
  const ref = { namespace: orgNamespace(org), name: `request-${request.id}`, labels: requestLabels };
  const digest = createHash('sha256').update(JSON.stringify(payload)).digest('hex');
  const { started, input: storedInput, ...stored } = (await store.find(ConfigMapKind, ref))?.data ?? {};
  const findStarted = async (text: string): Promise<Input | undefined> => {
    const input = JSON.parse(text) as Input;
    const earlier = await findEarlierAttempt(temporal, toWorkflowId(input), request);
    // A failed attempt has started nothing that lasts.
    return earlier && earlier.status.name !== 'FAILED' ? input : undefined;
  };
  const save = async (data: Record<string, string>): Promise<unknown> =>
    await applyObject(store, ConfigMapKind, { ref, build: () => ({ data: { digest, ...data } }) });
  const earlier = storedInput === undefined ? undefined : await findStarted(storedInput);
  if ((started ?? earlier) !== undefined && stored['digest'] !== digest) throw keyReused();
  if (started !== undefined) return started;
  const input = earlier ?? (await prepare());
  await save({ input: JSON.stringify(input) });
  const name = await start(input);
  await save({ started: name });
  return name;
}
