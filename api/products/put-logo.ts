import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import type { Workflow } from '@temporalio/common';
import { HTTPException } from 'hono/http-exception';
import { invalid, isServiceError } from '../../src/errors.ts';
import { detectLogoType } from '../../src/integrations/images/detect-logo-type.ts';
import type { ProductLogo } from '../../src/rules/products/kinds.ts';
import { type LogoType, logoBytesMax, logoKey, logoPath, logoTypes } from '../../src/rules/products/logo.ts';
import { commitLogoStart, type CommitLogoInput } from '../../workflows/products/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductWithRepo } from './product.ts';
import { LogoView, PendingLogoView } from './schemas.ts';

const binaryContent = { schema: z.string().openapi({ format: 'binary' }) };

const route = createRoute({
  operationId: 'putLogo',
  method: 'put',
  path: '/v1/orgs/{org}/products/{product}/logo',
  tags: ['Products'],
  summary: 'Set the logo of a Product',
  description:
    'The body is the image. It is committed to the Product’s first repo through a pull request that the service merges, in place of an earlier logo. Fails with 409 if the repo has a file of the name that the service did not create. An SVG may contain shapes, gradients and text; scripts, links, styles, entities and external references are rejected.',
  ...requireRole('org-admin', { bodyBytesMax: logoBytesMax }),
  request: {
    params: ProductParams,
    body: { required: true, content: Object.fromEntries(logoTypes.map((type) => [type, binaryContent])) },
  },
  responses: {
    200: jsonResponse('The logo, committed to the repo', LogoView),
    202: jsonResponse('The logo, whose commit is still in progress', PendingLogoView),
    ...problems(401, 403, 404, 409, 413, 415, 422),
  },
});

export function putLogo(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const declared = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
    if (!logoTypes.some((type) => type === declared)) throw new HTTPException(415, { cause: logoTypes.join(', ') });
    const product = await getProductWithRepo(deps.store, ref);
    const [repo] = product.spec.repos;
    if (repo === undefined)
      throw invalid(`The Product "${ref.product}" has no repo to store a logo in. Add a repo to its spec.repos.`);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const type = await resolveLogoType(bytes, declared);
    const hash = createHash('sha256').update(bytes).digest('hex');
    await deps.blobs.put(logoKey({ ...ref, hash }), bytes);
    const logo = await commitLogo(deps, { ...ref, repo, hash, type });
    return logo ? c.json(logo, 200) : c.json({ repo, path: logoPath(type), type }, 202);
  });
}

/** The type is detected from the bytes, and must match the declared Content-Type. */
async function resolveLogoType(bytes: Uint8Array, declared: string): Promise<LogoType> {
  const detection = await detectLogoType(bytes);
  if ('violations' in detection)
    throw invalid(
      `The image is not a valid logo. ${detection.violations.join(' ')}`,
      detection.violations.map((detail) => ({ pointer: '', detail })),
    );
  if (detection.type !== declared) {
    const detail = `is ${detection.type}, but its Content-Type is ${declared}`;
    throw invalid(`The image ${detail}. Send the Content-Type that matches the image.`, [{ pointer: '', detail }]);
  }
  return detection.type;
}

/** Returns undefined when the code host takes longer than a caller should wait; the workflow completes without the caller. */
async function commitLogo({ temporal }: ApiDeps, input: CommitLogoInput): Promise<ProductLogo | undefined> {
  const { type, options } = commitLogoStart(input);
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
  try {
    return await callWorkflow(temporal, async () => {
      return (await temporal.workflow.getHandle(options.workflowId).result()) as ProductLogo;
    });
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error;
    return undefined;
  }
}
