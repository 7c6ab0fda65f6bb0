import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentDeps } from '../../../activities/agents.ts';
import type { Models } from '../../../src/integrations/models/models.ts';
import type { CommandResult, Sandbox } from '../../../src/integrations/sandbox/sandbox.ts';
import type { Store } from '../../../src/store/store.ts';

/**
 * Told of every point between two effects that a turn has on the world; the turn goes on when it answers.
 * `getInto` brings the effect that comes next halfway.
 */
export type Watch = (point: string, getInto?: () => Promise<void>) => Promise<void>;

export function watchedDeps<Deps extends AgentDeps>(deps: Deps, at: Watch): Deps {
  return {
    ...deps,
    blobs: {
      ...deps.blobs,
      async put(key: string, bytes: Uint8Array) {
        await deps.blobs.put(key, bytes);
        await at(`${key.includes('/evidence/') ? 'evidence' : key.split('/').at(-1)} kept`);
      },
    },
    models: watchedModels(deps.models, at),
    store: watchedStore(deps.store, at),
    sandbox: watchedSandbox(deps.sandbox, at),
  };
}

const watchedModels = <M extends Pick<Models, 'forOrg'>>(models: M, at: Watch): M => ({
  ...models,
  async forOrg(org: string, name?: string) {
    const model = await models.forOrg(org, name);
    const answer: typeof model.answer = async (question) => {
      await at('about to ask');
      const answered = await model.answer(question);
      await at('answered');
      return answered;
    };
    return { ...model, answer };
  },
});

function watchedStore(store: Store, at: Watch): Store {
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
      await at(`${kind.kind} noted`);
      return updated;
    },
  };
}

function watchedSandbox(sandbox: Sandbox, at: Watch): Sandbox {
  return {
    ...sandbox,
    async run(request, options) {
      let halfway: Promise<CommandResult> | undefined;
      await at('in a command', async () => {
        const { path } = request.workspace;
        const argv = ['/bin/sh', '-c', `${request.argv.at(-1)}\n: > half-way; ${endless(path)}`];
        halfway = sandbox.run({ ...request, argv }, options);
        while (!existsSync(join(path, 'half-way'))) await pause(5);
      });
      const result = await (halfway ?? sandbox.run(request, options));
      await at('command run');
      return result;
    },
  };
}

/** How a command in that folder that was brought halfway is found among the processes of this machine. */
export const endless = (folder: string): string => `sleep 600 # ${folder}`;
