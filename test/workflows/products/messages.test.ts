import type { Workflow } from '@temporalio/common';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ApiDeps } from '../../../api/deps.ts';
import { executeWorkflow } from '../../../api/temporal/execute-workflow.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { startProductDeletion } from '../../../src/reconcile/start-product-deletion.ts';
import type {
  commitLogo,
  createIssue,
  deleteProduct,
  labelIssue,
  scaffoldProduct,
  suggestLogos,
} from '../../../workflows/index.ts';
import {
  commitLogoStart,
  createIssueStart,
  deleteProductStart,
  labelIssueStart,
  scaffoldProductStart,
  suggestLogosStart,
} from '../../../workflows/products/messages.ts';
import type { WorkflowStart } from '../../../workflows/workflow-start.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

const ref = { org: 'acme', product: 'hello' };
const request = { ...ref, repo: 'acme/hello', requestId: 'r1' };
const hash = 'abcdef0123456789abcdef';
const attributes = (targetKind: string) => ({ ...ref, targetKind });

describe('starts of Product workflows', () => {
  it.each([
    [
      createIssueStart({ ...request, payloadKey: 'requests/r1' }),
      'create-issue/acme/r1',
      'ALLOW_DUPLICATE_FAILED_ONLY',
      attributes('issue'),
      'Create an issue on acme/hello',
      'Org **acme**, Product **hello**.',
    ],
    [
      labelIssueStart({ ...request, number: 7, add: ['a'], remove: [], by: 'ada' }),
      'label-issue/acme/r1',
      'ALLOW_DUPLICATE_FAILED_ONLY',
      attributes('issue'),
      'Label acme/hello#7',
      'Org **acme**, Product **hello**.',
    ],
    [
      commitLogoStart({ ...ref, repo: 'acme/hello', hash, type: 'image/svg+xml' }),
      'commit-logo/acme/hello/abcdef0123456789',
      'ALLOW_DUPLICATE',
      attributes('logo'),
      'hello: commit logo to acme/hello',
      `Org **acme**, image ${hash}.`,
    ],
    [
      suggestLogosStart({ ...ref, round: 'r1' }),
      'suggest-logos/acme/hello/r1',
      'ALLOW_DUPLICATE_FAILED_ONLY',
      attributes('logo'),
      'hello: suggest logos',
      'Org **acme**, request r1.',
    ],
    [
      scaffoldProductStart({ ...ref, uid: 'u1', by: 'ada' }),
      'scaffold-product/acme/hello/u1',
      'ALLOW_DUPLICATE',
      attributes('product'),
      'hello: create its repo and first Release',
      'Org **acme**, requested by ada.',
    ],
    [
      deleteProductStart({ ...ref, by: 'bob' }),
      'delete-product/acme/hello',
      'ALLOW_DUPLICATE',
      attributes('product'),
      'Delete Product hello',
      'Org **acme**, requested by bob.',
    ],
  ])(
    'describe $type, and are what the API starts',
    async (start, workflowId, reusePolicy, expected, summary, details) => {
      const { type, options } = start;
      expect(describeStart(start as WorkflowStart<Workflow>)).toEqual({
        type,
        workflowId,
        conflictPolicy: 'USE_EXISTING',
        reusePolicy,
        attributes: expected,
        summary,
        details,
      });
      const { temporal, starts } = captureStarts();
      await executeWorkflow({ temporal } as ApiDeps, start as WorkflowStart<Workflow>);
      expect(starts).toEqual([{ type, options }]);
    },
  );

  it('carry the signatures of their workflows', () => {
    expectTypeOf<NonNullable<ReturnType<typeof createIssueStart>['signature']>>().toEqualTypeOf<typeof createIssue>();
    expectTypeOf<NonNullable<ReturnType<typeof labelIssueStart>['signature']>>().toEqualTypeOf<typeof labelIssue>();
    expectTypeOf<NonNullable<ReturnType<typeof commitLogoStart>['signature']>>().toEqualTypeOf<typeof commitLogo>();
    expectTypeOf<NonNullable<ReturnType<typeof scaffoldProductStart>['signature']>>().toEqualTypeOf<
      typeof scaffoldProduct
    >();
    expectTypeOf<NonNullable<ReturnType<typeof suggestLogosStart>['signature']>>().toEqualTypeOf<typeof suggestLogos>();
    expectTypeOf<NonNullable<ReturnType<typeof deleteProductStart>['signature']>>().toEqualTypeOf<
      typeof deleteProduct
    >();
  });

  it('are what the deletion of a Product starts', async () => {
    const input = { ...ref, by: 'kubectl' };
    const { temporal, starts } = captureStarts();
    const store = openMemoryStore();
    const product = { namespace: 'org-acme', name: 'hello' };
    await store.create(ProductKind, { metadata: product, spec: { repos: [], delivery: { zones: [] } } });
    await startProductDeletion({ store, temporal }, input);
    const { type, options } = deleteProductStart(input);
    expect(starts).toEqual([{ type, options }]);
    // The mark authorizes the workflow.
    expect((await store.get(ProductKind, product)).status?.deletionMessage).toBe('its zones are being removed');
    await store.close();
  });
});
