import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentDeps } from '../../../activities/agents/agent-activities.ts';
import type { Models } from '../../../src/integrations/models/models.ts';
import type { CommandResult, Sandbox } from '../../../src/integrations/sandbox/sandbox.ts';
import type { Store } from '../../../src/store/store.ts';

/**
 * Runs between any two effects of a turn, which continues when the promise resolves. `runHalfway` runs half of the next
 * effect.
 */
export type Checkpoint = (point: string, runHalfway?: () => Promise<void>) => Promise<void>;

export function withCheckpoints<Deps extends AgentDeps>(deps: Deps, at: Checkpoint): Deps {
  return {
    ...deps,
    blobs: {
      ...deps.blobs,
      async put(key: string, bytes: Uint8Array) {
        await deps.blobs.put(key, bytes);
        await at(`${toBlobName(key)} saved`);
      },
    },
    models: withModelCheckpoints(deps.models, at),
    store: withStoreCheckpoints(deps.store, at),
    sandbox: withSandboxCheckpoints(deps.sandbox, at),
  };
}

/** The last part of a key, except where it is a hash, which differs from run to run. */
function toBlobName(key: string): string | undefined {
  if (key.startsWith('commits/')) return 'commit';
  return key.includes('/evidence/') ? 'evidence' : key.split('/').at(-1);
}

const withModelCheckpoints = <M extends Pick<Models, 'forOrg'>>(models: M, at: Checkpoint): M => ({
  ...models,
  async forOrg(org: string, name?: string) {
    const model = await models.forOrg(org, name);
    const generate: typeof model.generate = async (request) => {
      await at('before request');
      const response = await model.generate(request);
      await at('response received');
      return response;
    };
    return { ...model, generate };
  },
});

function withStoreCheckpoints(store: Store, at: Checkpoint): Store {
  return {
    ...store,
    async create(kind, object) {
      const created = await store.create(kind, object);
      await at(`${kind.kind} created`);
      return created;
    },
    async replace(kind, object) {
      const replaced = await store.replace(kind, object);
      await at(`${kind.kind} replaced`);
      return replaced;
    },
    async updateStatus(kind, ref, change) {
      const updated = await store.updateStatus(kind, ref, change);
      await at(`${kind.kind} status updated`);
      return updated;
    },
  };
}

function withSandboxCheckpoints(sandbox: Sandbox, at: Checkpoint): Sandbox {
  return {
    ...sandbox,
    async run(request, options) {
      let halfway: Promise<CommandResult> | undefined;
      await at('in a command', async () => {
        const { path } = request.workspace;
        const argv = ['/bin/sh', '-c', `${request.argv.at(-1)}\n: > half-way; ${toEndlessCommand(path)}`];
        halfway = sandbox.run({ ...request, argv }, options);
        while (!existsSync(join(path, 'half-way'))) await pause(5);
      });
      const result = await (halfway ?? sandbox.run(request, options));
      await at('command finished');
      return result;
    },
  };
}

/** Builds a command that never ends, and that a test can find in the process list by its folder. */
export const toEndlessCommand = (folder: string): string => `sleep 600 # ${folder}`;
