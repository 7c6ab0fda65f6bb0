import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { invalid, isServiceError } from '../../src/errors.ts';
import { readLogo } from '../../src/integrations/images/read-logo.ts';
import type { ProductLogo } from '../../src/rules/catalog/kinds.ts';
import { type LogoType, logoBytesMax, logoKey, logoPath, logoTypes } from '../../src/rules/catalog/logo.ts';
import { commitLogoId, type CommitLogoInput } from '../../workflows/catalog/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer, ProductParams } from '../views.ts';
import { getLivingProduct } from './product.ts';
import { LogoView, PendingLogoView } from './schemas.ts';

const binary = { schema: z.string().openapi({ format: 'binary' }) };

const route = createRoute({
  operationId: 'putLogo',
  method: 'put',
  path: '/v1/orgs/{org}/products/{product}/logo',
  tags: ['Products'],
  summary: 'Commit an image to the Product’s repo as its logo',
  description:
    'The body is the image itself. It is committed to the first repo of the Product through a pull request that the service merges. An SVG may hold shapes, gradients and letters: no scripts, links, styles, entities or references to anything outside.',
  ...needs('org-admin', { bodyBytesMax: logoBytesMax }),
  request: {
    params: ProductParams,
    body: { required: true, content: Object.fromEntries(logoTypes.map((type) => [type, binary])) },
  },
  responses: {
    200: answer('The logo, in the repo', LogoView),
    202: answer('The logo, which will be in the repo', PendingLogoView),
    ...problems(401, 403, 404, 409, 413, 415, 422, 503),
  },
});

export function putLogo(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const declared = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
    if (!logoTypes.some((type) => type === declared)) throw new HTTPException(415, { cause: logoTypes.join(', ') });
    const product = await getLivingProduct(deps.store, ref);
    const [repo] = product.spec.repos;
    if (repo === undefined)
      throw invalid(`The Product "${ref.product}" has no repo to keep a logo in. Add one to its spec.repos.`);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const type = await typeOf(bytes, declared);
    const hash = createHash('sha256').update(bytes).digest('hex');
    await deps.blobs.put(logoKey({ ...ref, hash }), bytes);
    const logo = await committed(deps, { ...ref, repo, hash, type });
    return logo ? c.json(logo, 200) : c.json({ repo, path: logoPath(type), type }, 202);
  });
}

/** What the bytes are, which has to be what they were said to be. */
async function typeOf(bytes: Uint8Array, declared: string): Promise<LogoType> {
  const read = await readLogo(bytes);
  if ('problems' in read)
    throw invalid(
      `The image cannot be a logo. ${read.problems.join(' ')}`,
      read.problems.map((detail) => ({ pointer: '', detail })),
    );
  if (read.type !== declared) {
    const detail = `is ${read.type}, and its Content-Type says ${declared}`;
    throw invalid(`The image ${detail}. Send it as what it is.`, [{ pointer: '', detail }]);
  }
  return read.type;
}

/** Undefined where the code host takes longer than a caller should wait: then it goes on without them. */
async function committed({ temporal }: ApiDeps, input: CommitLogoInput): Promise<ProductLogo | undefined> {
  const workflowId = commitLogoId(input);
  const { org, product, repo } = input;
  await speaking(temporal, () =>
    temporal.workflow.start('commitLogo', {
      taskQueue: defaultTaskQueue,
      workflowId,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      staticSummary: `${product}: logo in ${repo}`,
      typedSearchAttributes: searchAttributes({ org, product, targetKind: 'logo' }),
    }),
  );
  try {
    return await speaking(temporal, async () => {
      return (await temporal.workflow.getHandle(workflowId).result()) as ProductLogo;
    });
  } catch (error) {
    if (!isServiceError(error, 'unavailable')) throw error;
    return undefined;
  }
}
