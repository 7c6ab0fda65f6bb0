import { expect, it, onTestFinished } from 'vitest';
import { approvePending, createAcmeOrg, createProduct, startChange } from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type Span, startTraceCollector } from '../support/servers/trace-collector.ts';

/** Returns the names of a span and of all below it. */
function listTree(spans: readonly Span[], top: Span): string[] {
  const below = spans.filter(({ parent, trace }) => parent === top.id && trace === top.trace);
  return [top.name, ...below.flatMap((span) => listTree(spans, span))];
}

it('exports a Change as one tree, from the request that starts it to the zones of its Release', async () => {
  const collector = await startTraceCollector();
  onTestFinished(collector.close);
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '200' };
  const platform = await TestPlatform.start(settings);
  onTestFinished(async () => await platform.remove());
  const api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'shop' });
  const run = await startChange(api, 'shop', 'Greet visitors by name');
  await waitUntil(
    async () => await approvePending(api, run),
    (phase) => phase === 'Succeeded',
  );

  const findTop = (): Span | undefined =>
    collector.spans.find(({ name }) => name === 'POST /api/v1/orgs/:org/agentworkflowruns');
  const readTree = (): string[] => {
    const top = findTop();
    return top ? listTree(collector.spans, top) : [];
  };
  const inTree = [
    'RunWorkflow:runAgentWorkflow',
    'RunActivity:runAgentTurn',
    'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
    'RunWorkflow:promoteRelease',
    'RunActivity:buildImage',
  ];
  await expect.poll(() => inTree.filter((name) => !readTree().includes(name))).toEqual([]);
  // The workflow of a zone never ends, so its own span is not exported.
  const inTrace = collector.spans.filter(({ trace }) => trace === findTop()?.trace).map(({ name }) => name);
  expect(inTrace).toEqual(expect.arrayContaining(['RunActivity:writePromotion', 'RunActivity:runSmokeCheck']));
  // A decision is a request of another person, and has a trace of its own.
  const approval = collector.spans.find(({ name }) => name.endsWith('/steps/:step/approve'));
  expect(approval?.trace).not.toBe(findTop()?.trace);
  expect(listTree(collector.spans, approval!)).toContain('HandleUpdate:approveStep');
});
