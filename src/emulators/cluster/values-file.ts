import { posix } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Application } from '../../kinds/argo-cd.ts';
import type { ZoneValues } from '../../rules/environments/zone-values.ts';
import type { DesiredState } from './desired-state.ts';

const Values = z.object({
  image: z.object({ repository: z.string(), digest: z.string().regex(/^sha256:[0-9a-f]{64}$/) }),
  release: z.object({ name: z.string(), version: z.string(), commit: z.string() }),
  replicas: z.int().min(0).max(20),
  ingress: z.object({
    hosts: z.array(z.string().toLowerCase()),
    access: z.enum(['signed-in', 'public', 'none']),
  }),
  resources: z.object({
    requests: z.object({ cpu: z.string().exactOptional(), memory: z.string().exactOptional() }).exactOptional(),
    limits: z.object({ memory: z.string() }).exactOptional(),
  }),
  persistence: z.array(z.object({ name: z.string(), size: z.string(), mountPath: z.string() })),
  strategy: z.enum(['RollingUpdate', 'Recreate']),
}) satisfies z.ZodType<ZoneValues>;

/** Returns the path of the Application's values file in the repo. Paths outside the repo are rejected. */
export function resolveValuesPath({ spec }: Application): string {
  const [file] = spec.source.helm?.valueFiles ?? [];
  if (file === undefined) throw new Error('The Application names no values file.');
  const path = file.startsWith('/')
    ? posix.normalize(file.slice(1))
    : posix.normalize(posix.join(spec.source.path, file));
  if (path === '..' || path.startsWith('../') || path.startsWith('/'))
    throw new Error(`The values file ${file} is outside the repo.`);
  return path;
}

/** Returns the name of a chart, which is the name of its Deployment. */
export const parseChartName = (text: string): string | undefined =>
  z.object({ name: z.string() }).safeParse(parse(text)).data?.name;

export function parseValues(text: string): Omit<DesiredState, 'name'> {
  const { data, error } = Values.safeParse(parse(text));
  if (error) throw new Error(`The values file is invalid: ${z.prettifyError(error)}`);
  const { ingress, resources, persistence, ...values } = data;
  const memory = resources.limits?.memory;
  return {
    ...values,
    hosts: ingress.hosts,
    access: ingress.access,
    volumes: persistence.map((volume) => ({ ...volume, bytes: toBytes(volume.size) })),
    resources,
    ...(memory === undefined ? {} : { memoryLimitBytes: toBytes(memory) }),
  };
}

const quantityUnits: Record<string, number> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
};

function toBytes(quantity: string): number {
  const [, amount = '0', unit = ''] = /^(\d+)(\w*)$/.exec(quantity) ?? [];
  return Number(amount) * (quantityUnits[unit] ?? 1);
}
