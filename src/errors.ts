/** The refusals a caller can act on; each is one status of the API. */
export type ErrorCode =
  | 'not-signed-in'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'invalid'
  | 'too-large'
  | 'too-many-requests'
  | 'unavailable';

/** One wrong field; `pointer` is a JSON pointer into the request body, or `?name` for a query parameter. */
export type FieldError = { pointer: string; detail: string };

/** A refusal: `message` says what failed, on which resource and how to fix it, and reaches the caller unchanged. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[];
  /** Set with `too-many-requests` and `unavailable` where the other side said when to come back. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: { errors?: FieldError[]; retryAfterMs?: number } = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function notFound(what: string, name: string, where: string): ServiceError {
  return new ServiceError('not-found', `No ${what} named "${name}" in ${where}.`);
}

export function invalid(message: string, errors: FieldError[] = []): ServiceError {
  return new ServiceError('invalid', message, { errors });
}

/** For `catch`: what is not there any more is as good as deleted, or told; anything else is thrown on. */
export function unlessGone(error: unknown): void {
  if (!isServiceError(error, 'not-found')) throw error;
}

export function isServiceError(error: unknown, code?: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && (code === undefined || error.code === code);
}
