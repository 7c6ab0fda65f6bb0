import { z } from '@hono/zod-openapi';
import { ZoneSpec, ZoneStatus } from '../../src/rules/catalog/kinds.ts';
import { ActionView } from '../views.ts';

export const ZoneView = z
  .object({
    kind: z.literal('Zone'),
    name: z.string(),
    org: z.string(),
    product: z.string(),
    /** Absent once it is being removed. */
    spec: ZoneSpec.optional(),
    status: ZoneStatus,
    resourceVersion: z.string(),
    generation: z.int(),
    createdAt: z.string(),
    actions: z.array(ActionView),
  })
  .openapi('Zone');
