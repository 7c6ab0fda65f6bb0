import type { OpenApiDocument } from '../../../api/reference/document-types.ts';
import { startApi } from '../../support/start-api.ts';

export async function readOpenApiDocument(onCleanup: (close: () => Promise<void>) => void): Promise<OpenApiDocument> {
  const { request } = await startApi({
    role: 'anonymous',
    onCleanup,
    config: { publicUrl: 'https://delivery.acme.dev' },
  });
  return (await (await request('/openapi.json')).json()) as OpenApiDocument;
}
