import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { z } from 'zod';
import { invalid, ServiceError, type FieldError } from '../../src/errors.ts';

type ValidationResult = { target: string } & ({ success: true } | { success: false; error: z.ZodError });

/** A small request could otherwise demand a response that is many times as large. */
const errorsMax = 20;
const pointerLengthMax = 200;

/** Throws a refusal that lists the invalid fields of a request that does not match its schema. */
export function assertValidRequest(result: ValidationResult, c: Context): void {
  // The framework validates an absent body as an empty object, which would reset every optional setting.
  if (result.target === 'json' && c.req.header('content-type') === undefined) throw new HTTPException(400);
  if (result.success) return;
  // A path segment that is not a valid name cannot be an existing resource, so the answer is 404 instead of 422.
  if (result.target === 'param')
    throw new ServiceError('not-found', `The path ${c.req.path} does not exist: it contains an invalid resource name.`);
  const all = result.error.issues.flatMap((issue) => toFieldErrors(issue, result.target));
  const errors = all.slice(0, errorsMax);
  const part = result.target === 'json' ? 'body' : result.target;
  const listed = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  const more = all.length > errors.length ? `; and ${all.length - errors.length} more` : '';
  throw invalid(`The ${part} of the request is invalid: ${listed}${more}.`, errors);
}

type Issue = z.ZodError['issues'][number];

function toFieldErrors(issue: Issue, target: string): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      pointer: toPointer([...issue.path, key], target),
      detail: `is not a known ${target === 'query' ? 'query parameter' : 'property'}`,
    }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = issue.errors.toSorted((one, other) => one.length - other.length)[0] ?? [];
    return nearest.flatMap((inner) =>
      toFieldErrors({ ...inner, path: [...issue.path, ...inner.path] } as Issue, target),
    );
  }
  return [{ pointer: toPointer(issue.path, target), detail: toDetail(issue) }];
}

function toDetail(issue: Issue): string {
  const { message } = issue;
  if (message.endsWith('received undefined')) return 'is missing';
  // A schema may have a message of its own.
  if (issue.code === 'too_big' && message.startsWith('Too big'))
    return describeLimit(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum));
  if (issue.code === 'too_small' && message.startsWith('Too small'))
    return describeLimit(issue.origin, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum));
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function describeLimit(origin: string, bound: string, limit: number): string {
  const units: Record<string, string> = { string: 'character', array: 'item' };
  const unit = units[origin];
  return unit === undefined
    ? `must be ${bound} ${limit}`
    : `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

function toPointer(path: readonly PropertyKey[], target: string): string {
  const pointer =
    target === 'json'
      ? path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      : `?${String(path[0] ?? '')}`;
  return pointer.length <= pointerLengthMax ? pointer : `${pointer.slice(0, pointerLengthMax)}…`;
}
