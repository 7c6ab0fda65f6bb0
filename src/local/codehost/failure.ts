export type FailureDetail = { resource: string; field?: string; code: string; message?: string; value?: unknown };

/** A refusal in the real host's words. */
export class Failure extends Error {
  readonly status: number;
  readonly errors: FailureDetail[];

  constructor(status: number, message: string, errors: FailureDetail[] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

export const notFound = (): Failure => new Failure(404, 'Not Found');

export const unprocessable = (...errors: FailureDetail[]): Failure => new Failure(422, 'Validation Failed', errors);
