import type { z } from 'zod';
import { invalid } from '../errors.ts';
import { NameLabel } from '../rules/names.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';

/** Validates a spec that did not come through the API, and returns it with the schema's defaults. */
export function parseSpec<T>(kind: Kind<StoredObject>, schema: z.ZodType<T>, { spec }: { spec: unknown }): T {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/spec/${path.join('/')}`,
    detail: message,
  }));
  throw invalid(
    `The ${kind.kind} is invalid: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
    errors,
  );
}

export function assertValidName(kind: Kind<StoredObject>, name: string, schema = NameLabel): void {
  const parsed = schema.safeParse(name);
  if (parsed.success) return;
  throw invalid(
    `The name "${name}" of the ${kind.kind} is invalid: it ${parsed.error.issues[0]?.message}. Delete the ${kind.kind} and create it with another name.`,
  );
}
