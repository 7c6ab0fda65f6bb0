import type { z } from '@hono/zod-openapi';
import { invalid } from '../src/errors.ts';
import { NameLabel } from '../src/rules/names.ts';
import type { Kind, StoredObject } from '../src/rules/resource.ts';

/** A spec that came from elsewhere than a request, as the schema has it. */
export function parseSpec<T>(kind: Kind<StoredObject>, schema: z.ZodType<T>, { spec }: { spec: unknown }): T {
  const parsed = schema.safeParse(spec);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: `/spec/${path.join('/')}`,
    detail: message,
  }));
  throw invalid(
    `The ${kind.kind} cannot be as asked: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`,
    errors,
  );
}

export function checkName(kind: Kind<StoredObject>, name: string): void {
  const parsed = NameLabel.safeParse(name);
  if (parsed.success) return;
  throw invalid(
    `No ${kind.kind} can have the name "${name}": it ${parsed.error.issues[0]?.message}. Delete it and choose another.`,
  );
}
