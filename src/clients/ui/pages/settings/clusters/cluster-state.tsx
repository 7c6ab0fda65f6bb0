import type { Schemas } from '../../../api/generated/openapi.ts';
import { Mark } from '../../../parts/state.tsx';

type Cluster = Schemas['Cluster'];
type Finding = Cluster['findings'][number];

const states: Record<Cluster['state'], [mark: 'done' | 'warn' | 'failed' | 'idle', word: string]> = {
  ready: ['done', 'Ready'],
  warning: ['warn', 'Ready, with warnings'],
  failed: ['failed', 'Not ready'],
  unchecked: ['idle', 'Not checked'],
};

export function ClusterState({ state }: { state: Cluster['state'] }) {
  const [mark, word] = states[state];
  return (
    <span className="row">
      <Mark state={mark} />
      {word}
    </span>
  );
}

export const subjectWords: Record<Finding['subject'], string> = {
  connection: 'Connection',
  version: 'Version',
  permissions: 'Permissions',
  'least-privilege': 'Least privilege',
  deployment: 'Deployment',
  ingress: 'Ingress',
  storage: 'Storage',
  'user-namespaces': 'User namespaces',
  metrics: 'Metrics',
};
