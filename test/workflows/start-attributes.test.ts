import { expect, it } from 'vitest';
import { phaseAttribute, startAttributes } from '../../workflows/start-attributes.ts';
import { commitLogoStart } from '../../workflows/products/messages.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../support/workflows/with-workflow-harness.ts';

const show = (values: Parameters<typeof startAttributes>[0]) =>
  startAttributes(values).typedSearchAttributes.map(({ key, value }) => [key.name, value]);

it('has only the attributes that are known', () => {
  expect(show({ org: 'acme', product: 'shop', targetKind: 'zone' })).toEqual([
    ['org', 'acme'],
    ['targetKind', 'zone'],
    ['product', 'shop'],
  ]);
  expect(show({ targetKind: 'dns-sweep' })).toEqual([['targetKind', 'dns-sweep']]);
  expect(phaseAttribute('Running')).toMatchObject({ key: { name: 'phase' }, value: 'Running' });
});

it('counts the tasks of a workflow for its org', () => {
  expect(startAttributes({ org: 'acme', targetKind: 'zone' }).priority).toEqual({ fairnessKey: 'acme' });
  expect(startAttributes({ targetKind: 'dns-sweep' }).priority).toEqual({ fairnessKey: '' });
});

describeWithTemporal('the fairness key', () => {
  it('gives an org its turn before the tasks that another org has queued up', async () => {
    const order: string[] = [];
    const commitLogo = async ({ org }: { org: string }) => {
      order.push(org.split('/')[0] ?? '');
      return { repo: 'acme/hello', path: 'logo.svg', type: 'image/svg+xml' as const, hash: 'h1', commit: 'c1' };
    };
    await withWorkflowHarness({ commitLogo }, async (harness) => {
      const start = async (org: string, index: number) =>
        await harness.start(
          commitLogoStart({
            org: `${org}/${harness.taskQueue.slice(-12)}`,
            product: `p${index}`,
            repo: 'acme/hello',
            hash: 'h1',
            type: 'image/svg+xml',
          }),
        );
      const started: Awaited<ReturnType<typeof start>>[] = [];
      await harness.whileWorkerStopped(async () => {
        for (let index = 0; index < 40; index += 1) started.push(await start('busy', index));
        started.push(await start('calm', 0));
      });
      for (const handle of started) await handle.result();
    });
    expect(order).toHaveLength(41);
    // In the order of their starts it would be the last.
    expect(order.indexOf('calm')).toBeLessThan(20);
  });
});
