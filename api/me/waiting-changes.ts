import { findWaitingSteps } from '../../src/rules/changes/find-waiting-steps.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { DomainKind, type Domain } from '../../src/rules/domains/kinds.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind, type Incident } from '../../src/rules/incidents/kinds.ts';
import { ProductKind, type Product } from '../../src/rules/products/kinds.ts';
import type { StoredObject } from '../../src/rules/resource.ts';
import type { WatchEvent } from '../../src/store/store.ts';
import { boundedCache } from '../http/bounded-cache.ts';

/** The kinds of objects that may wait for a person. */
export const waitingKinds = [AgentWorkflowRunKind, ProductKind, IncidentKind, DomainKind];

/** Tells which changes may alter what waits for a person: most writes of a run change nothing that a person decides. */
export class WaitingChanges {
  readonly #known = boundedCache<string>(10_000);
  readonly #judged = new WeakMap<StoredObject, boolean>();

  /** Judges an event once for all readers. */
  matters({ type, object }: WatchEvent<StoredObject>): boolean {
    const judged = this.#judged.get(object);
    if (judged !== undefined) return judged;
    const { namespace, name } = object.metadata;
    const key = `${object.kind} ${namespace} ${name}`;
    const before = this.#known.get(key) ?? (type === 'ADDED' ? nothing : undefined);
    const now = type === 'DELETED' ? nothing : describeWaiting(object);
    if (type === 'DELETED') this.#known.delete(key);
    else this.#known.set(key, now);
    this.#judged.set(object, before !== now);
    return before !== now;
  }
}

const nothing = '[]';

function describeWaiting(object: StoredObject): string {
  if (object.kind === AgentWorkflowRunKind.kind) {
    const run = object as AgentWorkflowRun;
    const steps = findWaitingSteps(run).map(({ name, phase, waitingFor }) => [name, phase, waitingFor]);
    return JSON.stringify(steps.length === 0 ? [] : [run.status?.pullRequest?.headSha, ...steps]);
  }
  if (object.kind === ProductKind.kind) {
    const zones = (object as Product).status?.zones ?? [];
    const waiting = zones.filter(({ currentPromotion }) => currentPromotion?.phase === 'WaitingForApproval');
    return JSON.stringify(waiting.map(({ name, currentPromotion }) => [name, currentPromotion?.release]));
  }
  if (object.kind === IncidentKind.kind) {
    const { state, openedAt } = getIncidentStatus(object as Incident);
    return JSON.stringify(state === 'Open' ? [openedAt] : []);
  }
  const { state, message } = (object as Domain).status ?? { state: 'WaitingForDns' };
  return JSON.stringify(state === 'WaitingForDns' ? [message] : []);
}
