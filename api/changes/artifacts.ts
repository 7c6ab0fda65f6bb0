import type { z } from '@hono/zod-openapi';
import { artifactId } from '../../src/rules/changes/evidence.ts';
import type { Evidence } from '../../src/rules/changes/kinds.ts';
import type { Release } from '../../src/rules/releases/kinds.ts';
import type { ArtifactView } from './schemas.ts';

type View = z.infer<typeof ArtifactView>;

export function artifactView(
  org: string,
  { artifact, name, type, sizeBytes }: Evidence,
  of: Pick<View, 'step' | 'release' | 'zone' | 'failure'>,
): View {
  const id = artifactId(artifact);
  return { id, artifact, ...of, name, type, sizeBytes, url: `/api/v1/orgs/${org}/artifacts/${id}` };
}

/** The pictures of the zones that a Release has come to. */
export const screenshotsOf = (org: string, { metadata, status }: Release): View[] =>
  (status?.zones ?? []).flatMap(({ name: zone, screenshot }) => {
    if (!screenshot) return [];
    const { failure } = screenshot;
    return artifactView(org, screenshot, {
      release: metadata.name,
      zone,
      ...(failure !== undefined && { failure }),
    });
  });
