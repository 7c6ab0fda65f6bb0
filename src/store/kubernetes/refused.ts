import { invalid, ServiceError } from '../../errors.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { missing, nameTaken, stale } from '../refusals.ts';
import type { Ref } from '../store.ts';

/** Kubernetes' `Status`, as far as it is read. */
export type Status = {
  reason?: string;
  message?: string;
  details?: { name?: string; kind?: string; causes?: { reason?: string; field?: string; message?: string }[] };
};

/** What the API server said no to; the store says it again in its own words (`inOurWords`). */
export class Refused extends Error {
  readonly code: number;
  readonly status: Status;
  readonly retryAfterMs: number;
  /** An earlier try of the same may have been carried out. */
  unsure = false;

  constructor(code: number, status: Status, retryAfterMs = 0) {
    super(`${code} ${status.message ?? ''}`);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  after(unsure: boolean): this {
    this.unsure = unsure;
    return this;
  }

  get taken(): boolean {
    return this.status.reason === 'AlreadyExists';
  }

  /** The namespace is not there (any more). */
  get withoutNamespace(): boolean {
    return this.code === 404 && this.status.details?.kind === 'namespaces';
  }

  get terminating(): boolean {
    return this.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
  }

  get tooLarge(): boolean {
    return this.code === 413 || /request is too large|exceeds the limit/.test(this.status.message ?? '');
  }
}

export function inOurWords(error: unknown, kind: Kind<StoredObject>, ref: Ref): unknown {
  if (!(error instanceof Refused)) return error;
  if (error.taken) return nameTaken(kind, ref);
  if (error.code === 404) return missing(kind, ref);
  if (error.code === 409) return stale(kind, ref);
  const message = `${kind.kind} "${ref.name}" was refused: ${error.status.message ?? error.code}.`;
  if (error.tooLarge) return new ServiceError('too-large', `${message} Make it smaller or split it.`);
  if (error.code === 422 || error.code === 400)
    return invalid(
      message,
      (error.status.details?.causes ?? []).map(({ field = '', message: detail = '' }) => ({
        pointer: pointerTo(field),
        detail,
      })),
    );
  if (error.code === 401 || error.code === 403)
    return new ServiceError('unavailable', `${message} The service’s own account lacks the right to it.`);
  return new ServiceError('unavailable', message);
}

/** `spec.zones[0].name` as a JSON pointer. */
const pointerTo = (field: string): string => `/${field.replace(/\[(\w+)\]/g, '.$1').replaceAll('.', '/')}`;
