import type { Context } from 'hono';
import type { z } from '@hono/zod-openapi';
import type { Secret } from '../../src/kinds/kubernetes.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import { createUseJudge } from './registries.ts';
import { type RegistryView, toRegistryView } from './schemas.ts';

type Found = { org: string; registry: Registry; secret: Secret | undefined };

/** Sets the version of the response, and returns the view of the registry. */
export async function respondRegistry(
  c: Context<ApiEnv>,
  deps: ApiDeps,
  { org, registry, secret }: Found,
): Promise<z.infer<typeof RegistryView>> {
  const resourceVersion = secret?.metadata.resourceVersion ?? '';
  setETag(c, resourceVersion);
  const violation = (await createUseJudge(deps, org))(registry);
  return toRegistryView(registry, { ...deps, org, role: c.get('role'), resourceVersion, violation });
}
