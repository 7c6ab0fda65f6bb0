import { pino } from 'pino';
import { createApp } from '../../../api/app.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import type { OpenApiDocument } from '../../../api/reference/document-types.ts';
import { loadConfig } from '../../config.ts';
import { openSqliteStore } from '../../store/sqlite.ts';

/** Reads the OpenAPI document from an API that has no other system to call. */
export async function readOpenApiDocument(): Promise<OpenApiDocument> {
  const store = openSqliteStore({ file: ':memory:' });
  const config = { ...loadConfig({}), publicUrl: 'http://localhost:8080', version: 'generated' };
  const app = createApp({ store, config, log: pino({ level: 'silent' }) } as unknown as ApiDeps);
  const response = await app.request('/api/openapi.json');
  await store.close();
  return (await response.json()) as OpenApiDocument;
}
