import { z } from '@hono/zod-openapi';
import type { Action } from '../src/rules/access/actions.ts';
import { apiVersion, type Resource, type ResourceKind } from '../src/rules/resource.ts';

export const ActionView = z
  .object({
    name: z.string(),
    step: z.string().optional(),
    zone: z.string().optional(),
    allowed: z.boolean(),
    why: z.string().optional(),
  })
  .openapi('Action', {
    description:
      'What the caller may do with the resource: `name` is the operation, `why` says what stands in the way.',
  });

/** How a resource of ours is shown: exactly these fields, whatever else the store holds of it. */
export const viewSchema = <Spec, Status>(kind: ResourceKind<Spec, Status>) =>
  z.object({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(kind.kind),
    name: z.string(),
    org: z.string(),
    spec: kind.specSchema,
    status: kind.statusSchema.optional(),
    resourceVersion: z.string(),
    generation: z.int(),
    createdAt: z.string(),
    actions: z.array(ActionView),
  });

export type View<Spec, Status> = {
  apiVersion: typeof apiVersion;
  kind: string;
  name: string;
  org: string;
  spec: Spec;
  status?: Status;
  resourceVersion: string;
  generation: number;
  createdAt: string;
  actions: Action[];
};

export function viewOf<Spec, Status>(
  resource: Resource<Spec, Status>,
  org: string,
  actions: Action[],
): View<Spec, Status> {
  const { metadata, kind, spec, status } = resource;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    org,
    spec,
    ...(status !== undefined && { status }),
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    actions,
  };
}

export const listSchema = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), continue: z.string().optional() });

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50).openapi({ description: 'How many at most.' }),
  continue: z.string().max(2000).optional().openapi({ description: 'The `continue` of the page before.' }),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** A part of a path: what no resource can be named is not found. */
const part = z
  .string()
  .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
  .max(200);
export const OrgParams = z.object({ org: part });
export const TokenParams = z.object({ token: part });
export const ProductParams = OrgParams.extend({ product: part });
export const ZoneParams = ProductParams.extend({ zone: part });
export const IssueParams = ProductParams.extend({ number: z.coerce.number().int().min(1) });
export const NamedParams = OrgParams.extend({ name: part });
export const ReleaseZoneParams = NamedParams.extend({ zone: part });
export const RunParams = OrgParams.extend({ run: part });
export const ArtifactParams = OrgParams.extend({ artifact: part });
export const StepParams = RunParams.extend({ step: part });

/** What was read, so that a change of something else since then is refused. */
export const replacementOf = <T extends z.ZodType>(spec: T) =>
  z.strictObject({
    spec,
    resourceVersion: z.string().optional().openapi({ description: 'As it was read; or send it as If-Match.' }),
    generation: z.int().optional().openapi({ description: 'As it was read: says that `spec` is the one you saw.' }),
  });

export const html = { 'text/html': { schema: z.string() } };
export const json = <T extends z.ZodType>(schema: T) => ({ 'application/json': { schema } });
export const answer = <T extends z.ZodType>(description: string, schema: T) => ({ description, content: json(schema) });
export const followable = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: {
    ...json(schema),
    'text/event-stream': {
      schema: z.string().openapi({
        description:
          'Followed live: `changed` with a view, `gone` with a name, `relist` before everything is told anew.',
      }),
    },
  },
});
/** A body that must be there: without `required` its absence would pass unseen. */
export const body = <T extends z.ZodType>(schema: T) => ({ required: true, content: json(schema) });
