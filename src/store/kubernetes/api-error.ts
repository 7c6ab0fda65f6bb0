import { defined } from '../../defined.ts';
import { invalid, ServiceError } from '../../errors.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { notFoundError, nameTakenError, staleVersionError } from '../store-errors.ts';
import type { Ref } from '../store.ts';

/** The fields of a Kubernetes `Status` that this service reads. */
export type Status = {
  reason?: string;
  message?: string;
  details?: { name?: string; kind?: string; causes?: { reason?: string; field?: string; message?: string }[] };
};

/** An error response of the API server. `toServiceError` translates it for callers of the store. */
export class ApiServerError extends Error {
  readonly code: number;
  readonly status: Status;
  readonly retryAfterMs: number;
  /** An earlier attempt of the same request may have been applied. */
  mayHaveApplied = false;

  constructor(code: number, status: Status, retryAfterMs = 0) {
    super(`${code} ${status.message ?? ''}`);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  withMayHaveApplied(mayHaveApplied: boolean): this {
    this.mayHaveApplied = mayHaveApplied;
    return this;
  }

  get isAlreadyExists(): boolean {
    return this.status.reason === 'AlreadyExists';
  }

  /** A 404 without a Status comes from a server that does not have the kind, or has not loaded it yet. */
  get isUnknownPath(): boolean {
    return this.code === 404 && this.status.reason === undefined;
  }

  get isNamespaceMissing(): boolean {
    return this.code === 404 && this.status.details?.kind === 'namespaces';
  }

  get isNamespaceTerminating(): boolean {
    return this.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
  }

  get isTooLarge(): boolean {
    return this.code === 413 || /request is too large|exceeds the limit/.test(this.status.message ?? '');
  }
}

/** API servers ask with seconds. A proxy before one may ask with a date, whose distance depends on its clock. */
export function parseRetryAfterMs(header: string | string[] = '0'): number {
  const seconds = Number(header);
  return Number.isNaN(seconds) ? 0 : seconds * 1_000;
}

export function parseStatus(text: string): Status {
  try {
    return JSON.parse(text) as Status;
  } catch {
    return { message: text };
  }
}

/** Drops the texts of a response, and keeps the reasons by which the store decides. */
export function withoutWords({ reason, details: { kind, causes = [] } = {} }: Status): Status {
  const reasons = causes.map((cause) => defined({ reason: cause.reason }));
  return defined({ reason, details: defined({ kind, causes: reasons }) });
}

export function toServiceError(error: unknown, kind: Kind<StoredObject>, ref: Ref): unknown {
  if (!(error instanceof ApiServerError)) return error;
  if (error.isAlreadyExists) return nameTakenError(kind, ref);
  if (error.code === 404) return notFoundError(kind, ref);
  if (error.code === 409) return staleVersionError(kind, ref);
  const message = `${kind.kind} "${ref.name}" was rejected by the API server: ${error.status.message ?? error.code}.`;
  if (error.isTooLarge) return new ServiceError('too-large', `${message} Make it smaller or split it.`);
  if (error.code === 422 || error.code === 400)
    return invalid(
      message,
      (error.status.details?.causes ?? []).map(({ field = '', message: detail = '' }) => ({
        pointer: toJsonPointer(field),
        detail,
      })),
    );
  if (error.code === 401 || error.code === 403)
    return new ServiceError('cluster-access-denied', `${message} Grant the service account the missing permission.`);
  return new ServiceError('cluster-unavailable', message);
}

/** Converts a field path such as `spec.zones[0].name` to a JSON pointer. */
const toJsonPointer = (field: string): string => `/${field.replace(/\[(\w+)\]/g, '.$1').replaceAll('.', '/')}`;
