import { describe, inject } from 'vitest';
import { lastHeard } from '../../../src/store/last-heard.ts';
import { storeContract } from '../../contracts/store.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';
import { installKinds } from '../install-kinds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const open = async () => {
  await installKinds(inject('cluster'), [ProbeKind]);
  const store = await openClusterStore(inject('cluster'));
  return { store, reopen: () => openClusterStore(inject('cluster')), close: () => store.close() };
};

describe('asked exactly', () => {
  storeContract('Kubernetes', open);
});

describe('as last heard', () => {
  storeContract('Kubernetes', async () => {
    const opened = await open();
    return { ...opened, store: lastHeard(opened.store) };
  });
});
