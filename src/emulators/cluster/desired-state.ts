import type { ZoneAccess } from '../../rules/environments/settings.ts';

/** The state that the gitops repo declares for a zone. */
export type DesiredState = {
  /** The name of the chart, and so of the Deployment. */
  name: string;
  image: { repository: string; digest: string };
  replicas: number;
  hosts: string[];
  access: ZoneAccess;
  volumes: { name: string; mountPath: string; size: string; bytes: number }[];
  resources: { requests?: { cpu?: string; memory?: string }; limits?: { memory?: string } };
  memoryLimitBytes?: number;
  strategy: 'RollingUpdate' | 'Recreate';
  release: { name: string; version: string; commit: string };
};
