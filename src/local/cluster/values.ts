import { posix } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Application } from '../../rules/environments/delivery-kinds.ts';
import type { ZoneValues } from '../../rules/environments/zone-values.ts';
import type { Desired } from './generation.ts';

const Values: z.ZodType<ZoneValues> = z.object({
  image: z.object({ repository: z.string(), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }),
  replicas: z.int().min(0).max(20),
  ingress: z.object({ hosts: z.array(z.string().toLowerCase()) }),
  release: z.object({ name: z.string(), version: z.string(), commit: z.string() }),
});

/** Where an Application's values file stands in its repo; refused when it would lead out of it. */
export function valuesPath({ spec }: Application): string {
  const [file] = spec.source.helm?.valueFiles ?? [];
  if (file === undefined) throw new Error('The Application names no values file.');
  const path = file.startsWith('/')
    ? posix.normalize(file.slice(1))
    : posix.normalize(posix.join(spec.source.path, file));
  if (path === '..' || path.startsWith('../') || path.startsWith('/'))
    throw new Error(`The values file ${file} is outside the repo.`);
  return path;
}

export function readValues(text: string): Desired {
  const { data, error } = Values.safeParse(parse(text));
  if (error) throw new Error(`The values file is wrong: ${z.prettifyError(error)}`);
  const { ingress, ...values } = data;
  return { ...values, hosts: ingress.hosts };
}
