import type { Context } from 'hono';
import type { z } from 'zod';
import { invalid, ServiceError, type FieldError } from '../../src/errors.ts';

type ValidationResult = { success: true } | { success: false; target: string; error: z.ZodError };

/** Throws a refusal that lists every invalid field of a request that does not match its schema. */
export function assertValidRequest(result: ValidationResult, c: Context): void {
  if (result.success) return;
  // A path segment that is not a valid name cannot be an existing resource, so the answer is 404 instead of 422.
  if (result.target === 'param')
    throw new ServiceError('not-found', `The path ${c.req.path} does not exist: it contains an invalid resource name.`);
  const errors = result.error.issues.flatMap((issue) => toFieldErrors(issue, result.target));
  const part = result.target === 'json' ? 'body' : result.target;
  throw invalid(
    `The ${part} of the request is invalid: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
    errors,
  );
}

type Issue = z.ZodError['issues'][number];

function toFieldErrors(issue: Issue, target: string): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      pointer: toPointer([...issue.path, key], target),
      detail: 'is not a known property',
    }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = issue.errors.toSorted((one, other) => one.length - other.length)[0] ?? [];
    return nearest.flatMap((inner) =>
      toFieldErrors({ ...inner, path: [...issue.path, ...inner.path] } as Issue, target),
    );
  }
  return [{ pointer: toPointer(issue.path, target), detail: toDetail(issue) }];
}

function toDetail({ message }: Issue): string {
  if (message.endsWith('received undefined')) return 'is missing';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function toPointer(path: readonly PropertyKey[], target: string): string {
  if (target !== 'json') return `?${String(path[0] ?? '')}`;
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
