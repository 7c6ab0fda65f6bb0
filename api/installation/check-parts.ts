import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { reachesTemporal } from '../temporal.ts';

/** Shorter than the second that probes commonly give. */
const patienceMs = 800;

export type Parts = { store: boolean; workflows: boolean };

/** Whether what the API needs answers right now. */
export async function checkParts({ store, temporal }: Pick<ApiDeps, 'store' | 'temporal'>): Promise<Parts> {
  const looked = store.find(ConfigMapKind, { namespace: systemNamespace, name: 'root-user' });
  const storeAnswers = Promise.race([looked.then(() => true), pause(patienceMs)]).catch(() => false);
  const [storeReachable, workflows] = await Promise.all([storeAnswers, reachesTemporal(temporal, patienceMs)]);
  return { store: storeReachable, workflows };
}

const pause = async (ms: number): Promise<false> => {
  const { promise, resolve } = Promise.withResolvers<false>();
  setTimeout(() => resolve(false), ms).unref();
  return promise;
};
