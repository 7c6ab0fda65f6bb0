import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createAgentActivities, type AgentDeps, type AgentTurn, type TurnOutcome } from '../../activities/agents.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import type { Example } from '../../src/local/model/example.ts';
import { modelPricesOf, modelProviderOf } from '../../src/main/model-settings.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import { catalogRoles, changeAgentWorkflow } from '../../src/rules/agents/catalog.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { testSandbox } from './test-sandbox.ts';

export type AgentRun = {
  folder: string;
  uid: string;
  deps: AgentDeps;
  /** What the model was asked, one line per question. */
  questions: string[];
  turn: (input: Omit<AgentTurn, 'org' | 'run'>, deps?: Partial<AgentDeps>) => Promise<TurnOutcome>;
  /** All turns of a round, to its verdict. */
  round: (
    step: string,
    from: number,
    opening?: AgentTurn['opening'],
  ) => Promise<{ outcome: TurnOutcome; turns: number }>;
  activities: (deps?: Partial<AgentDeps>) => ReturnType<typeof createAgentActivities>;
  /** Git in the code host's bare repo. */
  git: (...args: string[]) => string;
  /** Commits files to a branch of the code host, as a person would. */
  push: (branch: string, change: (folder: string) => void) => Promise<string>;
  close: () => Promise<void>;
};

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];
const sample = join(import.meta.dirname, '../../src/local/sample/hello');

/** A run of the catalog's Change on the sample Product, with real git, blobs, store, sandbox and rehearsal model. */
export async function startAgentRun(issue: { title: string; body?: string }, examples?: Example[]): Promise<AgentRun> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-'));
  const bare = join(folder, 'hello.git');
  const git = (...args: string[]): string =>
    execFileSync('git', [...identity, '-C', bare, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  execFileSync('git', [...identity, 'init', '--quiet', '--bare', bare]);

  const push: AgentRun['push'] = async (branch, change) => {
    const clone = await mkdtemp(join(folder, 'person-'));
    const own = (...args: string[]): string =>
      execFileSync('git', [...identity, '-C', clone, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
    own('clone', '--quiet', bare, '.');
    if (git('branch', '--list', branch)) own('checkout', '--quiet', branch);
    else own('checkout', '--quiet', '-b', branch);
    change(clone);
    own('add', '--all');
    own('commit', '--quiet', '-m', 'A person changes something');
    own('push', '--quiet', 'origin', branch);
    return own('rev-parse', 'HEAD');
  };
  await push('main', (clone) => cpSync(sample, clone, { recursive: true }));

  const questions: string[] = [];
  const server = await startModel({ port: 0, log: (line) => questions.push(line), ...(examples && { examples }) });
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const namespace = 'org-acme';
  const zones = [{ name: 'hello-prod', arrival: 'automatic' as const }];
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones } },
  });
  const { metadata } = await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'change-hello-7' },
    spec: {
      agentWorkflow: 'change',
      product: 'hello',
      target: { repo: 'acme/hello', number: 7 },
      startedBy: 'ada',
      steps: changeAgentWorkflow.steps,
      roles: catalogRoles,
    },
  });

  const host: Pick<OrgCodehost, 'gitRemote' | 'issue' | 'repository' | 'branchHead'> = {
    gitRemote: async () => ({ url: bare, authorization: 'Basic c2VjcmV0OnNlY3JldA==' }),
    repository: async () => ({ defaultBranch: 'main', cloneUrl: bare, private: true }),
    branchHead: async (_, branch) => git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || undefined,
    issue: async (_, number) => ({
      number,
      title: issue.title,
      body: issue.body ?? '',
      url: 'http://localhost/7',
      state: 'open',
      labels: ['service'],
      author: 'ada',
      authorIsBot: false,
      isPullRequest: false,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    }),
  };
  const codehost: Codehost = { forOrg: async () => host as OrgCodehost };
  const installation = {
    kind: 'openai-compatible' as const,
    baseUrl: server.url,
    model: 'rehearsal',
    apiKey: 'sk-test-key',
  };
  const deps: AgentDeps = {
    store,
    codehost,
    sandbox: testSandbox(),
    checkoutsDir: join(folder, 'checkouts'),
    blobs: directoryBlobs(join(folder, 'blobs')),
    models: createModels({ providerOf: modelProviderOf(store), pricesOf: modelPricesOf(store), installation }),
  };
  const at = { org: 'acme', run: 'change-hello-7' };
  const activities: AgentRun['activities'] = (other) => atBoundary(createAgentActivities({ ...deps, ...other }));
  const turn: AgentRun['turn'] = async (input, other) =>
    await new MockActivityEnvironment().run(activities(other).agentTurn, { ...at, ...input });

  return {
    folder,
    uid: metadata.uid,
    deps,
    questions,
    turn,
    activities,
    git,
    push,
    async round(step, from, opening = 'start') {
      for (let number = from; number < from + 20; number += 1) {
        const outcome = await turn({ step, turn: number, ...(number === from && { opening }) });
        if (outcome.done) return { outcome, turns: number };
      }
      throw new Error(`The step ${step} does not end.`);
    },
    async close() {
      await server.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
