import { z } from '@hono/zod-openapi';
import { Timestamp } from '../../src/rules/names.ts';
import { type Action, actionReasons } from '../../src/rules/access/actions.ts';
import { apiVersion, type Resource, type ResourceKind } from '../../src/rules/resource.ts';

export const ActionView = z
  .object({
    name: z.string().describe('OperationId of the action.'),
    step: z.string().optional().describe('Step that the action concerns.'),
    zone: z.string().optional().describe('Zone that the action concerns.'),
    allowed: z.boolean().describe('Whether the caller can perform the action now.'),
    reason: z
      .enum(actionReasons)
      .optional()
      .describe('Machine-readable reason why the caller cannot perform the action now.'),
    message: z.string().optional().describe('Reason in words.'),
  })
  .openapi('Action', {
    description:
      'An operation on the resource: `name` is the operationId, `reason` is the machine-readable reason why the caller cannot perform it now, and `message` explains it.',
  });

/** Creates the schema of a resource's view, which has exactly these fields and no other metadata of the store. */
export const viewSchema = <Spec, Status>(kind: ResourceKind<Spec, Status>) =>
  z.object({
    apiVersion: z.literal(apiVersion).describe('Version of the resource’s schema.'),
    kind: z.literal(kind.kind).describe('Kind of the resource.'),
    name: z.string().describe('Name of the resource.'),
    org: z.string().describe('Org that the resource belongs to.'),
    spec: kind.specSchema.describe('Desired state, which people set.'),
    status: kind.statusSchema.optional().describe('Observed state, which the service sets.'),
    resourceVersion: z
      .string()
      .describe('Version of the resource. It changes with every write; send it as `If-Match` to replace the resource.'),
    generation: z.int().describe('Number of changes of `spec`.'),
    createdAt: Timestamp.describe('Time at which the resource was created.'),
    actions: z.array(ActionView).describe('Operations on the resource, with whether the caller can perform them now.'),
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

export function toView<Spec, Status>(
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
  z.object({
    items: z.array(item).describe('Items of the page.'),
    continue: z
      .string()
      .optional()
      .describe('Token of the next page, which the query parameter `continue` takes; absent on the last page.'),
  });

/** An integer in a query or path, in decimal digits: neither `0x5` nor `1e1`. */
export const decimal = ({ min, max }: { min: number; max: number }) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .openapi({ type: 'integer', minimum: min, maximum: max });

export const PageQuery = z.strictObject({
  limit: decimal({ min: 1, max: 500 })
    .default(50)
    .openapi({ description: 'The maximum number of items.', default: 50 }),
  continue: z.string().max(2000).optional().openapi({ description: 'The `continue` of the previous page.' }),
});
export type PageQuery = z.infer<typeof PageQuery>;

/** A resource name in a path. A value that is not a valid name responds 404, as a name that does not exist. */
const pathSegment = z
  .string()
  .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
  .max(200);
export const OrgParams = z.object({ org: pathSegment.describe('Name of the org.') });
export const TokenParams = z.object({ token: pathSegment.describe('Name of the API token.') });
export const ProductParams = OrgParams.extend({ product: pathSegment.describe('Name of the Product.') });
export const ZoneParams = ProductParams.extend({ zone: pathSegment.describe('Name of the zone.') });
export const IssueParams = ProductParams.extend({
  number: decimal({ min: 1, max: Number.MAX_SAFE_INTEGER }).describe('Number of the issue.'),
});
export const NamedParams = OrgParams.extend({ name: pathSegment.describe('Name of the resource.') });
export const ReleaseZoneParams = NamedParams.extend({ zone: pathSegment.describe('Name of the zone.') });
export const RunParams = OrgParams.extend({ run: pathSegment.describe('Name of the run.') });
export const ArtifactParams = OrgParams.extend({ artifact: pathSegment.describe('Id of the artifact.') });
export const StepParams = RunParams.extend({ step: pathSegment.describe('Name of the step.') });

/** Creates the body of a replacement, with the version that was read, so that concurrent changes are not lost. */
export const replacementBody = <T extends z.ZodType>(spec: T) =>
  z.strictObject({
    spec: spec.describe('The new desired state.'),
    resourceVersion: z
      .string()
      .optional()
      .openapi({ description: 'The version that was read; alternatively send it as If-Match.' }),
    generation: z
      .int()
      .optional()
      .openapi({ description: 'The generation that was read; status updates do not change it.' }),
  });

export const html = { 'text/html': { schema: z.string() } };
export const json = <T extends z.ZodType>(schema: T) => ({ 'application/json': { schema } });
export const jsonResponse = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: json(schema),
});
export const jsonOrEventStream = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: {
    ...json(schema),
    'text/event-stream': {
      schema: z.string().openapi({
        description:
          'Server-sent events: `changed` with a view, `deleted` with the name of an item that was removed, `relist`: all items follow again, and `closed` with the reason why the caller may no longer read them.',
      }),
    },
  },
});
/** Declares a required JSON body; without `required` the framework accepts a request without a body. */
export const body = <T extends z.ZodType>(schema: T) => ({ required: true, content: json(schema) });
