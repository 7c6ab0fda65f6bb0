import type { Namespace } from '../../kinds/kubernetes.ts';

/** Lists what delays the deletion of a namespace, which its conditions name. */
export function listRemainingContent({ status, metadata }: Pick<Namespace, 'status' | 'metadata'>): string[] {
  const conditions = (status?.conditions ?? []).filter((condition) => condition.status === 'True');
  const messages = conditions.map(({ message = '' }) => message);
  return messages.length > 0 ? messages : [`Namespace/${metadata.name}`];
}
