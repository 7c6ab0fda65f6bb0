import { Histogram, type Registry } from 'prom-client';
import { isServiceError } from '../../errors.ts';
import type { ReadOptions, Store } from '../../store/store.ts';

type Operation = Exclude<keyof Store, 'watch' | 'revision' | 'close'>;
type Labels = { operation: Operation; kind: string; consistency: NonNullable<ReadOptions['consistency']> };

const toLabels = (
  operation: Operation,
  { kind }: { kind: string },
  { consistency = 'strong' }: ReadOptions = {},
): Labels => ({ operation, kind, consistency });

/** Times every operation of a store, except watches, which last as long as their reader wants. */
export function measureStore(store: Store, registry: Registry): Store {
  const duration = new Histogram({
    name: 'delivery_store_operation_duration_seconds',
    help: 'Duration of operations of the store, with the retries of its client',
    labelNames: ['operation', 'kind', 'consistency', 'outcome'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const measure = async <T>(labels: Labels, run: () => Promise<T>): Promise<T> => {
    const stop = duration.startTimer(labels);
    try {
      const result = await run();
      stop({ outcome: 'ok' });
      return result;
    } catch (error) {
      stop({ outcome: toOutcome(error) });
      throw error;
    }
  };
  return {
    ...store,
    create: (kind, object) => measure(toLabels('create', kind), () => store.create(kind, object)),
    get: (kind, ref, options) => measure(toLabels('get', kind, options), () => store.get(kind, ref, options)),
    find: (kind, ref, options) => measure(toLabels('find', kind, options), () => store.find(kind, ref, options)),
    list: (kind, options) => measure(toLabels('list', kind, options), () => store.list(kind, options)),
    replace: (kind, object) => measure(toLabels('replace', kind), () => store.replace(kind, object)),
    put: (kind, object) => measure(toLabels('put', kind), () => store.put(kind, object)),
    updateStatus: (kind, ref, change) =>
      measure(toLabels('updateStatus', kind), () => store.updateStatus(kind, ref, change)),
    delete: (kind, ref, options) => measure(toLabels('delete', kind), () => store.delete(kind, ref, options)),
    deleteNamespace: (namespace) =>
      measure(toLabels('deleteNamespace', { kind: 'Namespace' }), () => store.deleteNamespace(namespace)),
  };
}

/** A refusal, such as a name that is taken, is an answer of a healthy store. */
const toOutcome = (error: unknown): 'refused' | 'failed' =>
  isServiceError(error) && error.code !== 'unavailable' ? 'refused' : 'failed';
