import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createAgentActivities } from '../../activities/agents.ts';
import { createChangeActivities } from '../../activities/changes.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { type Example, finish, run as command, turn } from '../../src/local/model/example.ts';
import { startCodehost } from '../../src/local/codehost/start-codehost.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import { codehostCredentials } from '../../src/main/codehost-credentials.ts';
import { modelPricesOf, modelProviderOf } from '../../src/main/model-settings.ts';
import { catalogRoles } from '../../src/rules/agents/catalog.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import type { RunTarget } from '../../src/rules/changes/kinds.ts';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { runAgentWorkflowId, type RunAgentWorkflowInput } from '../../workflows/changes/messages.ts';
import { anApp } from '../local/codehost/a-codehost.ts';
import { aPerson, seed } from './a-person.ts';
import { aRealChange } from './a-real-change.ts';
import { type Gate, startGate } from './gate.ts';
import { testSandbox } from './test-sandbox.ts';
import { startWorkflowWorld, replay } from './workflow-world.ts';

/** The quick Change: no reviewers. */
export const quickSteps: StepSpec[] = [
  { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
  { name: 'approve-change', type: 'human' },
  {
    name: 'resolve-conflicts',
    type: 'agent',
    role: 'conflict-resolver',
    mode: 'change',
    when: { pullRequest: { conflicted: true } },
  },
  { name: 'merge', type: 'merge' },
];

const dropMarkers = `for file in $(grep -rlE '^<{7} ' .); do sed -i -E "/^(<{7} |={7}$|>{7} )/d" "$file"; done`;
/** A resolver that keeps what both sides wrote. */
export const keepingBoth = [turn('I keep both.', command(dropMarkers)), finish('done', 'Both are kept.')];

export type RealChanges = Awaited<ReturnType<typeof startRealChanges>>;

/**
 * Changes on real parts: the stand-in code host with git over HTTP, Temporal, the sandbox, and a scripted model, with a
 * gate before the code host and one before the model. The Release of a merge is another story and ends at once.
 */
export async function startRealChanges(examples: Example[]) {
  const folder = await mkdtemp(join(tmpdir(), 'changes-'));
  const host = await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 });
  await host.seedRepository('acme/none', await seed(folder, {}));
  const [codehostGate, model] = await Promise.all([startGate(host.url), startModel({ port: 0, examples })]);
  const modelGate = await startGate(new URL(model.url).origin);
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const blobs = directoryBlobs(join(folder, 'blobs'));
  const codehost = octokitCodehost({
    apiUrl: `${codehostGate.url}/api/v3`,
    credentialsOf: codehostCredentials(store),
    throttle: false,
  });
  const installation = { kind: 'openai-compatible' as const, baseUrl: `${modelGate.url}/v1`, model: 'scripted' };
  const activities = {
    ...createAgentActivities({
      store,
      codehost,
      blobs,
      sandbox: testSandbox(),
      checkoutsDir: join(folder, 'checkouts'),
      models: createModels({ providerOf: modelProviderOf(store), pricesOf: modelPricesOf(store), installation }),
    }),
    ...createChangeActivities({ store, codehost, blobs, now: () => new Date() }),
    openRelease: async () => ({ release: 'r-v0.1.0', version: 'v0.1.0', zones: [] }),
    recordRelease: async () => {},
    buildImage: async () => ({ outcome: 'built' as const, digest: 'sha256:1' }),
    tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
  };
  const world = await startWorkflowWorld({ address: inject('temporalAddress') ?? '', activities });
  const org = world.taskQueue;
  const { app } = await anApp({ ...host });
  const namespace = orgNamespace(org);
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: { 'app-id': encoded(String(app.id)), 'private-key': encoded(app.pem) },
  });
  for (const [name, spec] of Object.entries(catalogRoles))
    await store.create(AgentRoleKind, { metadata: { namespace, name }, spec });

  /** A Product in a repo of its own with these files, and the AgentWorkflow that its Changes go by. */
  const aProduct = async (name: string, files: Record<string, string>, own: StepSpec[] = quickSteps) => {
    const repo = `acme/${name}`;
    await host.seedRepository(repo, await seed(folder, files));
    await store.create(ProductKind, {
      metadata: { namespace, name },
      spec: { repos: [repo], delivery: { zones: [{ name: `${name}-prod`, arrival: 'automatic' }] } },
    });
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled: true, triggers: [], steps: own },
    });
    const rest = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await fetch(`${host.apiUrl}/repos/${repo}${path}`, {
        method,
        headers: { authorization: `token ${host.userToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    return {
      repo,
      rest,
      person: await aPerson(folder, host, repo),
      change: async (target?: RunTarget) => {
        const { number } = target ?? (await rest<{ number: number }>('POST', '/issues', { title: 'Greet the moon' }));
        const input: RunAgentWorkflowInput = {
          org,
          agentWorkflow: name,
          product: name,
          target: target ?? { repo, number },
          startedBy: 'ada',
          pace: { lookAgainMs: 20 },
        };
        const workflowId = runAgentWorkflowId(input);
        await world.start('runAgentWorkflow', input, { workflowId });
        return aRealChange({ world, store, input });
      },
    };
  };

  return {
    aProduct,
    /** The Products that a Release was started for. */
    releases: () => world.calls('openRelease').map(({ product }) => product),
    codehost: codehostGate satisfies Gate,
    model: modelGate satisfies Gate,
    async close() {
      try {
        await replay(await world.histories());
      } finally {
        await world.close();
        await Promise.all([codehostGate.close(), modelGate.close(), model.close()]);
        await host.close();
        await store.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
