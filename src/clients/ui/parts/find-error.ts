import { ApiProblem } from '../api/request.ts';

/** Finds the message of the API for a field of a body, or for a part of the field. */
export const findError = (error: Error | null, pointer: string): string | undefined =>
  find(error, (one) => one === pointer || one.startsWith(`${pointer}/`));

/** Finds the message of the API for a list itself, or for an item as a whole. */
export const findListError = (error: Error | null, pointer: string): string | undefined =>
  find(
    error,
    (one) => one === pointer || (one.startsWith(`${pointer}/`) && /^\d+$/.test(one.slice(pointer.length + 1))),
  );

const find = (error: Error | null, isMeant: (pointer: string) => boolean): string | undefined =>
  error instanceof ApiProblem ? error.errors.find(({ pointer }) => isMeant(pointer))?.detail : undefined;
