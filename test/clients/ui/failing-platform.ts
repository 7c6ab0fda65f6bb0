import { onTestFinished } from 'vitest';
import { call, edit, finish, type Scenario, titled, turn } from '../../../src/emulators/model/scenario.ts';
import { sampleScenarios } from '../../../src/emulators/model/scenarios/index.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { keepBothSides } from '../../support/changes/change-harness.ts';
import * as acme from '../../support/platform/acme.ts';
import { TestPlatform } from '../../support/platform/test-platform.ts';
import { startInterceptingProxy } from '../../support/servers/intercepting-proxy.ts';

const scenarios: Scenario[] = [
  ...sampleScenarios,
  {
    ...titled('Greet the moon'),
    roles: {
      implementer: [
        turn('I greet.', edit('greeting.txt', 'Hello, world', 'Hello, moon')),
        finish('done', 'The moon is greeted.'),
      ],
      'conflict-resolver': keepBothSides,
    },
  },
  {
    ...titled('Read everything'),
    roles: { hasty: [turn('I read.', call('list_files')), turn('On.', call('list_files'))] },
  },
];

/** A platform whose model passes a proxy, so that a test can act while an agent works. */
export async function startFailingPlatform() {
  const model = await startModel({ port: 0, scenarios });
  const gate = await startInterceptingProxy(new URL(model.url).origin);
  const environment = { MODEL_BASE_URL: `${gate.url}/v1`, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' };
  const platform = await TestPlatform.start(environment);
  onTestFinished(async () => {
    await platform.remove();
    await Promise.all([gate.close(), model.close()]);
  });
  const api = await platform.signInAsRoot();
  await acme.createAcmeOrg(api);
  return { platform, api, gate };
}
export type World = Awaited<ReturnType<typeof startFailingPlatform>>;
