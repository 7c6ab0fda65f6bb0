import { describe, inject } from 'vitest';
import { cachedReads } from '../../../src/store/cached-reads.ts';
import { describeStoreContract } from '../../contracts/store.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';
import { installCrds } from '../install-crds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const open = async () => {
  await installCrds(inject('cluster'), [ProbeKind]);
  const store = await openClusterStore(inject('cluster'));
  return { store, reopen: () => openClusterStore(inject('cluster')), close: () => store.close() };
};

describe('with strong reads', () => {
  describeStoreContract('Kubernetes', open);
});

describe('with cached reads', () => {
  describeStoreContract('Kubernetes', async () => {
    const opened = await open();
    return { ...opened, store: cachedReads(opened.store) };
  });
});
