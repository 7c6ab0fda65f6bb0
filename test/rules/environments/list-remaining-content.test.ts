import { expect, it } from 'vitest';
import type { Namespace } from '../../../src/kinds/kubernetes.ts';
import { listRemainingContent } from '../../../src/rules/environments/list-remaining-content.ts';

const metadata = { name: 'shop-rc' } as Namespace['metadata'];

it('lists what the conditions of a namespace name, and the namespace itself without them', () => {
  const conditions = [
    { type: 'NamespaceContentRemaining', status: 'True', message: 'Some resources are remaining: pods.' },
    { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'All resources discovered.' },
  ];
  expect(listRemainingContent({ metadata, status: { conditions } })).toEqual(['Some resources are remaining: pods.']);
  expect(listRemainingContent({ metadata })).toEqual(['Namespace/shop-rc']);
});
