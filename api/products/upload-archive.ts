import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { ServiceError } from '../../src/errors.ts';
import { readArchive } from '../../src/integrations/archives/read-archive.ts';
import {
  archiveKey,
  archiveLimits,
  archivesPerOrgMax,
  archivesPrefix,
} from '../../src/rules/products/archive-limits.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { ArchiveView } from './schemas.ts';

/** Browsers on Windows send the second type. */
const archiveTypes = ['application/zip', 'application/x-zip-compressed'];
const binaryContent = { schema: z.string().openapi({ format: 'binary' }) };
const { archiveBytes, files, fileBytes, totalBytes } = archiveLimits;
const MiB = 1024 * 1024;

const route = createRoute({
  operationId: 'uploadArchive',
  method: 'post',
  path: '/v1/orgs/{org}/archives',
  tags: ['Products'],
  summary: 'Upload an archive for a new Product',
  description: `The body is a ZIP archive of at most ${archiveBytes / MiB} MiB, with at most ${files} files of at most ${fileBytes / MiB} MiB each and ${totalBytes / MiB} MiB together. Its files become the first commit of the Product that is created with the returned \`sha256\` as \`source.archive\`, without the only folder at the top and the files that its \`.gitignore\` ignores. Fails with 422 and the name of the entry if an entry leads out of the archive, is a link, is encrypted, or has the name of another. An archive that no Product is created from is deleted after 7 days.`,
  ...requireRole('org-admin', { bodyBytesMax: archiveBytes }),
  request: {
    params: OrgParams,
    body: { required: true, content: Object.fromEntries(archiveTypes.map((type) => [type, binaryContent])) },
  },
  responses: {
    201: jsonResponse('The stored archive', ArchiveView),
    ...problems(401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function uploadArchive(app: App, { blobs }: ApiDeps): void {
  const uploading = new Set<string>();
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (!archiveTypes.includes(type)) throw new HTTPException(415, { cause: archiveTypes.join(', ') });
    const { user } = c.get('caller');
    // The body is held in memory, so each person can upload one at a time.
    if (uploading.has(user))
      throw new ServiceError('too-many-requests', 'You are uploading another archive. Wait until it is stored.');
    uploading.add(user);
    try {
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      const content = await measureArchive(bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const stored = await blobs.list(archivesPrefix(org));
      const key = archiveKey({ org, sha256 });
      if (stored.length >= archivesPerOrgMax && !stored.includes(key))
        throw new ServiceError(
          'quota-reached',
          `The org "${org}" has ${archivesPerOrgMax} archives. Archives are deleted 7 days after their upload.`,
        );
      await blobs.put(key, bytes);
      return c.json({ sha256, ...content }, 201);
    } finally {
      uploading.delete(user);
    }
  });
}

/** Unpacks the whole archive and keeps nothing of it, so that every reason to refuse it is found now. */
async function measureArchive(bytes: Uint8Array): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 };
  for await (const { content } of readArchive(bytes)) {
    sum.files += 1;
    sum.bytes += content.length;
  }
  return sum;
}
