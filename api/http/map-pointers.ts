import { defined } from '../../src/defined.ts';
import { isServiceError, ServiceError } from '../../src/errors.ts';

/**
 * Names the fields of the request in the errors of a validation that judges something larger, such as the resource
 * that the request changes. An error outside the request's fields appears only in the message.
 */
export async function mapPointers<T>(
  toField: (pointer: string) => string | undefined,
  validate: () => Promise<T>,
): Promise<T> {
  try {
    return await validate();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const fields = error.errors.map((one) => ({ ...one, field: toField(one.pointer) }));
    const errors = fields.flatMap(({ field, detail }) => (field === undefined ? [] : [{ pointer: field, detail }]));
    const message = fields.reduce(
      (text, { pointer, field }) => (field === undefined ? text : text.replaceAll(`${pointer} `, `${field} `)),
      error.message,
    );
    throw new ServiceError(error.reason, message, { errors, ...defined({ retryAfterMs: error.retryAfterMs }) });
  }
}

/** The fields of a part of a resource that is the whole body of the request. */
export const fieldsOfPart =
  (part: string) =>
  (pointer: string): string | undefined =>
    pointer.startsWith(`${part}/`) ? pointer.slice(part.length) : undefined;
