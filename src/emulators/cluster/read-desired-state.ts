import { posix } from 'node:path';
import type { Application } from '../../kinds/argo-cd.ts';
import type { DesiredState } from './desired-state.ts';
import type { GitopsReader } from './gitops-reader.ts';
import { parseChartName, parseValues, resolveValuesPath } from './values-file.ts';

/** Reads the values file of an Application. An error is a result, because it ends up in the Application's status. */
export async function readDesiredState(
  gitops: GitopsReader,
  application: Application,
  signal: AbortSignal,
): Promise<{ revision: string; desired: DesiredState } | { error: string }> {
  const { project, source } = application.spec;
  const { repoURL: url, targetRevision: branch } = source;
  try {
    const { revision, text, findFile } = await gitops.read(
      { url, branch, path: resolveValuesPath(application), project },
      signal,
    );
    const chart = await findFile(posix.join(source.path, 'Chart.yaml'));
    const name = parseChartName(chart ?? '') ?? application.metadata.name;
    return { revision, desired: { name, ...parseValues(text) } };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
