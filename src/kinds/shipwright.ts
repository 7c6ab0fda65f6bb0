import type { Kind, StoredObject } from '../rules/resource.ts';
import type { Condition } from './kubernetes.ts';

/** The BuildRun of Shipwright (shipwright.io/v1beta1) with an inline build spec; only the fields that the service uses. */
export type BuildRun = StoredObject & {
  spec: {
    /** Setting it makes the builder stop and mark the BuildRun as failed. */
    state?: 'BuildRunCanceled';
    /** The account of the build's pod. Shipwright uses one of the namespace by default, whose token it mounts. */
    serviceAccount?: string;
    build: {
      spec: {
        source: { type: 'Git'; git: { url: string; revision: string; cloneSecret?: string } };
        strategy: { name: string; kind: 'ClusterBuildStrategy' };
        output: { image: string; pushSecret?: string };
      };
    };
  };
  status?: {
    conditions?: Condition[];
    output?: { digest?: string; size?: number };
    startTime?: string;
    completionTime?: string;
    failureDetails?: { reason?: string; message?: string };
  };
};
/** Returns true once the builder has decided the outcome. */
export const isBuildFinished = ({ status }: BuildRun): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Succeeded' && value !== 'Unknown') ?? false;

export const BuildRunKind: Kind<BuildRun> = {
  apiVersion: 'shipwright.io/v1beta1',
  kind: 'BuildRun',
  plural: 'buildruns',
};
