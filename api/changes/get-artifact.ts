import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import * as evidence from '../../src/rules/changes/evidence.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { sandboxHeaders } from '../http/sandbox-headers.ts';
import { ArtifactParams } from '../http/views.ts';

const fileContent = { '*/*': { schema: z.string().openapi({ format: 'binary' }) } };

const route = createRoute({
  operationId: 'getArtifact',
  method: 'get',
  path: '/v1/orgs/{org}/artifacts/{artifact}',
  tags: ['Changes'],
  summary: 'Get an artifact',
  description:
    'Returns an evidence file or a screenshot of a zone. Browsers show images, text, JSON and video inline and download other files; scripts are blocked.',
  ...requireRole('viewer'),
  request: { params: ArtifactParams },
  responses: {
    200: { description: 'The file with its detected content type', content: fileContent },
    206: { description: 'The part of the file that the header `Range` asks for', content: fileContent },
    304: { description: 'The copy of `If-None-Match` is current' },
    ...problems(401, 403, 404, 416),
  },
});

export function getArtifact(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, artifact: id } = c.req.valid('param');
    const artifact = await store.find(ConfigMapKind, { namespace: orgNamespace(org), name: id });
    const data = artifact?.binaryData?.[evidence.artifactDataKey];
    // Other ConfigMaps of the org must not be readable here; only artifacts carry these labels.
    const { [evidence.artifactRunLabel]: ofRun, [evidence.artifactReleaseLabel]: ofRelease } =
      artifact?.metadata.labels ?? {};
    if (!artifact || data === undefined || (ofRun ?? ofRelease) === undefined)
      throw notFound('artifact', id, `org "${org}"`);
    const { annotations = {}, resourceVersion } = artifact.metadata;
    const type = annotations[evidence.artifactTypeAnnotation] ?? 'application/octet-stream';
    setETag(c, resourceVersion);
    return c.body(new Uint8Array(Buffer.from(data, 'base64')), 200, {
      ...sandboxHeaders,
      'Accept-Ranges': 'bytes',
      'Content-Type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
      'Content-Disposition': toContentDisposition(
        evidence.isShownInline(type) ? 'inline' : 'attachment',
        annotations[evidence.artifactNameAnnotation] ?? id,
      ),
    });
  });
}

/** Sends the name in both forms of RFC 6266, escaped so that it cannot end the header value. */
function toContentDisposition(disposition: 'inline' | 'attachment', path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
