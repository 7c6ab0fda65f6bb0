import type { Context } from 'hono';
import type { z } from 'zod';
import { invalid, ServiceError, type FieldError } from '../src/errors.ts';

type Result = { success: true } | { success: false; target: string; error: z.ZodError };

/** What a request that does not fit its schema is answered: every wrong field, each with what is wrong with it. */
export function refuseInvalid(result: Result, c: Context): void {
  if (result.success) return;
  // A name in the path that no resource can have is a resource that does not exist.
  if (result.target === 'param')
    throw new ServiceError('not-found', `Nothing is at ${c.req.path}: no resource can have such a name.`);
  const errors = result.error.issues.flatMap((issue) => fieldErrors(issue, result.target));
  const what = result.target === 'json' ? 'body' : result.target;
  throw invalid(
    `The ${what} of the request is wrong: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
    errors,
  );
}

type Issue = z.ZodError['issues'][number];

function fieldErrors(issue: Issue, target: string): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key], target),
      detail: 'is not a known property',
    }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = issue.errors.toSorted((one, other) => one.length - other.length)[0] ?? [];
    return nearest.flatMap((inner) => fieldErrors({ ...inner, path: [...issue.path, ...inner.path] } as Issue, target));
  }
  return [{ pointer: pointerTo(issue.path, target), detail: detailOf(issue) }];
}

function detailOf({ message }: Issue): string {
  if (message.endsWith('received undefined')) return 'is missing';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function pointerTo(path: readonly PropertyKey[], target: string): string {
  if (target !== 'json') return `?${String(path[0] ?? '')}`;
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
