import { expect, onTestFinished } from 'vitest';
import { approvePending, createAcmeOrg, createProduct, startChange } from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { itWithCollector, type Span, startOtelCollector } from '../support/servers/otel-collector.ts';

/** Returns the names of a span and of all below it. */
function listTree(spans: readonly Span[], top: Span): string[] {
  const below = spans.filter(({ parent, trace }) => parent === top.id && trace === top.trace);
  return [top.name, ...below.flatMap((span) => listTree(spans, span))];
}

itWithCollector(
  'exports a Change as one tree, from the request that starts it to the zones of its Release',
  async () => {
    const collector = await startOtelCollector();
    onTestFinished(collector.stop);
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

    const findTop = (spans: readonly Span[]): Span | undefined =>
      spans.find(({ name }) => name === 'POST /api/v1/orgs/:org/agentworkflowruns');
    const readTree = async (): Promise<string[]> => {
      const spans = await collector.readSpans();
      const top = findTop(spans);
      return top ? listTree(spans, top) : [];
    };
    const inTree = [
      'RunWorkflow:runAgentWorkflow',
      'RunActivity:runAgentTurn',
      'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
      'RunWorkflow:promoteRelease',
      'RunActivity:buildImage',
      'HandleSignal:enqueue',
      'RunActivity:writePromotion',
      'RunActivity:runSmokeCheck',
    ];
    await expect
      .poll(async () => {
        const tree = await readTree();
        return inTree.filter((name) => !tree.includes(name));
      })
      .toEqual([]);
    const spans = await collector.readSpans();
    const top = findTop(spans);
    // A decision is a request of another person, and has a trace of its own.
    const approval = spans.find(({ name }) => name.endsWith('/steps/:step/approve'));
    expect(approval?.trace).not.toBe(top?.trace);
    expect(listTree(spans, approval!)).toContain('HandleUpdate:approveStep');
  },
);
