export type HttpErrorDetail = { resource: string; field?: string; code: string; message?: string; value?: unknown };

/** An error response with the status and message of GitHub's API. */
export class HttpError extends Error {
  readonly status: number;
  readonly errors: HttpErrorDetail[];

  constructor(status: number, message: string, errors: HttpErrorDetail[] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

export const notFound = (): HttpError => new HttpError(404, 'Not Found');

export const unprocessable = (...errors: HttpErrorDetail[]): HttpError =>
  new HttpError(422, 'Validation Failed', errors);
