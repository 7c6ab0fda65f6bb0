import { describe, expect, expectTypeOf, it } from 'vitest';
import { verifyDomainStartOperation } from '../../../api/domains/domain.ts';
import { notifyDomainWorkflow } from '../../../src/main/worker/notify-domain-workflow.ts';
import { sweepDnsStart, verifyDomainStart } from '../../../workflows/domains/messages.ts';
import type { sweepDns, verifyDomain } from '../../../workflows/index.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

const ref = { org: 'acme', domain: 'example.com' };

describe('verifyDomainStart', () => {
  it('describes the loop of a name', () => {
    expect(describeStart(verifyDomainStart(ref))).toEqual({
      type: 'verifyDomain',
      workflowId: 'verify-domain/example.com',
      conflictPolicy: 'USE_EXISTING',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', targetKind: 'domain' },
      summary: 'Domain example.com',
      details: 'First claimed by org **acme**.',
    });
  });

  it('is what the API and the sweep start', async () => {
    const { type, options } = verifyDomainStart(ref);
    const operation = verifyDomainStartOperation(ref);
    expect({ type: operation.workflowTypeOrFunc, options: operation.options }).toEqual({ type, options });
    const { temporal, starts } = captureStarts();
    await notifyDomainWorkflow(temporal)(ref);
    expect(starts).toEqual([{ type, options }]);
  });

  it('carries the signature of its workflow', () => {
    expectTypeOf<NonNullable<ReturnType<typeof verifyDomainStart>['signature']>>().toEqualTypeOf<typeof verifyDomain>();
  });
});

describe('sweepDnsStart', () => {
  it('describes the sweep of a shard', () => {
    const start = sweepDnsStart({ shard: 3, intervalMs: 60_000 });
    expect(describeStart(start)).toEqual({
      type: 'sweepDns',
      workflowId: 'sweep-dns/3',
      conflictPolicy: 'USE_EXISTING',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { targetKind: 'domain' },
      summary: 'DNS sweep of shard 3',
      details: 'Checks the domains of all orgs every 60000 ms.',
    });
    expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof sweepDns>();
  });
});
