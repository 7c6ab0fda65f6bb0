import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { logoKey, logoTypes } from '../../src/rules/products/logo.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { sandboxHeaders } from '../http/sandbox-headers.ts';
import { ProductParams } from '../http/views.ts';
import { getProductByName } from './product.ts';

const image = { schema: z.string().openapi({ format: 'binary' }) };

const route = createRoute({
  operationId: 'getLogo',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/logo',
  tags: ['Products'],
  summary: 'Get the logo of a Product',
  description: 'Returns the image that was last set. Fails with 404 if the Product has no logo.',
  ...requireRole('viewer'),
  request: { params: ProductParams },
  responses: {
    200: { description: 'The image', content: Object.fromEntries(logoTypes.map((type) => [type, image])) },
    ...problems(401, 403, 404),
  },
});

export function getLogo(app: App, { store, blobs }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const { status } = await getProductByName(store, ref);
    const bytes = status?.logo && (await blobs.find(logoKey({ ...ref, hash: status.logo.hash })));
    if (!status?.logo || !bytes) throw notFound('logo', 'logo', `Product "${ref.product}"`);
    setETag(c, status.logo.hash);
    return c.body(new Uint8Array(bytes), 200, { ...sandboxHeaders, 'Content-Type': status.logo.type });
  });
}
