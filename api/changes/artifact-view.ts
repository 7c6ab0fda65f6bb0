import type { z } from '@hono/zod-openapi';
import { toArtifactId } from '../../src/rules/changes/evidence.ts';
import type { Evidence } from '../../src/rules/changes/kinds.ts';
import type { Release } from '../../src/rules/releases/kinds.ts';
import type { ArtifactView } from './schemas.ts';

type View = z.infer<typeof ArtifactView>;

export function toArtifactView(
  org: string,
  { artifact, name, type, sizeBytes }: Evidence,
  source: Pick<View, 'step' | 'release' | 'zone' | 'failure'>,
): View {
  const id = toArtifactId(artifact);
  return { id, artifact, ...source, name, type, sizeBytes, url: `/api/v1/orgs/${org}/artifacts/${id}` };
}

/** Returns the screenshots of a Release, one for each zone that has run it. */
export const toScreenshotViews = (org: string, { metadata, status }: Release): View[] =>
  (status?.zones ?? []).flatMap(({ name: zone, screenshot }) => {
    if (!screenshot) return [];
    const { failure } = screenshot;
    return toArtifactView(org, screenshot, {
      release: metadata.name,
      zone,
      ...(failure !== undefined && { failure }),
    });
  });
