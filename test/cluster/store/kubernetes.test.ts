import { inject } from 'vitest';
import { storeContract } from '../../contracts/store.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';
import { installKinds } from '../install-kinds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

storeContract('Kubernetes', async () => {
  await installKinds(inject('cluster'), [ProbeKind]);
  const store = await openClusterStore(inject('cluster'));
  return { store, reopen: () => openClusterStore(inject('cluster')), close: () => store.close() };
});
