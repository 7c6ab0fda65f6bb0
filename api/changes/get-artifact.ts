import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import * as evidence from '../../src/rules/changes/evidence.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { ArtifactParams } from '../views.ts';

const route = createRoute({
  operationId: 'getArtifact',
  method: 'get',
  path: '/v1/orgs/{org}/artifacts/{artifact}',
  tags: ['Changes'],
  summary: 'Read one evidence file or picture of a zone',
  description: 'Images, text, JSON and video are shown inline, anything else is to be saved. No file can run a script.',
  ...needs('viewer'),
  request: { params: ArtifactParams },
  responses: {
    200: {
      description: 'The file, with the type that its content has',
      content: { '*/*': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    ...problems(401, 403, 404),
  },
});

/** A file that somebody's agent made, on our own origin: it may be looked at, and may do nothing. */
const harmless = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export function getArtifact(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, artifact: id } = c.req.valid('param');
    const found = await store.find(ConfigMapKind, { namespace: orgNamespace(org), name: id });
    const data = found?.binaryData?.[evidence.artifactDataKey];
    // The org's other config objects are nobody's to read here.
    const { [evidence.artifactRunLabel]: ofRun, [evidence.artifactReleaseLabel]: ofRelease } =
      found?.metadata.labels ?? {};
    if (!found || data === undefined || (ofRun ?? ofRelease) === undefined)
      throw notFound('artifact', id, `org "${org}"`);
    const { annotations = {}, resourceVersion } = found.metadata;
    const type = annotations[evidence.artifactTypeAnnotation] ?? 'application/octet-stream';
    tagged(c, resourceVersion);
    return c.body(new Uint8Array(Buffer.from(data, 'base64')), 200, {
      ...harmless,
      'Content-Type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
      'Content-Disposition': disposition(
        // Pictures of zones are ours, placeholders (SVG) included.
        ofRelease !== undefined || evidence.isShownInline(type) ? 'inline' : 'attachment',
        annotations[evidence.artifactNameAnnotation] ?? id,
      ),
    });
  });
}

/** The name in both forms (RFC 6266), with nothing in it that could end it. */
function disposition(how: 'inline' | 'attachment', path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${how}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
