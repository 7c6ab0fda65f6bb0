import { ApiProblem } from '../api/request.ts';

/** Finds the message of the API for a field of a body, or for a part of the field. */
export const findError = (error: Error | null, pointer: string): string | undefined =>
  error instanceof ApiProblem
    ? error.errors.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`))?.detail
    : undefined;
